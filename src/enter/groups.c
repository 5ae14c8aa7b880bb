/*
 * Control groups as seen from inside: joining (v1), and the namespace that hides the path to them.
 */
#include <linux/sched.h>

#include "enter/raw.h"
#include "enter/sequence.h"

int step_group_join(struct enter_state *state)
{
    if (!plan_has(state->plan, PLAN_GROUP_JOIN))
        return 0;
    for (uint32_t i = 0; i < ENTER_GROUPS; i++) {
        int fd = state->context->group_fds[i];

        if (fd < 0)
            continue;
        state->index = i;
        /* "0" is the writing task (cgroups.rst, v1). The right to move was checked when the
         * supervisor opened the file: the opener's credentials count (Linux 4.2, e57457641613). */
        long n = RAW(SYS_write, RAW_ARG(fd), "0", 1UL);
        if (n < 0)
            return (int)n;
    }
    return 0;
}

int step_cgroup_namespace(struct enter_state *state)
{
    if (!plan_has(state->plan, PLAN_CGROUP_NAMESPACE))
        return 0;
    return (int)RAW(SYS_unshare, (unsigned long)CLONE_NEWCGROUP);
}
