/*
 * Decisions that more than one layer rests on.
 */
#include "layers/choices.h"

#include <linux/sched.h>

#include "plan/defect.h"

bool has_small_root(const struct policy *policy)
{
    return policy->level >= L6 && layer_is_on(policy, BERM_LAYER_FILESYSTEM);
}

bool has_mount_namespace(const struct policy *policy)
{
    return layer_is_on(policy, BERM_LAYER_PROCESS) || layer_is_on(policy, BERM_LAYER_FILESYSTEM);
}

bool has_user_namespace(const struct policy *policy)
{
    return has_mount_namespace(policy) || layer_is_on(policy, BERM_LAYER_NETWORK) ||
           layer_is_on(policy, BERM_LAYER_PRIVILEGES);
}

uint64_t namespaces_of(const struct policy *policy)
{
    uint64_t flags = has_user_namespace(policy) ? CLONE_NEWUSER : 0;

    if (layer_is_on(policy, BERM_LAYER_PROCESS) && !IS_PLANTED(sweep_session_only))
        flags |= policy->level >= L6
                     ? CLONE_NEWPID | CLONE_NEWUTS | (IS_PLANTED(ipc_shared) ? 0 : CLONE_NEWIPC)
                     : CLONE_NEWPID;
    if (has_mount_namespace(policy))
        flags |= CLONE_NEWNS;
    if (layer_is_on(policy, BERM_LAYER_NETWORK) && !IS_PLANTED(net_joined_late))
        flags |= CLONE_NEWNET;
    return flags;
}

bool has_host_uid(const struct policy *policy, const struct host *host)
{
    return policy->level >= L6 && layer_is_on(policy, BERM_LAYER_PRIVILEGES) && host->is_root &&
           !IS_PLANTED(host_uid_shared);
}

bool has_group(const struct policy *policy, const struct host *host,
               enum cgroup_controller controller)
{
    const struct host_controller *entry = &host->cgroup.controllers[controller];

    return policy->level >= L3 && host->cgroup.version != 0 && entry->block == BLOCK_NONE &&
           entry->parent[0] != '\0';
}

void use_group(struct plan_builder *builder, const struct host *host,
               enum cgroup_controller controller)
{
    struct plan *plan = builder->plan;

    if (plan->group_parents[controller] != 0)
        return;
    plan_text parent = plan_add_text(builder, host->cgroup.controllers[controller].parent);
    plan = builder->plan; /* the pool may have moved */
    plan->group_parents[controller] = parent;
    plan->cgroup_version = (uint8_t)host->cgroup.version;
    plan->features |= host->cgroup.version == 2 ? PLAN_GROUP_CLONE : PLAN_GROUP_JOIN;
}

void use_namespace(struct plan_builder *builder, enum clone_row row, enum berm_layer owner)
{
    static const uint64_t flags[] = {
        [CLONE_ROW_USER] = CLONE_NEWUSER, [CLONE_ROW_PID] = CLONE_NEWPID,
        [CLONE_ROW_MOUNT] = CLONE_NEWNS,  [CLONE_ROW_NETWORK] = CLONE_NEWNET,
        [CLONE_ROW_IPC] = CLONE_NEWIPC,   [CLONE_ROW_UTS] = CLONE_NEWUTS,
    };
    struct plan *plan = builder->plan;

    if (plan->clone_flags & flags[row])
        return;
    plan->clone_flags |= flags[row];
    plan->clone_owner[row] = (uint8_t)owner;
}

void limit_resource(struct plan_builder *builder, const struct host *host, enum berm_layer layer,
                    int resource, uint64_t soft, uint64_t hard)
{
    uint64_t inherited = host->rlimit_hard[resource];

    plan_add_rlimit(builder, layer, resource, soft < inherited ? soft : inherited,
                    hard < inherited ? hard : inherited);
}

bool needs_home(const struct policy *policy)
{
    return !has_small_root(policy) || policy->ro.count > 0 || policy->rw.count > 0;
}

bool needs_clock(const struct policy *policy, const struct host *host)
{
    return layer_is_on(policy, BERM_LAYER_LIMITS) && !has_group(policy, host, CG_CPUACCT);
}
