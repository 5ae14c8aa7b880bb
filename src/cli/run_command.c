/*
 * From flags to a plan, from a plan to a printed result.
 */
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
#include "cli/complain.h"
#include "cli/env_file.h"
#include "cli/result_print.h"
#include "cli/run_command.h"
#include "cli/terminal.h"
#include "layers/choices.h"
#include "layers/small_root.h"
#include "run/failure.h"
#include "run/result.h"
#include "wire/result_json.h"

extern char **environ;

/* How much of stderr is kept, when nothing is returned, for the guess of out-of-memory. */
#define TAIL_CHARS 2000

void run_command_init(struct run_command *command)
{
    memset(command, 0, sizeof(*command));
    command->stdin_fd = -EBADF;
}

void run_command_done(struct run_command *command)
{
    policy_free(command->policy);
    env_file_free(command->env_extra, command->env_extra_count);
    free(command->plan);
    if (command->stdin_fd > STDERR_FILENO)
        (void)close(command->stdin_fd);
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
        return 0;
    }
    if (from || (fstat(STDIN_FILENO, &status) == 0 &&
                 (S_ISFIFO(status.st_mode) || S_ISREG(status.st_mode) || S_ISSOCK(status.st_mode))))
        command->stdin_fd = STDIN_FILENO;
    return 0;
}

int run_command_parse(struct run_command *command, int argc, char **argv, struct berm_error *err)
{
    command->policy = policy_new();
    if (!command->policy)
        return error_set(err, BERM_E_SYSTEM, BERM_LAYER_NONE, ENOMEM, NULL, "no memory");
    int r = options_parse(argc, argv, command->policy, &command->options, &command->command_index,
                          err);
    if (r < 0 || command->options.wants_help)
        return r;
    r = policy_validate(command->policy, err);
    for (size_t i = 0; r == 0 && i < command->policy->env_file.count; i++)
        r = env_file_read(command->policy->env_file.items[i], &command->env_extra,
                          &command->env_extra_count, err);
    /* An explicit cap on returned output means: return it, do not pass it through. */
    command->is_capturing =
        command->options.json || command->policy->is_explicit[FIELD_output];
    return r;
}

int run_command_plan(struct run_command *command, char *const *program, struct berm_error *err)
{
    size_t path_count = 0;
    const char *const *paths = small_root_subtrees(&path_count);
    struct request request = {
        .argv = program,
        .caller_env = environ,
        .env_extra = (const char *const *)command->env_extra,
        .env_extra_count = command->env_extra_count,
        .wants_tty = command->options.tty,
        .wants_capture = command->is_capturing,
        .files = command->files,
        .file_count = command->file_count,
        .argv_has_work_mark = command->file_count > 0,
    };

    int r = command->stdin_fd < 0 ? open_input(command, err) : 0;
    if (r < 0)
        return r;
    request.has_stdin = command->stdin_fd >= 0;
    host_probe(&command->host, PROBE_QUICK, paths, path_count);
    free(command->plan);
    command->plan = NULL;
    command->program = program;
    return layers_plan(command->policy, &request, &command->host, &command->plan, err);
}

bool run_command_has_small_root(const struct run_command *command)
{
    return has_small_root(command->policy);
}

int run_command_refuse(const struct run_command *command, const struct berm_error *err)
{
    if (!command->options.json)
        (void)complain(err);
    else
        (void)print_error_json(STDOUT_FILENO, err);
    return error_exit_status(err);
}

/* The signals that cancel a run, as a descriptor. One that the caller ignores stays ignored. */
static int open_cancel(void)
{
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
    struct sigaction action;
    sigset_t set;

    (void)sigemptyset(&set);
    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
        if (sigaction(numbers[i], NULL, &action) == 0 && action.sa_handler != SIG_IGN)
            (void)sigaddset(&set, numbers[i]);
    }
    if (sigprocmask(SIG_BLOCK, &set, NULL) < 0)
        return -errno;
    int fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
    return fd < 0 ? -errno : fd;
}

struct run_output {
    struct capture *captures[STREAM_COUNT];
    struct terminal terminals[STREAM_COUNT];
};

static int prepare_output(const struct run_command *command, struct run_output *output,
                          struct run_io *io)
{
    bool is_raw = command->options.raw || command->options.tty;

    for (int i = 0; i < STREAM_COUNT; i++) {
        uint64_t chars = command->is_capturing ? command->plan->output_chars : TAIL_CHARS;
        int fd = i == STREAM_STDOUT ? STDOUT_FILENO : STDERR_FILENO;

        io->live_fds[i] = command->is_capturing ? -1 : fd;
        if (command->is_capturing || i == STREAM_STDERR) {
            output->captures[i] = capture_new(chars);
            if (!output->captures[i])
                return -ENOMEM;
        }
        io->captures[i] = output->captures[i];
        terminal_init(&output->terminals[i]);
        if (!command->is_capturing && !is_raw && isatty(fd)) {
            io->transforms[i] = terminal_transform;
            io->transform_contexts[i] = &output->terminals[i];
        }
    }
    return 0;
}

static void show_result(const struct run_command *command, const struct run_output *output,
                        const struct result *result)
{
    struct result_json_options options = {.has_output = command->is_capturing,
                                          .has_timings = command->options.timings};

    if (command->options.json) {
        (void)print_result_json(STDOUT_FILENO, command->plan, result, output->captures, &options);
    } else {
        if (command->is_capturing)
            print_captured(output->captures);
        print_verdict(command->plan, result);
    }
    if (command->options.result)
        (void)write_result_file(command->options.result, command->plan, result, output->captures,
                                &options);
}

/* A layer that was only preferred and that the run could not have is left out, and the run begun again: no
 * program was executed. Returns 1 when there is a new plan, 0 when the failure stands, -errno. */
static int plan_without(struct run_command *command, const struct berm_error *why)
{
    struct berm_error err = {0};
    enum layer_mode *mode = &command->policy->modes[why->layer];

    if (why->code != BERM_E_UNAVAILABLE || why->layer == BERM_LAYER_NONE || *mode != MODE_PREFER)
        return 0;
    *mode = MODE_OFF;
    struct result_note *note = &command->without[command->without_count++];
    note->layer = why->layer;
    (void)snprintf(note->text, sizeof(note->text), "preferred and not to be had: %.200s",
                   why->message);
    return run_command_plan(command, command->program, &err) == 0;
}

static void add_notes(const struct run_command *command, struct result *result)
{
    for (uint32_t i = 0; i < command->without_count && result->note_count < RESULT_NOTES_MAX; i++)
        result->notes[result->note_count++] = command->without[i];
}

static int judge_and_show(const struct run_command *command, const struct run_output *output,
                          struct observation *seen)
{
    struct berm_error err = {0};
    AUTO_FREE struct result *result = calloc(1, sizeof(*result));
    char tail[TAIL_CHARS + 1];

    if (!command->is_capturing) {
        for (int i = 0; i < STREAM_COUNT; i++)
            seen->streams[i].omitted_bytes = 0; /* all of it was passed through */
    }
    copy_tail(output->captures[STREAM_STDERR], tail, sizeof(tail));
    if (!result)
        error_set(&err, BERM_E_SYSTEM, BERM_LAYER_NONE, ENOMEM, NULL, "no memory for the result");
    if (!result || outcome(command->plan, seen, tail, result, &err) < 0) {
        if (command->options.result)
            (void)write_error_file(command->options.result, &err);
        return run_command_refuse(command, &err);
    }
    add_notes(command, result);
    show_result(command, output, result);
    return result->status;
}

int run_command_execute(struct run_command *command)
{
    struct berm_error err = {0};
    struct observation seen;
    struct run_output output = {0};
    struct identity_area area = run_command_identity();
    struct run_io io = {.stdin_fd = command->stdin_fd,
                        .live_fds = {-1, -1},
                        .cancel_is_signalfd = true,
                        .identity_start = area.start,
                        .identity_size = area.size};
    int status;

    AUTO_FD int cancel_fd = open_cancel();
    io.cancel_fd = cancel_fd;
    int r = prepare_output(command, &output, &io);
    if (r < 0)
        error_set(&err, BERM_E_SYSTEM, BERM_LAYER_NONE, -r, NULL, "no memory for the output");
    while (r == 0) {
        struct run_part part = {command->plan, &io, &seen};

        r = run_parts(&part, 1, &err);
        if (r == 0 && seen.has_failed)
            (void)failure_explain(command->plan, &seen, &err);
        if (plan_without(command, &err) == 0)
            break;
        err = (struct berm_error){0};
        r = 0;
    }
    status = r < 0 ? run_command_refuse(command, &err) : judge_and_show(command, &output, &seen);
    for (int i = 0; i < STREAM_COUNT; i++)
        capture_free(output.captures[i]);
    return status;
}
