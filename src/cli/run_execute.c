/*
 * From a plan to a printed result.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "cli/caller_tty.h"
#include "cli/complain.h"
#include "cli/result_print.h"
#include "cli/run_command.h"
#include "cli/terminal.h"
#include "plan/defect.h"
#include "run/failure.h"
#include "wire/result_json.h"

/* How much of stderr is kept, when nothing is returned, for the guess of out-of-memory. */
#define TAIL_CHARS 2000

/* How long a reader is waited for, without any progress, once the caller has cancelled. */
#define CANCELLED_PATIENCE_MS 300

/* @r  what came of writing the result to @where. Returns the exit status, which a lost result changes. */
static int status_of_writing(const struct run_command *command, int r, const char *where,
                             int status)
{
    if (r >= 0)
        return status;
    say(command->patience_ms, "berm: the result could not be written to %s: %s\n", where,
        strerror(-r));
    return EXIT_REFUSED;
}

/* The error, in the file that was to hold the result: the one of an earlier run must not be taken for this one's. */
static int refuse_in_file(const struct run_command *command, const struct berm_error *err)
{
    struct berm_error ignored = {0};

    if (!command->options.result)
        return 0;
    AUTO_FD int opened =
        command->result_fd < 0 ? result_file_open(command->options.result, &ignored) : -EBADF;
    int fd = command->result_fd < 0 ? opened : command->result_fd;
    if (fd < 0)
        return fd;
    int r = result_file_begin(fd, command->options.result);
    return r < 0 ? r : print_error_json(fd, command->patience_ms, err);
}

static int refuse_on_stdout(const struct run_command *command, const struct berm_error *err)
{
    if (!command->options.json) {
        (void)complain(err);
        return error_exit_status(err);
    }
    int r = print_error_json(STDOUT_FILENO, command->patience_ms, err);
    if (r < 0)
        say(command->patience_ms, "berm: the error could not be written to stdout: %s\n",
            strerror(-r));
    return r < 0 ? EXIT_REFUSED : error_exit_status(err);
}

int run_command_refuse(const struct run_command *command, const struct berm_error *err)
{
    int r = refuse_in_file(command, err);
    int status = refuse_on_stdout(command, err);

    return status_of_writing(command, r, command->options.result, status);
}

/* The signals that cancel a run, as a descriptor. One that the caller ignores stays ignored. */
static int open_cancel(void)
{
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP, SIGWINCH};
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

/* Everything of one program's run that the command line holds. */
struct cli_part {
    struct run_io io;
    struct run_output output;
    struct observation seen;
};

enum cli_part_id {
    PART_RUN,
    PART_COMPILE,
    PART_COUNT
};

static int new_captures(struct run_output *output, uint64_t chars, int first)
{
    for (int i = first; i < STREAM_COUNT; i++) {
        output->captures[i] = capture_new(chars);
        if (!output->captures[i])
            return -ENOMEM;
    }
    return 0;
}

static size_t end_terminal(void *context, char *out, size_t out_size)
{
    return terminal_end(context, out, out_size);
}

static void pass_through(const struct run_command *command, struct run_output *output,
                         struct run_io *io)
{
    bool is_raw = command->options.raw || command->options.tty;

    for (int i = 0; i < STREAM_COUNT; i++) {
        int fd = i == STREAM_STDOUT ? STDOUT_FILENO : STDERR_FILENO;

        io->live_fds[i] = fd;
        terminal_init(&output->terminals[i]);
        if (!is_raw && isatty(fd)) {
            io->transforms[i] = terminal_transform;
            io->transform_ends[i] = end_terminal;
            io->transform_contexts[i] = &output->terminals[i];
        }
    }
}

static int prepare_part(const struct run_command *command, enum cli_part_id id, int cancel_fd,
                        struct cli_part *part)
{
    struct identity_area area = run_command_identity();
    bool is_capturing = (command->is_capturing && !IS_PLANTED(output_uncut)) || id == PART_COMPILE;
    const struct plan *plan = id == PART_COMPILE ? command->compile_plan : command->plan;

    part->io = (struct run_io){
        .stdin_fd = id == PART_COMPILE ? -1 : command->stdin_fd,
        .live_fds = {-1, -1},
        .cancel_fd = cancel_fd,
        .cancel_is_signalfd = true,
        .caller_pidfd = -1,
        .identity_start = area.start,
        .identity_size = area.size
    };
    int r = is_capturing ? new_captures(&part->output, plan->output_chars, STREAM_STDOUT)
                         : new_captures(&part->output, TAIL_CHARS, STREAM_STDERR);
    for (int i = 0; i < STREAM_COUNT; i++)
        part->io.captures[i] = part->output.captures[i];
    if (!is_capturing)
        pass_through(command, &part->output, &part->io);
    return r;
}

/* The compiler's words go to stderr: stdout is the program's. */
static void print_compiler(struct capture *const captures[STREAM_COUNT], int patience_ms)
{
    struct capture *const swapped[STREAM_COUNT] = {NULL, captures[STREAM_STDERR]};

    print_captured_to_stderr(captures[STREAM_STDOUT], patience_ms);
    (void)print_captured(swapped, patience_ms);
}

/* Output that was to be passed on and is lost, on a full disk for one, is berm's failure; that its reader went away
 * is not. */
static int status_of_output(const struct run_command *command, int r, int status)
{
    if (r >= 0 || r == -EPIPE)
        return status;
    say(command->patience_ms, "berm: the program's output could not be written: %s\n",
        strerror(-r));
    return EXIT_REFUSED;
}

/* A file that was asked for and did not come out is a failure of berm's own: the program's status would hide it. */
static int status_of_files(const struct run_command *command, int status)
{
    if (command->words->err.code == BERM_E_NONE)
        return status;
    (void)complain(&command->words->err);
    return EXIT_REFUSED;
}

/* Returns the exit status. */
static int show_result(const struct run_command *command, const struct run_output *output,
                       const struct result *result, const struct result_compile *compile,
                       bool ended_by_compile)
{
    struct result_json_options options = {
        .has_output = command->is_capturing,
        .has_timings = command->options.timings,
        .compile = compile,
        .files = command->words->has_listing ? &command->words->listing : NULL,
        .ended_by_compile = ended_by_compile};

    int patience_ms = command->patience_ms;
    int status = result->status;
    int r;

    if (command->options.json) {
        r = print_result_json(STDOUT_FILENO, patience_ms, command->plan, result, output->captures,
                              &options);
        status = status_of_writing(command, r, "stdout", status);
    } else {
        if (compile)
            print_compiler(compile->captures, patience_ms);
        if (command->is_capturing && !ended_by_compile)
            status =
                status_of_output(command, print_captured(output->captures, patience_ms), status);
        if (ended_by_compile)
            say(patience_ms, "berm: the compile step failed; nothing was executed\n");
        print_verdict(command->plan, result, patience_ms);
    }
    if (command->result_fd < 0)
        return status;
    r = result_file_begin(command->result_fd, command->options.result);
    if (r == 0)
        r = print_result_json(command->result_fd, patience_ms, command->plan, result,
                              output->captures, &options);
    return status_of_writing(command, r, command->options.result, status);
}

/* A layer that was only preferred and that the run could not have is left out, and the run begun again: no
 * program was executed. Returns 1 when there is a new plan, 0 when the failure stands, -errno. */
static int plan_without(struct run_command *command, const struct berm_error *why)
{
    struct berm_error err = {0};
    enum layer_mode *mode = &command->policy->modes[why->layer];

    if (why->code != BERM_E_UNAVAILABLE || why->layer == BERM_LAYER_NONE ||
        (*mode != MODE_PREFER && !IS_PLANTED(fail_open)))
        return 0;
    *mode = MODE_OFF;
    if (command->compile_policy)
        command->compile_policy->modes[why->layer] = MODE_OFF;
    (void)snprintf(command->why[why->layer], sizeof(command->why[why->layer]), "%s", why->message);
    command->absent[why->layer] = command->why[why->layer];
    return run_command_plan(command, command->program, &err) == 0;
}

static int judge(const struct plan *plan, struct cli_part *part, struct result *ret_result,
                 struct berm_error *err)
{
    char tail[TAIL_CHARS + 1];

    copy_tail(part->output.captures[STREAM_STDERR], tail, sizeof(tail));
    return outcome(plan, &part->seen, tail, ret_result, err);
}

static int judge_and_show(const struct run_command *command, struct cli_part parts[PART_COUNT])
{
    struct berm_error err = {0};
    AUTO_FREE struct result *results = malloc(PART_COUNT * sizeof(*results));
    struct result_compile compile = {.captures = parts[PART_COMPILE].output.captures};
    struct result *compiled = results ? &results[PART_COMPILE] : NULL;
    bool has_compiler = command->compile_plan != NULL;
    bool has_failed = false;

    if (!results) {
        error_set(&err, BERM_E_SYSTEM, BERM_LAYER_NONE, ENOMEM, NULL, "no memory for the result");
        return run_command_refuse(command, &err);
    }
    if (has_compiler) {
        compile.result = compiled;
        if (judge(command->compile_plan, &parts[PART_COMPILE], compiled, &err) < 0)
            return run_command_refuse(command, &err);
        has_failed = compiled->verdict != BERM_VERDICT_EXITED || compiled->exit_code != 0;
    }
    if (has_failed) {
        return show_result(command, &parts[PART_RUN].output, compiled, &compile, true);
    }
    if (judge(command->plan, &parts[PART_RUN], &results[PART_RUN], &err) < 0)
        return run_command_refuse(command, &err);
    int status = show_result(command, &parts[PART_RUN].output, &results[PART_RUN],
                             has_compiler ? &compile : NULL, false);
    status = status_of_files(command, status);
    for (int i = 0; i < STREAM_COUNT; i++)
        status = status_of_output(command, -parts[PART_RUN].seen.live_errors[i], status);
    return status;
}

/* Begin again without a layer while one that was only preferred is refused. */
static int run_until_begun(struct run_command *command, struct cli_part parts[PART_COUNT],
                           struct berm_error *err)
{
    for (;;) {
        struct run_part list[RUN_PARTS_MAX];
        unsigned count = 0;
        struct observation *first = &parts[PART_RUN].seen;

        *err = (struct berm_error){0};
        if (command->compile_plan) {
            first = &parts[PART_COMPILE].seen;
            list[count++] =
                (struct run_part){command->compile_plan, &parts[PART_COMPILE].io, first};
        }
        list[count++] =
            (struct run_part){command->plan, &parts[PART_RUN].io, &parts[PART_RUN].seen};
        struct run_files files = run_file_words_files(command->words);
        int r = run_parts(list, count, &command->early, &files, err);
        if (r == 0 && first->has_failed)
            (void)failure_explain(list[0].plan, first, err);
        if (plan_without(command, err) == 0)
            return r;
    }
}

/* All that is left is to print, which a signal may end as it ends any program. The first one, if it came
 * during the run or after it, leaves a reader some time instead: a result is still given. */
static void end_cancel(struct run_command *command, const struct cli_part *parts, int cancel_fd)
{
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
    struct signalfd_siginfo info;
    sigset_t set;

    while (cancel_fd >= 0 && read(cancel_fd, &info, sizeof(info)) == (ssize_t)sizeof(info)) {
        if (info.ssi_signo != SIGWINCH)
            command->patience_ms = CANCELLED_PATIENCE_MS;
    }
    for (int i = 0; i < PART_COUNT; i++) {
        if (parts[i].seen.cancel_signal != 0)
            command->patience_ms = CANCELLED_PATIENCE_MS;
    }
    (void)sigemptyset(&set);
    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
        (void)sigaddset(&set, numbers[i]);
    (void)sigprocmask(SIG_UNBLOCK, &set, NULL);
}

int run_command_execute(struct run_command *command)
{
    struct berm_error err = {0};

    if (command->options.result) {
        command->result_fd = result_file_open(command->options.result, &err);
        if (command->result_fd < 0) {
            command->options.result = NULL; /* there is no such file to say it in */
            return run_command_refuse(command, &err);
        }
    }
    AUTO_FREE struct cli_part *parts = calloc(PART_COUNT, sizeof(*parts));
    AUTO_FD int cancel_fd = open_cancel();
    struct caller_tty tty = {.fd = -EBADF, .guard_fd = -EBADF};
    int status;

    int r = parts ? prepare_part(command, PART_RUN, cancel_fd, &parts[PART_RUN]) : -ENOMEM;
    if (r == 0 && command->compile_plan)
        r = prepare_part(command, PART_COMPILE, cancel_fd, &parts[PART_COMPILE]);
    if (r == 0 && command->options.tty)
        caller_tty_make_raw(&tty, &parts[PART_RUN].io.window);
    if (r < 0)
        error_set(&err, BERM_E_SYSTEM, BERM_LAYER_NONE, -r, NULL, "no memory for the output");
    else
        r = run_until_begun(command, parts, &err);
    caller_tty_restore(&tty);
    if (parts)
        end_cancel(command, parts, cancel_fd);
    status = r < 0 ? run_command_refuse(command, &err) : judge_and_show(command, parts);
    for (int part = 0; parts && part < PART_COUNT; part++) {
        for (int i = 0; i < STREAM_COUNT; i++)
            capture_free(parts[part].output.captures[i]);
    }
    return status;
}
