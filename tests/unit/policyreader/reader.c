/*
 * Claims about policyreader/reader.h.
 */
/* cmocka.h needs the three before it. */
/* clang-format off */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
/* clang-format on */

#include "policyreader/reader.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct read {
    struct policy *policy;
    struct berm_error err;
    char flat[4096]; /* "key=value@origin;" for each value */
};

static int give_read(void **state)
{
    struct read *read = calloc(1, sizeof(*read));
    if (!read)
        return -1;
    read->policy = policy_new();
    *state = read;
    return read->policy ? 0 : -1;
}

static int take_read(void **state)
{
    struct read *read = *state;
    policy_free(read->policy);
    free(read);
    return 0;
}

#define read_test(function) cmocka_unit_test_setup_teardown(function, give_read, take_read)

static int keep(void *context, const char *key, const char *value, const char *origin)
{
    struct read *read = context;
    size_t used = strlen(read->flat);
    int size =
        snprintf(read->flat + used, sizeof(read->flat) - used, "%s=%s@%s;", key, value, origin);
    return size > 0 && (size_t)size < sizeof(read->flat) - used ? 0 : -ENOSPC;
}

static int read_text(struct read *read, const char *text)
{
    read->flat[0] = '\0';
    read->err = (struct berm_error){0};
    const struct reader_sink sink = {.put = keep, .context = read};
    return reader_read(text, strlen(text), "p.json", read->policy, &sink, &read->err);
}

static void accept(struct read *read, const char *text, const char *flat)
{
    if (read_text(read, text) != 0)
        fail_msg("refused: %s", read->err.message);
    assert_string_equal(read->flat, flat);
}

static void refuse(struct read *read, const char *text, const char *message, const char *cure)
{
    if (read_text(read, text) != -EINVAL)
        fail_msg("taken: %s", text);
    assert_int_equal(read->err.code, BERM_E_INVALID);
    if (strncmp(read->err.message, message, strlen(message)) != 0)
        fail_msg("\"%s\" does not begin with \"%s\"", read->err.message, message);
    if (!strstr(read->err.cure, cure))
        fail_msg("the cure \"%s\" does not say \"%s\"", read->err.cure, cure);
}

static void every_kind_of_value_is_handed_on_with_its_place(void **state)
{
    accept(*state,
           "{\n"
           "  \"$schema\": \"https://example.org/s\",\n"
           "  \"level\": \"L6\", \"strict\": false,\n"
           "  \"limits\": {\"profile\": \"lesson\",\n"
           "    \"wall\": \"30s\", \"processes\": 12,\n"
           "    \"cpus\"\n:\n1.50, \"memory\": \"5MiB\"},\n"
           "  \"env\": {\"env\": [\"A={,}\\\"\",\n"
           "\"B=\\u00e9\"], \"cwd\": \"/work\"},\n"
           "  \"filesystem\": {\"hide\": [], \"accept_host_loss\": true},\n"
           "  \"layers\": {\"network\": \"prefer\", \"syscalls\": \"off\"}\n"
           "}\n",
           "level=L6@p.json:3: level;strict=false@p.json:3: strict;"
           "profile=lesson@p.json:4: limits.profile;limits.wall=30s@p.json:5: limits.wall;"
           "limits.processes=12@p.json:5: limits.processes;"
           "limits.cpus=1.50@p.json:6: limits.cpus;limits.memory=5MiB@p.json:8: limits.memory;"
           "env.env=A={,}\"@p.json:9: env.env;env.env=B=\xc3\xa9@p.json:10: env.env;"
           "env.cwd=/work@p.json:10: env.cwd;"
           "filesystem.accept_host_loss=true@p.json:11: filesystem.accept_host_loss;"
           "prefer=network@p.json:12: layers.network;off=syscalls@p.json:12: layers.syscalls;");
}

static void an_empty_object_changes_nothing(void **state)
{
    accept(*state, "{}", "");
    accept(*state, " \n{ \"limits\" : { } , \"layers\":{}}\n", "");
}

static void cpus_may_be_a_number_or_a_string(void **state)
{
    struct read *read = *state;

    accept(read, "{\"limits\":{\"cpus\":\"0.5\"}}", "limits.cpus=0.5@p.json:1: limits.cpus;");
    assert_int_equal(read->policy->cpus, 500);
    accept(read, "{\"limits\":{\"cpus\":2}}", "limits.cpus=2@p.json:1: limits.cpus;");
    assert_int_equal(read->policy->cpus, 2000);
    refuse(read, "{\"limits\":{\"cpus\":1e0}}", "p.json:1: limits.cpus: \"1e0\" goes on with", "");
    refuse(read, "{\"limits\":{\"cpus\":true}}", "p.json:1: limits.cpus: is true or false", "");
}

static void an_unknown_key_is_refused_with_place_and_suggestion(void **state)
{
    refuse(*state, "{\"limits\":{\n\n\"memroy\":\"1MiB\"}}",
           "p.json:3: limits.memroy: there is no such key here", "did you mean memory?");
    refuse(*state, "{\"limits\":{\"profil\":\"lesson\"}}", "p.json:1: limits.profil:", "profile?");
    refuse(*state, "{\"limit\":{}}", "p.json:1: limit: there is no such key here", "limits?");
    refuse(*state, "{\"levels\":\"L6\"}", "p.json:1: levels:", "did you mean level?");
    refuse(*state, "{\"zzzzzz\":1}", "p.json:1: zzzzzz:", "berm policy schema");
    refuse(*state, "{\"\":1}", "p.json:1: :", "");
    refuse(*state, "{\"layers\":{\"netwrok\":\"off\"}}", "p.json:1: layers.netwrok:", "network?");
}

static void a_flags_spelling_is_no_key(void **state)
{
    refuse(*state, "{\"limits\":{\"cpu-time\":\"1s\"}}",
           "p.json:1: limits.cpu-time:", "did you mean cpu_time?");
    refuse(*state, "{\"limits.memory\":\"1MiB\"}", "p.json:1: limits.memory:", "");
    refuse(*state, "{\"profile\":\"lesson\"}", "p.json:1: profile:", "");
    refuse(*state, "{\"require\":\"network\"}", "p.json:1: require:", "");
    refuse(*state, "{\"policy_file\":\"x\"}", "p.json:1: policy_file:", "");
}

static void a_key_in_the_wrong_object_is_sent_to_the_right_one(void **state)
{
    refuse(*state, "{\"memory\":\"1MiB\"}", "p.json:1: memory: there is no such key here",
           "write memory in the object \"limits\"");
    refuse(*state, "{\"env\":{\"ro\":[]}}", "p.json:1: env.ro: there is no such key here",
           "write ro in the object \"filesystem\"");
}

static void a_key_given_twice_is_refused(void **state)
{
    refuse(*state, "{\"limits\":{\"memory\":\"1MiB\",\n\"memory\":\"2MiB\"}}",
           "p.json:2: duplicate object key", "");
    refuse(*state, "{\"limits\":{},\"limits\":{}}", "p.json:1: duplicate object key", "");
    refuse(*state, "{\"limits\":{\"memory\":\"1MiB\",\"mem\\u006fry\":\"2MiB\"}}",
           "p.json:1: duplicate object key", "");
}

static void a_unit_left_out_is_refused(void **state)
{
    refuse(*state, "{\"limits\":{\"memory\":512}}", "p.json:1: limits.memory: \"512\" has no unit",
           "512MiB");
    refuse(*state, "{\"limits\":{\"memory\":\"512\"}}",
           "p.json:1: limits.memory: \"512\" has no unit", "512MiB");
    refuse(*state, "{\"limits\":{\"wall\":1.5}}", "p.json:1: limits.wall: \"1.5\" has no unit", "");
    refuse(*state, "{\"limits\":{\"wall\":\"5 s\"}}", "p.json:1: limits.wall: \"5 s\" has the", "");
}

static void negative_and_endless_limits_are_refused_by_their_key(void **state)
{
    refuse(*state, "{\"limits\":{\"processes\":-1}}",
           "p.json:1: limits.processes: \"-1\" is negative", "");
    refuse(*state, "{\"limits\":{\"memory\":\"-1MiB\"}}",
           "p.json:1: limits.memory: \"-1MiB\" is neg", "");
    refuse(*state, "{\"limits\":{\"processes\":99999999999999999999}}",
           "p.json:1: limits.processes: \"99999999999999999999\" is too large", "");
    refuse(*state, "{\"limits\":{\"processes\":1000001}}",
           "p.json:1: limits.processes: \"1000001\" is too large: from 1 to 1000000", "");
    refuse(*state, "{\"limits\":{\"memory\":\"99999999999999999999MiB\"}}",
           "p.json:1: limits.memory:", "");
    refuse(*state, "{\"limits\":{\"processes\":1.0}}",
           "p.json:1: limits.processes: \"1.0\" has a point", "");
    refuse(*state, "{\"limits\":{\"processes\":1e3}}",
           "p.json:1: limits.processes: \"1e3\" goes on", "");
    refuse(*state, "{\"limits\":{\"processes\":1e999}}", "p.json:1: real number overflow", "");
}

static void every_field_refuses_every_other_type(void **state)
{
    static const char *const wrong[] = {"null", "{}", "[[]]", "true", "3", "\"\""};
    struct read *read = *state;

    for (unsigned i = 0; i < FIELD_COUNT; i++) {
        const struct field_info *field = &policy_fields[i];
        for (size_t j = 0; j < sizeof(wrong) / sizeof(wrong[0]); j++) {
            char text[128];
            bool is_right = (strcmp(wrong[j], "true") == 0 && field->type == TYPE_SWITCH) ||
                            (strcmp(wrong[j], "3") == 0 &&
                             (field->type == TYPE_COUNT || field->type == TYPE_CPUS));
            (void)snprintf(text, sizeof(text), "{\"%s\":{\"%s\":%s}}", field->group, field->name,
                           wrong[j]);
            if (is_right)
                continue;
            if (field->id == FIELD_open_files && strcmp(wrong[j], "3") == 0)
                continue;
            if (read_text(read, text) != -EINVAL)
                fail_msg("taken: %s", text);
            if (!strstr(read->err.message, field->name))
                fail_msg("%s is not named: %s", field->name, read->err.message);
        }
    }
}

static void selectors_and_objects_refuse_every_other_type(void **state)
{
    refuse(*state, "{\"level\":6}", "p.json:1: level: is a number, and must be a string", "");
    refuse(*state, "{\"level\":null}", "p.json:1: level: is null", "leave the key out");
    refuse(*state, "{\"strict\":\"true\"}", "p.json:1: strict: is a string, and must be true", "");
    refuse(*state, "{\"limits\":[]}", "p.json:1: limits: is an array, and must be an object", "");
    refuse(*state, "{\"layers\":\"off\"}", "p.json:1: layers: is a string, and must be an object",
           "");
    refuse(*state, "{\"layers\":{\"network\":false}}", "p.json:1: layers.network: is true or", "");
    refuse(*state, "{\"layers\":{\"network\":\"of\"}}",
           "p.json:1: layers.network: \"of\" is no mode", "require, prefer or off");
    refuse(*state, "{\"limits\":{\"profile\":1}}", "p.json:1: limits.profile: is a number", "");
    refuse(*state, "{\"$schema\":1}", "p.json:1: $schema: is a number", "");
    refuse(*state, "{\"env\":{\"env\":[\"A=1\",\n2]}}", "p.json:2: env.env: is a number", "");
    refuse(*state, "{\"env\":{\"env\":\"A=1\"}}", "p.json:1: env.env: is a string, and must be an",
           "");
    refuse(*state, "[]", "p.json:1: is an array, and must be an object", "");
}

static void what_is_not_json_is_refused_with_its_line(void **state)
{
    refuse(*state, "", "p.json:1: ", "one JSON object");
    refuse(*state, "{\n\n\"level\" \"L6\"}", "p.json:3: ", "");
    refuse(*state, "{} {}", "p.json:1: end of file expected", "");
    refuse(*state, "{\"level\":\"L6\",}", "p.json:1: ", "");
    refuse(*state, "{'level':'L6'}", "p.json:1: ", "");
    refuse(*state, "{\"level\":\"L6\" /* note */}", "p.json:1: ", "");
    refuse(*state, "{\"level\":\"\xff\"}", "p.json:1: ", "");
    refuse(*state, "{\"level\":\"L6\\u0000\"}", "p.json:1: ", "");
    refuse(*state, "L6", "p.json:1: ", "");
}

static void a_nul_byte_ends_nothing(void **state)
{
    struct read *read = *state;
    static const char text[] = "{}\0{\"level\":\"L0\"}";

    assert_int_equal(reader_read(text, sizeof(text) - 1, "p.json", read->policy, NULL, &read->err),
                     -EINVAL);
}

static void depth_has_an_end(void **state)
{
    char *text = malloc(1u << 20);
    assert_non_null(text);
    memset(text, '[', (1u << 20) - 1);
    text[(1u << 20) - 1] = '\0';
    refuse(*state, text, "p.json:1: ", "");
    free(text);
}

static void a_hostile_key_moves_no_cursor(void **state)
{
    struct read *read = *state;

    refuse(read, "{\"a\\u001b[2J\\nb\":1}", "p.json:1: a?[2J?b: there is no such key here", "");
    for (const char *at = read->err.message; *at; at++)
        assert_true((unsigned char)*at >= 0x20);
}

static void a_long_name_and_a_long_key_leave_room_for_the_cause(void **state)
{
    struct read *read = *state;
    char name[3000];
    char text[3200];

    memset(name, 'n', sizeof(name) - 1);
    name[sizeof(name) - 1] = '\0';
    (void)snprintf(text, sizeof(text), "{\"%s\":1}", name);
    assert_int_equal(reader_read(text, strlen(text), name, read->policy, NULL, &read->err),
                     -EINVAL);
    assert_non_null(strstr(read->err.message, "there is no such key here"));
    (void)snprintf(text, sizeof(text), "{\"limits\":{\"memory\":1}}");
    assert_int_equal(reader_read(text, strlen(text), name, read->policy, NULL, &read->err),
                     -EINVAL);
    assert_non_null(strstr(read->err.message, "limits.memory: \"1\" has no unit"));
}

static int refuse_all(void *context, const char *key, const char *value, const char *origin)
{
    (void)context;
    (void)key;
    (void)value;
    (void)origin;
    return -EPIPE;
}

static void a_sink_that_fails_ends_the_reading(void **state)
{
    struct read *read = *state;
    static const char text[] = "{\"level\":\"L6\"}";
    const struct reader_sink sink = {.put = refuse_all};

    assert_int_equal(reader_read(text, sizeof(text) - 1, "p", read->policy, &sink, &read->err),
                     -EPIPE);
    assert_int_equal(read->err.code, BERM_E_SYSTEM);
    assert_int_equal(reader_read(text, sizeof(text) - 1, "p", read->policy, &sink, NULL), -EPIPE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        read_test(every_kind_of_value_is_handed_on_with_its_place),
        read_test(an_empty_object_changes_nothing),
        read_test(cpus_may_be_a_number_or_a_string),
        read_test(an_unknown_key_is_refused_with_place_and_suggestion),
        read_test(a_flags_spelling_is_no_key),
        read_test(a_key_in_the_wrong_object_is_sent_to_the_right_one),
        read_test(a_key_given_twice_is_refused),
        read_test(a_unit_left_out_is_refused),
        read_test(negative_and_endless_limits_are_refused_by_their_key),
        read_test(every_field_refuses_every_other_type),
        read_test(selectors_and_objects_refuse_every_other_type),
        read_test(what_is_not_json_is_refused_with_its_line),
        read_test(a_nul_byte_ends_nothing),
        read_test(depth_has_an_end),
        read_test(a_hostile_key_moves_no_cursor),
        read_test(a_long_name_and_a_long_key_leave_room_for_the_cause),
        read_test(a_sink_that_fails_ends_the_reading),
    };
    return cmocka_run_group_tests_name("policyreader/reader", tests, NULL, NULL);
}
