/*
 * Claims about cli/help.h.
 */
#include "cli/help.h"

#include <errno.h>

#include "cli/options.h"
#include "printed.h"

static void assert_narrow(const char *text)
{
    for (const char *line = text; *line;) {
        size_t size = strcspn(line, "\n");
        if (size > HELP_WIDTH)
            fail_msg("%zu columns: %.*s", size, (int)size, line);
        if (size > 0 && line[size - 1] == ' ')
            fail_msg("a blank at the end: %.*s", (int)size, line);
        line += size + (line[size] ? 1 : 0);
    }
}

static void every_text_fits_eighty_columns(void **state)
{
    static const char *const verbs[] = {"run", "code", "explain"};
    (void)state;

    for (size_t i = 0; i < 3; i++) {
        struct printed printed;
        assert_int_equal(help_verb(verbs[i], printed_open(&printed)), 0);
        assert_narrow(printed_text(&printed));
        assert_has(printed_text(&printed), verbs[i]);
        printed_close(&printed);
    }
    struct printed printed;
    help_overview(printed_open(&printed));
    assert_narrow(printed_text(&printed));
    printed_close(&printed);
}

/* The entry that begins with a flag's name, without its line breaks. */
static void read_entry(const char *text, const char *name, char *ret_entry, size_t size)
{
    char begin[96];
    (void)snprintf(begin, sizeof(begin), "\n  %s", name);
    const char *at = strstr(text, begin);
    if (!at) {
        fail_msg("%s does not begin an entry", name);
        return;
    }
    const char *end = strstr(at + 1, "\n  -");
    const char *group = strstr(at + 1, "\n\n");
    end = !end || (group && group < end) ? group : end;
    assert_non_null(end);

    size_t used = 0;
    for (; at < end && used + 1 < size; at++) {
        bool is_blank = *at == ' ' || *at == '\n';
        if (!is_blank)
            ret_entry[used++] = *at;
        else if (used > 0 && ret_entry[used - 1] != ' ')
            ret_entry[used++] = ' ';
    }
    ret_entry[used] = '\0';
}

static void every_flag_is_there_with_its_text_and_its_level(void **state)
{
    struct printed printed;
    (void)state;

    assert_int_equal(help_verb("code", printed_open(&printed)), 0); /* it takes all of them */
    const char *text = printed_text(&printed);
    for (size_t i = 0; i < FLAG_COUNT; i++) {
        const struct flag *flag = &option_flags[i];
        char name[64];
        char entry[1024];
        (void)snprintf(name, sizeof(name), "%s--%s%s%s", i == FLAG_OPTION_tty ? "-t, " : "",
                       flag->word, *flag->arg ? " " : "", flag->arg);
        read_entry(text, name, entry, sizeof(entry));
        assert_has(entry, flag->help);
        if (flag->kind == FLAG_FIELD) {
            char level[16];
            (void)snprintf(level, sizeof(level), " From %s.",
                           policy_level_name(policy_fields[flag->id].from));
            assert_has(entry, level);
        }
    }
    printed_close(&printed);
}

static void defaults_of_both_profiles_are_told(void **state)
{
    struct printed printed;
    (void)state;

    assert_int_equal(help_verb("run", printed_open(&printed)), 0);
    assert_has(printed_text(&printed), "Default 512MiB, lesson 256MiB. From L1.");
    assert_has(printed_text(&printed), "Default 16384.");
    assert_has(printed_text(&printed), "\n  -t, --tty ");
    assert_has(printed_text(&printed), "\n  -h, --help ");
    printed_close(&printed);
}

static void the_overview_names_every_verb(void **state)
{
    struct printed printed;
    (void)state;

    help_overview(printed_open(&printed));
    for (const struct verb *verb = cli_verbs; verb->name; verb++)
        assert_has(printed_text(&printed), verb->name);
    printed_close(&printed);
}

static void a_language_is_shown_where_a_program_text_is_taken(void **state)
{
    struct printed code;
    struct printed run;
    (void)state;

    assert_int_equal(help_verb("code", printed_open(&code)), 0);
    assert_int_equal(help_verb("run", printed_open(&run)), 0);
    assert_has(printed_text(&code), "--lang LANG");
    assert_null(strstr(printed_text(&run), "--lang"));
    printed_close(&code);
    printed_close(&run);
}

static void a_verb_without_run_options_shows_its_usage_alone(void **state)
{
    struct printed printed;
    (void)state;

    assert_int_equal(help_verb("doctor", printed_open(&printed)), 0);
    assert_has(printed_text(&printed), "Usage: berm doctor [--json]\n");
    assert_narrow(printed_text(&printed));
    assert_null(strstr(printed_text(&printed), "--memory"));
    printed_close(&printed);
}

static void a_verb_that_explains_itself_has_no_help_here(void **state)
{
    struct printed printed;
    (void)state;

    assert_int_equal(help_verb("policy", printed_open(&printed)), -ENOENT);
    assert_string_equal(printed_text(&printed), "");
    printed_close(&printed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_text_fits_eighty_columns),
        cmocka_unit_test(every_flag_is_there_with_its_text_and_its_level),
        cmocka_unit_test(defaults_of_both_profiles_are_told),
        cmocka_unit_test(the_overview_names_every_verb),
        cmocka_unit_test(a_language_is_shown_where_a_program_text_is_taken),
        cmocka_unit_test(a_verb_without_run_options_shows_its_usage_alone),
        cmocka_unit_test(a_verb_that_explains_itself_has_no_help_here),
    };
    return cmocka_run_group_tests_name("cli/help", tests, NULL, NULL);
}
