/*
 * The one poll loop: when to kill, and what was seen.
 *
 * In: a child that was let go. Out: the observation. Must never: wait for anything but poll(2), or kill
 * without having recorded why.
 */
#ifndef BERM_RUN_SUPERVISOR_H
#define BERM_RUN_SUPERVISOR_H

#include "run/relay.h"
#include "run/state.h"

/* How the watching ended. */
enum watch_end {
    WATCH_OVER, /* the first process is gone, and with an init everything else too */
    WATCH_NEXT  /* the program has exited with 0 and init waits for the word to begin the next */
};

/**
 * Watch one part of the run.
 *
 * @ret_end  how it ended; WATCH_NEXT only when @has_next.
 * Returns 0, or -errno with @err filled: berm itself can go on no longer (no memory, poll failed).
 * Test: escape, cli.
 */
int supervise(struct run_state *run, struct part_state *part, bool has_next,
              enum watch_end *ret_end, struct berm_error *err);

#endif
