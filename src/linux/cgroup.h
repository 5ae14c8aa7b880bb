/*
 * Control groups, v1 and v2: making a leaf, limiting it, reading its counts, emptying and removing it.
 *
 * In: directories from the host facts. Out: one struct cgroup a run. Must never: step above the group in
 * which berm was started, or decide what is limited.
 */
#ifndef BERM_LINUX_CGROUP_H
#define BERM_LINUX_CGROUP_H

#include <stdbool.h>
#include <stdint.h>

#include <berm/berm.h>

#include "linux/host.h"

struct cgroup {
    int version;                       /* 1 or 2; 0 = none */
    int dir_fds[CG_CONTROLLER_COUNT];  /* owned; v2 uses the first only; negative = none */
    int task_fds[CG_CONTROLLER_COUNT]; /* owned; v1: `tasks`, open for writing */
    char dirs[CG_CONTROLLER_COUNT][HOST_PATH_SIZE + 64]; /* "" = none */
};

/* What the kernel counted. A value that the kernel does not have stays 0 with its has_ flag false. */
struct cgroup_counts {
    bool has_memory, has_cpu, has_pids;
    uint64_t memory_peak_bytes, oom_kills, memory_refusals, cpu_ns, pids_peak, pids_refusals;
};

/* A run of two programs has a second leaf, named so; a dead one's is removed with the first. */
#define CGROUP_FIRST_SUFFIX "-first"

void cgroup_init(struct cgroup *group);

/**
 * Decide where the leaves will be, one under each given parent; nothing is made yet.
 *
 * @parents  by enum cgroup_controller; NULL or "" = not used. On v2 all used entries are the same.
 * Returns 0, or -ENAMETOOLONG with @err filled.
 */
int cgroup_name(struct cgroup *group, int version, const char *const parents[CG_CONTROLLER_COUNT],
                const char *name, struct berm_error *err);

/**
 * Make the named leaves. A leaf of that name that a dead run left behind is emptied and removed first.
 *
 * @parents  as given to cgroup_name().
 * Returns 0, or -errno with @err filled; nothing is left behind on failure.
 * Since: 0.1.  Source: cgroup-v1/cgroups.rst, cgroup-v2.rst.  Test: escape, fault.
 */
int cgroup_make(struct cgroup *group, const char *const parents[CG_CONTROLLER_COUNT],
                struct berm_error *err);

/* Empty and remove a leaf that a dead run left; a missing one is fine. */
void cgroup_sweep(const char *parent, const char *name);

/* Write one limit and read it back. Returns 0, -errno, or -EBADE when another value is in force. */
int cgroup_set(const struct cgroup *group, enum cgroup_controller controller, const char *file,
               const char *value, uint64_t read_back);

/* Counts so far; cheap enough for a timer. */
void cgroup_read(const struct cgroup *group, struct cgroup_counts *ret_counts);
/* CPU time of the tree so far, nanoseconds; UINT64_MAX when unknown. */
uint64_t cgroup_cpu_ns(const struct cgroup *group);

/* Kill every member (SIGKILL), in a bounded number of rounds. */
void cgroup_kill(const struct cgroup *group);

/* Remove the leaf and close the descriptors. Returns 0, or -EBUSY when members do not go away in time: then what
 * is left can be removed by another call. */
int cgroup_remove(struct cgroup *group);

#endif
