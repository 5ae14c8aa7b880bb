/*
 * Claims about cli/terminal.h.
 */
/* cmocka.h needs the three before it. */
/* clang-format off */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
/* clang-format on */

#include "cli/terminal.h"

#include <stdlib.h>
#include <string.h>

/* Everything that comes out for a text, given in pieces of one size. NUL-terminated; owned. */
static char *shown(const char *in, size_t size, size_t piece)
{
    size_t room = TERMINAL_GROWTH * size + 2 * TERMINAL_HELD_MAX + 1;
    char *out = calloc(1, room);
    struct terminal terminal;
    size_t used = 0;

    assert_non_null(out);
    terminal_init(&terminal);
    for (size_t at = 0; at < size; at += piece) {
        size_t part = piece < size - at ? piece : size - at;
        size_t allowed = TERMINAL_GROWTH * part + TERMINAL_HELD_MAX;
        size_t got = terminal_transform(&terminal, in + at, part, out + used, allowed);
        assert_true(got <= allowed);
        used += got;
    }
    used += terminal_end(&terminal, out + used, TERMINAL_HELD_MAX);
    assert_true(used < room);
    return out;
}

/* The same, whatever the pieces in which the bytes arrive. */
static void assert_shown(const char *in, size_t size, const char *expected)
{
    for (size_t piece = 1; piece <= size + 1; piece++) {
        char *out = shown(in, size, piece);
        assert_string_equal(out, expected);
        free(out);
    }
}

#define SHOWS(in, expected) assert_shown(in, sizeof(in) - 1, expected)

static void visible_text_passes_unchanged(void **state)
{
    (void)state;
    SHOWS("plain text, 100 % ~\n\tand a tab\n", "plain text, 100 % ~\n\tand a tab\n");
    SHOWS("\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80\n", "\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80\n");
    SHOWS("", "");
}

static void escape_sequences_become_visible(void **state)
{
    (void)state;
    SHOWS("\x1b[2J\x1b]0;title\x07", "^[[2J^[]0;title^G");
    SHOWS("\x1b]52;c;YQ==\x1b\\", "^[]52;c;YQ==^[\\");
    SHOWS("a\bb\x7f\x0e\x0f\v\f", "a^Hb^?^N^O^K^L");
    SHOWS("\0\x1f", "^@^_");
}

static void c1_controls_become_visible_in_both_of_their_forms(void **state)
{
    (void)state;
    SHOWS("\xc2\x9b"
          "2J",
          "\\u{9b}2J"); /* CSI as a character of UTF-8 */
    SHOWS("\x9b"
          "2J",
          "\\x9b"
          "2J"); /* CSI as a byte */
    SHOWS("\xc2\x80\xc2\x9f\xc2\xa0", "\\u{80}\\u{9f}\xc2\xa0");
}

static void direction_marks_and_separators_become_visible(void **state)
{
    (void)state;
    SHOWS("\xe2\x80\xae"
          "x\xe2\x80\xac",
          "\\u{202e}x\\u{202c}");
    SHOWS("\xe2\x81\xa6\xe2\x81\xa9", "\\u{2066}\\u{2069}");
    SHOWS("\xe2\x80\x8e\xe2\x80\x8f\xd8\x9c", "\\u{200e}\\u{200f}\\u{61c}");
    SHOWS("\xe2\x80\xa8\xe2\x80\xa9", "\\u{2028}\\u{2029}");
}

static void a_carriage_return_is_kept_only_directly_before_a_newline(void **state)
{
    (void)state;
    SHOWS("dos\r\nline\r\n", "dos\r\nline\r\n");
    SHOWS("secret\rpublic\n", "secret^Mpublic\n");
    SHOWS("\r\r\n", "^M\r\n");
    SHOWS("end\r", "end^M");
    SHOWS("\r\x1b", "^M^[");
    SHOWS("\r\xc3\xa9", "^M\xc3\xa9");
}

static void invalid_bytes_become_visible_one_by_one(void **state)
{
    (void)state;
    SHOWS("\xff\xfe", "\\xff\\xfe");
    SHOWS("\xe2\x82z", "\\xe2\\x82z");
    SHOWS("\xed\xa0\x80", "\\xed\\xa0\\x80");
    SHOWS("\xf0\x9f\x98", "\\xf0\\x9f\\x98");
    SHOWS("\xf0\x9f\x98\x1b[", "\\xf0\\x9f\\x98^[[");
    SHOWS("\xc0\x9b", "\\xc0\\x9b");
    SHOWS("\xe2\x82\xe2\x82\xac", "\\xe2\\x82\xe2\x82\xac");
}

static bool is_harmless(const char *text)
{
    for (const char *at = text; *at; at++) {
        unsigned char byte = (unsigned char)*at;
        bool is_line_end = byte == '\r' && at[1] == '\n';
        if ((byte < 0x20 && byte != '\n' && byte != '\t' && !is_line_end) || byte == 0x7f)
            return false;
        if (byte == 0xc2 && (unsigned char)at[1] < 0xa0)
            return false;
    }
    return text_is_valid(text, strlen(text));
}

static void random_bytes_never_steer_and_do_not_depend_on_their_pieces(void **state)
{
    (void)state;
    static const unsigned char often[] = {0x1b, 0x9b, 0xc2, 0xe2, 0x80,
                                          0xae, '\r', '\n', 0xf0, 'a'};
    unsigned seed = 3;
    for (int round = 0; round < 5000; round++) {
        char in[60];
        for (size_t i = 0; i < sizeof(in); i++) {
            seed = seed * 1664525u + 1013904223u;
            in[i] = (char)(seed >> 31 ? often[(seed >> 24) % sizeof(often)] : seed >> 22);
        }
        char *whole = shown(in, sizeof(in), sizeof(in));
        char *single = shown(in, sizeof(in), 1);
        char *some = shown(in, sizeof(in), 1 + (size_t)round % 7);
        assert_true(is_harmless(whole));
        assert_string_equal(single, whole);
        assert_string_equal(some, whole);
        free(whole);
        free(single);
        free(some);
    }
}

static void too_little_room_loses_whole_pieces_and_never_overruns(void **state)
{
    (void)state;
    for (size_t room = 0; room <= 8; room++) {
        char out[16];
        struct terminal terminal;
        memset(out, '#', sizeof(out));
        terminal_init(&terminal);
        size_t used = terminal_transform(&terminal, "\xff\xff", 2, out, room);
        assert_int_equal(used, room / 4 * 4);
        assert_int_equal(out[room], '#');
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(visible_text_passes_unchanged),
        cmocka_unit_test(escape_sequences_become_visible),
        cmocka_unit_test(c1_controls_become_visible_in_both_of_their_forms),
        cmocka_unit_test(direction_marks_and_separators_become_visible),
        cmocka_unit_test(a_carriage_return_is_kept_only_directly_before_a_newline),
        cmocka_unit_test(invalid_bytes_become_visible_one_by_one),
        cmocka_unit_test(random_bytes_never_steer_and_do_not_depend_on_their_pieces),
        cmocka_unit_test(too_little_room_loses_whole_pieces_and_never_overruns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
