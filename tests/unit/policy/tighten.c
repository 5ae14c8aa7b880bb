/*
 * Claims about policy_tightens: an inner policy is nowhere looser than the outer one.
 */
#include <stdlib.h>

#include "fixture.h"

struct pair {
    struct policy *outer, *inner;
};

static int give_pair(void **state)
{
    struct pair *pair = calloc(1, sizeof(*pair));
    if (!pair)
        return -1;
    pair->outer = policy_new();
    pair->inner = policy_new();
    *state = pair;
    return pair->outer && pair->inner ? 0 : -1;
}

static int take_pair(void **state)
{
    struct pair *pair = *state;
    policy_free(pair->outer);
    policy_free(pair->inner);
    free(pair);
    return 0;
}

#define pair_test(function) cmocka_unit_test_setup_teardown(function, give_pair, take_pair)

static void assert_tightens(const struct pair *pair)
{
    struct berm_error err = {0};
    if (policy_tightens(pair->outer, pair->inner, &err) != 0)
        fail_msg("refused: %s", err.message);
}

static void assert_loosens(const struct pair *pair, const char *part)
{
    struct berm_error err = {0};
    assert_int_equal(policy_tightens(pair->outer, pair->inner, &err), -EINVAL);
    assert_int_equal(err.code, BERM_E_INVALID);
    assert_says(&err, part);
    assert_int_equal(policy_tightens(pair->outer, pair->inner, NULL), -EINVAL);
}

static void a_policy_tightens_itself(void **state)
{
    assert_tightens(*state);
}

static void every_number_may_shrink_and_may_not_grow(void **state)
{
    (void)state;
    for (unsigned i = 0; i < FIELD_COUNT; i++) {
        const struct field_info *field = &policy_fields[i];
        void *fresh = NULL;
        if (field->type > TYPE_CPUS)
            continue;
        assert_int_equal(give_pair(&fresh), 0);
        struct pair *pair = fresh;
        char least[32];
        char most[32];
        policy_format(field, field->min, least, sizeof(least));
        policy_format(field, field->max, most, sizeof(most));
        assert_set(pair->outer, field->name, most);
        assert_set(pair->inner, field->name, least);
        assert_tightens(pair);
        struct pair swapped = {.outer = pair->inner, .inner = pair->outer};
        assert_loosens(&swapped, field->name);
        (void)take_pair(&fresh);
    }
}

static void no_bound_is_looser_than_any_bound(void **state)
{
    struct pair *pair = *state;

    assert_set(pair->inner, "output_total", "1GiB");
    assert_tightens(pair);
    assert_set(pair->outer, "output_total", "2GiB");
    assert_tightens(pair);
    struct policy *unset = policy_new();
    struct pair loose = {.outer = pair->outer, .inner = unset};
    assert_loosens(&loose, "output_total: is larger");
    policy_free(unset);
}

static void a_lower_level_is_looser(void **state)
{
    struct pair *pair = *state;

    assert_set(pair->outer, "level", "L5");
    assert_tightens(pair);
    assert_set(pair->inner, "level", "L4");
    assert_loosens(pair, "--level: L4 is below the outer policy's L5");
}

static void strict_cannot_be_dropped(void **state)
{
    struct pair *pair = *state;

    assert_set(pair->inner, "strict", "true");
    assert_tightens(pair);
    assert_set(pair->outer, "strict", "true");
    assert_tightens(pair);
    assert_set(pair->inner, "strict", "false");
    assert_loosens(pair, "strict");
}

static void a_layer_cannot_be_weakened(void **state)
{
    struct pair *pair = *state;

    assert_set(pair->inner, "prefer", "network");
    assert_loosens(pair, "--prefer: the outer policy demands more of the layer network");
    assert_set(pair->outer, "prefer", "network");
    assert_tightens(pair);
    assert_set(pair->inner, "off", "network");
    assert_loosens(pair, "--off: ");
    assert_set(pair->outer, "off", "network");
    assert_tightens(pair);
    assert_set(pair->inner, "require", "network");
    assert_tightens(pair);
}

static void binds_may_become_fewer_and_not_more(void **state)
{
    struct pair *pair = *state;

    assert_set(pair->outer, "rw", "/data");
    assert_tightens(pair);
    assert_set(pair->inner, "rw", "/data");
    assert_tightens(pair);
    assert_set(pair->inner, "ro", "/other");
    assert_loosens(pair, "--ro: has a value that the outer policy has not");
}

static void hidden_paths_may_become_more_and_not_fewer(void **state)
{
    struct pair *pair = *state;

    assert_set(pair->inner, "hide", "/secret");
    assert_tightens(pair);
    assert_set(pair->outer, "hide", "/other");
    assert_loosens(pair, "--hide: leaves out a value of the outer policy");
}

static void a_switch_that_opens_cannot_be_turned_on(void **state)
{
    struct pair *pair = *state;

    assert_set(pair->outer, "loopback", "true");
    assert_tightens(pair);
    assert_set(pair->inner, "loopback", "true");
    assert_tightens(pair);
    assert_set(pair->outer, "loopback", "false");
    assert_loosens(pair, "--loopback: is not allowed by the outer policy");
}

static void the_environment_may_not_differ(void **state)
{
    struct pair *pair = *state;

    assert_set(pair->outer, "env", "A=1");
    assert_loosens(pair, "env: may not differ");
    assert_set(pair->inner, "env", "A=1");
    assert_tightens(pair);
    assert_set(pair->inner, "env", "B=1");
    assert_loosens(pair, "--env: may not differ");
}

static void a_directory_that_is_set_may_not_differ(void **state)
{
    struct pair *pair = *state;

    assert_set(pair->outer, "cwd", "/tmp");
    assert_loosens(pair, "cwd: may not differ");
    assert_set(pair->inner, "cwd", "/tmp");
    assert_tightens(pair);
}

static void what_is_not_in_force_outside_binds_nothing(void **state)
{
    struct pair *pair = *state;

    assert_set(pair->outer, "level", "L1");
    assert_set(pair->inner, "ro", "/data");
    assert_set(pair->inner, "env", "A=1");
    assert_tightens(pair);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        pair_test(a_policy_tightens_itself),
        cmocka_unit_test(every_number_may_shrink_and_may_not_grow),
        pair_test(no_bound_is_looser_than_any_bound),
        pair_test(a_lower_level_is_looser),
        pair_test(strict_cannot_be_dropped),
        pair_test(a_layer_cannot_be_weakened),
        pair_test(binds_may_become_fewer_and_not_more),
        pair_test(hidden_paths_may_become_more_and_not_fewer),
        pair_test(a_switch_that_opens_cannot_be_turned_on),
        pair_test(the_environment_may_not_differ),
        pair_test(a_directory_that_is_set_may_not_differ),
        pair_test(what_is_not_in_force_outside_binds_nothing),
    };
    return cmocka_run_group_tests_name("policy/tighten", tests, NULL, NULL);
}
