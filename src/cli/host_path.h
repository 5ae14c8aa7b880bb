/*
 * Paths of the host that stand on the command line.
 *
 * In: a path as the caller wrote it. Out: the same path from the root, for the policy takes no other.
 * Must never: follow a link, or ask whether the path exists.
 */
#ifndef BERM_CLI_HOST_PATH_H
#define BERM_CLI_HOST_PATH_H

#include <stdbool.h>

#include <berm/berm.h>

#include "policy/policy.h"

/* Does the field hold a path of the host (and not one that is meant inside)? */
bool host_path_is_wanted(enum field_id field);

/**
 * Make a value of such a field absolute, from the caller's working directory.
 *
 * @value     borrows; PATH, PATH:AT, or fd:N. Leading "./" and "../" are resolved: the working directory
 *            has no links in it (getcwd(2)), so that this is what the kernel would find.
 * @ret_text  returns owned. Untouched on failure.
 * Returns 0, -ENOMEM, or -errno when the working directory cannot be named.
 * Threads: yes.  Async-signal-safe: no.  Since: 0.1.
 * Source: getcwd(2).  Test: unit/cli/options.
 */
int host_path_absolute(enum field_id field, const char *value, char **ret_text,
                       struct berm_error *err);

#endif
