/*
 * Claims about policy_new and policy_set: what a key takes and what it refuses.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/units.h"
#include "fixture.h"

static void a_new_policy_is_l6_with_everything_required(void **state)
{
    const struct policy *policy = *state;

    assert_int_equal(policy->level, L6);
    assert_int_equal(policy->profile, PROFILE_STANDARD);
    assert_false(policy->is_strict);
    for (unsigned i = BERM_LAYER_NONE + 1; i < BERM_LAYER_COUNT; i++) {
        assert_int_equal(policy->modes[i], MODE_REQUIRE);
        assert_true(layer_is_on(policy, (enum berm_layer)i));
    }
    for (unsigned i = 0; i < FIELD_COUNT; i++)
        assert_false(policy->is_explicit[i]);
    assert_int_equal(policy_validate(policy, NULL), 0);
}

static void the_standard_numbers_are_those_of_the_mission(void **state)
{
    const struct policy *policy = *state;

    assert_int_equal(policy->wall, 30000000000ULL);
    assert_int_equal(policy->cpu_time, 30000000000ULL);
    assert_int_equal(policy->cpus, 1000);
    assert_int_equal(policy->memory, 512ULL << 20);
    assert_int_equal(policy->file_size, 64ULL << 20);
    assert_int_equal(policy->tmp_size, 64ULL << 20);
    assert_int_equal(policy->work_size, 256ULL << 20);
    assert_int_equal(policy->open_files, 1024);
    assert_int_equal(policy->processes, 128);
    assert_int_equal(policy->output, 102400);
    assert_int_equal(policy->output_total, 0);
    assert_string_equal(policy->network, "none");
    assert_false(policy->loopback);
    assert_false(policy->accept_host_loss);
    assert_null(policy->cwd);
}

static void the_lesson_numbers_are_those_of_the_mission(void **state)
{
    struct policy *policy = *state;
    assert_set(policy, "limits", "lesson");

    assert_int_equal(policy->wall, 1500000000ULL);
    assert_int_equal(policy->cpu_time, 2000000000ULL);
    assert_int_equal(policy->cpus, 1000);
    assert_int_equal(policy->memory, 256ULL << 20);
    assert_int_equal(policy->file_size, 10ULL << 20);
    assert_int_equal(policy->tmp_size, 64ULL << 20);
    assert_int_equal(policy->open_files, 64);
    assert_int_equal(policy->processes, 16);
    assert_int_equal(policy->output, 8000);
}

/* presets_fill() builds on both: it asserts the first and leaves texts alone for the second. */
static void every_default_of_the_table_is_a_value_that_the_field_takes(void **state)
{
    struct policy *policy = *state;

    for (unsigned i = 0; i < FIELD_COUNT; i++) {
        const struct field_info *field = &policy_fields[i];
        for (unsigned j = 0; j < PROFILE_COUNT; j++)
            if (*field->defaults[j])
                assert_set(policy, field->name, field->defaults[j]);
        if (field->type == TYPE_TEXT || field->type == TYPE_LIST)
            assert_string_equal(field->defaults[0], field->defaults[1]);
        if (field->type == TYPE_LIST)
            assert_string_equal(field->defaults[0], "");
        assert_true(field->min <= field->max);
        assert_true(field->from >= layer_from_level(field->layer));
    }
}

static void a_key_may_be_the_id_the_flag_or_the_path(void **state)
{
    struct policy *policy = *state;
    static const char *const spellings[] = {"cpu_time", "cpu-time", "limits.cpu_time",
                                            "limits.cpu-time"};

    for (unsigned i = 0; i < 4; i++) {
        char value[16];
        (void)snprintf(value, sizeof(value), "%us", i + 1);
        assert_set(policy, spellings[i], value);
        assert_int_equal(policy->cpu_time, (i + 1) * 1000000000ULL);
    }
    assert_set(policy, "i-accept-host-loss", "true");
    assert_true(policy->accept_host_loss);
}

static void an_unknown_key_is_refused_with_the_nearest_one(void **state)
{
    struct policy *policy = *state;

    assert_not_set(policy, "memroy", "1MiB", "did you mean memory?");
    assert_not_set(policy, "limits.memroy", "1MiB", "did you mean memory?");
    assert_not_set(policy, "cpu_tme", "1s", "did you mean cpu_time?");
    assert_not_set(policy, "levle", "L6", "did you mean level?");
    assert_not_set(policy, "zzzzzz", "1", "there is no option \"zzzzzz\"");
    assert_not_set(policy, "", "1", "there is no option");
    assert_not_set(policy, "MEMORY", "1MiB", "there is no option");
    assert_not_set(policy, "memory\x1b[2J", "1MiB", "there is no option \"memory\\x1b[2J\"");
}

static void a_key_in_the_wrong_group_is_unknown(void **state)
{
    struct policy *policy = *state;

    assert_not_set(policy, "env.memory", "1MiB", "there is no option \"env.memory\"");
    assert_not_set(policy, "limit.memory", "1MiB", "there is no option");
    assert_not_set(policy, "limits.", "1MiB", "there is no option");
    assert_not_set(policy, "network.level", "L6", "there is no option");
}

static void a_typo_in_a_unit_is_refused_and_changes_nothing(void **state)
{
    struct policy *policy = *state;

    assert_not_set(policy, "memory", "512mb", "unknown unit \"mb\"");
    assert_not_set(policy, "memory", "512", "has no unit");
    assert_not_set(policy, "wall", "30", "has no unit");
    assert_not_set(policy, "wall", "30MiB", "unknown unit");
    assert_not_set(policy, "processes", "16B", "whole number without a unit");
    assert_int_equal(policy->memory, 512ULL << 20);
    assert_false(policy->is_explicit[FIELD_memory]);
    assert_null(policy->origins[FIELD_memory]);
}

static void a_negative_limit_is_refused(void **state)
{
    for (unsigned i = 0; i < FIELD_COUNT; i++) {
        const struct field_info *field = &policy_fields[i];
        if (field->type == TYPE_DURATION)
            assert_not_set(*state, field->name, "-1s", "is negative");
        else if (field->type == TYPE_SIZE)
            assert_not_set(*state, field->name, "-1MiB", "is negative");
        else if (field->type == TYPE_COUNT || field->type == TYPE_CPUS)
            assert_not_set(*state, field->name, "-1", "is negative");
    }
}

static void a_limit_past_its_bounds_is_refused_with_the_bounds(void **state)
{
    struct policy *policy = *state;

    assert_not_set(policy, "memory", "99999999999999999999MiB", "is too large");
    assert_not_set(policy, "memory", "17TiB", "from 1MiB to 16TiB");
    assert_not_set(policy, "memory", "1KiB", "is too small: from 1MiB to 16TiB");
    assert_not_set(policy, "output", "1000001", "from 1 to 1000000");
    assert_not_set(policy, "wall", "169h", "from 1ms to 168h");
    assert_not_set(policy, "wall", "0s", "is too small");
    assert_not_set(policy, "cpus", "0", "from 0.01 to 1024");
    assert_not_set(policy, "processes", "0", "is too small");
    assert_set(policy, "memory", "16TiB");
    assert_set(policy, "memory", "1MiB");
    assert_set(policy, "output", "1000000");
}

static void every_number_takes_its_bounds_and_nothing_past_them(void **state)
{
    for (unsigned i = 0; i < FIELD_COUNT; i++) {
        const struct field_info *field = &policy_fields[i];
        char text[UNITS_TEXT_SIZE];
        if (field->type > TYPE_CPUS)
            continue;
        policy_format(field, field->min, text, sizeof(text));
        assert_set(*state, field->name, text);
        assert_int_equal(policy_number(*state, field->id), field->min);
        policy_format(field, field->max, text, sizeof(text));
        assert_set(*state, field->name, text);
        assert_int_equal(policy_number(*state, field->id), field->max);
        policy_format(field, field->min - 1, text, sizeof(text));
        assert_not_set(*state, field->name, text, "is too small");
        policy_format(field, field->max + 1, text, sizeof(text));
        assert_not_set(*state, field->name, text, "is too large");
    }
}

static void switches_take_true_and_false_alone(void **state)
{
    struct policy *policy = *state;

    assert_set(policy, "loopback", "true");
    assert_true(policy->loopback);
    assert_not_set(policy, "loopback", "yes", "write true or false");
    assert_not_set(policy, "loopback", "", "neither true nor false");
    assert_not_set(policy, "loopback", "True", "neither true nor false");
    assert_true(policy->loopback);
    assert_set(policy, "loopback", "false");
    assert_false(policy->loopback);
}

static void only_the_network_none_exists(void **state)
{
    assert_set(*state, "network", "none");
    assert_not_set(*state, "network", "host", "only none exists yet");
    assert_not_set(*state, "network", "", "is empty");
    assert_not_set(*state, "network", "allow", "only none exists yet");
}

static void variables_need_a_name_and_a_value(void **state)
{
    struct policy *policy = *state;

    assert_set(policy, "env", "A=");
    assert_set(policy, "env", "_b9=x=y");
    assert_not_set(policy, "env", "A", "has no =");
    assert_not_set(policy, "env", "=x", "has no name");
    assert_not_set(policy, "env", "9A=x", "not a variable's name");
    assert_not_set(policy, "env", "A B=x", "not a variable's name");
    assert_not_set(policy, "env", "A-B=x", "not a variable's name");
    assert_not_set(policy, "env", "", "is empty");
    assert_int_equal(policy->env.count, 2);
    assert_string_equal(policy->env.items[1], "_b9=x=y");
}

/* getenv(3) finds the first of two: the later one must not stand behind the earlier. */
static void a_later_value_of_a_variable_replaces_the_earlier(void **state)
{
    struct policy *policy = *state;

    assert_set(policy, "env", "A=file");
    assert_set(policy, "env", "AB=other");
    assert_set(policy, "env", "A=flag");
    assert_int_equal(policy->env.count, 2);
    assert_string_equal(policy->env.items[0], "A=flag");
    assert_string_equal(policy->env.items[1], "AB=other");
}

static void host_paths_must_be_absolute_and_plain(void **state)
{
    struct policy *policy = *state;

    assert_not_set(policy, "hide", "home", "is not an absolute path");
    assert_not_set(policy, "hide", "/a/../b", "has .. in it");
    assert_not_set(policy, "hide", "/..", "has .. in it");
    assert_not_set(policy, "ro", "data", "has a path that is not absolute");
    assert_not_set(policy, "cwd", "sub", "is not an absolute path");
    assert_not_set(policy, "env_file", "secrets", "is not an absolute path");
    assert_set(policy, "hide", "/a//b/./c/");
    assert_set(policy, "hide", "/..a/b..");
    assert_string_equal(policy->hide.items[0], "/a/b/c");
    assert_string_equal(policy->hide.items[1], "/..a/b..");
    assert_set(policy, "cwd", "/work/");
    assert_string_equal(policy->cwd, "/work");
    assert_set(policy, "cwd", "/tmp");
    assert_string_equal(policy->cwd, "/tmp");
}

static void an_env_file_may_be_a_descriptor(void **state)
{
    struct policy *policy = *state;

    assert_set(policy, "env-file", "fd:0");
    assert_set(policy, "env-file", "fd:2147483647");
    assert_not_set(policy, "env-file", "fd:", "names no descriptor");
    assert_not_set(policy, "env-file", "fd:-1", "names no descriptor");
    assert_not_set(policy, "env-file", "fd:x", "names no descriptor");
    assert_not_set(policy, "env-file", "fd:2147483648", "names no descriptor");
}

static void a_list_ends_at_its_maximum(void **state)
{
    struct policy *policy = *state;
    char path[32];

    for (unsigned i = 0; i < POLICY_LIST_MAX; i++) {
        (void)snprintf(path, sizeof(path), "/p%u", i);
        assert_set(policy, "hide", path);
    }
    assert_not_set(policy, "hide", "/one-more", "there are over 256 values");
    assert_int_equal(policy->hide.count, POLICY_LIST_MAX);
    assert_string_equal(policy->hide.items[POLICY_LIST_MAX - 1], path);
}

static void a_value_ends_at_its_maximum(void **state)
{
    static char text[POLICY_TEXT_MAX + 2];

    memset(text, 'x', sizeof(text) - 1);
    memcpy(text, "A=", 2);
    assert_not_set(*state, "env", text, "longer than 65536 bytes");
    text[POLICY_TEXT_MAX] = '\0';
    assert_set(*state, "env", text);
}

static void levels_are_written_one_way(void **state)
{
    struct policy *policy = *state;

    assert_set(policy, "level", "L0");
    assert_int_equal(policy->level, L0);
    assert_not_set(policy, "level", "l6", "write one of L0 to L6");
    assert_not_set(policy, "level", "6", "write one of L0 to L6");
    assert_not_set(policy, "level", "L8", "write one of L0 to L6");
    assert_not_set(policy, "level", "", "write one of L0 to L6");
    assert_int_equal(policy->level, L0);
}

static void l7_is_unavailable_not_misspelt(void **state)
{
    struct berm_error err = {0};

    assert_int_equal(policy_set(*state, "level", "L7", "--level", &err), -EINVAL);
    assert_int_equal(err.code, BERM_E_UNAVAILABLE);
    assert_says(&err, "vm");
}

static void a_profile_a_layer_and_strict_have_known_words(void **state)
{
    struct policy *policy = *state;

    assert_not_set(policy, "limits", "lessons", "write standard or lesson");
    assert_not_set(policy, "off", "netwrok", "did you mean network?");
    assert_not_set(policy, "off", "none", "the layers are limits, env");
    assert_not_set(policy, "prefer", "kernel", "the layers are limits, env");
    assert_not_set(policy, "strict", "1", "write true or false");
    assert_set(policy, "strict", "true");
    assert_true(policy->is_strict);
    assert_set(policy, "prefer", "syscalls");
    assert_int_equal(policy->modes[BERM_LAYER_SYSCALLS], MODE_PREFER);
    assert_set(policy, "off", "syscalls");
    assert_false(layer_is_on(policy, BERM_LAYER_SYSCALLS));
    assert_set(policy, "require", "syscalls");
    assert_true(layer_is_on(policy, BERM_LAYER_SYSCALLS));
}

static void without_an_origin_the_key_is_named(void **state)
{
    struct berm_error err = {0};

    assert_int_equal(policy_set(*state, "memory", "1", NULL, &err), -EINVAL);
    assert_int_equal(strncmp(err.message, "memory: ", 8), 0);
    assert_int_equal(policy_set(*state, "memory", "1", NULL, NULL), -EINVAL);
}

static void a_long_origin_leaves_room_for_the_cause(void **state)
{
    struct berm_error err = {0};
    char origin[5000];

    memset(origin, 'o', sizeof(origin) - 1);
    origin[sizeof(origin) - 1] = '\0';
    assert_int_equal(policy_set(*state, "memory", "1", origin, &err), -EINVAL);
    assert_says(&err, "has no unit: a size is a number with B, KiB, MiB, GiB or TiB");
}

static void freeing_nothing_is_fine(void **state)
{
    (void)state;
    policy_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        policy_test(a_new_policy_is_l6_with_everything_required),
        policy_test(the_standard_numbers_are_those_of_the_mission),
        policy_test(the_lesson_numbers_are_those_of_the_mission),
        policy_test(every_default_of_the_table_is_a_value_that_the_field_takes),
        policy_test(a_key_may_be_the_id_the_flag_or_the_path),
        policy_test(an_unknown_key_is_refused_with_the_nearest_one),
        policy_test(a_key_in_the_wrong_group_is_unknown),
        policy_test(a_typo_in_a_unit_is_refused_and_changes_nothing),
        policy_test(a_negative_limit_is_refused),
        policy_test(a_limit_past_its_bounds_is_refused_with_the_bounds),
        policy_test(every_number_takes_its_bounds_and_nothing_past_them),
        policy_test(switches_take_true_and_false_alone),
        policy_test(only_the_network_none_exists),
        policy_test(variables_need_a_name_and_a_value),
        policy_test(a_later_value_of_a_variable_replaces_the_earlier),
        policy_test(host_paths_must_be_absolute_and_plain),
        policy_test(an_env_file_may_be_a_descriptor),
        policy_test(a_list_ends_at_its_maximum),
        policy_test(a_value_ends_at_its_maximum),
        policy_test(levels_are_written_one_way),
        policy_test(l7_is_unavailable_not_misspelt),
        policy_test(a_profile_a_layer_and_strict_have_known_words),
        policy_test(without_an_origin_the_key_is_named),
        policy_test(a_long_origin_leaves_room_for_the_cause),
        cmocka_unit_test(freeing_nothing_is_fine),
    };
    return cmocka_run_group_tests_name("policy/policy", tests, NULL, NULL);
}
