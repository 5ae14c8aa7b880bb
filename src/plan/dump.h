/*
 * Prints a plan: `berm explain`. Also the words for its enums, used by the JSON forms.
 *
 * In: a plan that plan_check() accepts. Out: text. Must never: print the value of a variable (it may be
 * a secret), or let a byte of the plan steer the terminal.
 */
#ifndef BERM_PLAN_DUMP_H
#define BERM_PLAN_DUMP_H

#include "plan/plan.h"

/* Takes bytes; returns 0 or -errno. The first failure stops all output. */
typedef int (*dump_sink)(void *context, const char *bytes, size_t size);

/**
 * Write the plan for a person: the promises of each layer, then the acts in the order in which they are
 * carried out.
 *
 * @sink  called with a few bytes at a time.
 * Returns 0 or the sink's -errno.
 * Threads: yes.  Async-signal-safe: no.  Since: 0.1.  Test: unit/plan/dump.
 */
int plan_dump(const struct plan *plan, dump_sink sink, void *context);

/* A text as it is shown: words in place of the mark that stands for the work directory's path. */
const char *plan_shown_text(const struct plan *plan, plan_text text);

/* "exact", "weaker", "absent"; "unknown" when out of range. */
const char *claim_strength_name(uint8_t strength);

/* What became of a layer: "off" (no promise asked for), "on" (all kept exactly), "weaker" (not all),
 * "absent" (asked for and none kept). */
const char *plan_layer_state(const struct plan *plan, enum berm_layer layer);

/* "bind", "proc", ...; "unknown" when out of range. */
const char *mount_op_name(uint8_t op);

/* "new-session", ... by bit number; NULL past the last. */
const char *plan_feature_name(unsigned bit);

/* "nofile", ...; "unknown" when out of range. */
const char *rlimit_name(int32_t resource);

/* "user", ... by row; NULL past the last. ret_flag: its CLONE_NEW* bit. */
const char *plan_namespace_name(unsigned row, uint64_t *ret_flag);

/* "memory", ... by enum cgroup_controller; "unknown" when out of range. */
const char *plan_controller_name(uint8_t controller);

#endif
