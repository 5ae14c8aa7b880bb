/*
 * berm run: one command, contained.
 */
#include <errno.h>
#include <stdio.h>

#include "base/error.h"
#include "cli/help.h"
#include "cli/run_command.h"
#include "cli/verb.h"

int cmd_run(int argc, char **argv)
{
    struct run_command command;
    struct berm_error err = {0};
    int status = 0;

    run_command_init(&command);
    int r = run_command_parse(&command, argc, argv, &err);
    if (r == 0 && command.options.wants_help) {
        run_command_done(&command);
        return help_exit("run");
    }
    if (r == 0 && command.options.lang)
        r = error_set(
            &err, BERM_E_INVALID, BERM_LAYER_NONE, 0, "use `berm code --lang`, or leave it out",
            "--lang says in which language a program text is; `berm run` takes a command");
    if (r == 0 && command.command_index >= argc)
        r = error_set(&err, BERM_E_INVALID, BERM_LAYER_NONE, 0,
                      "berm run [OPTIONS] -- COMMAND [ARGUMENT...]", "there is no command to run");
    if (r == 0 && argv[command.command_index][0] == '\0')
        r = error_set(&err, BERM_E_INVALID, BERM_LAYER_NONE, 0,
                      "berm run [OPTIONS] -- COMMAND [ARGUMENT...]", "the command's name is empty");
    if (r == 0)
        run_command_begin_early(&command);
    if (r == 0)
        r = run_command_plan(&command, argv + command.command_index, &err);
    status = r < 0 ? run_command_refuse(&command, &err) : run_command_execute(&command);
    run_command_done(&command);
    return status;
}
