/*
 * The control groups of a run: named before the clone, made and limited before it (v2, where the clone lands in
 * its group) or beside the child's own work (v1, where the program joins late).
 */
#ifndef BERM_RUN_GROUPS_H
#define BERM_RUN_GROUPS_H

#include "enter/enter.h"
#include "run/state.h"

/* Where they will be. A plan without groups is fine: here and below. Returns 0 or -errno with @err filled. */
int groups_name(const struct run_state *run, struct part_state *part, struct berm_error *err);

/* What the child begins with: nothing yet, and whether a message will come. */
void groups_await(struct enter_groups *groups, bool are_awaited);

/* Make and limit them; each limit is read back. Returns 0 or -errno with @err filled. */
int groups_make(struct part_state *part, struct berm_error *err);

/**
 * Send the `tasks` files of @count parts, from @first on, to the child (v1).
 *
 * Returns 0 or -errno with @err filled: EPIPE when the child is gone.  Source: unix(7), SCM_RIGHTS.
 * Test: fault, escape.
 */
int groups_send(const struct run_state *run, unsigned first, unsigned count,
                struct berm_error *err);

/* Take the kernel's counts over into the observation. A group that is gone already leaves them as they are. */
void groups_count(struct part_state *part);

/* Count and remove, once nobody is left inside: beside the end of init (v1, where init is no member). */
void groups_finish(struct part_state *part);

#endif
