/*
 * Claims about base/text.h: what a character is.
 */
/* cmocka.h needs the three before it. */
/* clang-format off */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
/* clang-format on */

#include "base/text.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/signals.h"

/* Encode without checking: also what UTF-8 forbids. */
static size_t encode(uint32_t code, size_t size, char *bytes)
{
    static const unsigned char marks[] = {0, 0x00, 0xc0, 0xe0, 0xf0};
    for (size_t i = size; i-- > 1; code >>= 6)
        bytes[i] = (char)(0x80 | (code & 0x3f));
    bytes[0] = (char)(marks[size] | code);
    return size;
}

static size_t shortest(uint32_t code)
{
    return code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
}

static void every_code_point_is_one_character_in_its_shortest_form_only(void **state)
{
    (void)state;
    for (uint32_t code = 0; code <= 0x1fffff; code++) {
        bool is_scalar = code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff);
        for (size_t size = shortest(code); size <= 4; size++) {
            char bytes[4];
            (void)encode(code, size, bytes);
            int got = text_char_size(bytes, size);
            int expected = is_scalar && size == shortest(code) ? (int)size : 0;
            if (got != expected)
                fail_msg("U+%04X in %zu bytes: got %d", code, size, got);
            if (got > 0)
                assert_int_equal(text_char_code(bytes, got), code);
        }
    }
}

static void a_beginning_is_incomplete_and_nothing_else_is(void **state)
{
    (void)state;
    assert_int_equal(text_char_size("\xc3", 1), TEXT_INCOMPLETE);
    assert_int_equal(text_char_size("\xe2\x82", 2), TEXT_INCOMPLETE);
    assert_int_equal(text_char_size("\xf0\x9f\x98", 3), TEXT_INCOMPLETE);
    assert_int_equal(text_char_size("\xe0\x80", 2), 0); /* can only be overlong */
    assert_int_equal(text_char_size("\xed\xa0", 2), 0); /* can only be a surrogate */
    assert_int_equal(text_char_size("\xf4\x90", 2), 0); /* can only be past U+10FFFF */
    assert_int_equal(text_char_size("\x80", 1), 0);
    assert_int_equal(text_char_size("\xff", 1), 0);
    assert_int_equal(text_char_size("\xe2\x82"
                                    "a",
                                    3),
                     0);
    assert_int_equal(text_char_size("", 1), 1); /* NUL is a character */
}

static void an_ascii_run_ends_at_the_first_high_byte_wherever_it_stands(void **state)
{
    (void)state;
    char bytes[40];
    for (size_t at = 0; at < sizeof(bytes); at++) {
        memset(bytes, 0x7f, sizeof(bytes));
        assert_int_equal(text_ascii_size(bytes, at), at);
        bytes[at] = (char)0x80;
        assert_int_equal(text_ascii_size(bytes, sizeof(bytes)), at);
    }
}

static void validity_is_judged_to_the_last_byte(void **state)
{
    (void)state;
    static const char text[] = "0123456789\xf0\x9f\x98\x80 tail";
    assert_true(text_is_valid("", 0));
    assert_true(text_is_valid("\0", 1));
    assert_true(text_is_valid(text, sizeof(text) - 1));
    assert_false(text_is_valid(text, 11));
    assert_false(text_is_valid(text, 13));
    assert_true(text_is_valid(text, 14));
    assert_false(text_is_valid("0123456789\xff", 11));
}

/* Walk forwards and backwards over every string of four bytes of an alphabet: the same characters. */
static void both_directions_see_the_same_characters(void **state)
{
    (void)state;
    static const unsigned char alphabet[] = {'a', 0x80, 0x9f, 0x82, 0xc3, 0xe2, 0xed, 0xf0, 0xf4};

    enum {
        LETTERS = sizeof(alphabet),
        LENGTH = 5
    };

    unsigned combinations = 1;
    for (int i = 0; i < LENGTH; i++)
        combinations *= LETTERS;

    for (unsigned number = 0; number < combinations; number++) {
        char text[LENGTH];
        size_t starts[LENGTH];
        size_t count = 0;
        for (unsigned i = 0, rest = number; i < LENGTH; i++, rest /= LETTERS)
            text[i] = (char)alphabet[rest % LETTERS];
        for (size_t at = 0; at < LENGTH;) {
            int size = text_char_size(text + at, LENGTH - at);
            starts[count++] = at;
            at += size > 0 ? (size_t)size : 1;
        }
        for (size_t back = 1; back <= count; back++) {
            uint64_t budget = back;
            assert_int_equal(text_walk_back(text, LENGTH, 0, &budget), starts[count - back]);
            assert_int_equal(budget, 0);
        }
        uint64_t budget = LENGTH + 1;
        assert_int_equal(text_walk_back(text, LENGTH, 0, &budget), 0);
        assert_int_equal(budget, LENGTH + 1 - count);
    }
}

static void what_steers_a_display_is_a_control(void **state)
{
    (void)state;
    static const uint32_t controls[] = {0x00,   0x07,   0x1b,   0x1f,   0x7f,   0x80,
                                        0x9b,   0x9f,   0x061c, 0x200e, 0x200f, 0x2028,
                                        0x2029, 0x202a, 0x202e, 0x2066, 0x2069};
    static const uint32_t visible[] = {0x20,   0x7e,   0xa0,   0xff,   0x200d,  0x2027,  0x202f,
                                       0x2065, 0x206a, 0xfffd, 0xfeff, 0x1f600, 0x10ffff};
    for (size_t i = 0; i < sizeof(controls) / sizeof(controls[0]); i++)
        assert_true(text_is_control(controls[i]));
    for (size_t i = 0; i < sizeof(visible) / sizeof(visible[0]); i++)
        assert_false(text_is_control(visible[i]));
}

static void a_signal_has_its_name_and_a_nameless_number_has_none(void **state)
{
    (void)state;
    assert_string_equal(signal_name(9), "SIGKILL");
    assert_string_equal(signal_name(1), "SIGHUP");
    assert_string_equal(signal_name(24), "SIGXCPU");
    assert_string_equal(signal_name(31), "SIGSYS");
    assert_null(signal_name(0));
    assert_null(signal_name(34));
    assert_null(signal_name(-1));
    assert_null(signal_name(1000));
    for (int number = 1; number <= 31; number++)
        assert_non_null(signal_name(number));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_code_point_is_one_character_in_its_shortest_form_only),
        cmocka_unit_test(a_beginning_is_incomplete_and_nothing_else_is),
        cmocka_unit_test(an_ascii_run_ends_at_the_first_high_byte_wherever_it_stands),
        cmocka_unit_test(validity_is_judged_to_the_last_byte),
        cmocka_unit_test(both_directions_see_the_same_characters),
        cmocka_unit_test(what_steers_a_display_is_a_control),
        cmocka_unit_test(a_signal_has_its_name_and_a_nameless_number_has_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
