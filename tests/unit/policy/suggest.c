/*
 * Claims about policy/suggest.h.
 */
#include "policy/suggest.h"

#include "fixture.h"

static void assert_suggests(const char *wanted, const char *best)
{
    struct suggestion near = suggest_for(wanted);

    suggest_offer_keys(&near);
    if (!best)
        assert_null(near.best);
    else if (!near.best || strcmp(near.best, best) != 0)
        fail_msg("for %s: %s", wanted, near.best ? near.best : "nothing");
}

static void one_slip_is_seen_through(void **state)
{
    (void)state;
    assert_suggests("memroy", "memory");    /* swapped */
    assert_suggests("memor", "memory");     /* left out */
    assert_suggests("memorry", "memory");   /* inserted */
    assert_suggests("menory", "memory");    /* changed */
    assert_suggests("cpu-tim", "cpu_time"); /* dashes are no slip */
    assert_suggests("requier", "require");
}

static void two_slips_are_seen_through_and_three_are_not(void **state)
{
    (void)state;
    assert_suggests("prcesse", "processes");
    assert_suggests("mmeroy", "memory"); /* a swap is one slip */
    assert_suggests("prcese", NULL);
}

static void the_nearest_word_wins(void **state)
{
    (void)state;
    assert_suggests("tmp_siz", "tmp_size");
    assert_suggests("work_siz", "work_size");
}

static void short_words_are_not_guessed(void **state)
{
    (void)state;
    assert_suggests("xy", NULL);
    assert_suggests("x", NULL);
    assert_suggests("", NULL);
}

static void long_words_are_not_measured(void **state)
{
    (void)state;
    char word[5000];
    memset(word, 'm', sizeof(word) - 1);
    word[sizeof(word) - 1] = '\0';
    assert_suggests(word, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_slip_is_seen_through),
        cmocka_unit_test(two_slips_are_seen_through_and_three_are_not),
        cmocka_unit_test(the_nearest_word_wins),
        cmocka_unit_test(short_words_are_not_guessed),
        cmocka_unit_test(long_words_are_not_measured),
    };
    return cmocka_run_group_tests_name("policy/suggest", tests, NULL, NULL);
}
