/*
 * Claims about the merge order: level < limits profile < policy file < flags, whatever the order of calls.
 */
#include <stdlib.h>

#include "fixture.h"

static void a_profile_after_an_explicit_value_does_not_overwrite_it(void **state)
{
    struct policy *policy = *state;

    assert_set(policy, "memory", "1GiB");
    assert_set(policy, "limits", "lesson");
    assert_int_equal(policy->memory, 1ULL << 30);
    assert_int_equal(policy->wall, 1500000000ULL);
}

static void a_profile_before_an_explicit_value_gives_the_same(void **state)
{
    struct policy *policy = *state;

    assert_set(policy, "limits", "lesson");
    assert_set(policy, "memory", "1GiB");
    assert_int_equal(policy->memory, 1ULL << 30);
    assert_int_equal(policy->wall, 1500000000ULL);
}

static void a_value_equal_to_the_default_is_explicit_too(void **state)
{
    struct policy *policy = *state;

    assert_set(policy, "memory", "512MiB");
    assert_set(policy, "limits", "lesson");
    assert_int_equal(policy->memory, 512ULL << 20);
}

static void a_profile_can_be_changed_back(void **state)
{
    struct policy *policy = *state;

    assert_set(policy, "limits", "lesson");
    assert_set(policy, "limits", "standard");
    assert_int_equal(policy->memory, 512ULL << 20);
    assert_int_equal(policy->output, 102400);
}

static void a_level_changes_no_value(void **state)
{
    struct policy *policy = *state;

    assert_set(policy, "wall", "5s");
    assert_set(policy, "level", "L1");
    assert_set(policy, "limits", "lesson");
    assert_int_equal(policy->level, L1);
    assert_int_equal(policy->wall, 5000000000ULL);
    assert_int_equal(policy->memory, 256ULL << 20);
}

static void of_two_values_the_later_wins_and_names_the_error(void **state)
{
    struct policy *policy = *state;
    struct berm_error err = {0};

    assert_int_equal(policy_set(policy, "tmp_size", "1MiB", "policy.json: limits.tmp_size", NULL),
                     0);
    assert_set(policy, "tmp-size", "2MiB");
    assert_int_equal(policy->tmp_size, 2ULL << 20);
    assert_set(policy, "level", "L2");
    assert_int_equal(policy_validate(policy, &err), -EINVAL);
    assert_says(&err, "--tmp-size: ");
}

static void of_two_modes_of_a_layer_the_later_wins(void **state)
{
    struct policy *policy = *state;

    assert_set(policy, "off", "network");
    assert_set(policy, "prefer", "network");
    assert_int_equal(policy->modes[BERM_LAYER_NETWORK], MODE_PREFER);
}

static void lists_grow_in_the_order_of_calls(void **state)
{
    struct policy *policy = *state;

    assert_set(policy, "hide", "/file");
    assert_set(policy, "hide", "/flag");
    assert_int_equal(policy->hide.count, 2);
    assert_string_equal(policy->hide.items[0], "/file");
    assert_string_equal(policy->hide.items[1], "/flag");
}

/* Every order of four calls gives the same policy. */
static void the_order_of_calls_never_matters(void **state)
{
    static const char *const calls[4][2] = {
        {"level",     "L3"    },
        {"limits",    "lesson"},
        {"wall",      "7s"    },
        {"processes", "9"     }
    };
    (void)state;

    for (unsigned order = 0; order < 256; order++) {
        unsigned picks[4] = {order & 3, (order >> 2) & 3, (order >> 4) & 3, (order >> 6) & 3};
        unsigned seen = 1U << picks[0] | 1U << picks[1] | 1U << picks[2] | 1U << picks[3];
        if (seen != 15)
            continue;
        struct policy *policy = policy_new();
        assert_non_null(policy);
        for (unsigned i = 0; i < 4; i++)
            assert_set(policy, calls[picks[i]][0], calls[picks[i]][1]);
        assert_int_equal(policy->level, L3);
        assert_int_equal(policy->wall, 7000000000ULL);
        assert_int_equal(policy->processes, 9);
        assert_int_equal(policy->memory, 256ULL << 20);
        assert_int_equal(policy_validate(policy, NULL), 0);
        policy_free(policy);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        policy_test(a_profile_after_an_explicit_value_does_not_overwrite_it),
        policy_test(a_profile_before_an_explicit_value_gives_the_same),
        policy_test(a_value_equal_to_the_default_is_explicit_too),
        policy_test(a_profile_can_be_changed_back),
        policy_test(a_level_changes_no_value),
        policy_test(of_two_values_the_later_wins_and_names_the_error),
        policy_test(of_two_modes_of_a_layer_the_later_wins),
        policy_test(lists_grow_in_the_order_of_calls),
        cmocka_unit_test(the_order_of_calls_never_matters),
    };
    return cmocka_run_group_tests_name("policy/merge", tests, NULL, NULL);
}
