/*
 * What the claims about the policy have in common: a policy for each test, and two assertions.
 */
#ifndef BERM_TESTS_UNIT_POLICY_FIXTURE_H
#define BERM_TESTS_UNIT_POLICY_FIXTURE_H

/* cmocka.h needs the three before it. */
/* clang-format off */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
/* clang-format on */

#include <errno.h>
#include <string.h>

#include "policy/policy.h"

static inline int give_policy(void **state)
{
    *state = policy_new();
    return *state ? 0 : -1;
}

static inline int take_policy(void **state)
{
    policy_free(*state);
    return 0;
}

#define policy_test(function) cmocka_unit_test_setup_teardown(function, give_policy, take_policy)

static inline void assert_says(const struct berm_error *err, const char *part)
{
    if (!strstr(err->message, part) && !strstr(err->cure, part))
        fail_msg("neither \"%s\" nor the cure \"%s\" says \"%s\"", err->message, err->cure, part);
}

/* Set as the command line would: the origin is the flag. */
static inline void assert_set(struct policy *policy, const char *key, const char *value)
{
    struct berm_error err = {0};
    char origin[64] = "--";

    strncat(origin, key, sizeof(origin) - 3);
    if (policy_set(policy, key, value, origin, &err) != 0)
        fail_msg("%s=%s was refused: %s", key, value, err.message);
}

static inline void assert_not_set(struct policy *policy, const char *key, const char *value,
                                  const char *part)
{
    struct berm_error err = {0};
    char origin[64] = "--";

    strncat(origin, key, sizeof(origin) - 3);
    assert_int_equal(policy_set(policy, key, value, origin, &err), -EINVAL);
    assert_true(err.code == BERM_E_INVALID || err.code == BERM_E_UNAVAILABLE);
    if (strncmp(err.message, origin, strlen(origin)) != 0)
        fail_msg("the error does not begin with its origin %s: %s", origin, err.message);
    assert_says(&err, part);
}

#endif
