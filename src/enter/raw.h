/*
 * Bare system calls for the code between clone and exec: negative errno, nothing else.
 *
 * libc wrappers are avoided where they take locks or act on all threads (musl's setuid family signals
 * every thread). tools/check-inside-symbols lists what this room may link.
 */
#ifndef BERM_ENTER_RAW_H
#define BERM_ENTER_RAW_H

#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Numbers are the same on every architecture since Linux 5.1 (syscall_64.tbl, unistd.h). */
#ifndef SYS_mount_setattr
#    define SYS_mount_setattr 442
#endif
#ifndef SYS_landlock_create_ruleset
#    define SYS_landlock_create_ruleset 444
#    define SYS_landlock_add_rule       445
#    define SYS_landlock_restrict_self  446
#endif
#ifndef SYS_close_range
#    define SYS_close_range 436
#endif
#ifndef SYS_open_tree
#    define SYS_open_tree  428
#    define SYS_move_mount 429
#endif

#define RAW_ARG(x) ((long)(x))

static inline long raw_result(long value)
{
    return value == -1 ? -(long)errno : value;
}

#define RAW(...) raw_result(syscall(__VA_ARGS__))

static inline int raw_open(const char *path, int flags, unsigned mode)
{
    return (int)RAW(SYS_openat, RAW_ARG(-100 /* AT_FDCWD */), path, RAW_ARG(flags), RAW_ARG(mode));
}

static inline int raw_close(int fd)
{
    return (int)RAW(SYS_close, RAW_ARG(fd));
}

static inline int raw_chdir(const char *path)
{
    return (int)RAW(SYS_chdir, path);
}

static inline int raw_prctl(int option, unsigned long a, unsigned long b, unsigned long c,
                            unsigned long d)
{
    return (int)RAW(SYS_prctl, RAW_ARG(option), a, b, c, d);
}

static inline size_t raw_length(const char *text)
{
    size_t length = 0;
    while (text[length] != '\0')
        length++;
    return length;
}

#endif
