/*
 * Printing results.
 */
#include "cli/result_print.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/signals.h"
#include "cli/terminal.h"
#include "run/named_fd.h"
#include "run/relay.h"

#define PRINT_PART ((size_t)2048)
#define LINE_SIZE  512

/* Where something is written, and how long its reader is waited for. */
struct printer {
    struct caller_end end;
    int patience_ms;
    int error; /* the first, negative errno; 0 = none */
};

static void printer_open(struct printer *printer, int fd, int patience_ms)
{
    caller_end_open(&printer->end, fd, O_WRONLY);
    printer->patience_ms = patience_ms;
    printer->error = 0;
}

static int printer_sink(void *context, const char *bytes, size_t size)
{
    struct printer *printer = context;
    int r = caller_end_write_all(&printer->end, bytes, size, printer->patience_ms);

    if (r < 0 && printer->error == 0)
        printer->error = r;
    return r;
}

int print_error_json(int fd, int patience_ms, const struct berm_error *err)
{
    struct json_writer json;
    struct printer printer;

    printer_open(&printer, fd, patience_ms);
    json_begin(&json, printer_sink, &printer, true);
    (void)error_to_json(err, &json); /* the first failure sticks and is returned by json_end */
    int r = json_end(&json);
    caller_end_close(&printer.end);
    return r;
}

int print_result_json(int fd, int patience_ms, const struct plan *plan, const struct result *result,
                      struct capture *const captures[STREAM_COUNT],
                      const struct result_json_options *options)
{
    struct json_writer json;
    struct printer printer;

    printer_open(&printer, fd, patience_ms);
    json_begin(&json, printer_sink, &printer, true);
    (void)result_to_json(plan, result, captures, options, &json); /* as above */
    int r = json_end(&json);
    caller_end_close(&printer.end);
    return r;
}

int result_file_open(const char *name, struct berm_error *err)
{
    int fd = named_fd_open(name, O_WRONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK);

    if (fd < 0)
        error_set(err, BERM_E_INVALID, BERM_LAYER_NONE, -fd,
                  fd == -ELOOP   ? "name the file itself: a link is not followed"
                  : fd == -ENXIO ? "start the reader of the FIFO first"
                                 : "name a file that can be written, or an open descriptor as fd:N",
                  "cannot write the result to %.200s: %s", name, strerror(-fd));
    return fd;
}

int result_file_begin(int fd, const char *name)
{
    struct stat status;

    if (strncmp(name, "fd:", 3) == 0)
        return 0;
    if (fstat(fd, &status) < 0)
        return -errno;
    if (status.st_nlink == 0)
        return -ENOENT;
    return S_ISREG(status.st_mode) && ftruncate(fd, 0) < 0 ? -errno : 0;
}

void say(int patience_ms, const char *format, ...)
{
    char text[LINE_SIZE];
    struct printer printer;
    va_list args;

    va_start(args, format);
    int length = vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    if (length < 0)
        return;
    printer_open(&printer, STDERR_FILENO, patience_ms);
    (void)printer_sink(&printer, text,
                       (size_t)length < sizeof(text) ? (size_t)length : sizeof(text) - 1);
    caller_end_close(&printer.end);
}

/* A terminal gets control sequences made visible, as live output does. */
static void print_to_terminal(struct printer *printer, const char *bytes, size_t size)
{
    struct terminal terminal;
    char shown[PRINT_PART * TERMINAL_GROWTH + TERMINAL_HELD_MAX];
    int r = 0;

    terminal_init(&terminal);
    while (size > 0 && r == 0) {
        size_t part = size < PRINT_PART ? size : PRINT_PART;
        size_t n = terminal_transform(&terminal, bytes, part, shown, sizeof(shown));
        r = printer_sink(printer, shown, n);
        bytes += part;
        size -= part;
    }
    if (r == 0)
        (void)printer_sink(printer, shown, terminal_end(&terminal, shown, sizeof(shown)));
}

static void print_bytes(struct printer *printer, const char *bytes, size_t size)
{
    if (isatty(printer->end.fd))
        print_to_terminal(printer, bytes, size);
    else
        (void)printer_sink(printer, bytes, size);
}

/* 0, or the first -errno of writing. */
static int print_capture(int fd, struct capture *capture, int patience_ms)
{
    struct printer printer;
    const char *head = NULL;
    const char *tail = NULL;
    size_t head_size = 0;
    size_t tail_size = 0;
    char marker[128];

    if (!capture)
        return 0;
    capture_parts(capture, &head, &head_size, &tail, &tail_size);
    printer_open(&printer, fd, patience_ms);
    print_bytes(&printer, head, head_size);
    if (capture_omitted_bytes(capture) != 0) {
        size_t n = capture_marker(capture_omitted_bytes(capture), marker, sizeof(marker));
        print_bytes(&printer, marker, n);
        print_bytes(&printer, tail, tail_size);
    }
    caller_end_close(&printer.end);
    return printer.error;
}

void print_captured_to_stderr(struct capture *capture, int patience_ms)
{
    (void)print_capture(STDERR_FILENO, capture, patience_ms);
}

int print_captured(struct capture *const captures[STREAM_COUNT], int patience_ms)
{
    int r = print_capture(STDOUT_FILENO, captures[STREAM_STDOUT], patience_ms);
    int r_stderr = print_capture(STDERR_FILENO, captures[STREAM_STDERR], patience_ms);

    return r < 0 ? r : r_stderr;
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

static void print_limit_line(const struct plan *plan, const struct result *result, int patience_ms)
{
    double wall = (double)result->usage.wall_ns / (double)NS_PER_S;

    switch (result->verdict) {
    case BERM_VERDICT_WALL_TIMEOUT:
        say(patience_ms,
            "berm: stopped after %.2f s: the %s of %.2f s was reached "
            "(wall_timeout)\n",
            wall, plan->is_watchdog ? "watchdog" : "wall-clock limit",
            (double)plan->wall_ns / (double)NS_PER_S);
        break;
    case BERM_VERDICT_CPU_TIMEOUT:
        say(patience_ms,
            "berm: stopped after %.2f s: the limit of %.2f s CPU time was reached "
            "(cpu_timeout)\n",
            wall, (double)plan->cpu_ns / (double)NS_PER_S);
        break;
    case BERM_VERDICT_MEMORY:
        say(patience_ms,
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
        say(patience_ms, "berm: ended after %.2f s: %s%s%s\n", wall, verdict_name(result->verdict),
            result->signal != 0 ? ", signal " : "",
            result->signal != 0 ? signal_name(result->signal) : "");
        break;
    }
}

void print_verdict(const struct plan *plan, const struct result *result, int patience_ms)
{
    if (result->verdict != BERM_VERDICT_EXITED)
        print_limit_line(plan, result, patience_ms);
    if (result->oom && result->verdict != BERM_VERDICT_MEMORY)
        say(patience_ms, "berm: memory ran out inside%s\n",
            result->oom_source == OOM_GUESS ? " (a guess from the exit and its text)" : "");
    if (result->usage.processes_refused > 0)
        say(patience_ms, "berm: the limit of %llu processes was reached; forks refused: %llu\n",
            (unsigned long long)plan->process_count,
            (unsigned long long)result->usage.processes_refused);
}
