/*
 * Bare system calls for the code between clone and exec: negative errno, nothing else.
 *
 * libc wrappers are avoided where they take locks or act on all threads (musl's setuid family signals
 * every thread), and libc's syscall() because it stores errno: processes that share the memory of init
 * (network.c) would overwrite each other's. tools/check-inside-symbols lists what this room may link.
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

#ifdef __clang_analyzer__
/* An analyser does not see what the kernel writes through an address that it was given as a number. */
#    define RAW(...) syscall(__VA_ARGS__)
#else
/* The kernel's calling conventions: syscall(2), "Architecture calling conventions". */
#    if defined(__x86_64__)
static inline long raw_call(long number, long a, long b, long c, long d, long e, long f)
{
    register long r10 __asm__("r10") = d;
    register long r8 __asm__("r8") = e;
    register long r9 __asm__("r9") = f;
    long result;

    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
                     : "rcx", "r11", "memory");
    return result;
}
#    elif defined(__aarch64__)
static inline long raw_call(long number, long a, long b, long c, long d, long e, long f)
{
    register long x8 __asm__("x8") = number;
    register long x0 __asm__("x0") = a;
    register long x1 __asm__("x1") = b;
    register long x2 __asm__("x2") = c;
    register long x3 __asm__("x3") = d;
    register long x4 __asm__("x4") = e;
    register long x5 __asm__("x5") = f;

    __asm__ volatile("svc 0"
                     : "+r"(x0)
                     : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5)
                     : "memory", "cc");
    return x0;
}
#    else
#        error "berm knows the system-call convention of x86-64 and aarch64 only"
#    endif

/* RAW(number, up to six arguments): pointers and integers as they are. What is left out is 0. */
#    define RAW_0(n)          raw_call((long)(n), 0, 0, 0, 0, 0, 0)
#    define RAW_1(n, a)       raw_call((long)(n), (long)(a), 0, 0, 0, 0, 0)
#    define RAW_2(n, a, b)    raw_call((long)(n), (long)(a), (long)(b), 0, 0, 0, 0)
#    define RAW_3(n, a, b, c) raw_call((long)(n), (long)(a), (long)(b), (long)(c), 0, 0, 0)
#    define RAW_4(n, a, b, c, d)                                                                   \
        raw_call((long)(n), (long)(a), (long)(b), (long)(c), (long)(d), 0, 0)
#    define RAW_5(n, a, b, c, d, e)                                                                \
        raw_call((long)(n), (long)(a), (long)(b), (long)(c), (long)(d), (long)(e), 0)
#    define RAW_6(n, a, b, c, d, e, f)                                                             \
        raw_call((long)(n), (long)(a), (long)(b), (long)(c), (long)(d), (long)(e), (long)(f))
#    define RAW_PICK(n, a, b, c, d, e, f, name, ...) name
#    define RAW(...)                                                                               \
        RAW_PICK(__VA_ARGS__, RAW_6, RAW_5, RAW_4, RAW_3, RAW_2, RAW_1, RAW_0, 0)(__VA_ARGS__)
#endif

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
