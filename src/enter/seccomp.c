/*
 * Installs the embedded system-call filter.
 */
#include <linux/seccomp.h>

#include "enter/raw.h"
#include "enter/sequence.h"
#include "plan/defect.h"

int step_filter(struct enter_state *state)
{
    const struct enter_context *context = state->context;
    struct sock_fprog program = {
        .len = context->filter_count,
        .filter = (struct sock_filter *)(uintptr_t)context->filter, /* the kernel only reads it */
    };

    if (state->plan->filter == FILTER_NONE || IS_PLANTED(filter_unset))
        return 0;
    if (context->filter_count == 0)
        return -ENOSYS; /* a plan that asks for a filter that this build lacks: never go on */
    return (int)RAW(SYS_seccomp, (unsigned long)SECCOMP_SET_MODE_FILTER, 0UL, &program);
}
