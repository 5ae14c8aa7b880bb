/*
 * The one poll loop: when to kill, and what was seen.
 *
 * In: a child that was let go. Out: the observation. Must never: wait for anything but poll(2), or kill
 * without having recorded why.
 */
#ifndef BERM_RUN_SUPERVISOR_H
#define BERM_RUN_SUPERVISOR_H

#include "run/relay.h"
#include "run/spawn.h"

/**
 * Watch the run until its main program has ended and, where an init guards it, everything else too.
 *
 * Returns 0, or -errno with @err filled: berm itself can go on no longer (no memory, poll failed).
 * Test: escape/B, cli/run.
 */
int supervise(struct run_state *run, struct berm_error *err);

#endif
