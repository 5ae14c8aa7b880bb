/*
 * Claims about base/quote.h.
 */
/* cmocka.h needs the three before it. */
/* clang-format off */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
/* clang-format on */

#include "base/quote.h"

#include <stdbool.h>
#include <string.h>

static void assert_quoted(const char *text, const char *expected)
{
    struct quoted quoted;
    assert_string_equal(quote_text(&quoted, text), expected);
}

static void a_plain_text_stands_between_quotes(void **state)
{
    (void)state;
    assert_quoted("", "\"\"");
    assert_quoted("512 mb", "\"512 mb\"");
    assert_quoted("/tmp/gr\xc3\xb6\xc3\x9f"
                  "e",
                  "\"/tmp/gr\xc3\xb6\xc3\x9f"
                  "e\"");
}

static void no_control_character_reaches_the_terminal(void **state)
{
    (void)state;
    struct quoted quoted;

    assert_quoted("\x1b[2J", "\"\\x1b[2J\"");
    assert_quoted("a\nb\x7f", "\"a\\x0ab\\x7f\"");
    /* U+009B is CSI to several terminals. */
    assert_quoted("\xc2\x9b"
                  "2J",
                  "\"\\xc22J\"");
    for (int c = 1; c < 256; c++) {
        const char text[] = {(char)c, (char)c, '\0'};
        for (const char *at = quote_text(&quoted, text); *at; at++)
            assert_true((unsigned char)*at >= 0x20 && *at != 0x7f);
    }
}

static void a_long_text_is_cut_inside_its_room(void **state)
{
    (void)state;
    for (size_t size = 0; size < 300; size++) {
        struct quoted quoted;
        char text[301];
        memset(text, 'x', size);
        text[size] = '\0';

        const char *shown = quote_text(&quoted, text);
        bool is_whole = size <= QUOTED_SIZE / 2;

        assert_true(strlen(shown) < QUOTED_SIZE);
        assert_int_equal(shown[strlen(shown) - 1], '"');
        if (is_whole)
            assert_int_equal(strlen(shown), size + 2);
        if (size >= QUOTED_SIZE)
            assert_non_null(strstr(shown, "...\""));
    }
}

static void a_cut_never_leaves_half_a_character(void **state)
{
    (void)state;
    for (size_t shift = 0; shift < 4; shift++) {
        struct quoted quoted;
        char text[400] = "xxxx";
        text[shift] = '\0';
        for (size_t i = 0; i < 90; i++)
            strcat(text, "\xe2\x82\xac"); /* three bytes each */

        const char *shown = quote_text(&quoted, text);
        size_t rest = strlen(shown) - 1 - shift - strlen("...\"");
        assert_int_equal(rest % 3, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_plain_text_stands_between_quotes),
        cmocka_unit_test(no_control_character_reaches_the_terminal),
        cmocka_unit_test(a_long_text_is_cut_inside_its_room),
        cmocka_unit_test(a_cut_never_leaves_half_a_character),
    };
    return cmocka_run_group_tests_name("base/quote", tests, NULL, NULL);
}
