/*
 * Claims about policyreader/show.h.
 */
/* cmocka.h needs the three before it. */
/* clang-format off */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
/* clang-format on */

#include "policyreader/show.h"

#include <stdlib.h>
#include <string.h>

#include "policyreader/reader.h"

static char *shown(const struct policy *policy)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);

    assert_non_null(out);
    assert_int_equal(policy_validate(policy, NULL), 0);
    assert_int_equal(show_policy(policy, out), 0);
    assert_int_equal(fclose(out), 0);
    return text;
}

static struct policy *read_back(const char *text)
{
    struct berm_error err = {0};
    struct policy *policy = policy_new();

    assert_non_null(policy);
    if (reader_read(text, strlen(text), "shown", policy, NULL, &err) != 0 ||
        policy_validate(policy, &err) != 0)
        fail_msg("what was shown was refused: %s", err.message);
    return policy;
}

static void set(struct policy *policy, const char *key, const char *value)
{
    struct berm_error err = {0};
    if (policy_set(policy, key, value, NULL, &err) != 0)
        fail_msg("%s", err.message);
}

static void assert_same(const struct policy *a, const struct policy *b)
{
    assert_int_equal(policy_tightens(a, b, NULL), 0);
    assert_int_equal(policy_tightens(b, a, NULL), 0);
    assert_int_equal(a->profile, b->profile);
}

static void what_is_shown_reads_back_as_the_same_policy_at_every_level(void **state)
{
    (void)state;
    for (unsigned level = L0; level < LEVEL_COUNT; level++) {
        struct policy *policy = policy_new();
        assert_non_null(policy);
        set(policy, "level", policy_level_name((enum policy_level)level));
        set(policy, "limits", level % 2 ? "lesson" : "standard");
        char *text = shown(policy);
        struct policy *again = read_back(text);
        assert_same(policy, again);
        char *text_again = shown(again);
        assert_string_equal(text, text_again);
        free(text_again);
        free(text);
        policy_free(again);
        policy_free(policy);
    }
}

static void every_explicit_value_is_shown(void **state)
{
    (void)state;
    struct policy *policy = policy_new();
    assert_non_null(policy);
    set(policy, "wall", "1.234567s");
    set(policy, "cpus", "2.25");
    set(policy, "output_total", "3MiB");
    set(policy, "processes", "77");
    set(policy, "env", "A=\"q\"\n\x01");
    set(policy, "cwd", "/work/x");
    set(policy, "ro", "/a\\:b:/c");
    set(policy, "hide", "/secret");
    set(policy, "loopback", "true");
    set(policy, "strict", "true");
    set(policy, "prefer", "network");
    set(policy, "off", "syscalls");

    char *text = shown(policy);
    struct policy *again = read_back(text);
    assert_same(policy, again);
    assert_int_equal(again->wall, 1234567000ULL);
    assert_int_equal(again->cpus, 2250);
    assert_string_equal(again->env.items[0], "A=\"q\"\n\x01");
    assert_string_equal(again->ro.items[0], "/a\\:b:/c");
    assert_string_equal(again->cwd, "/work/x");
    assert_int_equal(again->modes[BERM_LAYER_SYSCALLS], MODE_OFF);
    assert_int_equal(again->modes[BERM_LAYER_NETWORK], MODE_PREFER);
    free(text);
    policy_free(again);
    policy_free(policy);
}

static void what_is_not_in_force_is_not_shown(void **state)
{
    (void)state;
    struct policy *policy = policy_new();
    assert_non_null(policy);
    set(policy, "level", "L4");
    set(policy, "off", "env");

    char *text = shown(policy);
    assert_null(strstr(text, "tmp_size"));
    assert_null(strstr(text, "\"cwd\""));
    assert_null(strstr(text, "output_total"));
    assert_null(strstr(text, "syscalls"));
    assert_non_null(strstr(text, "\"env\": \"off\""));
    assert_non_null(strstr(text, "\"memory\": \"512MiB\""));
    free(text);
    policy_free(policy);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_shown_reads_back_as_the_same_policy_at_every_level),
        cmocka_unit_test(every_explicit_value_is_shown),
        cmocka_unit_test(what_is_not_in_force_is_not_shown),
    };
    return cmocka_run_group_tests_name("policyreader/show", tests, NULL, NULL);
}
