/*
 * Finds and loads the bytes of a policy file.
 *
 * In: a path, or the name of a shipped policy. Out: bytes in memory. Must never: read more than a policy
 * can need, or look for a bare name in the current directory: no implicit file changes isolation.
 */
#ifndef BERM_POLICYREADER_SOURCE_H
#define BERM_POLICYREADER_SOURCE_H

#include <limits.h>
#include <stddef.h>

#include <berm/berm.h>

#define SOURCE_SIZE_MAX (1u << 20)

struct source {
    char name[PATH_MAX]; /* the path as it was given, or NAME.json */
    char *bytes;         /* owned; ended by a NUL that is not counted */
    size_t size;
};

/**
 * Load a policy.
 *
 * @file        borrows. With a slash, or ending in .json: a path. Anything else: a shipped policy.
 * @ret_source  release with source_done(). Untouched on failure.
 * Returns 0, or -errno with @err naming the file and the cause.
 * Threads: yes.  Async-signal-safe: no.  Since: 0.1.
 * Source: settled.md "Policy and options".  Test: unit/policyreader/source.
 */
int source_load(const char *file, struct source *ret_source, struct berm_error *err);

void source_done(struct source *source);

#endif
