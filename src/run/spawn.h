/*
 * From a plan to a child that waits for its go: vectors, pipes, the clone, the id maps.
 */
#ifndef BERM_RUN_SPAWN_H
#define BERM_RUN_SPAWN_H

#include "enter/enter.h"
#include "linux/cgroup.h"
#include "run/run.h"
#include "run/slot.h"

/* Everything that one run owns while it lives. */
struct run_state {
    const struct plan *plan;
    const struct run_io *io;
    struct observation *seen;
    struct slot slot;
    struct cgroup group;

    int pidfd;        /* of the first process: init, or the program itself */
    pid_t pid;
    int control_fd;   /* our end: a byte says go, closing it ends everything */
    int status_fd;    /* messages from inside */
    int output_fds[STREAM_COUNT]; /* our ends */
    int input_fd;     /* our end of the program's stdin; negative: none */
    int perf_fd;

    uint64_t began_ns;
};

void run_state_init(struct run_state *run, const struct plan *plan, const struct run_io *io,
                    struct observation *seen);

/**
 * Make the first process of the run and let it go.
 *
 * Returns 0: the child runs the step table; or -errno with @err filled, and run_state_done() cleans up.
 * Test: fault, escape/A.
 */
int run_spawn(struct run_state *run, struct berm_error *err);

/* Kill and reap what lives, remove what was made, close what is open. Returns 0 or the first -errno. */
int run_state_done(struct run_state *run);

#endif
