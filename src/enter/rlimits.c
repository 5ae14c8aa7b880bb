/*
 * Resource limits, and the CPUs that the run may use.
 */
#include <sys/resource.h>

#include "enter/raw.h"
#include "enter/sequence.h"
#include "plan/defect.h"

/* The kernel's struct rlimit64, whatever the C library calls it (prlimit(2)). */
struct kernel_rlimit {
    uint64_t soft, hard;
};

int step_rlimits(struct enter_state *state)
{
    const struct plan *plan = state->plan;

    for (uint32_t i = 0; i < plan->rlimit_count && !IS_PLANTED(rlimits_unset); i++) {
        const struct plan_rlimit *row = &plan->rlimits[i];
        struct kernel_rlimit limit = {row->soft, row->hard};

        state->index = i;
        state->layer = row->layer;
        long r = RAW(SYS_prlimit64, 0UL, RAW_ARG(row->resource), &limit, NULL);
        if (r < 0)
            return (int)r;
    }
    return 0;
}

int step_scheduling(struct enter_state *state)
{
    const struct enter_context *context = state->context;

    if (state->plan->cpu_affinity_count <= 0 || IS_PLANTED(affinity_unset))
        return 0;
    return (int)RAW(SYS_sched_setaffinity, 0UL, sizeof(context->cpu_mask), context->cpu_mask);
}
