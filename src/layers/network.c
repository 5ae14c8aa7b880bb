/*
 * Network: no way out.
 */
#include "base/error.h"
#include "layers/choices.h"
#include "layers/plans.h"
#include "plan/defect.h"

int plan_network(const struct policy *policy, const struct request *request,
                 const struct host *host, struct plan_builder *builder, struct berm_error *err)
{
    (void)request;
    (void)host;
    (void)err;
    if (!IS_PLANTED(net_joined_late))
        use_namespace(builder, CLONE_ROW_NETWORK, BERM_LAYER_NETWORK);
    builder->plan->features |= PLAN_NO_NETWORK;
    if (policy->loopback)
        builder->plan->features |= PLAN_LOOPBACK;
    plan_add_claim(builder, BERM_LAYER_NETWORK, CLAIM_EXACT, "no way out to any network",
                   policy->loopback ? "network namespace with nothing but its own loopback"
                                    : "network namespace without an interface that is up");
    return 0;
}
