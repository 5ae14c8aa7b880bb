/*
 * The embedded system-call filters: BPF programs made at build time by tools/gen-filter from
 * layers/syscall_sets.def. Nothing is compiled at run time.
 */
/* The kernel's header has the same name as this one. Where src is on the include path, whoever asks
 * for the kernel's gets this: pass it on. Outside the guard, since src may be on the path twice
 * (quoted and not). The pragma is what both compilers take for #include_next under -Wpedantic. */
#pragma GCC system_header
#include_next <linux/filter.h>

#ifndef BERM_LINUX_FILTER_H
#    define BERM_LINUX_FILTER_H

#    include <sys/syscall.h>

#    include "plan/plan.h"

/*
 * The evidence that a filter of berm's is in force: prctl(FILTER_PROBE_ARGUMENT) answers with
 * FILTER_PROBE_ERRNO (EBADRQC) by a row of syscall_sets.def.
 *
 * Without the filter the kernel knows no such option and says EINVAL; an outer filter says EPERM or
 * ENOSYS; no path of prctl(2) says EBADRQC. The call changes nothing either way, and costs one
 * entry into the kernel.
 */
#    define FILTER_PROBE_CALL     __NR_prctl
#    define FILTER_PROBE_ARGUMENT 0x6265726d /* "berm" */
#    define FILTER_PROBE_ERRNO    56         /* EBADRQC */

struct filter_program {
    const char *name;                     /* "standard" */
    const struct sock_filter *statements; /* NULL for FILTER_NONE */
    unsigned short count;
};

/* Indexed by enum plan_filter; for the architecture this binary is built for. */
extern const struct filter_program filter_programs[FILTER_COUNT];

#endif
