/*
 * What a run owns while it lives, and how all of it ends.
 */
#ifndef BERM_RUN_STATE_H
#define BERM_RUN_STATE_H

#include <sys/types.h>

#include "enter/cloner.h"
#include "linux/cgroup.h"
#include "run/run.h"
#include "run/skeleton.h"
#include "run/slot.h"

/* What one program of the run owns while it lives. */
struct part_state {
    const struct plan *plan;
    const struct run_io *io;
    struct observation *seen;
    struct cgroup group;
    int mapped_fds[PLAN_MOUNTS_MAX]; /* by row of the plan's mounts: for MOUNT_FLAG_IDMAP */
    int status_fd;                   /* messages from inside */
    int output_fds[STREAM_COUNT];    /* our ends */
    int input_fd;                    /* our end of the program's stdin; negative: none */
};

/* What the run owns while it lives. */
struct run_state {
    struct part_state parts[RUN_PARTS_MAX];
    unsigned part_count;
    struct slot slot;
    struct skeleton skeleton;
    struct cloner *cloner; /* borrowed; used for the first process */
    int pidfd;             /* of the first process: init, or the program itself */
    pid_t pid;
    int control_fd; /* our end: a byte says go, closing it ends everything */
    int perf_fd;
    const struct run_files *files; /* borrowed; NULL = none */
    int work_fd;                   /* the work directory; negative: none, or not here yet */
    uint64_t began_ns;
};

void run_state_init(struct run_state *run, const struct run_part *parts, unsigned count);

/* Take the names of the run: slot and work directory. Returns 0 or -errno with @err filled. */
int run_take_names(struct run_state *run, struct berm_error *err);

/* The user and group of the host as whom the run acts there. */
uint32_t run_outside_uid(const struct run_state *run);
uint32_t run_outside_gid(const struct run_state *run);

/* Kill and reap the first process, and with it, where it is an init, everything inside. */
void run_reap_first(struct run_state *run);

/* The same, and let go of what was joined to it. */
void run_end_first(struct run_state *run);

/* Kill and reap what lives, remove what was made, close what is open. Returns 0 or the first -errno. */
int run_state_done(struct run_state *run);

#endif
