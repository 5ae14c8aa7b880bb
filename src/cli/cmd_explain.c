/*
 * berm explain: what would be promised, by which mechanism, in which order, on this machine. Nothing runs.
 */
#include <stdio.h>
#include <unistd.h>

#include "base/error.h"
#include "cli/help.h"
#include "cli/run_command.h"
#include "cli/verb.h"
#include "plan/dump.h"
#include "wire/plan_json.h"

static int stdout_sink(void *context, const char *bytes, size_t size)
{
    (void)context;
    return fwrite(bytes, 1, size, stdout) == size ? 0 : -5 /* EIO */;
}

static int print_plan(const struct run_command *command)
{
    struct json_writer json;
    int r;

    if (command->options.json) {
        json_begin(&json, stdout_sink, NULL, true);
        (void)plan_to_json(command->plan, &json); /* the first failure sticks: json_end */
        r = json_end(&json);
        (void)putchar('\n');
    } else {
        r = plan_dump(command->plan, stdout_sink, NULL);
    }
    return r < 0 || fflush(stdout) != 0 ? 125 : 0;
}

int cmd_explain(int argc, char **argv)
{
    static char example[] = "COMMAND";
    char *const nothing[] = {example, NULL};
    struct run_command command;
    struct berm_error err = {0};
    int status;

    run_command_init(&command);
    int r = run_command_parse(&command, argc, argv, &err);
    if (r == 0 && command.options.wants_help) {
        run_command_done(&command);
        return help_exit("explain");
    }
    if (r == 0)
        r = run_command_plan(
            &command, command.command_index < argc ? argv + command.command_index : nothing, &err);
    status = r < 0 ? run_command_refuse(&command, &err) : print_plan(&command);
    run_command_done(&command);
    return status;
}
