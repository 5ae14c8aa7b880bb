/*
 * The monitor: what is counted by walking /proc where no control group counts it. Exact only for what it
 * happens to see; the plan's claims say so.
 */
#ifndef BERM_RUN_MONITOR_H
#define BERM_RUN_MONITOR_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* How often the tree is walked (mission, "Processes": 5 ms). */
#define MONITOR_INTERVAL_NS 5000000ULL
/* And when more than half of the memory limit is in use. */
#define MONITOR_NEAR_NS 1000000ULL

struct monitor_sample {
    uint64_t tasks;     /* threads of the run, berm's init excluded */
    uint64_t cpu_ns;    /* living processes, and children that were waited for */
    uint64_t rss_bytes; /* sum of resident sets: shared pages count more than once */
};

/* @root is init (@has_init) or the program itself. */
void monitor_sample_tree(pid_t root, bool has_init, struct monitor_sample *ret_sample);

/* Proportional set sizes of the tree (smaps_rollup): slow, 10 ms for 900 MB; to confirm before a kill. */
uint64_t monitor_pss_bytes(pid_t root, bool has_init);

#endif
