/*
 * Claims about session/names.h.
 */
/* cmocka.h needs the three before it. */
/* clang-format off */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
/* clang-format on */

#include "session/names.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

static void assert_shown(const char *path, const char *expected)
{
    static char shown[NAME_SHOWN_SIZE];
    static char back[NAME_PATH_SIZE];

    assert_int_equal(name_show(path, shown, sizeof(shown)), 0);
    assert_string_equal(shown, expected);
    assert_int_equal(name_read(shown, back, sizeof(back)), 0);
    assert_string_equal(back, path);
}

static void what_is_plain_stays(void **state)
{
    (void)state;
    assert_shown("", "");
    assert_shown("a/b c.txt", "a/b c.txt");
    assert_shown("gr\xc3\xb6\xc3\x9f"
                 "e",
                 "gr\xc3\xb6\xc3\x9f"
                 "e");
    assert_shown("100%", "100%");
    assert_shown("a-b", "a-b");
}

static void what_steers_or_misleads_is_escaped(void **state)
{
    (void)state;
    assert_shown("\x1b[2J", "%1B[2J");
    assert_shown("a\nb\x7f", "a%0Ab%7F");
    assert_shown("\xff\xfe"
                 "41",
                 "%FF%FE41");
    assert_shown("\xe2\x80\xae", "%E2%80%AE");
    assert_shown("\xc2\x9b", "%C2%9B");
    assert_shown("-rf/-x", "%2Drf/%2Dx");
    assert_shown("%41", "%2541");
    assert_shown("%2f", "%252f");
    assert_shown("%\x01", "%%01");
    assert_shown("\xe2\x82", "%E2%82");
}

/* Every path of a few bytes that matter: shown valid, without controls, and back to itself. */
static void any_bytes_come_back(void **state)
{
    static const char bytes[] = "%-/Af2\n\x7f\xc2\x80\xe2\xae\xff.";
    static char shown[NAME_SHOWN_SIZE];
    static char back[NAME_PATH_SIZE];
    char path[9];

    (void)state;
    srand(1);
    for (int round = 0; round < 200000; round++) {
        size_t size = (size_t)rand() % sizeof(path);
        for (size_t i = 0; i < size; i++)
            path[i] = bytes[(size_t)rand() % (sizeof(bytes) - 1)];
        path[size] = '\0';
        assert_int_equal(name_show(path, shown, sizeof(shown)), 0);
        assert_true(text_is_valid(shown, strlen(shown)));
        assert_null(strpbrk(shown, "\n\x7f"));
        assert_true(shown[0] != '-');
        assert_null(strstr(shown, "/-"));
        assert_int_equal(name_read(shown, back, sizeof(back)), 0);
        assert_string_equal(back, path);
    }
}

static void sizes_are_kept(void **state)
{
    char small[4];

    (void)state;
    assert_int_equal(name_show("abc", small, sizeof(small)), 0);
    assert_int_equal(name_show("abcd", small, sizeof(small)), -ENAMETOOLONG);
    assert_int_equal(name_show("\n", small, sizeof(small)), 0);
    assert_int_equal(name_show("a\n", small, sizeof(small)), -ENAMETOOLONG);
    assert_int_equal(name_read("abcd", small, sizeof(small)), -ENAMETOOLONG);
    assert_int_equal(name_read("%61bc", small, sizeof(small)), 0);
}

static void the_end_and_the_slash_are_not_read(void **state)
{
    char back[16];

    (void)state;
    assert_int_equal(name_read("a%00", back, sizeof(back)), -EINVAL);
    assert_int_equal(name_read("a%2Fb", back, sizeof(back)), -EINVAL);
    assert_int_equal(name_read("a%2fb", back, sizeof(back)), -EINVAL);
}

static void only_paths_below_are_inside(void **state)
{
    static const char *const outside[] = {"",   "/",    "/etc", "a//b",  "a/",  ".",
                                          "..", "../x", "a/..", "a/./b", "./a", "a/../b"};
    static const char *const inside[] = {"a", "a/b", "...", ".a", "..a", "a/...", "-x", "a\nb"};
    struct berm_error err = {0};
    char longest[258] = "";

    (void)state;
    for (size_t i = 0; i < sizeof(outside) / sizeof(*outside); i++) {
        assert_false(name_is_inside(outside[i], "--put", &err));
        assert_int_equal(err.code, BERM_E_INVALID);
        assert_non_null(strstr(err.message, "--put"));
        assert_true(err.cure[0] != '\0');
    }
    for (size_t i = 0; i < sizeof(inside) / sizeof(*inside); i++)
        assert_true(name_is_inside(inside[i], "--put", NULL));
    memset(longest, 'x', 255);
    assert_true(name_is_inside(longest, "--put", NULL));
    longest[255] = 'x';
    assert_false(name_is_inside(longest, "--put", NULL));
}

static void wildcards_are_seen_and_match(void **state)
{
    (void)state;
    assert_true(name_is_glob("*.txt"));
    assert_true(name_is_glob("a?"));
    assert_true(name_is_glob("[ab]"));
    assert_false(name_is_glob("a\\*"));
    assert_false(name_is_glob("plain"));
    assert_true(name_is_glob("\\\\*"));
    assert_true(name_matches("*.txt", "a.txt"));
    assert_false(name_matches("*.txt", "d/a.txt"));
    assert_true(name_matches("d/*", "d/a"));
    assert_false(name_matches("*", ".hidden"));
    assert_true(name_matches("a\\*", "a*"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_plain_stays),
        cmocka_unit_test(what_steers_or_misleads_is_escaped),
        cmocka_unit_test(any_bytes_come_back),
        cmocka_unit_test(sizes_are_kept),
        cmocka_unit_test(the_end_and_the_slash_are_not_read),
        cmocka_unit_test(only_paths_below_are_inside),
        cmocka_unit_test(wildcards_are_seen_and_match),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
