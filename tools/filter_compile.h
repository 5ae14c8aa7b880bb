/*
 * Makes one BPF program from the table: a search tree over ranges of numbers, argument checks in
 * its leaves.
 *
 * In: the table, an architecture. Out: statements for seccomp(2). Must never: look at anything
 * else.
 */
#ifndef BERM_TOOLS_FILTER_COMPILE_H
#define BERM_TOOLS_FILTER_COMPILE_H

#include "filter_table.h"
#include "linux/filter.h"

struct filter_code {
    struct sock_filter statements[BPF_MAXINSNS];
    unsigned short count;
};

/**
 * Compile the table for one architecture.
 *
 * @ret_code  written on success.
 * Returns 0 or -E2BIG: more statements than the kernel takes.
 * Threads: one.  Async-signal-safe: no.  Since: 0.1.  Test: filter/table, filter/equivalence.
 */
int filter_compile(const struct table_arch *arch, struct filter_code *ret_code);

#endif
