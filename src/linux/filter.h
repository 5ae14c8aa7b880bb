/*
 * The embedded system-call filters: BPF programs made at build time by tools/gen-filter from
 * layers/syscall_sets.def with libseccomp. Nothing is compiled at run time.
 */
#ifndef BERM_LINUX_FILTER_H
#define BERM_LINUX_FILTER_H

#include <linux/filter.h>

#include "plan/plan.h"

struct filter_program {
    const char *name;                     /* "standard" */
    const struct sock_filter *statements; /* NULL for FILTER_NONE */
    unsigned short count;
};

/* Indexed by enum plan_filter; for the architecture this binary is built for. */
extern const struct filter_program filter_programs[FILTER_COUNT];

#endif
