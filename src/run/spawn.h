/*
 * From a plan to a child that waits for its go: vectors, the clone, the id maps.
 */
#ifndef BERM_RUN_SPAWN_H
#define BERM_RUN_SPAWN_H

#include "run/state.h"

/**
 * Make the first process for @count parts from @first on, and let it go.
 *
 * More than one only where init guards the run. Returns 0: the child runs the step table; or -errno with
 * @err filled, and run_state_done() cleans up.  Test: fault, escape.
 */
int run_spawn(struct run_state *run, unsigned first, unsigned count, struct berm_error *err);

#endif
