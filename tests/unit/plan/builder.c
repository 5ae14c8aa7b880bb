/*
 * Claims about plan/builder.h.
 */
/* cmocka.h needs the three before it. */
/* clang-format off */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
/* clang-format on */

#include "plan/builder.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct plan *finish(struct plan_builder *builder)
{
    struct plan *plan = NULL;
    assert_int_equal(plan_builder_finish(builder, &plan, NULL), 0);
    assert_non_null(plan);
    return plan;
}

static void an_empty_plan_holds_only_the_empty_text(void **state)
{
    (void)state;
    struct plan_builder builder;
    assert_int_equal(plan_builder_init(&builder), 0);
    struct plan *plan = finish(&builder);

    assert_int_equal(plan->magic, PLAN_MAGIC);
    assert_int_equal(plan->version, PLAN_VERSION);
    assert_int_equal(plan->pool_used, 1);
    assert_int_equal(plan->size, sizeof(struct plan) + 1);
    assert_string_equal(plan_text_of(plan, 0), "");
    assert_null(builder.plan);
    free(plan);
}

static void the_empty_text_and_no_text_are_offset_zero(void **state)
{
    (void)state;
    struct plan_builder builder;
    assert_int_equal(plan_builder_init(&builder), 0);

    assert_int_equal(plan_add_text(&builder, ""), 0);
    assert_int_equal(plan_add_text(&builder, NULL), 0);
    assert_int_equal(plan_add_format(&builder, "%s", ""), 0);
    assert_int_equal(builder.plan->pool_used, 1);
    plan_builder_done(&builder);
}

static void equal_texts_do_not_share_an_offset(void **state)
{
    (void)state;
    struct plan_builder builder;
    assert_int_equal(plan_builder_init(&builder), 0);
    plan_text first = plan_add_text(&builder, "/tmp");
    plan_text second = plan_add_format(&builder, "/%s", "tmp");

    assert_int_not_equal(first, second);
    assert_string_equal(plan_text_of(builder.plan, first), "/tmp");
    assert_string_equal(plan_text_of(builder.plan, second), "/tmp");
    plan_builder_done(&builder);
}

static void a_vector_is_a_run_of_texts_even_when_the_first_is_empty(void **state)
{
    (void)state;
    const char *const texts[] = {"", "one", "", "two", NULL};
    struct plan_builder builder;
    assert_int_equal(plan_builder_init(&builder), 0);
    plan_text run = plan_add_vector(&builder, texts, 4);

    assert_int_not_equal(run, 0);
    assert_memory_equal(plan_text_of(builder.plan, run), "\0one\0\0two", 10);
    assert_int_equal(builder.plan->pool_used, run + 10);
    assert_int_equal(plan_add_vector(&builder, texts, 0), 0);
    plan_builder_done(&builder);
}

static void every_row_keeps_every_value(void **state)
{
    (void)state;
    struct plan_builder builder;
    assert_int_equal(plan_builder_init(&builder), 0);
    plan_add_mount(&builder, &(struct mount_row){.layer = BERM_LAYER_FILESYSTEM,
                                                 .op = MOUNT_BIND,
                                                 .source = "/usr",
                                                 .target = "usr",
                                                 .data = "size=1",
                                                 .flags = MOUNT_FLAG_RO | MOUNT_FLAG_RECURSIVE,
                                                 .mode = 0755});
    plan_add_rlimit(&builder, BERM_LAYER_LIMITS, 7, 64, 65);
    plan_add_rule(&builder, BERM_LAYER_FILESYSTEM, "/work", 0x1ff);
    plan_add_group_write(&builder, &(struct group_write_row){.layer = BERM_LAYER_PROCESS,
                                                             .controller = 1,
                                                             .file = "pids.max",
                                                             .value = "128",
                                                             .read_back = 128,
                                                             .is_optional = true});
    plan_add_claim(&builder, BERM_LAYER_NETWORK, CLAIM_WEAKER, "no way out", "filter");
    plan_add_note(&builder, BERM_LAYER_ENV, "%d of %s", 3, "them");
    struct plan *plan = finish(&builder);

    assert_int_equal(plan->mount_count, 1);
    assert_int_equal(plan->mounts[0].op, MOUNT_BIND);
    assert_int_equal(plan->mounts[0].layer, BERM_LAYER_FILESYSTEM);
    assert_int_equal(plan->mounts[0].mode, 0755);
    assert_int_equal(plan->mounts[0].flags, MOUNT_FLAG_RO | MOUNT_FLAG_RECURSIVE);
    assert_string_equal(plan_text_of(plan, plan->mounts[0].source), "/usr");
    assert_string_equal(plan_text_of(plan, plan->mounts[0].target), "usr");
    assert_string_equal(plan_text_of(plan, plan->mounts[0].data), "size=1");

    assert_int_equal(plan->rlimit_count, 1);
    assert_int_equal(plan->rlimits[0].layer, BERM_LAYER_LIMITS);
    assert_int_equal(plan->rlimits[0].resource, 7);
    assert_int_equal(plan->rlimits[0].soft, 64);
    assert_int_equal(plan->rlimits[0].hard, 65);

    assert_int_equal(plan->rule_count, 1);
    assert_int_equal(plan->rules[0].access, 0x1ff);
    assert_string_equal(plan_text_of(plan, plan->rules[0].path), "/work");

    assert_int_equal(plan->group_write_count, 1);
    assert_int_equal(plan->group_writes[0].layer, BERM_LAYER_PROCESS);
    assert_int_equal(plan->group_writes[0].controller, 1);
    assert_int_equal(plan->group_writes[0].read_back, 128);
    assert_true(plan->group_writes[0].is_optional);
    assert_string_equal(plan_text_of(plan, plan->group_writes[0].file), "pids.max");
    assert_string_equal(plan_text_of(plan, plan->group_writes[0].value), "128");

    assert_int_equal(plan->claim_count, 1);
    assert_int_equal(plan->claims[0].strength, CLAIM_WEAKER);
    assert_string_equal(plan_text_of(plan, plan->claims[0].what), "no way out");
    assert_string_equal(plan_text_of(plan, plan->claims[0].mechanism), "filter");

    assert_int_equal(plan->note_count, 1);
    assert_int_equal(plan->notes[0].layer, BERM_LAYER_ENV);
    assert_string_equal(plan_text_of(plan, plan->notes[0].text), "3 of them");
    free(plan);
}

static void texts_survive_the_growth_of_the_pool(void **state)
{
    (void)state;
    plan_text texts[2000];
    struct plan_builder builder;
    assert_int_equal(plan_builder_init(&builder), 0);
    uint32_t first_capacity = builder.pool_capacity;

    for (int i = 0; i < 2000; i++)
        texts[i] = plan_add_format(&builder, "text number %d of two thousand", i);
    assert_true(builder.pool_capacity > first_capacity);
    for (int i = 0; i < 2000; i++) {
        char expected[64];
        (void)snprintf(expected, sizeof(expected), "text number %d of two thousand", i);
        assert_string_equal(plan_text_of(builder.plan, texts[i]), expected);
    }
    plan_builder_done(&builder);
}

static void a_text_of_the_plan_itself_can_be_added_while_the_pool_grows(void **state)
{
    (void)state;
    struct plan_builder builder;
    assert_int_equal(plan_builder_init(&builder), 0);
    plan_text text = plan_add_text(&builder, "doubled until the block has moved, ");

    for (int i = 0; i < 12; i++) {
        const char *own = plan_text_of(builder.plan, text);
        text = i % 2 ? plan_add_format(&builder, "%s%s", own, own) : plan_add_text(&builder, own);
    }
    assert_int_equal(builder.failed, 0);
    assert_int_equal(strlen(plan_text_of(builder.plan, text)), 35 * 64);
    assert_memory_equal(plan_text_of(builder.plan, text) + 35 * 63, "doubled until", 13);
    plan_builder_done(&builder);
}

static void the_pool_takes_eight_mebibytes_and_not_one_byte_more(void **state)
{
    (void)state;
    struct plan_builder builder;
    assert_int_equal(plan_builder_init(&builder), 0);
    char *text = malloc(PLAN_POOL_MAX);
    assert_non_null(text);
    memset(text, 'x', PLAN_POOL_MAX);
    text[PLAN_POOL_MAX - 2] = '\0'; /* with the empty text and its own NUL exactly the maximum */

    assert_int_equal(plan_add_text(&builder, text), 1);
    assert_int_equal(builder.failed, 0);
    assert_int_equal(builder.plan->pool_used, PLAN_POOL_MAX);
    assert_int_equal(plan_add_text(&builder, "y"), 0);
    assert_int_equal(builder.failed, -E2BIG);
    free(text);
    plan_builder_done(&builder);
}

static void the_first_failure_stays_and_is_named_by_finish(void **state)
{
    (void)state;
    struct plan_builder builder;
    struct plan *plan = NULL;
    struct berm_error err = {0};
    assert_int_equal(plan_builder_init(&builder), 0);

    for (int i = 0; i < PLAN_RLIMITS_MAX; i++)
        plan_add_rlimit(&builder, BERM_LAYER_LIMITS, i, 1, 1);
    assert_int_equal(builder.failed, 0);
    plan_add_rlimit(&builder, BERM_LAYER_LIMITS, 0, 1, 1);
    assert_int_equal(builder.failed, -E2BIG);
    assert_int_equal(builder.plan->rlimit_count, PLAN_RLIMITS_MAX);

    plan_add_note(&builder, BERM_LAYER_ENV, "after the failure");
    plan_add_mount(&builder,
                   &(struct mount_row){.layer = BERM_LAYER_ENV, .op = MOUNT_DIR, .target = "a"});
    assert_int_equal(builder.plan->note_count, 0);
    assert_int_equal(builder.plan->mount_count, 0);
    assert_int_equal(builder.plan->pool_used, 1);

    assert_int_equal(plan_builder_finish(&builder, &plan, &err), -E2BIG);
    assert_null(plan);
    assert_int_equal(err.code, BERM_E_INVALID);
    assert_string_equal(err.message,
                        "cannot build the plan: it needs too many resource limits (at most 16)");
    assert_string_not_equal(err.cure, "");
    plan_builder_done(&builder);
}

/* Add one row of each table in turn. */
static void add_row(struct plan_builder *builder, int table)
{
    switch (table) {
    case 0:
        plan_add_mount(
            builder,
            &(struct mount_row){.layer = BERM_LAYER_FILESYSTEM, .op = MOUNT_DIR, .target = "a"});
        break;
    case 1:
        plan_add_rule(builder, BERM_LAYER_FILESYSTEM, "/a", 1);
        break;
    case 2:
        plan_add_group_write(builder, &(struct group_write_row){.layer = BERM_LAYER_LIMITS,
                                                                .controller = 0,
                                                                .file = "a",
                                                                .value = "1",
                                                                .read_back = 1});
        break;
    case 3:
        plan_add_claim(builder, BERM_LAYER_LIMITS, CLAIM_EXACT, "a", "b");
        break;
    default:
        plan_add_note(builder, BERM_LAYER_LIMITS, "a");
        break;
    }
}

static void every_table_refuses_one_row_more_than_its_maximum(void **state)
{
    (void)state;

    static const struct {
        int maximum;
        const char *word;
    } tables[] = {
        {PLAN_MOUNTS_MAX,       "acts on the file tree (at most 640)"},
        {PLAN_RULES_MAX,        "Landlock rules (at most 320)"       },
        {PLAN_GROUP_WRITES_MAX, "control group writes (at most 16)"  },
        {PLAN_CLAIMS_MAX,       "promises (at most 48)"              },
        {PLAN_NOTES_MAX,        "notes (at most 64)"                 },
    };

    for (int table = 0; table < 5; table++) {
        struct plan_builder builder;
        assert_int_equal(plan_builder_init(&builder), 0);
        for (int i = 0; i < tables[table].maximum; i++)
            add_row(&builder, table);
        assert_int_equal(builder.failed, 0);
        add_row(&builder, table);
        assert_int_equal(builder.failed, -E2BIG);
        assert_string_equal(builder.failed_what, tables[table].word);
        plan_builder_done(&builder);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_empty_plan_holds_only_the_empty_text),
        cmocka_unit_test(the_empty_text_and_no_text_are_offset_zero),
        cmocka_unit_test(equal_texts_do_not_share_an_offset),
        cmocka_unit_test(a_vector_is_a_run_of_texts_even_when_the_first_is_empty),
        cmocka_unit_test(every_row_keeps_every_value),
        cmocka_unit_test(texts_survive_the_growth_of_the_pool),
        cmocka_unit_test(a_text_of_the_plan_itself_can_be_added_while_the_pool_grows),
        cmocka_unit_test(the_pool_takes_eight_mebibytes_and_not_one_byte_more),
        cmocka_unit_test(the_first_failure_stays_and_is_named_by_finish),
        cmocka_unit_test(every_table_refuses_one_row_more_than_its_maximum),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
