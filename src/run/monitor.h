/*
 * The monitor: what is counted by walking /proc where no control group counts it. Exact only for what it
 * happens to see; the plan's claims say so.
 */
#ifndef BERM_RUN_MONITOR_H
#define BERM_RUN_MONITOR_H

#include <stdbool.h>
#include <stddef.h>
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

/* @root is init (@has_init) or the program itself. What ends during the walk is counted beside what begins then:
 * the sums may be too high, and are confirmed by a census before they end a run or are reported as a peak. */
void monitor_sample_tree(pid_t root, bool has_init, struct monitor_sample *ret_sample);

/*
 * A census: amounts of processes, of which only those count that still are there when all have been looked at.
 * They were all there at that instant.
 */
struct census_entry {
    pid_t pid;
    uint64_t start_ticks, amount;
};

struct census {
    struct census_entry *entries; /* owned; freed by census_done */
    size_t count, capacity;
};

/* Threads of @pid, zombies included; gone already counts nothing. */
void census_add_tasks(struct census *census, pid_t pid);

/* Proportional set size of @pid (smaps_rollup): slow, 10 ms for 900 MB. */
void census_add_pss(struct census *census, pid_t pid);

/* The sum of what was added, of each process that still is there, once. Sorts the entries. */
uint64_t census_sum(struct census *census);

void census_done(struct census *census);

/* Threads of the run that were all there at one instant; at most what a sample said. */
uint64_t monitor_count_tasks(pid_t root, bool has_init);

/* Proportional set sizes of the processes that were all there at one instant. */
uint64_t monitor_pss_bytes(pid_t root, bool has_init);

#endif
