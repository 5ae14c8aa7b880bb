/*
 * A step that failed inside becomes an error that a person can act on.
 *
 * In: the plan, the observation. Out: an error record: code, layer, step, cause, cure. Must never: ask
 * the machine anything; the cause is what the child sent.
 */
#ifndef BERM_RUN_FAILURE_H
#define BERM_RUN_FAILURE_H

#include "plan/plan.h"
#include "run/observation.h"

/**
 * Explain seen->failure.
 *
 * @err  filled: BERM_E_NOT_FOUND and BERM_E_NOT_EXECUTABLE for the program itself, BERM_E_UNAVAILABLE
 *       where the machine refuses what a layer needs, BERM_E_INVALID for arguments that are too long,
 *       else BERM_E_SYSTEM.
 * Returns -errno, as error_set().
 * Threads: yes.  Async-signal-safe: no.  Since: 0.1.  Test: unit/run/outcome.
 */
int failure_explain(const struct plan *plan, const struct observation *seen,
                    struct berm_error *err);

#endif
