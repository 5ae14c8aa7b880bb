/*
 * Writes a policy as the file that would give it.
 *
 * In: a valid policy. Out: JSON on a stream: every value that is in force, whoever set it. Must never:
 * write what reader_read() would refuse.
 */
#ifndef BERM_POLICYREADER_SHOW_H
#define BERM_POLICYREADER_SHOW_H

#include <stdio.h>

#include "policy/policy.h"

/**
 * Print the complete effective policy.
 *
 * @policy  borrows; validated.
 * @out     borrows; the caller checks it for write errors when it flushes.
 * Reading the text back gives the same policy at the same level, with everything explicit.
 * Returns 0 or -ENOMEM.
 * Threads: yes.  Async-signal-safe: no.  Since: 0.1.
 * Source: fields.def.  Test: unit/policyreader/show.
 */
int show_policy(const struct policy *policy, FILE *out);

#endif
