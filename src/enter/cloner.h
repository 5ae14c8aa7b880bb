/*
 * The cloner: a process that makes the run's namespaces while berm still reads the machine and plans, and then
 * clones the first process of the run.
 *
 * A network namespace alone costs as much as everything that berm does before the clone (bench/method.md). The
 * cloner shares berm's memory and descriptors and runs nothing but the code of this file: bare calls, since two
 * processes in one memory must not both use the C library.
 *
 * In: the namespaces that a plan will ask for. Out: the first process. Must never: be needed. Whatever fails here,
 * the plain clone is made instead, and tells why it cannot be.
 */
#ifndef BERM_ENTER_CLONER_H
#define BERM_ENTER_CLONER_H

#include <stdint.h>
#include <sys/types.h>

#define CLONER_CPUS_MAX 1024

struct cloner {
    pid_t pid; /* 0 = there is none */
    pid_t berm;
    uint64_t namespaces; /* CLONE_NEW*, made by it */
    int has_user;        /* a futex: 1 = its user namespace is made, or could not be */
    int has_order;       /* a futex: 1 = what stands below is complete */
    int error;           /* negative errno of making them */

    /* The order. */
    uint64_t clone_flags;
    int cgroup_fd;
    void (*child_main)(void *argument);
    void *child_argument;
    long child; /* pid or negative errno */
    int child_pidfd;
    uint64_t signal_mask;
    unsigned long cpus[CLONER_CPUS_MAX / 64]; /* that berm may use */
    long cpus_size;                           /* bytes of these that the kernel knows; 0 = leave */
};

/**
 * Start a cloner that makes these namespaces.
 *
 * @cloner    stays at its place until cloner_end().
 * @namespaces  CLONE_NEW* of the plan to come; nothing is started unless a network namespace is among them.
 * Never fails: without a cloner, cloner_clone() answers -EAGAIN.
 * Threads: the caller must have one thread only.  Since: 0.1.
 * Source: unshare(2), clone(2).  Test: truth/test_cloner.
 */
void cloner_begin(struct cloner *cloner, uint64_t namespaces);

/* The process whose user namespace will be the run's, so that its ids can be mapped before the clone; 0 when the
 * plain clone will be made. */
pid_t cloner_user(struct cloner *cloner, uint64_t namespaces);

/**
 * The first process, as a child of the caller.
 *
 * @namespaces  of the plan: where they are not what the cloner made, it is not used.
 * @cgroup_fd   as clone_child().
 * @child_main  runs in the child, which has a copy of this memory; must not return.
 * @ret_pidfd   returns owned.
 * Returns the pid, or -errno, -EAGAIN included: make a plain clone. The cloner is gone then.
 */
pid_t cloner_clone(struct cloner *cloner, uint64_t namespaces, int cgroup_fd,
                   void (*child_main)(void *argument), void *child_argument, int *ret_pidfd);

/* End one that was not used. None, or one that is gone, is fine. */
void cloner_end(struct cloner *cloner);

#endif
