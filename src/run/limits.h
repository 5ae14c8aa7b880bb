/*
 * The limits that berm itself watches over while the program runs: wall clock, CPU time of the tree, what the
 * monitor counts, output. The supervisor looks whenever it wakes, and wakes when the next one can be reached.
 */
#ifndef BERM_RUN_LIMITS_H
#define BERM_RUN_LIMITS_H

#include "run/state.h"

struct limit_watch {
    const struct run_state *run;
    const struct part_state *part;
    struct observation *seen; /* peaks and counts are noted here */
    uint64_t started_ns;      /* 0: the program has not begun */
    uint64_t next_cpu_ns, next_monitor_ns;
};

/* The program begins, at @started_ns. */
void limit_watch_begin(struct limit_watch *watch, uint64_t started_ns);

/* Which limit is reached, with @output_bytes written so far; KILL_NONE. */
enum kill_reason limit_watch_look(struct limit_watch *watch, uint64_t output_bytes);

/* The earliest time at which the next limit can be reached; UINT64_MAX: none. */
uint64_t limit_watch_next_ns(const struct limit_watch *watch);

#endif
