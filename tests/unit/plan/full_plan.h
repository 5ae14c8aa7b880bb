/*
 * A plan with something in every table, for the tests of what prints plans. Include after cmocka.h.
 */
#ifndef BERM_TESTS_PLAN_FULL_PLAN_H
#define BERM_TESTS_PLAN_FULL_PLAN_H

#include <sched.h>

#include "plan/builder.h"

static inline struct plan *full_plan(void)
{
    static const char *const argv[] = {"python3", "-c", "print('\x1b[2J')", NULL};
    static const char *const envp[] = {"LANG=C.UTF-8", "TOKEN=xyz789", NULL};
    struct plan_builder builder;
    struct plan *plan = NULL;

    assert_int_equal(plan_builder_init(&builder), 0);
    plan_add_mount(&builder, &(struct mount_row){.layer = BERM_LAYER_FILESYSTEM,
                                                 .op = MOUNT_ROOT,
                                                 .data = "size=16m",
                                                 .mode = 0755});
    plan_add_mount(&builder, &(struct mount_row){.layer = BERM_LAYER_FILESYSTEM,
                                                 .op = MOUNT_BIND,
                                                 .source = "/usr",
                                                 .target = "usr",
                                                 .flags = MOUNT_FLAG_RO | MOUNT_FLAG_RECURSIVE});
    plan_add_mount(&builder, &(struct mount_row){.layer = BERM_LAYER_FILESYSTEM,
                                                 .op = MOUNT_FILE,
                                                 .target = "etc/passwd",
                                                 .data = "user:x:1000",
                                                 .mode = 0644});
    plan_add_rlimit(&builder, BERM_LAYER_LIMITS, 7, 64, UINT64_MAX);
    plan_add_rule(&builder, BERM_LAYER_FILESYSTEM, "/usr", 5);
    plan_add_group_write(&builder, &(struct group_write_row){.layer = BERM_LAYER_LIMITS,
                                                             .controller = 0,
                                                             .file = "memory.max",
                                                             .value = "536870912",
                                                             .read_back = 536870912,
                                                             .is_optional = true});
    plan_add_claim(&builder, BERM_LAYER_LIMITS, CLAIM_EXACT, "memory of the tree", "cgroup v2");
    plan_add_claim(&builder, BERM_LAYER_NETWORK, CLAIM_WEAKER, "no way out", "filter");
    plan_add_note(&builder, BERM_LAYER_ENV, "the caller's groups are kept");
    plan_text argv_run = plan_add_vector(&builder, argv, 3);
    plan_text envp_run = plan_add_vector(&builder, envp, 2);
    plan_text cwd = plan_add_format(&builder, "%c", PLAN_WORK_MARK);

    builder.plan->argv = argv_run;
    builder.plan->argc = 3;
    builder.plan->envp = envp_run;
    builder.plan->envc = 2;
    builder.plan->cwd = cwd;
    builder.plan->program = argv_run;
    builder.plan->umask = 022;
    builder.plan->features = PLAN_INIT | PLAN_NO_NETWORK | PLAN_DROP_CAPABILITIES;
    builder.plan->clone_flags = CLONE_NEWUSER | CLONE_NEWNET;
    builder.plan->clone_owner[0] = BERM_LAYER_PRIVILEGES;
    builder.plan->clone_owner[3] = BERM_LAYER_NETWORK;
    builder.plan->inside_uid = 1000;
    builder.plan->inside_gid = 1000;
    builder.plan->wall_ns = 30000000000ULL;
    builder.plan->memory_bytes = 536870912;
    builder.plan->output_chars = 102400;
    builder.plan->filter = FILTER_STANDARD;
    builder.plan->landlock_fs = 0x1fff;
    builder.plan->cgroup_version = 2;
    assert_int_equal(plan_builder_finish(&builder, &plan, NULL), 0);
    assert_int_equal(plan_check(plan, plan->size), 0);
    return plan;
}

#endif
