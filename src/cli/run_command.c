/*
 * From flags to a plan.
 */
#include "cli/run_command.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "cli/caller_tty.h"
#include "cli/complain.h"
#include "cli/result_print.h"
#include "cli/terminal.h"
#include "layers/choices.h"
#include "layers/small_root.h"
#include "request/env_file.h"
#include "run/failure.h"
#include "run/result.h"
#include "wire/result_json.h"

extern char **environ;

#ifdef BERM_FAULT_INJECTION
static unsigned fault_step;
static int fault_number;

void run_command_set_fault(unsigned step, int number)
{
    fault_step = step;
    fault_number = number;
}
#endif

void run_command_init(struct run_command *command)
{
    memset(command, 0, sizeof(*command));
    command->stdin_fd = -EBADF;
    command->result_fd = -EBADF;
    command->patience_ms = -1;
}

void run_command_done(struct run_command *command)
{
    run_end_early(&command->early);
    policy_free(command->policy);
    if (command->words)
        run_file_words_done(command->words);
    free(command->words);
    env_file_free(command->env_extra, command->env_extra_count);
    policy_free(command->compile_policy);
    binds_done(&command->binds);
    free(command->plan);
    free(command->compile_plan);
    if (command->stdin_fd > STDERR_FILENO)
        (void)close(command->stdin_fd);
    close_fd(&command->result_fd);
    run_command_init(command);
}

/* settled.md, "Result and exit": the caller's input when it is a pipe or a file, nothing when it is a
 * terminal; a device such as /dev/null counts as nothing. */
static int open_input(struct run_command *command, struct berm_error *err)
{
    const char *from = command->options.stdin_from;
    struct stat status;

    if (from && strcmp(from, "none") == 0)
        return 0;
    if (from && strcmp(from, "-") != 0) {
        command->stdin_fd = open(from, O_RDONLY | O_CLOEXEC | O_NOCTTY);
        if (command->stdin_fd < 0)
            return error_set(err, BERM_E_INVALID, BERM_LAYER_NONE, errno,
                             "name a file that can be read, - or none", "--stdin %s: %s", from,
                             strerror(errno));
        if (fstat(command->stdin_fd, &status) == 0 && S_ISDIR(status.st_mode))
            return error_set(err, BERM_E_INVALID, BERM_LAYER_NONE, EISDIR,
                             "name a file that can be read, - or none", "--stdin %s: %s", from,
                             strerror(EISDIR));
        return 0;
    }
    /* A terminal of its own is fed from whatever the caller's input is. */
    if (from || command->options.tty ||
        (fstat(STDIN_FILENO, &status) == 0 &&
         (S_ISFIFO(status.st_mode) || S_ISREG(status.st_mode) || S_ISSOCK(status.st_mode))))
        command->stdin_fd = STDIN_FILENO;
    return 0;
}

int run_command_parse(struct run_command *command, int argc, char **argv, struct berm_error *err)
{
    command->policy = policy_new();
    if (!command->policy)
        return error_set(err, BERM_E_SYSTEM, BERM_LAYER_NONE, ENOMEM, NULL, "no memory");
    int r =
        options_parse(argc, argv, command->policy, &command->options, &command->command_index, err);
    if (r < 0 || command->options.wants_help)
        return r;
    r = policy_validate(command->policy, err);
    for (size_t i = 0; r == 0 && i < command->policy->env_file.count; i++)
        r = env_file_read(command->policy->env_file.items[i], &command->env_extra,
                          &command->env_extra_count, err);
    command->words = calloc(1, sizeof(*command->words));
    if (r == 0)
        r = command->words
                ? run_file_words_read(&command->options, command->policy, command->words, err)
                : error_set(err, BERM_E_SYSTEM, BERM_LAYER_NONE, ENOMEM, NULL, "no memory");
    /* An explicit cap on returned output means: return it, do not pass it through. */
    command->is_capturing = command->options.json || command->policy->is_explicit[FIELD_output];
    return r;
}

void run_command_begin_early(struct run_command *command)
{
    if (!host_has_unified_groups())
        run_begin_early(&command->early, namespaces_of(command->policy));
}

/* The file of the program goes to the first program that runs: the compiler, where there is one. */
static int plan_compiler(struct run_command *command, struct berm_error *err)
{
    struct request request = {
        .argv = command->compile_program,
        .caller_env = environ,
        .env_extra = (const char *const *)command->env_extra,
        .env_extra_count = command->env_extra_count,
        .wants_capture = true,
        .files = command->files,
        .file_count = command->file_count,
        .argv_has_work_mark = true,
        .ro_resolved = (const char *const *)command->binds.ro,
        .rw_resolved = (const char *const *)command->binds.rw,
        .absent = command->absent,
        .wants_work = command->words->wants_list || command->words->get_count > 0,
        .awaits_puts = command->words->put_count > 0,
    };

    free(command->compile_plan);
    command->compile_plan = NULL;
    return layers_plan(command->compile_policy, &request, &command->host, &command->compile_plan,
                       err);
}

int run_command_plan(struct run_command *command, char *const *program, struct berm_error *err)
{
    size_t path_count = 0;
    const char *const *paths = small_root_subtrees(&path_count);
    bool is_compiled = command->compile_policy != NULL;
    struct request request = {
        .argv = program,
        .caller_env = environ,
        .env_extra = (const char *const *)command->env_extra,
        .env_extra_count = command->env_extra_count,
        .wants_tty = command->options.tty,
        .wants_capture = command->is_capturing,
        .files = command->files,
        .file_count = is_compiled ? 0 : command->file_count,
        .argv_has_work_mark = command->file_count > 0,
        .absent = command->absent,
        .wants_work = command->words->wants_list || command->words->get_count > 0,
        .awaits_puts = command->words->put_count > 0,
    };

    int r = command->stdin_fd < 0 ? open_input(command, err) : 0;
    if (r < 0)
        return r;
    if (!command->binds.ro)
        r = binds_resolve(command->policy, &command->binds, err);
    if (r < 0)
        return r;
    request.ro_resolved = (const char *const *)command->binds.ro;
    request.rw_resolved = (const char *const *)command->binds.rw;
    request.has_stdin = command->stdin_fd >= 0;
    host_probe(&command->host, PROBE_QUICK, paths, path_count);
    if (needs_home(command->policy))
        host_find_home(&command->host);
    if (needs_clock(command->policy, &command->host))
        host_try_clock(&command->host);
    free(command->plan);
    command->plan = NULL;
    command->program = program;
    r = layers_plan(command->policy, &request, &command->host, &command->plan, err);
#ifdef BERM_FAULT_INJECTION
    if (r == 0 && command->plan) {
        command->plan->fault_step = (uint16_t)fault_step;
        command->plan->fault_errno = fault_number;
    }
#endif
    return r == 0 && is_compiled ? plan_compiler(command, err) : r;
}

bool run_command_has_small_root(const struct run_command *command)
{
    return has_small_root(command->policy);
}
