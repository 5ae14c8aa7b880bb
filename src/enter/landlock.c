/*
 * Landlock: one ruleset, made of the rows that the layers wrote.
 */
#include <fcntl.h>
#include <linux/landlock.h>

#include "enter/raw.h"
#include "enter/sequence.h"
#include "plan/defect.h"

/* The ABI 6 layout (Linux 6.12). The kernel takes a longer struct than it knows only when the rest is
 * zero (landlock_create_ruleset(2), copy_min_struct_from_user), so the size is cut to what is used. */
struct ruleset_attributes {
    uint64_t handled_fs, handled_net, scoped;
};

/* Execute, write, read (bits 0-2), truncate (14), ioctl on devices (15). */
#define FILE_RIGHTS (7ULL | 1ULL << 14 | 1ULL << 15)

static size_t attributes_size(const struct plan *plan)
{
    if (plan->landlock_scoped != 0)
        return 24;
    return plan->landlock_net != 0 ? 16 : 8;
}

static int add_rule(struct enter_state *state, const struct plan_landlock_rule *row)
{
    struct landlock_path_beneath_attr rule = {.allowed_access = row->access};
    const char *path = plan_text_of(state->plan, row->path);

    int fd = raw_open(path, O_PATH | O_CLOEXEC, 0);
    if (fd < 0)
        return fd;
    rule.parent_fd = fd;
    long r = RAW(SYS_landlock_add_rule, RAW_ARG(state->landlock_fd),
                 (unsigned long)LANDLOCK_RULE_PATH_BENEATH, &rule, 0UL);
    if (r == -EINVAL && (row->access & FILE_RIGHTS) != row->access) {
        /* A file takes no directory right (landlock(7)): the caller's path may be either. */
        rule.allowed_access = row->access & FILE_RIGHTS;
        r = RAW(SYS_landlock_add_rule, RAW_ARG(state->landlock_fd),
                (unsigned long)LANDLOCK_RULE_PATH_BENEATH, &rule, 0UL);
    }
    (void)raw_close(fd);
    return (int)r;
}

int step_landlock(struct enter_state *state)
{
    const struct plan *plan = state->plan;
    struct ruleset_attributes attributes = {plan->landlock_fs, plan->landlock_net,
                                            plan->landlock_scoped};

    if (IS_PLANTED(landlock_unset) ||
        (plan->landlock_fs == 0 && plan->landlock_net == 0 && plan->landlock_scoped == 0))
        return 0;
    long fd = RAW(SYS_landlock_create_ruleset, &attributes, attributes_size(plan), 0UL);
    if (fd < 0)
        return (int)fd;
    state->landlock_fd = (int)fd;
    for (uint32_t i = 0; i < plan->rule_count; i++) {
        state->index = i;
        state->layer = plan->rules[i].layer;
        int r = add_rule(state, &plan->rules[i]);
        if (r < 0)
            return r;
    }
    long r = RAW(SYS_landlock_restrict_self, RAW_ARG(fd), 0UL);
    (void)raw_close((int)fd);
    return (int)r;
}
