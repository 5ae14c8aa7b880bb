/*
 * The room between clone and exec. It runs in the child: no heap, no stdio, no locks, no getenv.
 *
 * In: one enter_context, prepared by src/run before the clone. Out: messages on the status pipe, and the
 * program. Must never: return, allocate, or go on after a step has failed.
 */
#ifndef BERM_ENTER_ENTER_H
#define BERM_ENTER_ENTER_H

#include <linux/filter.h>

#include "enter/protocol.h"
#include "plan/plan.h"

#define ENTER_GROUPS    4
#define ENTER_PARTS_MAX 2

/* The open `tasks` files of the control groups (v1), by part. The supervisor makes the groups while the child
 * builds its file tree, and sends the files over the control socket (SCM_RIGHTS, unix(7)): one message, its bytes
 * say where each descriptor belongs. */
struct enter_groups {
    bool are_awaited;                       /* the message has not been read yet */
    int fds[ENTER_PARTS_MAX][ENTER_GROUPS]; /* negative = none */
};

/* The byte that goes with a descriptor. */
#define ENTER_GROUP_PLACE(part, group) ((unsigned char)((part)*ENTER_GROUPS + (group)))

/* Everything that the child needs and the plan does not hold: descriptors, vectors, the filter. */
struct enter_context {
    const struct plan *plan;
    char *const *argv;       /* NULL-terminated */
    char *const *envp;       /* NULL-terminated */
    char *const *candidates; /* paths to execute, tried in order, NULL-terminated */
    int control_fd; /* a socket. A message: go on, the groups are there, or begin the next program; end
                            * of file: berm is gone */
    int status_fd;         /* struct enter_message */
    int berm_pidfd;        /* of the supervisor; negative when it could not be had */
    int stdio[3];          /* become 0, 1, 2 */
    const char *work_path; /* the private work directory on the host; "" when there is none */
    const char
        *skeleton_path; /* becomes the root, with all names of MOUNT_FLAG_SKELETON; "" = none */
    struct enter_groups *groups;          /* this process's own copy; shared by the parts */
    unsigned part;                        /* row of groups->fds */
    const char *group_dirs[ENTER_GROUPS]; /* the group's directories on the host; NULL = none */
    const int
        *mapped_fds; /* by row of plan.mounts: MOUNT_FLAG_IDMAP, detached mounts; negative = none */
    uint64_t outer_namespace_ids[ENTER_NAMESPACES];
    uint64_t cpu_mask[16]; /* affinity, when plan.cpu_affinity_count is set */
    const struct sock_filter *filter;
    unsigned short filter_count;
    int filter_probe_errno; /* what the filter must answer to the call below */
    long filter_probe_call, filter_probe_argument;
    /* A second program that init starts in the same tree when the supervisor says so, after the first has
     * ended: a compiler, then what it made. Only with an init; its init rows are not run. NULL = none. */
    const struct enter_context *next;
    char *identity_start; /* this process's argv and environ area, to be wiped */
    size_t identity_size;
};

/* The child's life from the clone on. Never returns. */
void enter_child(const struct enter_context *context) __attribute__((noreturn));

#define ENTER_NAMESPACE_DIRECTORY "/proc/self/ns"

/* Namespaces by row: the clone flag, the link in that directory, the word for messages. */
struct enter_namespace {
    unsigned long clone_flag;
    const char *link;
    const char *name;
};

extern const struct enter_namespace enter_namespaces[ENTER_NAMESPACES];

#endif
