/*
 * Process: the run sees only its own processes, has a cap on their number, and none outlives it.
 */
#include <stdio.h>
#include <sys/resource.h>

#include "base/error.h"
#include "layers/choices.h"
#include "layers/plans.h"
#include "plan/defect.h"

/* berm's init stands in the same group (v2) or has the same uid: it is not the program's. */
#define INIT_TASKS 1ULL

static void cap_by_group(const struct policy *policy, const struct host *host,
                         struct plan_builder *builder)
{
    bool is_v2 = host->cgroup.version == 2;
    uint64_t count = policy->processes + (is_v2 ? INIT_TASKS : 0);
    char value[32];

    (void)snprintf(value, sizeof(value), "%llu", (unsigned long long)count);
    use_group(builder, host, CG_PIDS);
    plan_add_group_write(builder, &(struct group_write_row){.layer = BERM_LAYER_PROCESS,
                                                            .controller = CG_PIDS,
                                                            .file = "pids.max",
                                                            .value = value,
                                                            .read_back = count});
    plan_add_claim(builder, BERM_LAYER_PROCESS, CLAIM_EXACT, "number of processes and threads",
                   is_v2 ? "cgroup v2 pids.max" : "cgroup v1 pids.max");
}

/* RLIMIT_NPROC inside the run's own user namespace counts that namespace alone (Linux 5.14, ucounts), and
 * never binds uid 0 of the host (copy_process, kernel/fork.c). */
static bool rlimit_bites(const struct policy *policy, const struct host *host)
{
    return has_host_uid(policy, host) || host->uid != 0;
}

static void cap_processes(const struct policy *policy, const struct host *host,
                          struct plan_builder *builder)
{
    builder->plan->process_count = policy->processes;
    if (has_group(policy, host, CG_PIDS) && !IS_PLANTED(nproc_rlimit_only)) {
        cap_by_group(policy, host, builder);
    } else if (rlimit_bites(policy, host) || IS_PLANTED(nproc_rlimit_only)) {
        limit_resource(builder, host, BERM_LAYER_PROCESS, RLIMIT_NPROC,
                       policy->processes + INIT_TASKS, policy->processes + INIT_TASKS);
        plan_add_claim(builder, BERM_LAYER_PROCESS, CLAIM_WEAKER, "number of processes and threads",
                       "RLIMIT_NPROC inside the run's own user namespace");
    } else {
        builder->plan->features |= PLAN_MONITOR_PROCESSES;
        plan_add_claim(builder, BERM_LAYER_PROCESS, CLAIM_WEAKER, "number of processes and threads",
                       "/proc walked every 5 ms: the run is killed when it passes the cap, a fast "
                       "bomb may pass it for that long");
    }
}

static void plan_hardened(struct plan_builder *builder)
{
    if (!IS_PLANTED(ipc_shared))
        use_namespace(builder, CLONE_ROW_IPC, BERM_LAYER_PROCESS);
    use_namespace(builder, CLONE_ROW_UTS, BERM_LAYER_PROCESS);
    builder->plan->features |= PLAN_CGROUP_NAMESPACE;
    plan_text name = plan_add_text(builder, "berm");
    builder->plan->hostname = name;
    plan_add_claim(builder, BERM_LAYER_PROCESS, CLAIM_EXACT,
                   "nothing shared: IPC, host name, control group names",
                   "IPC, UTS and cgroup namespaces");
}

/* Below L6 the host's tree stays, and root's run keeps root's rights on its files: the control groups, which it
 * could leave through their files, are covered; at L5, where nothing must be gained, /proc/sys cannot be
 * written (kernel.core_pattern would run a program of its choice as root of the host). */
static void plan_fresh_proc(const struct policy *policy, struct plan_builder *builder)
{
    uint32_t flags = MOUNT_FLAG_NOEXEC;

    if (layer_is_on(policy, BERM_LAYER_PRIVILEGES))
        flags |= MOUNT_FLAG_RO;
    plan_add_mount(builder, &(struct mount_row){.layer = BERM_LAYER_PROCESS, .op = MOUNT_PRIVATE});
    plan_add_mount(builder, &(struct mount_row){.layer = BERM_LAYER_PROCESS,
                                                .op = MOUNT_HIDE,
                                                .target = "/sys/fs/cgroup"});
    plan_add_mount(builder, &(struct mount_row){.layer = BERM_LAYER_PROCESS,
                                                .op = MOUNT_PROC,
                                                .target = "/proc",
                                                .flags = flags});
}

int plan_process(const struct policy *policy, const struct request *request,
                 const struct host *host, struct plan_builder *builder, struct berm_error *err)
{
    (void)request;
    if (host->proc_mount == BLOCK_PROC_MASKED)
        return error_set(err, BERM_E_UNAVAILABLE, BERM_LAYER_PROCESS, 0,
                         host_block_cure(host->proc_mount), "a fresh /proc cannot be mounted: %s",
                         host_block_cause(host->proc_mount));
    if (IS_PLANTED(sweep_session_only))
        return 0;
    builder->plan->features |= PLAN_INIT;
    if (!layer_is_on(policy, BERM_LAYER_PRIVILEGES) && !has_small_root(policy))
        builder->plan->features |= PLAN_LOCK_MOUNTS;
    use_namespace(builder, CLONE_ROW_PID, BERM_LAYER_PROCESS);
    use_namespace(builder, CLONE_ROW_MOUNT, BERM_LAYER_PROCESS);
    if (!has_small_root(policy))
        plan_fresh_proc(policy, builder);
    plan_add_claim(builder, BERM_LAYER_PROCESS, CLAIM_EXACT, "sees only its own processes",
                   "PID namespace with a /proc of its own; berm's init is PID 1");
    cap_processes(policy, host, builder);
    if (host->extra_group_count > 0 && !host->is_root)
        plan_add_note(builder, BERM_LAYER_PROCESS,
                      "%u supplementary groups of the caller stay with the program: a user "
                      "namespace cannot drop them",
                      host->extra_group_count);
    if (policy->level >= L6)
        plan_hardened(builder);
    return 0;
}
