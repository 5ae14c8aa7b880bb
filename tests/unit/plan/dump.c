/*
 * Claims about plan/dump.h.
 */
/* cmocka.h needs the three before it. */
/* clang-format off */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
/* clang-format on */

#include "plan/dump.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "full_plan.h"

/* Room for what the small plan prints; more is a failure of the test. */
struct page {
    char text[8192];
    size_t used;
    int fail_with;
};

static int put(void *context, const char *bytes, size_t size)
{
    struct page *page = context;
    if (page->fail_with)
        return page->fail_with;
    assert_true(page->used + size < sizeof(page->text));
    memcpy(page->text + page->used, bytes, size);
    page->used += size;
    return 0;
}

static void a_dump_shows_every_table_with_its_owner(void **state)
{
    (void)state;
    static const char *const lines[] = {
        "  limits      on\n    exact   memory of the tree: cgroup v2\n",
        "  network     weaker\n    weaker  no way out: filter\n",
        "  env         off\n",
        "notes\n  env         the caller's groups are kept\n",
        "  argument    python3\n  argument    -c\n  argument    print('\\x1b[2J')\n",
        "  directory   (the work directory)\n  stdin       empty\n  umask       022\n",
        "  variables   LANG TOKEN\n",
        "  wall clock, ns                     30000000000\n",
        "  does        init no-network drop-capabilities\n",
        "namespaces\n  privileges  user\n  network     network\n",
        "  inside      uid 1000, gid 1000\n  outside     the caller's uid\n",
        "  filesystem  root       0755 (size=16m)\n",
        "  filesystem  bind      usr <- /usr ro recursive\n",
        "  filesystem  file      etc/passwd 0644\n",
        "  limits      nofile     64 unlimited\n",
        "control group, version 2\n  limits      memory: memory.max = 536870912 (where the kernel has it)\n",
        "Landlock (rights: file system 0x1fff, network 0, scopes 0)\n  filesystem  0x5      /usr\n",
        "system-call filter\n  standard\n",
        "evidence read back before the program starts\n",
        "  all five capability sets empty\n",
    };
    struct page page = {0};
    struct plan *plan = full_plan();
    assert_int_equal(plan_dump(plan, put, &page), 0);
    for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
        if (!strstr(page.text, lines[i]))
            fail_msg("missing: %s\nin:\n%s", lines[i], page.text);
    }
    free(plan);
}

static void a_dump_shows_no_value_of_a_variable_and_no_control_character(void **state)
{
    (void)state;
    struct page page = {0};
    struct plan *plan = full_plan();
    assert_int_equal(plan_dump(plan, put, &page), 0);
    assert_null(strstr(page.text, "xyz789"));
    for (size_t i = 0; i < page.used; i++)
        assert_true(page.text[i] == '\n' || page.text[i] >= ' ');
    free(plan);
}

static void the_failure_of_the_sink_is_returned(void **state)
{
    (void)state;
    struct page page = {.fail_with = -EPIPE};
    struct plan *plan = full_plan();
    assert_int_equal(plan_dump(plan, put, &page), -EPIPE);
    free(plan);
}

static void the_state_of_a_layer_follows_from_its_promises(void **state)
{
    (void)state;

    static const struct {
        uint8_t strengths[2];
        uint32_t count;
        const char *expected;
    } rows[] = {
        {{0, 0},                       0, "off"   },
        {{CLAIM_EXACT, CLAIM_EXACT},   2, "on"    },
        {{CLAIM_WEAKER, CLAIM_WEAKER}, 2, "weaker"},
        {{CLAIM_EXACT, CLAIM_WEAKER},  2, "weaker"},
        {{CLAIM_EXACT, CLAIM_ABSENT},  2, "weaker"},
        {{CLAIM_ABSENT, CLAIM_WEAKER}, 2, "weaker"},
        {{CLAIM_ABSENT, CLAIM_ABSENT}, 2, "absent"},
    };
    struct plan *plan = calloc(1, sizeof(*plan));
    assert_non_null(plan);
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        plan->claim_count = rows[i].count;
        for (uint32_t j = 0; j < rows[i].count; j++)
            plan->claims[j] =
                (struct plan_claim){.layer = BERM_LAYER_ENV, .strength = rows[i].strengths[j]};
        assert_string_equal(plan_layer_state(plan, BERM_LAYER_ENV), rows[i].expected);
        assert_string_equal(plan_layer_state(plan, BERM_LAYER_LIMITS), "off");
    }
    free(plan);
}

static void every_word_is_known_and_nothing_past_the_last(void **state)
{
    (void)state;
    for (int op = MOUNT_NONE + 1; op < MOUNT_OP_COUNT; op++)
        assert_string_not_equal(mount_op_name((uint8_t)op), "unknown");
    assert_string_equal(mount_op_name(MOUNT_OP_COUNT), "unknown");
    for (int resource = 0; resource < 16; resource++)
        assert_string_not_equal(rlimit_name(resource), "unknown");
    assert_string_equal(rlimit_name(16), "unknown");
    assert_string_equal(rlimit_name(-1), "unknown");
    assert_string_equal(claim_strength_name(3), "unknown");
    assert_string_equal(plan_controller_name(3), "cpuacct");
    assert_string_equal(plan_controller_name(4), "unknown");
    assert_string_equal(plan_feature_name(0), "new-session");
    assert_string_equal(plan_feature_name(20), "dump-nothing");
    assert_null(plan_feature_name(32));
}

/* A feature that plan.h has and the table of words lacks would be invisible in `explain`. */
static void every_feature_that_check_accepts_has_a_word(void **state)
{
    (void)state;
    for (unsigned bit = 0; bit < 32; bit++) {
        struct plan *plan = full_plan();
        plan->features = 1u << bit;
        bool is_known = plan_check(plan, plan->size) == 0;
        assert_int_equal(is_known, plan_feature_name(bit) != NULL);
        free(plan);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_dump_shows_every_table_with_its_owner),
        cmocka_unit_test(a_dump_shows_no_value_of_a_variable_and_no_control_character),
        cmocka_unit_test(the_failure_of_the_sink_is_returned),
        cmocka_unit_test(the_state_of_a_layer_follows_from_its_promises),
        cmocka_unit_test(every_word_is_known_and_nothing_past_the_last),
        cmocka_unit_test(every_feature_that_check_accepts_has_a_word),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
