/*
 * --policy: a policy file, read by another executable.
 *
 * In: the name of a file or of a shipped policy. Out: values set in a policy, with their origins. Must
 * never: read JSON; berm-policy does that, because its JSON library is not built for this executable's
 * C library.
 */
#ifndef BERM_CLI_POLICY_FILE_H
#define BERM_CLI_POLICY_FILE_H

#include <stddef.h>

#include <berm/berm.h>

#include "policy/policy.h"

/**
 * Find berm-policy: beside this executable in a build directory, else in the installed place.
 *
 * @ret_path  receives at most @size bytes.
 * A file beside the executable is taken only when nobody but root and the caller can have put it there.
 * Threads: yes.  Async-signal-safe: no.  Since: 0.1.
 * Source: —.  Test: cli/test_options.
 */
void policy_file_reader(char *ret_path, size_t size);

/**
 * Set every value of a policy file.
 *
 * @file    borrows; a path, or the name of a shipped policy.
 * @policy  receives the values. May be half filled on failure.
 * Returns 0, or -errno with @err filled: berm-policy's own message and cure when it refused the file.
 * Threads: yes.  Async-signal-safe: no.  Since: 0.1.
 * Source: settled.md "Process model".  Test: unit/cli/policy_file.
 */
int policy_file_apply(const char *file, struct policy *policy, struct berm_error *err);

/* The same with a named reader. */
int policy_file_apply_by(const char *reader, const char *file, struct policy *policy,
                         struct berm_error *err);

#endif
