/*
 * The skeleton of the small root: its directories, links, made files and mount points, kept in the state
 * directory from run to run. To make some seventy names anew, and to drop them again, is a tenth of a cold run.
 *
 * In: the rows of a plan that carry MOUNT_FLAG_SKELETON. Out: a directory that a run binds, read-only, as its
 * root. Must never: be used where a program could have written to it: only root's state directory is, by runs
 * that have a host uid of their own (PLAN_SHARED_SKELETON).
 */
#ifndef BERM_RUN_SKELETON_H
#define BERM_RUN_SKELETON_H

#include "plan/plan.h"
#include "run/slot.h"

struct skeleton {
    int fd; /* owned: locked, shared; negative = none */
    char path[sizeof(
        ((struct slot *)0)->work_path)]; /* absolute; "" = the run builds its root itself */
};

void skeleton_init(struct skeleton *skeleton);

/**
 * Find the skeleton for a plan, or make it; it is not removed while it is held.
 *
 * @slot  held: its state directory is used.
 * Without one (no room, another berm's half-made one) the run builds its root itself: not an error.
 * Since: 0.1.  Test: truth/test_skeleton.
 */
void skeleton_take(struct skeleton *skeleton, const struct slot *slot, const char *state_dir,
                   const struct plan *plan);

void skeleton_release(struct skeleton *skeleton);

#endif
