/*
 * Syscalls: the kernel's rarely needed doors are shut.
 */
#include "base/error.h"
#include "layers/choices.h"
#include "layers/plans.h"

int plan_syscalls(const struct policy *policy, const struct request *request,
                  const struct host *host, struct plan_builder *builder, struct berm_error *err)
{
    (void)policy;
    (void)request;
    if (!host->has_seccomp_filter)
        return error_set(err, BERM_E_UNAVAILABLE, BERM_LAYER_SYSCALLS, 0,
                         "use a kernel with CONFIG_SECCOMP_FILTER, or allow seccomp(2) in the "
                         "outer sandbox",
                         "this kernel offers no system-call filters");
    builder->plan->filter = FILTER_STANDARD;
    /* A filter may be installed without capabilities only under no_new_privs (seccomp(2)). */
    builder->plan->features |= PLAN_NO_NEW_PRIVS;
    plan_add_claim(builder, BERM_LAYER_SYSCALLS, CLAIM_EXACT,
                   "only listed system calls, in the native ABI alone",
                   "seccomp filter `standard`, compiled at build time");
    return 0;
}
