/*
 * Can this block be trusted as a plan? Asked by whoever received one from another process.
 *
 * In: bytes. Out: yes, or -EBADMSG. Must never: read outside the block, whatever it holds; follow a
 * number before it is bounded.
 *
 * What it cannot know is whether the plan is a good one: that was the layers' work.
 */
#include <errno.h>
#include <sched.h>
#include <stdalign.h>
#include <string.h>

#include "plan/builder.h"

/* Every bit below and including the last one of the enum. */
#define ALL_FEATURES    (((uint32_t)PLAN_AWAIT_FILES << 1) - 1)
#define ALL_MOUNT_FLAGS (((uint32_t)MOUNT_FLAG_SKELETON << 1) - 1)
#define ALL_NAMESPACES                                                                             \
    ((uint64_t)(CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER |      \
                CLONE_NEWPID | CLONE_NEWNET))
#define PERMISSIONS_MAX    07777u
#define RLIMIT_RESOURCES   16 /* RLIM_NLIMITS of the kernel: asm-generic/resource.h */
#define CGROUP_VERSION_MAX 2

/* The kernel's _Bool must be 0 or 1; any other byte is undefined to read as bool, so read the byte. */
static bool is_bool(const bool *value)
{
    unsigned char byte;
    memcpy(&byte, value, sizeof(byte));
    return byte <= 1;
}

static bool is_layer(uint8_t layer)
{
    return layer < BERM_LAYER_COUNT;
}

static bool is_text(const struct plan *plan, plan_text text)
{
    return text < plan->pool_used; /* terminated: the pool's last byte is NUL */
}

/* A run of @count texts begins at @start and ends inside the pool. */
static bool is_run(const struct plan *plan, plan_text start, uint32_t count)
{
    if (!is_text(plan, start))
        return false;
    const char *at = plan->pool + start;
    const char *end = plan->pool + plan->pool_used;

    for (uint32_t i = 0; i < count; i++) {
        if (at >= end)
            return false;
        at = (const char *)memchr(at, '\0', (size_t)(end - at)) + 1;
    }
    return true;
}

static bool has_good_frame(const struct plan *plan, size_t size)
{
    return plan->magic == PLAN_MAGIC && plan->version == PLAN_VERSION && plan->size == size &&
           plan->pool_used >= 1 && plan->pool_used <= PLAN_POOL_MAX &&
           size == sizeof(struct plan) + plan->pool_used && plan->pool[0] == '\0' &&
           plan->pool[plan->pool_used - 1] == '\0';
}

static bool has_good_counts(const struct plan *plan)
{
    return plan->mount_count <= PLAN_MOUNTS_MAX && plan->rlimit_count <= PLAN_RLIMITS_MAX &&
           plan->rule_count <= PLAN_RULES_MAX && plan->group_write_count <= PLAN_GROUP_WRITES_MAX &&
           plan->claim_count <= PLAN_CLAIMS_MAX && plan->note_count <= PLAN_NOTES_MAX;
}

static bool has_good_numbers(const struct plan *plan)
{
    for (size_t i = 0; i < sizeof(plan->clone_owner); i++) {
        if (!is_layer(plan->clone_owner[i]))
            return false;
    }
    return (plan->features & ~ALL_FEATURES) == 0 && (plan->clone_flags & ~ALL_NAMESPACES) == 0 &&
           plan->filter < FILTER_COUNT && plan->umask <= 0777u && plan->cpu_affinity_count >= 0 &&
           plan->cgroup_version <= CGROUP_VERSION_MAX && is_bool(&plan->drop_groups) &&
           is_bool(&plan->has_stdin) && is_bool(&plan->is_watchdog);
}

static bool has_good_texts(const struct plan *plan)
{
    for (size_t i = 0; i < sizeof(plan->group_parents) / sizeof(plan->group_parents[0]); i++) {
        if (!is_text(plan, plan->group_parents[i]))
            return false;
    }
    return is_text(plan, plan->program) && is_text(plan, plan->search_path) &&
           is_text(plan, plan->cwd) && is_text(plan, plan->hostname) &&
           is_text(plan, plan->work_dir) && is_text(plan, plan->state_dir) && plan->argc >= 1 &&
           is_run(plan, plan->argv, plan->argc) && is_run(plan, plan->envp, plan->envc);
}

static bool has_good_mounts(const struct plan *plan)
{
    for (uint32_t i = 0; i < plan->mount_count; i++) {
        const struct plan_mount *row = &plan->mounts[i];
        if (row->op == MOUNT_NONE || row->op >= MOUNT_OP_COUNT || !is_layer(row->layer) ||
            row->mode > PERMISSIONS_MAX || (row->flags & ~ALL_MOUNT_FLAGS) != 0 ||
            !is_text(plan, row->source) || !is_text(plan, row->target) || !is_text(plan, row->data))
            return false;
    }
    return true;
}

static bool has_good_limits(const struct plan *plan)
{
    for (uint32_t i = 0; i < plan->rlimit_count; i++) {
        const struct plan_rlimit *row = &plan->rlimits[i];
        if (!is_layer(row->layer) || row->resource < 0 || row->resource >= RLIMIT_RESOURCES ||
            row->soft > row->hard)
            return false;
    }
    for (uint32_t i = 0; i < plan->group_write_count; i++) {
        const struct plan_group_write *row = &plan->group_writes[i];
        if (!is_layer(row->layer) ||
            row->controller >= sizeof(plan->group_parents) / sizeof(plan->group_parents[0]) ||
            !is_bool(&row->is_optional) || !is_text(plan, row->file) || !is_text(plan, row->value))
            return false;
    }
    return true;
}

static bool has_good_words(const struct plan *plan)
{
    for (uint32_t i = 0; i < plan->rule_count; i++) {
        if (!is_layer(plan->rules[i].layer) || !is_text(plan, plan->rules[i].path))
            return false;
    }
    for (uint32_t i = 0; i < plan->claim_count; i++) {
        const struct plan_claim *row = &plan->claims[i];
        if (!is_layer(row->layer) || row->strength > CLAIM_ABSENT || !is_text(plan, row->what) ||
            !is_text(plan, row->mechanism))
            return false;
    }
    for (uint32_t i = 0; i < plan->note_count; i++) {
        if (!is_layer(plan->notes[i].layer) || !is_text(plan, plan->notes[i].text))
            return false;
    }
    return true;
}

int plan_check(const void *block, size_t size)
{
    const struct plan *plan = block;

    if (size < sizeof(*plan) || (uintptr_t)block % alignof(struct plan) != 0)
        return -EBADMSG;
    if (!has_good_frame(plan, size) || !has_good_counts(plan))
        return -EBADMSG;
    if (!has_good_numbers(plan) || !has_good_texts(plan) || !has_good_mounts(plan) ||
        !has_good_limits(plan) || !has_good_words(plan))
        return -EBADMSG;
    return 0;
}
