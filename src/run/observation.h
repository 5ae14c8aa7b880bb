/*
 * The observation: raw facts of one run. Nothing here is a judgement; run/outcome.c judges.
 *
 * In: what the supervisor saw. Out: one flat struct (it crosses a socket as it is). Must never: hold a
 * pointer.
 */
#ifndef BERM_RUN_OBSERVATION_H
#define BERM_RUN_OBSERVATION_H

#include <stdbool.h>
#include <stdint.h>

#include <berm/berm.h>

#include "enter/protocol.h"

/* The supervisor's own decision, recorded before it kills. First one wins. */
enum kill_reason {
    KILL_NONE = 0,
    KILL_WALL,
    KILL_CPU,
    KILL_MEMORY,    /* the monitor, never the kernel */
    KILL_PROCESSES, /* the monitor */
    KILL_OUTPUT,
    KILL_CANCELLED,
    KILL_SUPERVISOR_FAILED
};

enum stream_id {
    STREAM_STDOUT,
    STREAM_STDERR,
    STREAM_COUNT
};

/* What is known of one stream. The kept bytes themselves are in struct capture. */
struct stream_facts {
    uint64_t bytes;         /* everything the program wrote */
    uint64_t omitted_bytes; /* of these, left out between head and tail */
};

struct group_facts {
    int32_t version; /* 1, 2; 0 = no group */
    bool has_memory, has_cpu, has_pids;
    uint64_t memory_peak_bytes;
    uint64_t oom_kills;       /* the kernel's count for this group */
    uint64_t memory_refusals; /* times the limit was hit (failcnt, events.max) */
    uint64_t cpu_ns;
    uint64_t pids_peak;     /* 0 = unknown */
    uint64_t pids_refusals; /* forks refused with EAGAIN */
};

struct observation {
    bool has_started; /* evidence was sent: the program was executed, unless failed_step is set */
    bool has_failed;  /* a step failed: see failure */
    struct enter_message failure;
    struct evidence evidence;

    bool has_status;             /* the main program's end was seen */
    int32_t wait_status;         /* as waitpid(2) gives it */
    uint64_t user_ns, system_ns; /* main program and the children it waited for */
    uint64_t max_rss_bytes;      /* largest single process among these */

    uint32_t kill_reason;   /* enum kill_reason */
    int32_t cancel_signal;  /* the signal that berm got */
    bool main_killed_by_us; /* SIGKILL was sent while the program still ran */

    struct group_facts group;
    bool has_monitor;        /* /proc was polled */
    bool has_perf;           /* monitor_cpu_ns is an inherited task clock, not a poll */
    uint64_t monitor_cpu_ns; /* highest sum seen */
    uint64_t monitor_pids_peak, monitor_memory_peak_bytes;

    struct stream_facts streams[STREAM_COUNT];
    int32_t
        live_errors[STREAM_COUNT]; /* errno of passing output on, 0 = none: some of it is lost */
    uint32_t survivors;            /* processes of the session found and killed at the end */
    uint32_t orphans;              /* processes seen that left the session and go on (L0-L2) */
    uint64_t stdin_bytes;

    /* Monotonic, nanoseconds. Wall is from the evidence to the end of the main program. */
    uint64_t wall_ns;
    uint64_t setup_ns;   /* from the first act to the evidence */
    uint64_t cleanup_ns; /* sweep and deletion: not on the program's clock */
};

#endif
