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
#include <limits.h>
#include <string.h>

static void an_error_keeps_every_part_and_returns_the_negative_number(void **state)
{
    (void)state;
    struct berm_error err = {.step = "from before"};
    int ret = error_set(&err, BERM_E_UNAVAILABLE, BERM_LAYER_NETWORK, EPERM, "do this",
                        "cannot do %d of %s", 3, "them");

    assert_int_equal(ret, -EPERM);
    assert_int_equal(err.code, BERM_E_UNAVAILABLE);
    assert_int_equal(err.layer, BERM_LAYER_NETWORK);
    assert_int_equal(err.system_errno, EPERM);
    assert_string_equal(err.message, "cannot do 3 of them");
    assert_string_equal(err.cure, "do this");
    assert_string_equal(err.step, "");
}

static void without_a_number_the_return_value_is_still_a_failure(void **state)
{
    (void)state;
    struct berm_error err;
    assert_int_equal(error_set(&err, BERM_E_INVALID, BERM_LAYER_NONE, 0, NULL, "x"), -EINVAL);
    assert_int_equal(err.system_errno, 0);
    assert_string_equal(err.cure, "");
}

static void without_a_record_the_return_value_speaks(void **state)
{
    (void)state;
    assert_int_equal(error_set(NULL, BERM_E_SYSTEM, BERM_LAYER_NONE, ENOMEM, "a", "b"), -ENOMEM);
    error_at_step(NULL, "exec"); /* does nothing, and does not crash */
}

static void long_texts_are_cut_and_ended(void **state)
{
    (void)state;
    char text[2000];
    struct berm_error err;
    memset(text, 'x', sizeof(text) - 1);
    text[sizeof(text) - 1] = '\0';
    (void)error_set(&err, BERM_E_SYSTEM, BERM_LAYER_ENV, EIO, text, "%s", text);
    error_at_step(&err, text);

    assert_int_equal(strlen(err.message), BERM_MESSAGE_SIZE - 1);
    assert_int_equal(strlen(err.cure), BERM_CURE_SIZE - 1);
    assert_int_equal(strlen(err.step), BERM_STEP_SIZE - 1);
}

static void a_record_fits_one_atomic_pipe_write(void **state)
{
    (void)state;
    assert_true(sizeof(struct berm_error) <= PIPE_BUF); /* pipe(7) */
}

static void every_enum_value_has_a_word_of_its_own(void **state)
{
    (void)state;
    for (int i = 0; i < BERM_E_COUNT; i++) {
        assert_string_not_equal(error_code_name((enum berm_error_code)i), "unknown");
        for (int j = 0; j < i; j++)
            assert_string_not_equal(error_code_name((enum berm_error_code)i),
                                    error_code_name((enum berm_error_code)j));
    }
    for (int i = 0; i < BERM_LAYER_COUNT; i++)
        assert_string_not_equal(layer_name((enum berm_layer)i), "unknown");
    for (int i = 0; i < BERM_VERDICT_COUNT; i++)
        assert_string_not_equal(verdict_name((enum berm_verdict)i), "unknown");
    assert_string_equal(error_code_name(BERM_E_COUNT), "unknown");
    assert_string_equal(layer_name(BERM_LAYER_COUNT), "unknown");
    assert_string_equal(verdict_name(BERM_VERDICT_COUNT), "unknown");
}

static void the_words_are_those_of_the_public_documents(void **state)
{
    (void)state;
    assert_string_equal(error_code_name(BERM_E_NOT_FOUND), "not_found");
    assert_string_equal(layer_name(BERM_LAYER_SYSCALLS), "syscalls");
    assert_string_equal(verdict_name(BERM_VERDICT_WALL_TIMEOUT), "wall_timeout");
    assert_string_equal(verdict_name(BERM_VERDICT_CANCELLED), "cancelled");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_error_keeps_every_part_and_returns_the_negative_number),
        cmocka_unit_test(without_a_number_the_return_value_is_still_a_failure),
        cmocka_unit_test(without_a_record_the_return_value_speaks),
        cmocka_unit_test(long_texts_are_cut_and_ended),
        cmocka_unit_test(a_record_fits_one_atomic_pipe_write),
        cmocka_unit_test(every_enum_value_has_a_word_of_its_own),
        cmocka_unit_test(the_words_are_those_of_the_public_documents),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
