/*
 * The frame of berm-guest: words, the one line, and what the attempts share.
 */
#include "guest/guest.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define LINE_SIZE 8192

static char line[LINE_SIZE];
static size_t line_used;

void fact(const char *format, ...)
{
    va_list args;
    int n;

    va_start(args, format);
    n = vsnprintf(line + line_used, sizeof(line) - line_used, format, args);
    va_end(args);
    if (n > 0)
        line_used += (size_t)n;
    if (line_used >= sizeof(line))
        line_used = sizeof(line) - 1; /* cut: the line is for people and for `in` */
}

/* clang-format off */
#define NAME(e) {e, #e}
static const struct {
    int number;
    const char *name;
} errno_names[] = {
    NAME(E2BIG), NAME(EACCES), NAME(EADDRINUSE), NAME(EADDRNOTAVAIL), NAME(EAFNOSUPPORT),
    NAME(EAGAIN), NAME(EBADF), NAME(EBADRQC), NAME(EBUSY), NAME(ECHILD), NAME(ECONNREFUSED),
    NAME(ECONNRESET), NAME(EDQUOT), NAME(EEXIST), NAME(EFAULT), NAME(EFBIG), NAME(EHOSTUNREACH),
    NAME(EINTR), NAME(EINVAL), NAME(EIO), NAME(EISDIR), NAME(ELOOP), NAME(EMFILE), NAME(EMLINK),
    NAME(ENAMETOOLONG), NAME(ENETDOWN), NAME(ENETUNREACH), NAME(ENFILE), NAME(ENODEV),
    NAME(ENOENT), NAME(ENOEXEC), NAME(ENOKEY), NAME(ENOMEM), NAME(ENOPROTOOPT), NAME(ENOSPC),
    NAME(ENOSYS), NAME(ENOTBLK), NAME(ENOTCONN), NAME(ENOTDIR), NAME(ENOTEMPTY), NAME(ENOTSOCK),
    NAME(ENOTTY), NAME(ENXIO), NAME(EOPNOTSUPP), NAME(EPERM), NAME(EPIPE), NAME(EPROTONOSUPPORT),
    NAME(ERANGE), NAME(EROFS), NAME(ESOCKTNOSUPPORT), NAME(ESPIPE), NAME(ESRCH), NAME(ESTALE),
    NAME(ETIMEDOUT), NAME(ETXTBSY), NAME(EUSERS), NAME(EXDEV), NAME(EPROTOTYPE), NAME(EALREADY),
    NAME(EINPROGRESS), NAME(ENOTSUP), NAME(EMSGSIZE), NAME(EOVERFLOW), NAME(ENOLCK), NAME(EDOM),
};

/* clang-format on */

const char *errno_name(int number)
{
    static char unknown[16];

    for (size_t i = 0; i < sizeof(errno_names) / sizeof(errno_names[0]); i++) {
        if (errno_names[i].number == number)
            return errno_names[i].name;
    }
    (void)snprintf(unknown, sizeof(unknown), "E%d", number);
    return unknown;
}

int outcome_of(long ret)
{
    return ret < 0 ? -errno : 0;
}

long number_of(const char *text)
{
    char *end = NULL;
    long number = strtol(text, &end, 0);

    if (end == text || *end != '\0') {
        (void)fprintf(stderr, "berm-guest: not a number: %s\n", text);
        exit(2);
    }
    return number;
}

int read_text(const char *path, char *buffer, size_t size)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    ssize_t n;

    if (fd < 0)
        return -errno;
    n = read(fd, buffer, size - 1);
    if (n < 0) {
        int saved = errno;

        (void)close(fd);
        return -saved;
    }
    (void)close(fd); /* only read */
    for (ssize_t i = 0; i < n; i++) {
        if (buffer[i] == '\0' || buffer[i] == '\n')
            buffer[i] = ' ';
    }
    buffer[n] = '\0';
    return (int)n;
}

/* The child hands the outcome over as its exit status: errno numbers fit into it. */
int in_child(int (*act)(void *), void *context)
{
    int status = 0;
    pid_t pid = fork();

    if (pid < 0)
        return -errno;
    if (pid == 0) {
        int r = act(context);

        if (r == 0)
            hold_for_host();
        _exit(-r);
    }
    if (waitpid(pid, &status, 0) != pid)
        return -errno;
    return WIFEXITED(status) ? -WEXITSTATUS(status) : -EINTR;
}

long now_ms(void)
{
    struct timespec now;

    (void)clock_gettime(CLOCK_MONOTONIC, &now); /* cannot fail for this clock */
    return (long)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* No host looks for longer than this. */
#define HOLD_MS 3000

static const char *hold_tag;
static bool has_held;

void print_now(const void *bytes, size_t size)
{
    const char *at = bytes;

    while (size > 0) {
        ssize_t n = write(STDOUT_FILENO, at, size);

        if (n <= 0)
            return;
        at += n;
        size -= (size_t)n;
    }
}

bool is_held(void)
{
    return hold_tag != NULL;
}

const char *hold_tag_of(void)
{
    return hold_tag ? hold_tag : "none";
}

void hold_for_host(void)
{
    struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};
    char text[80];
    char byte;

    if (!hold_tag || has_held)
        return;
    has_held = true;
    int n = snprintf(text, sizeof(text), "holding %s\n", hold_tag);
    print_now(text, n > 0 ? (size_t)n : 0);
    if (poll(&input, 1, HOLD_MS) == 1)
        (void)!read(STDIN_FILENO, &byte, 1); /* the end of the input is as good */
}

void hold_in_child(void)
{
    if (!hold_tag)
        return;
    (void)alarm(2 * HOLD_MS / 1000); /* when the attempt itself was ended before */
    for (;;)
        (void)pause();
}

static const struct attempt *const tables[] = {
    calls_attempts,    files_attempts,     held_attempts,       lessons_attempts,
    load_attempts,     memory_attempts,    namespaces_attempts, network_attempts,
    ordinary_attempts, processes_attempts, self_attempts,       time_attempts,
};

static const struct attempt *find(const char *name)
{
    for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++) {
        for (const struct attempt *a = tables[i]; a->name; a++) {
            if (strcmp(a->name, name) == 0)
                return a;
        }
    }
    return NULL;
}

static int list_words(void)
{
    for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++) {
        for (const struct attempt *a = tables[i]; a->name; a++)
            (void)printf("%s %s\n", a->name, a->arguments);
    }
    return 2;
}

/* `hold TAG` before the words: the tag is noted, and said, so that the host knows that the attempt was begun. */
static int take_hold(int argc, char **argv)
{
    char text[80];

    if (argc < 4 || strcmp(argv[1], "hold") != 0)
        return 0;
    hold_tag = argv[2];
    int n = snprintf(text, sizeof(text), "began %s\n", hold_tag);
    print_now(text, n > 0 ? (size_t)n : 0);
    return 2;
}

int main(int argc, char **argv)
{
    int skip = take_hold(argc, argv);
    const struct attempt *attempt = argc - skip > 1 ? find(argv[1 + skip]) : NULL;
    int r;

    argc -= skip;
    argv += skip;
    if (!attempt || argc - 2 < attempt->least)
        return list_words();
    r = attempt->run(argc - 2, argv + 2);
    if (r == 0)
        hold_for_host();
    if (r == 0)
        (void)printf("worked %s: %s\n", attempt->name, line);
    else
        (void)printf("failed %s: %s %s\n", attempt->name, errno_name(-r), line);
    return r == 0 ? 0 : 1;
}
