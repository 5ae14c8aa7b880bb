/*
 * clone3 and pidfds by bare calls: musl 1.2.3 has no wrappers for them.
 */
#include "linux/clone.h"

#include <errno.h>
#include <linux/sched.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef SYS_clone3
#    define SYS_clone3 435
#endif
#ifndef SYS_pidfd_open
#    define SYS_pidfd_open        434
#    define SYS_pidfd_send_signal 424
#endif
#ifndef SYS_close_range
#    define SYS_close_range 436
#endif
#ifndef CLONE_INTO_CGROUP
#    define CLONE_INTO_CGROUP 0x200000000ULL
#endif

/* struct clone_args of Linux 5.7, named apart from the header's, which musl's does not know. */
struct clone3_arguments {
    uint64_t flags, pidfd, child_tid, parent_tid, exit_signal, stack, stack_size, tls, set_tid,
        set_tid_size, cgroup;
};

static pid_t clone_old(uint64_t flags, int *ret_pidfd)
{
    int pidfd = -EBADF;
    /* With CLONE_PIDFD the third argument (parent_tid) takes the descriptor (clone(2)); it is the third
     * on x86-64 and on aarch64. */
    long pid =
        syscall(SYS_clone, (unsigned long)(flags | CLONE_PIDFD | SIGCHLD), 0UL, &pidfd, 0UL, 0UL);
    if (pid < 0)
        return -errno;
    *ret_pidfd = pid == 0 ? -EBADF : pidfd;
    return (pid_t)pid;
}

pid_t clone_child(uint64_t flags, int cgroup_fd, int *ret_pidfd)
{
    int pidfd = -EBADF;
    struct clone3_arguments arguments = {
        .flags = flags | CLONE_PIDFD,
        .pidfd = (uint64_t)(uintptr_t)&pidfd,
        .exit_signal = SIGCHLD,
    };

    if (cgroup_fd >= 0) {
        arguments.flags |= CLONE_INTO_CGROUP;
        arguments.cgroup = (uint64_t)cgroup_fd;
    }
    long pid = syscall(SYS_clone3, &arguments, sizeof(arguments));
    if (pid < 0 && errno == ENOSYS && cgroup_fd < 0)
        return clone_old(flags, ret_pidfd);
    if (pid < 0)
        return -errno;
    *ret_pidfd = pid == 0 ? -EBADF : pidfd;
    return (pid_t)pid;
}

int close_from(int first)
{
    return syscall(SYS_close_range, (unsigned)first, ~0U, 0U) < 0 ? -errno : 0;
}

int pidfd_of_self(void)
{
    long fd = syscall(SYS_pidfd_open, getpid(), 0); /* close-on-exec always */
    return fd < 0 ? -errno : (int)fd;
}

int pidfd_signal(int pidfd, int number)
{
    return syscall(SYS_pidfd_send_signal, pidfd, number, NULL, 0) < 0 ? -errno : 0;
}
