/*
 * Claims about base/error.h.
 */
/* cmocka.h needs the three before it. */
/* clang-format off */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
/* clang-format on */

#include "base/error.h"

#include <errno.h>
#include <string.h>

static void an_error_carries_all_that_was_said(void **state)
{
    (void)state;
    struct berm_error err;
    memset(&err, 0xff, sizeof(err));

    int ret = error_set(&err, BERM_E_UNAVAILABLE, BERM_LAYER_NETWORK, EPERM, "do this",
                        "cannot make %s number %d", "thing", 7);

    assert_int_equal(ret, -EPERM);
    assert_int_equal(err.code, BERM_E_UNAVAILABLE);
    assert_int_equal(err.layer, BERM_LAYER_NETWORK);
    assert_int_equal(err.system_errno, EPERM);
    assert_string_equal(err.message, "cannot make thing number 7");
    assert_string_equal(err.cure, "do this");
    assert_string_equal(err.step, "");
}

static void without_an_errno_the_answer_is_einval(void **state)
{
    (void)state;
    struct berm_error err;
    assert_int_equal(error_set(&err, BERM_E_INVALID, BERM_LAYER_NONE, 0, NULL, "x"), -EINVAL);
    assert_int_equal(err.system_errno, 0);
    assert_string_equal(err.cure, "");
}

static void without_a_record_only_the_number_speaks(void **state)
{
    (void)state;
    assert_int_equal(error_set(NULL, BERM_E_SYSTEM, BERM_LAYER_NONE, ENOMEM, NULL, "x"), -ENOMEM);
    error_at_step(NULL, "clone");
}

static void texts_that_are_too_long_are_cut_and_ended(void **state)
{
    (void)state;
    struct berm_error err;
    char text[2048];
    memset(text, 'x', sizeof(text) - 1);
    text[sizeof(text) - 1] = '\0';

    (void)error_set(&err, BERM_E_INVALID, BERM_LAYER_NONE, 0, text, "%s", text);
    error_at_step(&err, text);

    assert_int_equal(strlen(err.message), BERM_MESSAGE_SIZE - 1);
    assert_int_equal(strlen(err.cure), BERM_CURE_SIZE - 1);
    assert_int_equal(strlen(err.step), BERM_STEP_SIZE - 1);
}

static void every_enumerator_has_a_name_of_its_own(void **state)
{
    (void)state;
    for (unsigned i = 0; i < BERM_LAYER_COUNT; i++)
        for (unsigned j = 0; j < i; j++)
            assert_string_not_equal(layer_name((enum berm_layer)i), layer_name((enum berm_layer)j));
    for (unsigned i = 0; i < BERM_VERDICT_COUNT; i++)
        for (unsigned j = 0; j < i; j++)
            assert_string_not_equal(verdict_name((enum berm_verdict)i),
                                    verdict_name((enum berm_verdict)j));
    for (unsigned i = 0; i < BERM_E_COUNT; i++)
        for (unsigned j = 0; j < i; j++)
            assert_string_not_equal(error_code_name((enum berm_error_code)i),
                                    error_code_name((enum berm_error_code)j));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_error_carries_all_that_was_said),
        cmocka_unit_test(without_an_errno_the_answer_is_einval),
        cmocka_unit_test(without_a_record_only_the_number_speaks),
        cmocka_unit_test(texts_that_are_too_long_are_cut_and_ended),
        cmocka_unit_test(every_enumerator_has_a_name_of_its_own),
    };
    return cmocka_run_group_tests_name("base/error", tests, NULL, NULL);
}
