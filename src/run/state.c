/*
 * What a run owns: begun empty, and ended whole whatever came of it.
 */
#include "run/state.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "linux/clone.h"

static void part_init(struct part_state *part)
{
    memset(part, 0, sizeof(*part));
    for (unsigned i = 0; i < PLAN_MOUNTS_MAX; i++)
        part->mapped_fds[i] = -EBADF;
    part->status_fd = -EBADF;
    part->input_fd = -EBADF;
    for (int i = 0; i < STREAM_COUNT; i++)
        part->output_fds[i] = -EBADF;
    cgroup_init(&part->group);
}

void run_state_init(struct run_state *run, const struct run_part *parts, unsigned count)
{
    memset(run, 0, sizeof(*run));
    run->pidfd = -EBADF;
    run->control_fd = -EBADF;
    run->perf_fd = -EBADF;
    run->work_fd = -EBADF;
    run->part_count = count;
    for (unsigned i = 0; i < RUN_PARTS_MAX; i++) {
        part_init(&run->parts[i]);
        if (i >= count)
            continue;
        run->parts[i].plan = parts[i].plan;
        run->parts[i].io = parts[i].io;
        run->parts[i].seen = parts[i].seen;
    }
    slot_init(&run->slot);
    skeleton_init(&run->skeleton);
    run->began_ns = clock_now_ns();
}

static bool needs_slot(const struct plan *plan)
{
    return plan_has(plan, PLAN_HOST_UID) || plan_has(plan, PLAN_WORK_DIR) ||
           plan_has(plan, PLAN_GROUP_JOIN) || plan_has(plan, PLAN_GROUP_CLONE);
}

uint32_t run_outside_uid(const struct run_state *run)
{
    return plan_has(run->parts[0].plan, PLAN_HOST_UID) ? SLOT_UID_FIRST + run->slot.number
                                                       : geteuid();
}

uint32_t run_outside_gid(const struct run_state *run)
{
    return plan_has(run->parts[0].plan, PLAN_HOST_UID) ? SLOT_UID_FIRST + run->slot.number
                                                       : getegid();
}

int run_take_names(struct run_state *run, struct berm_error *err)
{
    const struct plan *plan = run->parts[0].plan;

    if (!needs_slot(plan))
        return 0;
    int r = slot_take(&run->slot, plan_text_of(plan, plan->state_dir),
                      plan_has(plan, PLAN_HOST_UID), err);
    if (r < 0)
        return r;
    skeleton_take(&run->skeleton, &run->slot, plan_text_of(plan, plan->state_dir), plan);
    if (!plan_has(plan, PLAN_WORK_DIR))
        return 0;
    return slot_make_work_dir(&run->slot, run_outside_uid(run), run_outside_gid(run), err);
}

void run_reap_first(struct run_state *run)
{
    if (run->pidfd >= 0) {
        (void)pidfd_signal(run->pidfd, SIGKILL); /* gone already is as good */
        if (run->pid > 0)
            (void)waitpid(run->pid, NULL, 0);
    }
    run->pid = 0;
}

void run_end_first(struct run_state *run)
{
    run_reap_first(run);
    close_fd(&run->pidfd);
    close_fd(&run->control_fd);
    close_fd(&run->perf_fd);
}

static int part_done(struct part_state *part)
{
    for (unsigned i = 0; i < PLAN_MOUNTS_MAX; i++)
        close_fd(&part->mapped_fds[i]);
    close_fd(&part->status_fd);
    close_fd(&part->input_fd);
    for (int i = 0; i < STREAM_COUNT; i++)
        close_fd(&part->output_fds[i]);
    return part->group.version == 0 ? 0 : cgroup_remove(&part->group);
}

static void sweep_groups(const struct slot *slot, uint32_t number, void *context)
{
    const struct plan *plan = context;
    char name[sizeof(slot->group_name)];

    slot_group_name(slot, number, name, sizeof(name));
    for (unsigned i = 0; i < CG_CONTROLLER_COUNT; i++) {
        const char *parent = plan_text_of(plan, plan->group_parents[i]);
        if (parent[0] != '\0')
            cgroup_sweep(parent, name);
    }
}

int run_state_done(struct run_state *run)
{
    int ret = 0;

    run_end_first(run);
    for (unsigned i = 0; i < RUN_PARTS_MAX; i++) {
        int r = part_done(&run->parts[i]);
        if (r < 0)
            ret = r;
    }
    close_fd(&run->work_fd);
    skeleton_release(&run->skeleton);
    slot_sweep(&run->slot, sweep_groups, (void *)(uintptr_t)run->parts[0].plan);
    int r = slot_release(&run->slot);
    return ret < 0 ? ret : r;
}
