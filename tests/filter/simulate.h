/*
 * A BPF simulator: what seccomp(2) would answer, for any architecture, without installing anything.
 *
 * In: statements and one system call. Out: the answer. Must never: accept a program that the kernel
 * would refuse (net/core/filter.c bpf_check_classic, kernel/seccomp.c seccomp_check_filter).
 */
#ifndef BERM_TESTS_FILTER_SIMULATE_H
#define BERM_TESTS_FILTER_SIMULATE_H

#include <linux/seccomp.h>
#include <stddef.h>

#include "linux/filter.h"

struct program {
    const struct sock_filter *statements;
    size_t count;
};

/* Is the program well formed: known statements, jumps inside, loads aligned and inside
 * seccomp_data, a return at the end? Returns 0, or the number of the first bad statement plus one.
 * */
size_t simulate_check(struct program program);

/* Which statements can be reached at all? Returns how many cannot. */
size_t simulate_unreachable(struct program program);

/* The answer, SECCOMP_RET_* with its data. The program must have passed the check. */
uint32_t simulate(struct program program, const struct seccomp_data *call);

#endif
