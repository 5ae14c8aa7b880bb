/*
 * Claims about policy_validate: no option is silently without effect.
 */
#include <stdlib.h>

#include "base/error.h"
#include "fixture.h"

static const char *some_value(const struct field_info *field)
{
    switch (field->type) {
    case TYPE_DURATION:
        return "1s";
    case TYPE_SIZE:
        return "2MiB";
    case TYPE_COUNT:
        return "10";
    case TYPE_CPUS:
        return "1";
    case TYPE_SWITCH:
        return "true";
    case TYPE_TEXT:
    case TYPE_LIST:
        break;
    }
    if (field->id == FIELD_network)
        return "none";
    return field->id == FIELD_env ? "A=b" : "/some/path";
}

static void assert_invalid(const struct policy *policy, const char *const parts[])
{
    struct berm_error err = {0};

    assert_int_equal(policy_validate(policy, &err), -EINVAL);
    assert_int_equal(err.code, BERM_E_INVALID);
    for (; *parts; parts++)
        assert_says(&err, *parts);
    assert_int_equal(policy_validate(policy, NULL), -EINVAL);
}

static void an_option_below_its_level_is_an_error_with_the_cure(void **state)
{
    struct policy *policy = *state;

    assert_set(policy, "tmp-size", "5MiB");
    assert_set(policy, "level", "L4");
    assert_invalid(policy, (const char *const[]){
                               "--tmp-size: has no effect below level L6 (layer filesystem); "
                               "the level is L4 (--level)",
                               "use --level L6 or leave --tmp-size out", NULL});
}

static void an_option_of_a_file_is_named_as_the_file_has_it(void **state)
{
    struct policy *policy = *state;

    assert_int_equal(
        policy_set(policy, "limits.tmp_size", "5MiB", "p.json:3: limits.tmp_size", NULL), 0);
    assert_int_equal(policy_set(policy, "level", "L4", "p.json:1: level", NULL), 0);
    assert_invalid(policy, (const char *const[]){"p.json:3: limits.tmp_size: has no effect",
                                                 "the level is L4 (p.json:1: level)",
                                                 "leave limits.tmp_size out", NULL});
}

static void an_option_whose_layer_is_off_is_an_error_with_the_cure(void **state)
{
    struct policy *policy = *state;

    assert_set(policy, "loopback", "true");
    assert_set(policy, "off", "network");
    assert_invalid(policy, (const char *const[]){
                               "--loopback: has no effect without the layer network, which is off "
                               "(--off)",
                               "leave the layer network on or leave --loopback out", NULL});
}

/* Each field at each level: refused exactly below its own. */
static void every_field_is_refused_exactly_below_its_level(void **state)
{
    (void)state;
    for (unsigned i = 0; i < FIELD_COUNT; i++) {
        const struct field_info *field = &policy_fields[i];
        for (unsigned level = L0; level < LEVEL_COUNT; level++) {
            struct policy *policy = policy_new();
            assert_non_null(policy);
            assert_set(policy, field->flag, some_value(field));
            assert_set(policy, "level", policy_level_name((enum policy_level)level));
            bool is_refused = policy_validate(policy, NULL) < 0;
            if (is_refused != (level < field->from))
                fail_msg("%s at L%u: %s", field->name, level, is_refused ? "refused" : "taken");
            assert_int_equal(policy_is_in_force(policy, field->id), !is_refused);
            policy_free(policy);
        }
    }
}

static void every_field_is_refused_without_its_layer(void **state)
{
    (void)state;
    for (unsigned i = 0; i < FIELD_COUNT; i++) {
        const struct field_info *field = &policy_fields[i];
        struct policy *policy = policy_new();
        assert_non_null(policy);
        assert_set(policy, field->flag, some_value(field));
        assert_set(policy, "off", layer_name(field->layer));
        assert_invalid(policy,
                       (const char *const[]){field->flag, layer_name(field->layer), "off", NULL});
        policy_free(policy);
    }
}

static void defaults_are_valid_at_every_level_and_without_any_layer(void **state)
{
    (void)state;
    for (unsigned level = L0; level < LEVEL_COUNT; level++) {
        for (unsigned layer = BERM_LAYER_NONE; layer < BERM_LAYER_COUNT; layer++) {
            struct policy *policy = policy_new();
            assert_non_null(policy);
            assert_set(policy, "level", policy_level_name((enum policy_level)level));
            if (layer != BERM_LAYER_NONE && level >= layer_from_level((enum berm_layer)layer))
                assert_set(policy, "off", layer_name((enum berm_layer)layer));
            assert_int_equal(policy_validate(policy, NULL), 0);
            policy_free(policy);
        }
    }
}

static void a_mode_of_a_layer_that_is_not_on_is_an_error(void **state)
{
    static const char *const modes[] = {"require", "prefer", "off"};
    (void)state;

    for (unsigned i = 0; i < 3; i++) {
        struct policy *policy = policy_new();
        assert_non_null(policy);
        assert_set(policy, "level", "L3");
        assert_set(policy, modes[i], "network");
        assert_invalid(policy, (const char *const[]){modes[i],
                                                     "the layer network is on from level L4; the "
                                                     "level is L3 (--level)",
                                                     "use --level L4 or leave network out", NULL});
        policy_free(policy);
    }
}

static void the_layers_come_one_after_the_other(void **state)
{
    static const enum policy_level expected[BERM_LAYER_COUNT] = {
        [BERM_LAYER_NONE] = LEVEL_COUNT, [BERM_LAYER_LIMITS] = L1,   [BERM_LAYER_ENV] = L2,
        [BERM_LAYER_PROCESS] = L3,       [BERM_LAYER_NETWORK] = L4,  [BERM_LAYER_FILESYSTEM] = L5,
        [BERM_LAYER_PRIVILEGES] = L5,    [BERM_LAYER_SYSCALLS] = L6,
    };
    struct policy *policy = *state;

    for (unsigned i = 0; i < BERM_LAYER_COUNT; i++) {
        assert_int_equal(layer_from_level((enum berm_layer)i), expected[i]);
        for (unsigned level = L0; level < LEVEL_COUNT; level++) {
            policy->level = (enum policy_level)level;
            assert_int_equal(layer_is_on(policy, (enum berm_layer)i), level >= expected[i]);
        }
    }
}

static void two_binds_at_one_place_are_an_error(void **state)
{
    struct policy *policy = *state;

    assert_set(policy, "ro", "/a:/data");
    assert_set(policy, "rw", "/b:/data/");
    assert_invalid(policy, (const char *const[]){"--ro: \"/a:/data\"", "taken twice", NULL});
}

static void one_bind_given_twice_is_an_error(void **state)
{
    struct policy *policy = *state;

    assert_set(policy, "ro", "/a");
    assert_set(policy, "ro", "/a");
    assert_invalid(policy, (const char *const[]){"--ro: \"/a\"", "taken twice", NULL});
}

static void a_path_cannot_be_both_there_and_hidden(void **state)
{
    struct policy *policy = *state;

    assert_set(policy, "rw", "/srv/x/:/x");
    assert_set(policy, "hide", "/srv//x");
    assert_invalid(policy, (const char *const[]){"--rw: \"/srv/x/:/x\" is also hidden", NULL});
}

static void a_part_of_a_bind_may_be_hidden(void **state)
{
    struct policy *policy = *state;

    assert_set(policy, "ro", "/srv");
    assert_set(policy, "hide", "/srv/secret");
    assert_int_equal(policy_validate(policy, NULL), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        policy_test(an_option_below_its_level_is_an_error_with_the_cure),
        policy_test(an_option_of_a_file_is_named_as_the_file_has_it),
        policy_test(an_option_whose_layer_is_off_is_an_error_with_the_cure),
        cmocka_unit_test(every_field_is_refused_exactly_below_its_level),
        cmocka_unit_test(every_field_is_refused_without_its_layer),
        cmocka_unit_test(defaults_are_valid_at_every_level_and_without_any_layer),
        cmocka_unit_test(a_mode_of_a_layer_that_is_not_on_is_an_error),
        policy_test(the_layers_come_one_after_the_other),
        policy_test(two_binds_at_one_place_are_an_error),
        policy_test(one_bind_given_twice_is_an_error),
        policy_test(a_path_cannot_be_both_there_and_hidden),
        policy_test(a_part_of_a_bind_may_be_hidden),
    };
    return cmocka_run_group_tests_name("policy/validate", tests, NULL, NULL);
}
