/*
 * Privileges: no capability, no way to gain one, and at L6 an identity that owns nothing on the host.
 */
#include "base/error.h"
#include "layers/choices.h"
#include "layers/plans.h"

int plan_privileges(const struct policy *policy, const struct request *request,
                    const struct host *host, struct plan_builder *builder, struct berm_error *err)
{
    (void)request;
    (void)err;
    builder->plan->features |= PLAN_DROP_CAPABILITIES | PLAN_NO_NEW_PRIVS | PLAN_NO_NESTING;
    plan_add_claim(builder, BERM_LAYER_PRIVILEGES, CLAIM_EXACT, "no capability, none to be gained",
                   "all five capability sets empty, no_new_privs, securebits locked, "
                   "no user namespace below");
    if (policy->level < L6)
        return 0;
    if (has_host_uid(policy, host)) {
        builder->plan->features |= PLAN_HOST_UID;
        plan_add_claim(builder, BERM_LAYER_PRIVILEGES, CLAIM_EXACT, "a host uid of its own",
                       "a uid from 1879048192 on, held under a lock while the run lives");
    } else {
        plan_add_claim(builder, BERM_LAYER_PRIVILEGES, CLAIM_EXACT, "an identity of its own inside",
                       "uid 1000 of the run's user namespace; the caller's uid on the host");
    }
    return 0;
}
