/*
 * Messages between what runs inside (init, the child before exec) and the supervisor: fixed-size records
 * on one pipe, each smaller than PIPE_BUF, so that a write is atomic (pipe(7)).
 *
 * Also the values read back from the kernel: the evidence.
 */
#ifndef BERM_ENTER_PROTOCOL_H
#define BERM_ENTER_PROTOCOL_H

#include <stdbool.h>
#include <stdint.h>

#define ENTER_NAMESPACES 7
#define ENTER_RLIMITS    16

/* Read back from the kernel right before exec. A field that was not asked for is 0. */
struct evidence {
    uint32_t uid, gid;
    uint32_t group_count;
    uint64_t namespace_ids[ENTER_NAMESPACES]; /* by row of enter/namespaces: inode numbers */
    uint64_t caps_effective, caps_permitted, caps_inheritable, caps_bounding, caps_ambient;
    int32_t no_new_privs;   /* prctl(PR_GET_NO_NEW_PRIVS) */
    int32_t nesting_probe;  /* errno of unshare(CLONE_NEWUSER) */
    int32_t seccomp_mode;   /* prctl(PR_GET_SECCOMP): 2 = filter */
    int32_t filter_probe;   /* errno of a call that the filter must refuse */
    int32_t landlock_probe; /* errno of an act that only Landlock refuses so */
    int32_t interfaces_up;  /* how many network interfaces are up */
    int32_t pid;            /* getpid() inside */
    uint64_t rlimit_soft[ENTER_RLIMITS], rlimit_hard[ENTER_RLIMITS]; /* by row of plan.rlimits */
    uint32_t root_flags, system_flags; /* statfs f_flags of / and of /usr */
    int32_t open_descriptors;          /* above 2, the status pipe excluded */
};

enum enter_message_kind {
    ENTER_FAILED = 1, /* a step failed: nothing was executed */
    ENTER_READY,      /* evidence agrees with the plan; exec follows at once */
    ENTER_ENDED       /* from init: the program's wait status and usage */
};

/* The byte that comes with the descriptor of the work directory, on the control socket. */
#define ENTER_WORK_WORD 'w'

struct enter_message {
    uint32_t kind;       /* enum enter_message_kind */
    uint32_t step;       /* ENTER_FAILED: row of the step table */
    uint32_t layer;      /* enum berm_layer */
    int32_t error;       /* positive errno */
    uint32_t index;      /* which row of the plan's table, where the step walks one */
    int32_t wait_status; /* ENTER_ENDED */
    uint32_t is_alone;   /* ENTER_ENDED: nobody but init is left inside, no zombie either */
    uint64_t sent_ns;    /* CLOCK_MONOTONIC, the same clock on both sides */
    uint64_t user_ns, system_ns;
    uint64_t
        max_rss_bytes; /* of the program, not of init (it is read from the program's own rusage) */
    struct evidence evidence; /* ENTER_READY; and ENTER_FAILED of the step "evidence" */
};

#endif
