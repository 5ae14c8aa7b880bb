/*
 * Attempts on the memory, the descriptors and the settings of another process. What was read is printed: only who
 * read it can say it.
 */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "guest/guest.h"

/* What lies at an address is a text of at most this. */
#define TEXT_SIZE 64

static void print_text(const char *text)
{
    print_now(text, strnlen(text, TEXT_SIZE));
    print_now("\n", 1);
}

/* Stops it, reads word by word, lets it go. */
static int trace_read(int argc, char **argv)
{
    pid_t pid = (pid_t)number_of(argv[0]);
    char *at = (char *)(uintptr_t)number_of(argv[1]);
    long words[TEXT_SIZE / sizeof(long) + 1] = {0};

    (void)argc;
    if (ptrace(PTRACE_ATTACH, pid, NULL, NULL) != 0)
        return -errno;
    (void)waitpid(pid, NULL, __WALL);
    for (size_t i = 0; i < TEXT_SIZE / sizeof(long); i++)
        words[i] = ptrace(PTRACE_PEEKDATA, pid, at + i * sizeof(long), NULL);
    (void)ptrace(PTRACE_DETACH, pid, NULL, NULL);
    print_text((const char *)words);
    return 0;
}

static int memory_read(int argc, char **argv)
{
    char text[TEXT_SIZE + 1] = {0};
    struct iovec here = {text, TEXT_SIZE};
    struct iovec there = {(void *)(uintptr_t)number_of(argv[1]), TEXT_SIZE};

    (void)argc;
    if (process_vm_readv((pid_t)number_of(argv[0]), &here, 1, &there, 1, 0) < 0)
        return -errno;
    print_text(text);
    return 0;
}

/* Through /proc/PID/mem. */
static int memory_write(int argc, char **argv)
{
    char path[64];

    (void)argc;
    (void)snprintf(path, sizeof(path), "/proc/%ld/mem", number_of(argv[0]));
    int fd = open(path, O_RDWR | O_CLOEXEC);
    if (fd < 0)
        return -errno;
    return outcome_of(pwrite(fd, argv[2], strlen(argv[2]) + 1, (off_t)number_of(argv[1])));
}

static int steal_descriptor(int argc, char **argv)
{
    char text[TEXT_SIZE + 1] = {0};
    long pidfd = syscall(434, number_of(argv[0]), 0); /* pidfd_open */

    (void)argc;
    if (pidfd < 0)
        return -errno;
    long fd = syscall(438, pidfd, number_of(argv[1]), 0); /* pidfd_getfd */
    if (fd < 0 || pread((int)fd, text, TEXT_SIZE, 0) < 0)
        return -errno;
    print_text(text);
    return 0;
}

static int limit_other(int argc, char **argv)
{
    struct rlimit few = {(rlim_t)number_of(argv[1]), (rlim_t)number_of(argv[1])};

    (void)argc;
    return outcome_of(syscall(SYS_prlimit64, number_of(argv[0]), RLIMIT_NOFILE, &few, NULL));
}

static int nice_other(int argc, char **argv)
{
    (void)argc;
    return outcome_of(setpriority(PRIO_PROCESS, (id_t)number_of(argv[0]), (int)number_of(argv[1])));
}

static int print_file(const char *path)
{
    char piece[4096];
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    ssize_t n;

    if (fd < 0)
        return -errno;
    while ((n = read(fd, piece, sizeof(piece))) > 0)
        print_now(piece, (size_t)n);
    print_now("\n", 1);
    (void)close(fd); /* only read */
    return n < 0 ? -errno : 0;
}

/* A file of /proc/PID, of every other process. */
static int dump_others(int argc, char **argv)
{
    DIR *dir = opendir("/proc");
    struct dirent *entry;
    int found = 0;

    (void)argc;
    while (dir && (entry = readdir(dir)) != NULL) {
        char path[PATH_MAX];

        if (!isdigit((unsigned char)entry->d_name[0]) ||
            strtol(entry->d_name, NULL, 10) == getpid())
            continue;
        (void)snprintf(path, sizeof(path), "/proc/%s/%s", entry->d_name, argv[0]);
        found += print_file(path) == 0;
    }
    return found > 0 ? 0 : -ENOENT;
}

static int dump(int argc, char **argv)
{
    (void)argc;
    return print_file(argv[0]);
}

/* A file by the links of /proc that lead to roots and directories. */
static int root_read(int argc, char **argv)
{
    static const char *const ways[] = {"/proc/self/root", "/proc/1/root", "/proc/1/cwd/../../../..",
                                       "/proc/self/cwd/../../../..", "/proc/self/fd/0/../../../.."};
    int r = -ENOENT;

    (void)argc;
    for (size_t i = 0; r != 0 && i < sizeof(ways) / sizeof(ways[0]); i++) {
        char path[PATH_MAX];

        (void)snprintf(path, sizeof(path), "%s%s", ways[i], argv[0]);
        r = print_file(path);
    }
    return r;
}

/* Whatever lies open besides the three streams. */
static int dump_descriptors(int argc, char **argv)
{
    char text[TEXT_SIZE + 1];
    int found = 0;

    (void)argc;
    (void)argv;
    for (int fd = 3; fd < 256; fd++) {
        memset(text, 0, sizeof(text));
        if (pread(fd, text, TEXT_SIZE, 0) <= 0)
            continue;
        print_text(text);
        found++;
    }
    return found > 0 ? 0 : -EBADF;
}

const struct attempt memory_attempts[] = {
    {"trace-read",       "PID ADDRESS",      2, trace_read      },
    {"memory-read",      "PID ADDRESS",      2, memory_read     },
    {"memory-write",     "PID ADDRESS TEXT", 3, memory_write    },
    {"steal-descriptor", "PID FD",           2, steal_descriptor},
    {"limit-other",      "PID N",            2, limit_other     },
    {"nice-other",       "PID N",            2, nice_other      },
    {"dump",             "PATH",             1, dump            },
    {"dump-others",      "FILE",             1, dump_others     },
    {"dump-descriptors", "",                 0, dump_descriptors},
    {"root-read",        "PATH",             1, root_read       },
    {NULL,               NULL,               0, NULL            },
};
