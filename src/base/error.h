/*
 * Fills the caller's error record. The text is written once, where the cause is known.
 *
 * In: a cause. Out: a struct berm_error. Must never: allocate, print, or lose errno.
 */
#ifndef BERM_BASE_ERROR_H
#define BERM_BASE_ERROR_H

#include <berm/berm.h>

/**
 * Record why something failed.
 *
 * @err      borrows; may be NULL, then only the return value speaks.
 * @code     the kind of failure.
 * @layer    the promise that cannot be kept, or BERM_LAYER_NONE.
 * @number   positive errno, or 0.
 * @cure     what to change, one sentence; NULL for none.
 * @format   printf format: what was tried, on what, why it failed.
 * Returns -number, or -EINVAL when @number is 0: callers write `return error_set(...)`.
 * Threads: yes.  Async-signal-safe: no.  Since: 0.1.
 * Source: —.  Test: unit/base/error.
 */
int error_set(struct berm_error *err, enum berm_error_code code, enum berm_layer layer, int number,
              const char *cure, const char *format, ...) __attribute__((format(printf, 6, 7)));

/* Name the step (a row of the step table) in an error that is already set. @err may be NULL. */
void error_at_step(struct berm_error *err, const char *step);

/* "unavailable", "invalid", ...: the word of the JSON result. Never NULL. */
const char *error_code_name(enum berm_error_code code);

/* "limits", ...; "none" for BERM_LAYER_NONE. Never NULL. */
const char *layer_name(enum berm_layer layer);

/* "exited", "wall_timeout", ...; the words of the JSON result. Never NULL. */
const char *verdict_name(enum berm_verdict verdict);

#endif
