/*
 * Where the caller's paths really lead: --ro and --rw, with every link resolved.
 *
 * Whether a path may be brought in is judged by where it leads, and a plan asks the machine nothing.
 */
#ifndef BERM_REQUEST_BINDS_H
#define BERM_REQUEST_BINDS_H

#include <berm/berm.h>

#include "policy/policy.h"

struct bind_paths {
    char **ro,
        **rw; /* owned, one for each item of the policy's lists; the path itself when it is not there */
    size_t ro_count, rw_count;
};

/**
 * Resolve the paths of a policy.
 *
 * @ret_paths  returns owned (binds_done), also when empty. Untouched on failure.
 * Returns 0, or -errno with @err filled: an item that is not PATH[:AT], or no memory.
 * Source: realpath(3).  Test: truth/test_races.
 */
int binds_resolve(const struct policy *policy, struct bind_paths *ret_paths,
                  struct berm_error *err);
void binds_done(struct bind_paths *paths);

#endif
