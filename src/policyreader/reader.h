/*
 * Reads a policy file: JSON with the shape of fields.def, and nothing else in it.
 *
 * In: bytes and the name of their file. Out: values set in a policy, each also handed to a sink with its
 * origin. Must never: pass over a key, take a value of another type, or open a file.
 */
#ifndef BERM_POLICYREADER_READER_H
#define BERM_POLICYREADER_READER_H

#include <stddef.h>

#include <berm/berm.h>

#include "policy/policy.h"

/* Takes each value, in the form that policy_set takes, in the order of the file. */
struct reader_sink {
    /* Returns 0 or -errno, which ends the reading. */
    int (*put)(void *context, const char *key, const char *value, const char *origin);
    void *context;
};

/**
 * Read a policy text.
 *
 * @text, @size  borrow; need not be ended.
 * @name         borrows; begins every origin: "policy.json:3: limits.memory".
 * @policy       receives the values. Half filled on failure; not validated.
 * @sink         borrows; may be NULL.
 * Refused: what is not JSON, a key that is given twice, unknown, or in the wrong object; a value of the
 * wrong type or without its unit; everything that policy_set refuses.
 * Returns 0, or -errno with @err naming the place.
 * Threads: yes.  Async-signal-safe: no.  Since: 0.1.
 * Source: RFC 8259; fields.def.  Test: unit/policyreader/reader, fuzz-policy-json.
 */
int reader_read(const char *text, size_t size, const char *name, struct policy *policy,
                const struct reader_sink *sink, struct berm_error *err);

#endif
