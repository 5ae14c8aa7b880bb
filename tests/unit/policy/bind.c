/*
 * Claims about policy_split_bind.
 */
#include "fixture.h"

#define SIZE 64

static void assert_split(const char *item, const char *path, const char *at)
{
    char got_path[SIZE];
    char got_at[SIZE];
    struct berm_error err = {0};

    if (policy_split_bind(item, got_path, SIZE, got_at, SIZE, &err) != 0)
        fail_msg("%s was refused: %s", item, err.message);
    assert_string_equal(got_path, path);
    assert_string_equal(got_at, at);
}

static void assert_no_split(const char *item, const char *part)
{
    char path[SIZE];
    char at[SIZE];
    struct berm_error err = {0};

    if (policy_split_bind(item, path, SIZE, at, SIZE, &err) != -EINVAL)
        fail_msg("%s was split into %s and %s", item, path, at);
    assert_int_equal(err.code, BERM_E_INVALID);
    assert_says(&err, part);
}

static void a_path_alone_stands_at_itself(void **state)
{
    (void)state;
    assert_split("/data", "/data", "/data");
}

static void two_halves_are_split_at_the_colon(void **state)
{
    (void)state;
    assert_split("/a/b:/c", "/a/b", "/c");
    assert_split("/:/host", "/", "/host");
}

static void an_escaped_colon_belongs_to_the_path(void **state)
{
    (void)state;
    assert_split("/a\\:b", "/a:b", "/a:b");
    assert_split("/a\\:b:/c\\:d", "/a:b", "/c:d");
    assert_split("/a\\b", "/a\\b", "/a\\b");
    assert_split("/a\\", "/a\\", "/a\\");
    assert_split("/a\\\\:b", "/a\\:b", "/a\\:b");
}

static void paths_come_out_in_their_one_form(void **state)
{
    (void)state;
    assert_split("//a///b/./c/:/x//y/.", "/a/b/c", "/x/y");
    assert_split("/.a/..b/c..", "/.a/..b/c..", "/.a/..b/c..");
}

static void nothing_leaves_the_root_by_dots(void **state)
{
    (void)state;
    assert_no_split("/a/..", "has .. in it");
    assert_no_split("/a:/b/../../etc", "has .. in it");
    assert_no_split("/..:/b", "has .. in it");
    assert_no_split("/a:/..", "has .. in it");
}

static void the_root_inside_cannot_be_covered(void **state)
{
    (void)state;
    assert_no_split("/", "would stand at / inside");
    assert_no_split("/a:/", "would stand at / inside");
    assert_no_split("/a:/./", "would stand at / inside");
}

static void both_halves_are_absolute_and_there_are_two_at_most(void **state)
{
    (void)state;
    assert_no_split("", "not absolute");
    assert_no_split("a", "not absolute");
    assert_no_split("a:/b", "not absolute");
    assert_no_split("/a:b", "not absolute");
    assert_no_split("/a:", "not absolute");
    assert_no_split(":/b", "not absolute");
    assert_no_split("/a:/b:/c", "more than one colon");
    assert_no_split("/a:/b:", "more than one colon");
}

static void a_path_fills_its_room_and_no_more(void **state)
{
    (void)state;
    char item[SIZE + 1];
    memset(item, 'x', sizeof(item));
    item[0] = '/';
    item[SIZE - 1] = '\0';
    assert_split(item, item, item);
    item[SIZE - 1] = 'x';
    item[SIZE] = '\0';
    assert_no_split(item, "longer than a path can be");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_path_alone_stands_at_itself),
        cmocka_unit_test(two_halves_are_split_at_the_colon),
        cmocka_unit_test(an_escaped_colon_belongs_to_the_path),
        cmocka_unit_test(paths_come_out_in_their_one_form),
        cmocka_unit_test(nothing_leaves_the_root_by_dots),
        cmocka_unit_test(the_root_inside_cannot_be_covered),
        cmocka_unit_test(both_halves_are_absolute_and_there_are_two_at_most),
        cmocka_unit_test(a_path_fills_its_room_and_no_more),
    };
    return cmocka_run_group_tests_name("policy/bind", tests, NULL, NULL);
}
