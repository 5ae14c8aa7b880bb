/*
 * The cloner: see cloner.h.
 */
#include "enter/cloner.h"

#include <linux/futex.h>
#include <linux/prctl.h>
#include <linux/sched.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/wait.h>
#include <time.h>

#include "enter/raw.h"

#define STACK_SIZE ((size_t)128 * 1024) /* the child goes on with a copy of it, through all steps */
/* How often the wait for a cloner looks whether it still lives. */
#define LOOK_NS 50000000L

#ifndef SYS_clone3
#    define SYS_clone3 435
#endif
#ifndef CLONE_INTO_CGROUP
#    define CLONE_INTO_CGROUP 0x200000000ULL
#endif
#ifndef SYS_pidfd_send_signal
#    define SYS_pidfd_send_signal 424
#endif
#ifndef P_PIDFD
#    define P_PIDFD 3
#endif
#ifndef CLONE_PIDFD
#    define CLONE_PIDFD 0x1000
#endif

static _Alignas(16) char stack[STACK_SIZE];

/* struct clone_args of Linux 5.7 (clone(2)). */
struct cloner_arguments {
    uint64_t flags, pidfd, child_tid, parent_tid, exit_signal, stack, stack_size, tls, set_tid,
        set_tid_size, cgroup;
};

static bool is_set(int *word)
{
    return __atomic_load_n(word, __ATOMIC_ACQUIRE) != 0;
}

static void set(int *word)
{
    __atomic_store_n(word, 1, __ATOMIC_RELEASE);
    (void)RAW(SYS_futex, word, FUTEX_WAKE_PRIVATE, 1);
}

static void wait_once(int *word, const struct timespec *timeout)
{
    (void)RAW(SYS_futex, word, FUTEX_WAIT_PRIVATE, 0, timeout);
}

/* With CLONE_PARENT the child is berm's own, and its end is told as the cloner's own end is (clone(2)). */
static void clone_first(struct cloner *cloner)
{
    struct cloner_arguments arguments = {
        .flags = cloner->clone_flags | CLONE_PARENT | CLONE_PIDFD,
        .pidfd = (uint64_t)(uintptr_t)&cloner->child_pidfd,
    };

    if (cloner->cgroup_fd >= 0) {
        arguments.flags |= CLONE_INTO_CGROUP;
        arguments.cgroup = (uint64_t)cloner->cgroup_fd;
    }
    long pid = RAW(SYS_clone3, &arguments, sizeof(arguments));
    if (pid == 0) {
        (void)RAW(SYS_rt_sigprocmask, SIG_SETMASK, &cloner->signal_mask, NULL,
                  sizeof(cloner->signal_mask));
        cloner->child_main(cloner->child_argument);
    }
    cloner->child = pid;
}

/* The scheduler often leaves a new process on the CPU of its maker, behind it, though another is idle (172 of 200
 * forks after 30 ms of idleness, Linux 6.18): then nothing is done side by side. */
static void move_aside(struct cloner *cloner)
{
    unsigned long others[CLONER_CPUS_MAX / 64];
    unsigned cpu = 0;

    cloner->cpus_size = RAW(SYS_sched_getaffinity, 0, sizeof(cloner->cpus), cloner->cpus);
    if (cloner->cpus_size <= 0 || RAW(SYS_getcpu, &cpu, NULL, NULL) < 0 || cpu >= CLONER_CPUS_MAX)
        return;
    for (unsigned i = 0; i < CLONER_CPUS_MAX / 64; i++)
        others[i] = cloner->cpus[i];
    others[cpu / 64] &= ~(1UL << (cpu % 64));
    /* Refused when no other is left: then it stays. */
    (void)RAW(SYS_sched_setaffinity, cloner->pid, cloner->cpus_size, others);
}

/* The first process may use what berm may. */
static void move_freely(struct cloner *cloner)
{
    if (cloner->cpus_size > 0)
        (void)RAW(SYS_sched_setaffinity, 0, cloner->cpus_size, cloner->cpus);
}

/* The user namespace first: its ids are mapped while the others are made. */
static void make_namespaces(struct cloner *cloner)
{
    uint64_t user = cloner->namespaces & CLONE_NEWUSER;

    if (user != 0)
        cloner->error = (int)RAW(SYS_unshare, user);
    set(&cloner->has_user);
    if (cloner->error == 0)
        cloner->error = (int)RAW(SYS_unshare, cloner->namespaces & ~user);
}

/* No signal reaches it but SIGKILL, which it is sent when berm dies: the caller's Ctrl-C is berm's affair. */
static int cloner_main(void *argument)
{
    struct cloner *cloner = argument;
    const uint64_t all = ~0ULL;

    (void)RAW(SYS_rt_sigprocmask, SIG_SETMASK, &all, &cloner->signal_mask, sizeof(all));
    (void)RAW(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
    if (RAW(SYS_getppid) == cloner->berm) {
        make_namespaces(cloner);
        while (!is_set(&cloner->has_order))
            wait_once(&cloner->has_order, NULL);
        if (cloner->error == 0) {
            move_freely(cloner);
            clone_first(cloner);
        }
    }
    (void)RAW(SYS_exit, 0);
    __builtin_unreachable();
}

void cloner_begin(struct cloner *cloner, uint64_t namespaces)
{
    *cloner = (struct cloner){.berm = (pid_t)RAW(SYS_getpid),
                              .namespaces = namespaces & ~(uint64_t)CLONE_NEWPID,
                              .child = -EAGAIN,
                              .child_pidfd = -EBADF};
    if (!(namespaces & CLONE_NEWNET))
        return;
    int pid = clone(cloner_main, stack + STACK_SIZE, CLONE_VM | CLONE_FILES | SIGCHLD, cloner);
    cloner->pid = pid > 0 ? pid : 0;
    if (pid > 0)
        move_aside(cloner);
}

static bool is_gone(struct cloner *cloner, int how)
{
    if (RAW(SYS_wait4, cloner->pid, NULL, how, NULL) == 0)
        return false;
    cloner->pid = 0;
    return true;
}

void cloner_end(struct cloner *cloner)
{
    if (cloner->pid == 0)
        return;
    (void)RAW(SYS_kill, cloner->pid,
              SIGKILL); /* our child, not reaped yet: the number is its own */
    while (!is_gone(cloner, 0))
        ;
}

static bool is_usable(struct cloner *cloner, uint64_t namespaces)
{
    if (cloner->pid != 0 && (namespaces & ~(uint64_t)CLONE_NEWPID) == cloner->namespaces)
        return true;
    cloner_end(cloner);
    return false;
}

/* Killed between the clone and the word about it, the cloner leaves a child that nobody knows, and that would read
 * what is meant for its successor. The kernel writes the pidfd before the child runs (clone(2)). */
static void end_orphan(struct cloner *cloner)
{
    if (cloner->child > 0 || cloner->child_pidfd < 0)
        return;
    (void)RAW(SYS_pidfd_send_signal, cloner->child_pidfd, SIGKILL, NULL, 0);
    (void)RAW(SYS_waitid, P_PIDFD, cloner->child_pidfd, NULL, WEXITED, NULL);
    (void)raw_close(cloner->child_pidfd);
    cloner->child_pidfd = -EBADF;
}

pid_t cloner_user(struct cloner *cloner, uint64_t namespaces)
{
    const struct timespec look = {0, LOOK_NS};

    if (!is_usable(cloner, namespaces))
        return 0;
    while (!is_set(&cloner->has_user)) {
        wait_once(&cloner->has_user, &look);
        if (!is_set(&cloner->has_user) && is_gone(cloner, WNOHANG))
            return 0;
    }
    /* Set before the word: a failure so far is that of the user namespace. */
    return cloner->error == 0 ? cloner->pid : 0;
}

pid_t cloner_clone(struct cloner *cloner, uint64_t namespaces, int cgroup_fd,
                   void (*child_main)(void *argument), void *child_argument, int *ret_pidfd)
{
    if (!is_usable(cloner, namespaces))
        return -EAGAIN;
    cloner->clone_flags = namespaces & CLONE_NEWPID;
    cloner->cgroup_fd = cgroup_fd;
    cloner->child_main = child_main;
    cloner->child_argument = child_argument;
    set(&cloner->has_order);
    while (!is_gone(cloner, 0))
        ;
    end_orphan(cloner);
    *ret_pidfd = cloner->child > 0 ? cloner->child_pidfd : -EBADF;
    return (pid_t)cloner->child;
}
