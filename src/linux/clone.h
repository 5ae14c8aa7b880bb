/*
 * Making the first process of a run: clone3, or clone where an outer filter hides clone3.
 */
#ifndef BERM_LINUX_CLONE_H
#define BERM_LINUX_CLONE_H

#include <stdint.h>
#include <sys/types.h>

/**
 * Fork with new namespaces, optionally straight into a control group.
 *
 * @flags       CLONE_NEW* bits.
 * @cgroup_fd   directory of a cgroup v2 group (CLONE_INTO_CGROUP, Linux 5.7), or negative.
 * @ret_pidfd   returns owned: a descriptor of the child; -EBADF in the child.
 * Returns 0 in the child, the pid in the parent, or -errno: EPERM and ENOSPC mean that a namespace is
 * refused (user_namespaces(7), "ERRORS"), ENOSYS that neither call may be used.
 * Threads: the caller must have one thread only.  Since: 0.1.
 * Source: clone(2).  Test: escape, fault.
 */
pid_t clone_child(uint64_t flags, int cgroup_fd, int *ret_pidfd);

/* Close every descriptor from @first on: 0, or -errno where close_range(2) is not to be had (Linux 5.9). */
int close_from(int first);

/* A pidfd of this process itself, close-on-exec, or -errno (pidfd_open(2), Linux 5.3). */
int pidfd_of_self(void);

/* Send a signal through a pidfd; 0 or -errno. */
int pidfd_signal(int pidfd, int number);

#endif
