/*
 * Claims about cli/completion.h.
 */
#include "cli/completion.h"

#include <errno.h>

#include "cli/options.h"
#include "printed.h"

static void every_script_offers_every_flag_and_verb(void **state)
{
    static const char *const shells[] = {"bash", "zsh", "fish"};
    static const char *const forms[] = {"--%s ", "'*--%s[", " -l %s "};
    (void)state;

    for (size_t i = 0; i < 3; i++) {
        struct printed printed;
        assert_int_equal(completion_print(shells[i], printed_open(&printed), NULL), 0);
        for (size_t j = 0; j < FLAG_COUNT; j++) {
            char form[8];
            char word[64];
            (void)strcpy(form, forms[i]);
            (void)snprintf(word, sizeof(word), "%.*s%s%s", (int)strcspn(form, "%"), form,
                           option_flags[j].word, strchr(form, 's') + 1);
            assert_has(printed_text(&printed), word);
        }
        for (const struct verb *verb = cli_verbs; verb->name; verb++)
            assert_has(printed_text(&printed), verb->name);
        printed_close(&printed);
    }
}

/* bash -n reads a script without carrying it out. */
static void the_bash_script_is_well_formed(void **state)
{
    (void)state;
    FILE *bash = popen("bash -n", "we");
    assert_non_null(bash);
    assert_int_equal(completion_print("bash", bash, NULL), 0);
    assert_int_equal(pclose(bash), 0);
}

static void another_shell_is_refused_by_name(void **state)
{
    struct printed printed;
    struct berm_error err = {0};
    (void)state;

    assert_int_equal(completion_print("tcsh", printed_open(&printed), &err), -EINVAL);
    assert_string_equal(printed_text(&printed), "");
    assert_has(err.message, "\"tcsh\"");
    assert_has(err.cure, "bash, zsh or fish");
    printed_close(&printed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_script_offers_every_flag_and_verb),
        cmocka_unit_test(the_bash_script_is_well_formed),
        cmocka_unit_test(another_shell_is_refused_by_name),
    };
    return cmocka_run_group_tests_name("cli/completion", tests, NULL, NULL);
}
