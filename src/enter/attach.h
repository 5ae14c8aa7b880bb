/*
 * What the files of this room share.
 */
#ifndef BERM_ENTER_ATTACH_H
#define BERM_ENTER_ATTACH_H

#include "enter/sequence.h"

#define ENTER_PATH_LIMIT 4096

/* MOUNT_ATTR_* of a row's flags. */
uint64_t mount_attributes(uint32_t flags);

/* A path of the plan, with the work directory's path in place of the mark. NULL when it is too long. */
const char *expand_path(const struct enter_state *state, plan_text text,
                        char buffer[ENTER_PATH_LIMIT]);

/* Wait until the supervisor has made the run's control groups, and take hold of them. Does so once; 0 or
 * -errno. */
int take_groups(const struct enter_state *state);

#endif
