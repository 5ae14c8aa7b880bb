/*
 * Claims about cli/options.h.
 */
/* cmocka.h needs the three before it. */
/* clang-format off */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
/* clang-format on */

#include "cli/options.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define WORDS_MAX 24

/* One command line and what came of it. */
struct line {
    struct policy *policy;
    struct run_options options;
    int argc, command, ret;
    char *argv[WORDS_MAX];
    struct berm_error err;
};

static int give_line(void **state)
{
    struct line *line = calloc(1, sizeof(*line));
    if (!line)
        return -1;
    line->policy = policy_new();
    line->command = -1;
    *state = line;
    return line->policy ? 0 : -1;
}

static int take_line(void **state)
{
    struct line *line = *state;
    for (int i = 0; i < line->argc; i++)
        free(line->argv[i]);
    policy_free(line->policy);
    free(line);
    return 0;
}

#define line_test(function) cmocka_unit_test_setup_teardown(function, give_line, take_line)

static void parse(struct line *line, const char *const words[])
{
    for (int i = 0; i < line->argc; i++)
        free(line->argv[i]);
    line->argc = 0;
    line->argv[line->argc++] = strdup("run");
    for (; *words; words++)
        line->argv[line->argc++] = strdup(*words);
    line->argv[line->argc] = NULL;
    line->err = (struct berm_error){0};
    line->ret = options_parse(line->argc, line->argv, line->policy, &line->options, &line->command,
                              &line->err);
}

#define WORDS(...) ((const char *const[]){__VA_ARGS__, NULL})

static void accept(struct line *line, const char *const words[])
{
    parse(line, words);
    if (line->ret != 0)
        fail_msg("refused: %s", line->err.message);
}

static void refuse(struct line *line, const char *const words[], const char *message,
                   const char *cure)
{
    parse(line, words);
    assert_int_equal(line->ret, -EINVAL);
    assert_int_equal(line->err.code, BERM_E_INVALID);
    if (!strstr(line->err.message, message))
        fail_msg("\"%s\" does not say \"%s\"", line->err.message, message);
    if (!strstr(line->err.cure, cure))
        fail_msg("the cure \"%s\" does not say \"%s\"", line->err.cure, cure);
}

static void a_value_follows_or_stands_behind_an_equals_sign(void **state)
{
    struct line *line = *state;

    accept(line, WORDS("--wall", "5s", "--memory=64MiB", "prog"));
    assert_int_equal(line->policy->wall, 5000000000ULL);
    assert_int_equal(line->policy->memory, 64ULL << 20);
    assert_string_equal(line->policy->origins[FIELD_wall], "--wall");
    assert_string_equal(line->argv[line->command], "prog");
}

static void every_flag_of_the_table_is_known(void **state)
{
    struct line *line = *state;
    (void)state;
    for (size_t i = 0; i < FLAG_COUNT; i++) {
        char word[64];
        (void)snprintf(word, sizeof(word), "--%s", option_flags[i].word);
        parse(line, WORDS(word));
        if (*option_flags[i].arg && !strstr(line->err.message, "the value is missing"))
            fail_msg("%s without a value: %s", word, line->err.message);
        if (!*option_flags[i].arg && line->ret != 0)
            fail_msg("%s was refused: %s", word, line->err.message);
    }
}

static void an_unknown_flag_is_refused_with_the_nearest_one(void **state)
{
    refuse(*state, WORDS("--memroy", "1MiB", "prog"), "unknown option \"--memroy\"",
           "did you mean --memory?");
    refuse(*state, WORDS("--memroy=1MiB", "prog"), "unknown option \"--memroy\"",
           "did you mean --memory?");
    refuse(*state, WORDS("--hlep"), "unknown option", "did you mean --help?");
    refuse(*state, WORDS("--jsno"), "unknown option", "did you mean --json?");
    refuse(*state, WORDS("--zzzzzzzz"), "unknown option", "berm run --help");
    refuse(*state, WORDS("-x"), "unknown option \"-x\"", "berm run --help");
    refuse(*state, WORDS("-th"), "unknown option \"-th\"", "");
    refuse(*state, WORDS("---wall", "1s"), "unknown option", "");
    refuse(*state, WORDS("--="), "unknown option", "");
    refuse(*state, WORDS("--wal\x1b[2J"), "unknown option \"--wal\\x1b[2J\"", "");
    /* Words that policy_set would take are no flags. */
    refuse(*state, WORDS("--cpu_time", "1s"), "unknown option", "did you mean --cpu-time?");
    refuse(*state, WORDS("--profile", "lesson"), "unknown option", "");
}

static void a_flag_never_swallows_another_flag(void **state)
{
    refuse(*state, WORDS("--wall", "--json", "prog"), "--wall: the value is missing",
           "--wall=TIME");
    refuse(*state, WORDS("--stdin", "--", "prog"), "--stdin: the value is missing", "--stdin=");
    refuse(*state, WORDS("--wall"), "--wall: the value is missing", "write --wall TIME");
    refuse(*state, WORDS("--stdin=", "prog"), "--stdin: the value is missing", "");
}

static void a_value_with_dashes_stands_behind_an_equals_sign(void **state)
{
    struct line *line = *state;

    accept(line, WORDS("--result=--odd", "--stdin", "-", "prog"));
    assert_string_equal(line->options.result, "--odd");
    assert_string_equal(line->options.stdin_from, "-");
}

static void a_switch_takes_no_value(void **state)
{
    refuse(*state, WORDS("--strict=1"), "--strict: takes no value, and \"1\" was given",
           "write --strict alone");
    refuse(*state, WORDS("--json="), "--json: takes no value", "");
    refuse(*state, WORDS("--loopback=true"), "--loopback: takes no value", "");
    refuse(*state, WORDS("--help=x"), "--help: takes no value", "");
}

static void switches_are_set_by_their_name_alone(void **state)
{
    struct line *line = *state;

    accept(line, WORDS("--json", "--raw", "-t", "--timings", "--loopback", "--strict",
                       "--i-accept-host-loss", "prog"));
    assert_true(line->options.json);
    assert_true(line->options.raw);
    assert_true(line->options.tty);
    assert_true(line->options.timings);
    assert_true(line->policy->loopback);
    assert_true(line->policy->accept_host_loss);
    assert_true(line->policy->is_strict);
    assert_null(line->options.stdin_from);
    assert_null(line->options.result);
}

static void the_first_other_word_begins_the_command(void **state)
{
    struct line *line = *state;

    accept(line, WORDS("--json", "prog", "--memory", "1"));
    assert_int_equal(line->command, 2);
    accept(line, WORDS("--", "--json"));
    assert_int_equal(line->command, 2);
    assert_false(line->options.json);
    accept(line, WORDS("-", "x"));
    assert_int_equal(line->command, 1);
    accept(line, WORDS("", "x"));
    assert_int_equal(line->command, 1);
    accept(line, WORDS("--json"));
    assert_int_equal(line->command, line->argc);
    accept(line, WORDS("--json", "--"));
    assert_int_equal(line->command, line->argc);
}

static void help_ends_the_reading(void **state)
{
    struct line *line = *state;

    accept(line, WORDS("--json", "-h", "--bogus"));
    assert_true(line->options.wants_help);
    accept(line, WORDS("--help", "--policy", "/does/not/exist"));
    assert_true(line->options.wants_help);
    /* Help is asked for by one word: a wrong value before it is not looked at. */
    accept(line, WORDS("--wall", "nonsense", "--help"));
    assert_true(line->options.wants_help);
    accept(line, WORDS("prog", "--help"));
    assert_false(line->options.wants_help);
}

static void a_refusal_knows_whether_json_was_asked_for(void **state)
{
    struct line *line = *state;

    refuse(line, WORDS("--json", "--bogus"), "unknown option", "");
    assert_true(line->options.json);
    refuse(line, WORDS("--bogus", "value", "--json", "prog"), "unknown option", "");
    assert_true(line->options.json);
    refuse(line, WORDS("--wall", "5", "--json", "prog"), "has no unit", "");
    assert_true(line->options.json);
    refuse(line, WORDS("--bogus", "--", "prog", "--json"), "unknown option", "");
    assert_false(line->options.json);
}

static void a_wrong_value_names_its_flag(void **state)
{
    refuse(*state, WORDS("--wall", "30", "p"), "--wall: \"30\" has no unit", "1.5s");
    refuse(*state, WORDS("--memory", "-5MiB", "p"), "--memory: \"-5MiB\" is negative", "");
    refuse(*state, WORDS("--memory", "99999999999999999999GiB", "p"),
           "--memory: \"99999999999999999999GiB\" is too large", "");
    refuse(*state, WORDS("--memory", "512mb", "p"), "--memory: \"512mb\" has the unknown unit", "");
    refuse(*state, WORDS("--level", "L9", "p"), "--level: \"L9\" is not a level", "");
    refuse(*state, WORDS("--limits", "x", "p"), "--limits: \"x\" is not a limits profile", "");
    refuse(*state, WORDS("--off", "x", "p"), "--off: \"x\" is not a layer", "");
}

static void an_option_without_its_layer_is_found_by_the_whole(void **state)
{
    struct line *line = *state;

    accept(line, WORDS("--tmp-size", "5MiB", "--level", "L4", "prog"));
    assert_int_equal(policy_validate(line->policy, &line->err), -EINVAL);
    assert_non_null(strstr(line->err.message, "--tmp-size: has no effect below level L6"));
    assert_string_equal(line->err.cure, "use --level L6 or leave --tmp-size out");
}

static void repeated_flags_add_to_lists_and_replace_values(void **state)
{
    struct line *line = *state;

    accept(line, WORDS("--env", "A=1", "--env", "B=2", "--wall", "1s", "--wall", "2s", "prog"));
    assert_int_equal(line->policy->env.count, 2);
    assert_int_equal(line->policy->wall, 2000000000ULL);
}

/* The working directory has a colon in its name: in a bind it must not end the path. */
static int go_to_a_directory_with_a_colon(char *ret_root, char *ret_directory, size_t size)
{
    if (!mkdtemp(ret_root))
        return -1;
    (void)snprintf(ret_directory, size, "%s/a:b", ret_root);
    return mkdir(ret_directory, 0700) < 0 ? -1 : chdir(ret_directory);
}

static void relative_host_paths_start_at_the_callers_directory(void **state)
{
    struct line *line = *state;
    char root[] = "/tmp/berm-test-XXXXXX";
    char directory[128];
    char expected[256];

    assert_int_equal(go_to_a_directory_with_a_colon(root, directory, sizeof(directory)), 0);
    accept(line, WORDS("--hide", "x", "--hide", "../y", "--hide", ".", "--ro", "data", "--rw",
                       "./z:/z", "--ro", "..:/up", "--env-file", "vars", "--env-file", "fd:3",
                       "--hide", "../../../../../q", "prog"));

    const struct policy *policy = line->policy;
    (void)snprintf(expected, sizeof(expected), "%s/x", directory);
    assert_string_equal(policy->hide.items[0], expected);
    (void)snprintf(expected, sizeof(expected), "%s/y", root);
    assert_string_equal(policy->hide.items[1], expected);
    assert_string_equal(policy->hide.items[2], directory);
    assert_string_equal(policy->hide.items[3], "/q");
    (void)snprintf(expected, sizeof(expected), "%s/a\\:b/data", root);
    assert_string_equal(policy->ro.items[0], expected);
    (void)snprintf(expected, sizeof(expected), "%s/a\\:b/z:/z", root);
    assert_string_equal(policy->rw.items[0], expected);
    (void)snprintf(expected, sizeof(expected), "%s/:/up", root);
    assert_string_equal(policy->ro.items[1], expected);
    (void)snprintf(expected, sizeof(expected), "%s/vars", directory);
    assert_string_equal(policy->env_file.items[0], expected);
    assert_string_equal(policy->env_file.items[1], "fd:3");

    assert_int_equal(chdir("/"), 0);
    assert_int_equal(rmdir(directory), 0);
    assert_int_equal(rmdir(root), 0);
}

static void dots_inside_a_host_path_are_refused(void **state)
{
    refuse(*state, WORDS("--ro", "/a/../b", "prog"), "--ro: \"/a/../b\" has .. in it", "");
    refuse(*state, WORDS("--ro", "a/../b", "prog"), "has .. in it", "");
    refuse(*state, WORDS("--ro", "", "prog"), "--ro: \"\" is empty", "");
    refuse(*state, WORDS("--ro", ":/x", "prog"), "not absolute", "");
}

static void the_programs_directory_is_never_taken_from_the_callers(void **state)
{
    refuse(*state, WORDS("--cwd", "sub", "prog"), "--cwd: \"sub\" is not an absolute path", "");
}

static void one_policy_file_is_enough(void **state)
{
    refuse(*state, WORDS("--policy", "a", "--policy", "b", "prog"), "--policy: was given twice",
           "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        line_test(a_value_follows_or_stands_behind_an_equals_sign),
        line_test(every_flag_of_the_table_is_known),
        line_test(an_unknown_flag_is_refused_with_the_nearest_one),
        line_test(a_flag_never_swallows_another_flag),
        line_test(a_value_with_dashes_stands_behind_an_equals_sign),
        line_test(a_switch_takes_no_value),
        line_test(switches_are_set_by_their_name_alone),
        line_test(the_first_other_word_begins_the_command),
        line_test(help_ends_the_reading),
        line_test(a_refusal_knows_whether_json_was_asked_for),
        line_test(a_wrong_value_names_its_flag),
        line_test(an_option_without_its_layer_is_found_by_the_whole),
        line_test(repeated_flags_add_to_lists_and_replace_values),
        line_test(relative_host_paths_start_at_the_callers_directory),
        line_test(dots_inside_a_host_path_are_refused),
        line_test(the_programs_directory_is_never_taken_from_the_callers),
        line_test(one_policy_file_is_enough),
    };
    return cmocka_run_group_tests_name("cli/options", tests, NULL, NULL);
}
