/*
 * Printing results.
 */
#include "cli/result_print.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/signals.h"
#include "cli/terminal.h"
#include "run/named_fd.h"

#define PRINT_PART 2048

static int write_all(int fd, const char *bytes, size_t size)
{
    while (size > 0) {
        ssize_t n = write(fd, bytes, size);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return -errno;
        bytes += n;
        size -= (size_t)n;
    }
    return 0;
}

static int fd_sink(void *context, const char *bytes, size_t size)
{
    const int *fd = context;

    return write_all(*fd, bytes, size);
}

int print_error_json(int fd, const struct berm_error *err)
{
    struct json_writer json;

    json_begin(&json, fd_sink, &fd, true);
    (void)error_to_json(err, &json); /* the first failure sticks and is returned by json_end */
    int r = json_end(&json);
    return r;
}

int print_result_json(int fd, const struct plan *plan, const struct result *result,
                      struct capture *const captures[STREAM_COUNT],
                      const struct result_json_options *options)
{
    struct json_writer json;

    json_begin(&json, fd_sink, &fd, true);
    (void)result_to_json(plan, result, captures, options, &json); /* as above */
    int r = json_end(&json);
    return r;
}

static int open_result(const char *name)
{
    int fd = named_fd_open(name, O_WRONLY | O_CREAT | O_TRUNC);

    if (fd < 0)
        (void)fprintf(stderr, "berm: cannot write the result to %s: %s\n", name, strerror(-fd));
    return fd;
}

int write_result_file(const char *name, const struct plan *plan, const struct result *result,
                      struct capture *const captures[STREAM_COUNT],
                      const struct result_json_options *options)
{
    AUTO_FD int fd = open_result(name);

    return fd < 0 ? fd : print_result_json(fd, plan, result, captures, options);
}

int write_error_file(const char *name, const struct berm_error *err)
{
    AUTO_FD int fd = open_result(name);

    return fd < 0 ? fd : print_error_json(fd, err);
}

/* A terminal gets control sequences made visible, as live output does. */
static void print_bytes(int fd, const char *bytes, size_t size)
{
    struct terminal terminal;
    char shown[PRINT_PART * TERMINAL_GROWTH + TERMINAL_HELD_MAX];

    if (!isatty(fd)) {
        (void)write_all(fd, bytes, size);
        return;
    }
    terminal_init(&terminal);
    while (size > 0) {
        size_t part = size < PRINT_PART ? size : PRINT_PART;
        size_t n = terminal_transform(&terminal, bytes, part, shown, sizeof(shown));
        (void)write_all(fd, shown, n);
        bytes += part;
        size -= part;
    }
    (void)write_all(fd, shown, terminal_end(&terminal, shown, sizeof(shown)));
}

static void print_capture(int fd, struct capture *capture)
{
    const char *head = NULL;
    const char *tail = NULL;
    size_t head_size = 0;
    size_t tail_size = 0;
    char marker[128];

    if (!capture)
        return;
    capture_parts(capture, &head, &head_size, &tail, &tail_size);
    print_bytes(fd, head, head_size);
    if (capture_omitted_bytes(capture) == 0)
        return;
    size_t n = capture_marker(capture_omitted_bytes(capture), marker, sizeof(marker));
    print_bytes(fd, marker, n);
    print_bytes(fd, tail, tail_size);
}

void print_captured_to_stderr(struct capture *capture)
{
    print_capture(STDERR_FILENO, capture);
}

void print_captured(struct capture *const captures[STREAM_COUNT])
{
    print_capture(STDOUT_FILENO, captures[STREAM_STDOUT]);
    print_capture(STDERR_FILENO, captures[STREAM_STDERR]);
}

void copy_tail(struct capture *capture, char *ret_tail, size_t size)
{
    const char *head = NULL;
    const char *tail = NULL;
    size_t head_size = 0;
    size_t tail_size = 0;

    ret_tail[0] = '\0';
    if (!capture)
        return;
    capture_parts(capture, &head, &head_size, &tail, &tail_size);
    const char *from = tail_size > 0 ? tail : head;
    size_t length = tail_size > 0 ? tail_size : head_size;
    if (length > size - 1) {
        from += length - (size - 1);
        length = size - 1;
    }
    memcpy(ret_tail, from, length);
    ret_tail[length] = '\0';
}

static void print_limit_line(const struct plan *plan, const struct result *result)
{
    double wall = (double)result->usage.wall_ns / (double)NS_PER_S;

    switch (result->verdict) {
    case BERM_VERDICT_WALL_TIMEOUT:
        (void)fprintf(stderr,
                      "berm: stopped after %.2f s: the %s of %.2f s was reached "
                      "(wall_timeout)\n",
                      wall, plan->is_watchdog ? "watchdog" : "wall-clock limit",
                      (double)plan->wall_ns / (double)NS_PER_S);
        break;
    case BERM_VERDICT_CPU_TIMEOUT:
        (void)fprintf(stderr,
                      "berm: stopped after %.2f s: the limit of %.2f s CPU time was reached "
                      "(cpu_timeout)\n",
                      wall, (double)plan->cpu_ns / (double)NS_PER_S);
        break;
    case BERM_VERDICT_MEMORY:
        (void)fprintf(stderr,
                      "berm: stopped after %.2f s: the memory limit of %llu MiB was reached "
                      "(memory)\n",
                      wall, (unsigned long long)(plan->memory_bytes >> 20));
        break;
    case BERM_VERDICT_NONE:
    case BERM_VERDICT_EXITED:
    case BERM_VERDICT_SIGNALED:
    case BERM_VERDICT_PROCESSES:
    case BERM_VERDICT_OUTPUT:
    case BERM_VERDICT_DISK:
    case BERM_VERDICT_SYSCALL:
    case BERM_VERDICT_CANCELLED:
    case BERM_VERDICT_COUNT:
        (void)fprintf(stderr, "berm: ended after %.2f s: %s%s%s\n", wall,
                      verdict_name(result->verdict), result->signal != 0 ? ", signal " : "",
                      result->signal != 0 ? signal_name(result->signal) : "");
        break;
    }
}

void print_verdict(const struct plan *plan, const struct result *result)
{
    if (result->verdict != BERM_VERDICT_EXITED)
        print_limit_line(plan, result);
    if (result->oom && result->verdict != BERM_VERDICT_MEMORY)
        (void)fprintf(stderr, "berm: memory ran out inside%s\n",
                      result->oom_source == OOM_GUESS ? " (a guess from the exit and its text)"
                                                      : "");
    if (result->usage.processes_refused > 0)
        (void)fprintf(stderr,
                      "berm: the limit of %llu processes was reached; forks refused: %llu\n",
                      (unsigned long long)plan->process_count,
                      (unsigned long long)result->usage.processes_refused);
}
