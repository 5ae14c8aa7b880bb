/*
 * Reading other processes through /proc: one process's numbers, the tree below one.
 */
#ifndef BERM_LINUX_PROC_H
#define BERM_LINUX_PROC_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct proc_stat {
    pid_t parent, session;
    char state;
    uint32_t threads;
    uint64_t start_ticks;     /* with the PID it names one process: a PID alone is given again */
    uint64_t cpu_ns;          /* user + system of the process itself */
    uint64_t children_cpu_ns; /* of children it has waited for */
    uint64_t rss_bytes;
};

/* Numbers of /proc/PID/stat. Returns 0, -ESRCH when it is gone, -errno. */
int proc_read_stat(pid_t pid, struct proc_stat *ret_stat);

/* Visit a process and return true to go on, false to stop. */
typedef bool (*proc_visit)(pid_t pid, void *context);

/* Most processes that one walk looks at: a bomb must not hold the supervisor. */
#define PROC_TREE_MAX 20000

/**
 * Visit the descendants of @root (itself excluded).
 *
 * By /proc/PID/task/TID/children (CONFIG_PROC_CHILDREN), which is exact only for a tree that stands still:
 * proc(5) says that it may miss children of a task that exits meanwhile. The caller polls.
 */
void proc_visit_tree(pid_t root, proc_visit visit, void *context);

/* Visit every process of the host whose session is @session. */
void proc_visit_session(pid_t session, proc_visit visit, void *context);

#endif
