/*
 * The control groups of a run: see groups.h.
 */
#include "run/groups.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include "base/error.h"
#include "plan/defect.h"

static int limit_group(struct part_state *part, struct berm_error *err)
{
    const struct plan *plan = part->plan;

    for (uint32_t i = 0; i < plan->group_write_count; i++) {
        const struct plan_group_write *row = &plan->group_writes[i];
        const char *file = plan_text_of(plan, row->file);
        const char *value = plan_text_of(plan, row->value);

        if (IS_PLANTED(memory_group_unset) && row->controller == CG_MEMORY)
            continue;
        int r = cgroup_set(&part->group, row->controller, file, value, row->read_back);

        if (r == 0 || (r == -ENOENT && row->is_optional))
            continue;
        error_set(
            err, BERM_E_UNAVAILABLE, row->layer, -r, "use --prefer limits, or see `berm doctor`",
            r == -EBADE ? "the control group file %s does not hold %s after it was written (%s)"
                        : "cannot write the control group file %s = %s: %s",
            file, value, strerror(-r));
        error_at_step(err, "group-limits");
        return r;
    }
    return 0;
}

#define PLACES_MAX (ENTER_PARTS_MAX * ENTER_GROUPS)

static bool has_groups(const struct plan *plan)
{
    return plan_has(plan, PLAN_GROUP_JOIN) || plan_has(plan, PLAN_GROUP_CLONE);
}

static void list_parents(const struct plan *plan, const char *parents[CG_CONTROLLER_COUNT])
{
    for (unsigned i = 0; i < CG_CONTROLLER_COUNT; i++)
        parents[i] = plan_text_of(plan, plan->group_parents[i]);
}

/* The first of two parts has a group of its own name: its limits are others. */
int groups_name(const struct run_state *run, struct part_state *part, struct berm_error *err)
{
    const char *parents[CG_CONTROLLER_COUNT];
    char name[sizeof(run->slot.group_name) + sizeof(CGROUP_FIRST_SUFFIX)];
    bool is_last = part == &run->parts[run->part_count - 1];

    if (!has_groups(part->plan))
        return 0;
    list_parents(part->plan, parents);
    (void)snprintf(name, sizeof(name), "%s%s", run->slot.group_name,
                   is_last ? "" : CGROUP_FIRST_SUFFIX);
    int r = cgroup_name(&part->group, part->plan->cgroup_version, parents, name, err);
    if (r < 0)
        error_at_step(err, "group-make");
    return r;
}

void groups_await(struct enter_groups *groups, bool are_awaited)
{
    groups->are_awaited = are_awaited;
    for (unsigned part = 0; part < ENTER_PARTS_MAX; part++) {
        for (unsigned i = 0; i < ENTER_GROUPS; i++)
            groups->fds[part][i] = -EBADF;
    }
}

int groups_make(struct part_state *part, struct berm_error *err)
{
    const char *parents[CG_CONTROLLER_COUNT];

    if (!has_groups(part->plan))
        return 0;
    list_parents(part->plan, parents);
    int r = cgroup_make(&part->group, parents, err);
    if (r < 0) {
        error_at_step(err, "group-make");
        return r;
    }
    return limit_group(part, err);
}

int groups_send(const struct run_state *run, unsigned first, unsigned count, struct berm_error *err)
{
    unsigned char places[PLACES_MAX];
    size_t length = 0;

    union {
        struct cmsghdr header; /* for its alignment */
        char room[CMSG_SPACE(sizeof(int) * (size_t)PLACES_MAX)];
    } control = {.room = {0}};

    for (unsigned part = 0; part < count; part++) {
        const struct cgroup *group = &run->parts[first + part].group;

        for (unsigned i = 0; i < CG_CONTROLLER_COUNT; i++) {
            if (group->task_fds[i] < 0)
                continue;
            memcpy(CMSG_DATA(&control.header) + length * sizeof(int), &group->task_fds[i],
                   sizeof(int));
            places[length++] = ENTER_GROUP_PLACE(part, i);
        }
    }
    control.header.cmsg_level = SOL_SOCKET;
    control.header.cmsg_type = SCM_RIGHTS;
    control.header.cmsg_len = (socklen_t)CMSG_LEN(length * sizeof(int));
    struct iovec bytes = {.iov_base = places, .iov_len = length};
    struct msghdr message = {.msg_iov = &bytes,
                             .msg_iovlen = 1,
                             .msg_control = &control,
                             .msg_controllen = (socklen_t)CMSG_SPACE(length * sizeof(int))};
    if (sendmsg(run->control_fd, &message, MSG_NOSIGNAL) == (ssize_t)length)
        return 0;
    return error_set(err, BERM_E_SYSTEM, BERM_LAYER_LIMITS, errno, NULL,
                     "cannot hand the control groups to the new process: %s", strerror(errno));
}

void groups_count(struct part_state *part)
{
    const struct cgroup *group = &part->group;
    struct group_facts *facts = &part->seen->group;
    struct cgroup_counts counts;

    if (group->version == 0)
        return;
    cgroup_read(group, &counts);
    facts->version = group->version;
    facts->has_memory = counts.has_memory;
    facts->has_cpu = counts.has_cpu;
    facts->has_pids = counts.has_pids;
    facts->memory_peak_bytes = counts.memory_peak_bytes;
    facts->oom_kills = counts.oom_kills;
    facts->memory_refusals = counts.memory_refusals;
    facts->cpu_ns = counts.cpu_ns;
    facts->pids_peak = counts.pids_peak;
    facts->pids_refusals = counts.pids_refusals;
}

void groups_finish(struct part_state *part)
{
    if (!plan_has(part->plan, PLAN_GROUP_JOIN) || part->group.version == 0)
        return;
    groups_count(part);
    (void)cgroup_remove(
        &part->group); /* what stays is met again, and told, at the end of the run */
}
