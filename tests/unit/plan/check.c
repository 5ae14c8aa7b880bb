/*
 * Claims about plan_check(): each way in which a block is no plan is found.
 */
/* cmocka.h needs the three before it. */
/* clang-format off */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
/* clang-format on */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "plan/builder.h"

/* A plan with one row in every table and a program to run. */
static struct plan *good_plan(void)
{
    static const char *const argv[] = {"python3", "-c", "print(1)", NULL};
    static const char *const envp[] = {"LANG=C.UTF-8", "", NULL};
    struct plan_builder builder;
    struct plan *plan = NULL;

    assert_int_equal(plan_builder_init(&builder), 0);
    plan_add_mount(&builder, &(struct mount_row){.layer = BERM_LAYER_FILESYSTEM,
                                                 .op = MOUNT_BIND,
                                                 .source = "/usr",
                                                 .target = "usr",
                                                 .mode = 0755});
    plan_add_rlimit(&builder, BERM_LAYER_LIMITS, 7, 64, 64);
    plan_add_rule(&builder, BERM_LAYER_FILESYSTEM, "/usr", 1);
    plan_add_group_write(&builder, &(struct group_write_row){.layer = BERM_LAYER_LIMITS,
                                                             .controller = 0,
                                                             .file = "memory.max",
                                                             .value = "1",
                                                             .read_back = 1});
    plan_add_claim(&builder, BERM_LAYER_LIMITS, CLAIM_EXACT, "memory", "cgroup");
    plan_add_note(&builder, BERM_LAYER_LIMITS, "a note");
    plan_text argv_run = plan_add_vector(&builder, argv, 3);
    plan_text envp_run = plan_add_vector(&builder, envp, 2);
    plan_text program = plan_add_text(&builder, "python3");
    builder.plan->argv = argv_run;
    builder.plan->argc = 3;
    builder.plan->envp = envp_run;
    builder.plan->envc = 2;
    builder.plan->program = program;
    assert_int_equal(plan_builder_finish(&builder, &plan, NULL), 0);
    return plan;
}

static void a_finished_plan_is_a_plan(void **state)
{
    (void)state;
    struct plan *plan = good_plan();
    assert_int_equal(plan_check(plan, plan->size), 0);
    free(plan);
}

static void a_block_of_another_size_is_no_plan(void **state)
{
    (void)state;
    struct plan *plan = good_plan();
    assert_int_equal(plan_check(plan, 0), -EBADMSG);
    assert_int_equal(plan_check(plan, sizeof(struct plan) - 1), -EBADMSG);
    assert_int_equal(plan_check(plan, plan->size - 1), -EBADMSG);
    assert_int_equal(plan_check(plan, (size_t)plan->size + 1), -EBADMSG);
    free(plan);
}

static void a_misaligned_block_is_no_plan(void **state)
{
    (void)state;
    struct plan *plan = good_plan();
    size_t size = plan->size;
    char *block = malloc(size + 1);
    assert_non_null(block);
    memcpy(block + 1, plan, size);
    assert_int_equal(plan_check(block + 1, size), -EBADMSG);
    free(block);
    free(plan);
}

/* Change one member of a good plan; the block must be refused. */
#define REFUSES(change)                                                                            \
    do {                                                                                           \
        struct plan *plan = good_plan();                                                           \
        size_t size = plan->size;                                                                  \
        change;                                                                                    \
        assert_int_equal(plan_check(plan, size), -EBADMSG);                                        \
        free(plan);                                                                                \
    } while (0)

static void a_wrong_frame_is_refused(void **state)
{
    (void)state;
    REFUSES(plan->magic ^= 1);
    REFUSES(plan->version = PLAN_VERSION + 1);
    REFUSES(plan->size -= 1);
    REFUSES(plan->pool_used = 0);
    REFUSES(plan->pool_used += 1);
    REFUSES(plan->pool_used = UINT32_MAX);
    REFUSES(plan->pool[0] = 'x');
    REFUSES(plan->pool[plan->pool_used - 1] = 'x');
}

static void a_count_past_its_table_is_refused(void **state)
{
    (void)state;
    REFUSES(plan->mount_count = PLAN_MOUNTS_MAX + 1);
    REFUSES(plan->rlimit_count = PLAN_RLIMITS_MAX + 1);
    REFUSES(plan->rule_count = PLAN_RULES_MAX + 1);
    REFUSES(plan->group_write_count = PLAN_GROUP_WRITES_MAX + 1);
    REFUSES(plan->claim_count = PLAN_CLAIMS_MAX + 1);
    REFUSES(plan->note_count = PLAN_NOTES_MAX + 1);
    REFUSES(plan->note_count = UINT32_MAX);
    /* What lies behind the table looks like one more good row. */
    REFUSES(plan->rules[0].path = 0; plan->rules[0].access = 0;
            plan->rlimit_count = PLAN_RLIMITS_MAX + 1);
}

static void an_offset_outside_the_pool_is_refused(void **state)
{
    (void)state;
    REFUSES(plan->program = plan->pool_used);
    REFUSES(plan->search_path = UINT32_MAX);
    REFUSES(plan->cwd = plan->pool_used);
    REFUSES(plan->hostname = plan->pool_used);
    REFUSES(plan->state_dir = plan->pool_used);
    REFUSES(plan->group_parents[3] = plan->pool_used);
    REFUSES(plan->mounts[0].source = plan->pool_used);
    REFUSES(plan->mounts[0].target = plan->pool_used);
    REFUSES(plan->mounts[0].data = plan->pool_used);
    REFUSES(plan->rules[0].path = plan->pool_used);
    REFUSES(plan->group_writes[0].file = plan->pool_used);
    REFUSES(plan->group_writes[0].value = plan->pool_used);
    REFUSES(plan->claims[0].what = plan->pool_used);
    REFUSES(plan->claims[0].mechanism = plan->pool_used);
    REFUSES(plan->notes[0].text = plan->pool_used);
}

static void a_run_of_texts_that_leaves_the_pool_is_refused(void **state)
{
    (void)state;
    REFUSES(plan->argc = 0);
    REFUSES(plan->argc = 1000);
    REFUSES(plan->argc = UINT32_MAX);
    REFUSES(plan->argv = plan->pool_used);
    REFUSES(plan->envc = UINT32_MAX);
    REFUSES(plan->envp = plan->pool_used);
}

static void a_pool_past_its_maximum_is_refused(void **state)
{
    (void)state;
    struct plan *plan = good_plan();
    size_t size = sizeof(struct plan) + PLAN_POOL_MAX + 1;
    struct plan *large = calloc(1, size);
    assert_non_null(large);
    memcpy(large, plan, plan->size);
    large->pool_used = PLAN_POOL_MAX;
    large->size = (uint32_t)size - 1;
    assert_int_equal(plan_check(large, size - 1), 0);
    large->pool_used = PLAN_POOL_MAX + 1;
    large->size = (uint32_t)size;
    assert_int_equal(plan_check(large, size), -EBADMSG);
    free(large);
    free(plan);
}

static void an_unknown_word_is_refused(void **state)
{
    (void)state;
    REFUSES(plan->features |= 1u << 31);
    REFUSES(plan->clone_flags |= 1);
    REFUSES(plan->clone_owner[7] = BERM_LAYER_COUNT);
    REFUSES(plan->filter = FILTER_COUNT);
    REFUSES(plan->umask = 01000);
    REFUSES(plan->cpu_affinity_count = -1);
    REFUSES(plan->cgroup_version = 3);
    REFUSES(plan->mounts[0].op = MOUNT_NONE);
    REFUSES(plan->mounts[0].op = MOUNT_OP_COUNT);
    REFUSES(plan->mounts[0].layer = BERM_LAYER_COUNT);
    REFUSES(plan->mounts[0].flags |= 1u << 31);
    REFUSES(plan->mounts[0].mode = 010000);
    REFUSES(plan->rlimits[0].layer = 255);
    REFUSES(plan->rlimits[0].resource = 16);
    REFUSES(plan->rlimits[0].resource = -1);
    REFUSES(plan->rlimits[0].soft = plan->rlimits[0].hard + 1);
    REFUSES(plan->rules[0].layer = 255);
    REFUSES(plan->group_writes[0].layer = 255);
    REFUSES(plan->group_writes[0].controller = 4);
    REFUSES(plan->claims[0].layer = 255);
    REFUSES(plan->claims[0].strength = CLAIM_ABSENT + 1);
    REFUSES(plan->notes[0].layer = 255);
}

static void a_byte_that_is_no_bool_is_refused(void **state)
{
    (void)state;
    REFUSES(memset(&plan->drop_groups, 2, 1));
    REFUSES(memset(&plan->has_stdin, 255, 1));
    REFUSES(memset(&plan->is_watchdog, 2, 1));
    REFUSES(memset(&plan->group_writes[0].is_optional, 2, 1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_finished_plan_is_a_plan),
        cmocka_unit_test(a_block_of_another_size_is_no_plan),
        cmocka_unit_test(a_misaligned_block_is_no_plan),
        cmocka_unit_test(a_wrong_frame_is_refused),
        cmocka_unit_test(a_count_past_its_table_is_refused),
        cmocka_unit_test(an_offset_outside_the_pool_is_refused),
        cmocka_unit_test(a_pool_past_its_maximum_is_refused),
        cmocka_unit_test(a_run_of_texts_that_leaves_the_pool_is_refused),
        cmocka_unit_test(an_unknown_word_is_refused),
        cmocka_unit_test(a_byte_that_is_no_bool_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
