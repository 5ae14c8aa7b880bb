/*
 * Claims about wire/result_json.h: the keys, their types and their order, read back by jansson.
 */
/* cmocka.h needs the three before it. */
/* clang-format off */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
/* clang-format on */

#include "wire/result_json.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collect.h"
#include "judge.h"
#include "plan/builder.h"

static struct plan *small_plan(void)
{
    struct plan_builder builder;
    struct plan *plan = NULL;
    assert_int_equal(plan_builder_init(&builder), 0);
    plan_add_claim(&builder, BERM_LAYER_LIMITS, CLAIM_EXACT, "memory of the tree", "cgroup v2");
    plan_add_claim(&builder, BERM_LAYER_LIMITS, CLAIM_WEAKER, "CPU time", "poll of /proc");
    plan_add_claim(&builder, BERM_LAYER_NETWORK, CLAIM_EXACT, "no way out", "network namespace");
    plan_add_claim(&builder, BERM_LAYER_SYSCALLS, CLAIM_ABSENT, "few calls", "");
    assert_int_equal(plan_builder_finish(&builder, &plan, NULL), 0);
    return plan;
}

/* One result at a time: it is too large for the stack of a test. */
static struct result *exited_result(void)
{
    static struct result result;
    memset(&result, 0, sizeof(result));
    result.verdict = BERM_VERDICT_EXITED;
    result.exit_code = 3;
    result.status = 3;
    result.streams[STREAM_STDOUT].bytes = 6;
    result.usage.wall_ns = 12345678;
    result.usage.cpu_ns = 2000000;
    result.usage.cpu_source = "cgroup";
    return &result;
}

/* What one result becomes. Owned by the caller. */
static char *written(const struct result *result, const char *out, size_t out_size, uint64_t cap,
                     struct result_json_options options)
{
    struct collected collected = {0};
    struct json_writer json;
    struct plan *plan = small_plan();
    struct capture *captures[STREAM_COUNT] = {capture_new(cap), capture_new(cap)};

    assert_int_equal(capture_add(captures[STREAM_STDOUT], out, out_size), 0);
    json_begin(&json, collect, &collected, false);
    assert_int_equal(result_to_json(plan, result, captures, &options, &json), 0);
    capture_free(captures[STREAM_STDOUT]);
    capture_free(captures[STREAM_STDERR]);
    free(plan);
    return collected.text;
}

static void assert_at(const char *json, const char *path, const char *expected)
{
    char *value = judge_at(json, path);
    assert_string_equal(value, expected);
    free(value);
}

static void a_result_begins_with_its_schema_and_is_one_line(void **state)
{
    (void)state;
    struct result *result = exited_result();
    char *json = written(result, "hello\n", 6, 100, (struct result_json_options){true, false});

    assert_memory_equal(json, "{\"schema\":1,\"verdict\":\"exited\",\"exit_code\":3,", 44);
    assert_ptr_equal(strchr(json, '\n'), json + strlen(json) - 1);
    assert_true(judge_is_json(json));
    free(json);
}

static void every_key_of_an_exit_is_there_with_its_type(void **state)
{
    (void)state;
    static const char *const rows[][2] = {
        {"exit_code",               "3"           },
        {"signal",                  "null"        },
        {"signal_name",             "null"        },
        {"status",                  "3"           },
        {"timed_out",               "false"       },
        {"oom",                     "false"       },
        {"oom_source",              "null"        },
        {"stdout",                  "\"hello\\n\""},
        {"stderr",                  "\"\""        },
        {"stdout_bytes",            "6"           },
        {"stderr_bytes",            "0"           },
        {"stdout_omitted_bytes",    "0"           },
        {"stderr_omitted_bytes",    "0"           },
        {"stdout_truncated",        "false"       },
        {"stderr_truncated",        "false"       },
        {"stdout_base64",           "absent"      },
        {"stderr_base64",           "absent"      },
        {"files",                   "[]"          },
        {"notes",                   "[]"          },
        {"timings",                 "absent"      },
        {"error",                   "absent"      },
        {"usage.wall_s",            "0.012345"    },
        {"usage.cpu_s",             "0.002"       },
        {"usage.cpu_source",        "\"cgroup\""  },
        {"usage.processes_refused", "0"           },
        {"usage.stdin_bytes",       "0"           },
    };
    struct result *result = exited_result();
    char *json = written(result, "hello\n", 6, 100, (struct result_json_options){true, false});
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        assert_at(json, rows[i][0], rows[i][1]);
    free(json);
}

static void a_death_by_signal_has_no_exit_code(void **state)
{
    (void)state;
    struct result *result = exited_result();
    result->verdict = BERM_VERDICT_MEMORY;
    result->exit_code = -1;
    result->signal = 9;
    result->status = 137;
    result->oom = true;
    result->oom_source = OOM_KERNEL;
    char *json = written(result, "", 0, 100, (struct result_json_options){true, false});

    assert_at(json, "verdict", "\"memory\"");
    assert_at(json, "exit_code", "null");
    assert_at(json, "signal", "9");
    assert_at(json, "signal_name", "\"SIGKILL\"");
    assert_at(json, "status", "137");
    assert_at(json, "oom", "true");
    assert_at(json, "oom_source", "\"kernel\"");
    free(json);

    result->signal = 40; /* a real-time signal has no name */
    result->oom_source = OOM_GUESS;
    json = written(result, "", 0, 100, (struct result_json_options){true, false});
    assert_at(json, "signal", "40");
    assert_at(json, "signal_name", "null");
    assert_at(json, "oom_source", "\"guess\"");
    free(json);
}

static void an_unknown_number_is_absent(void **state)
{
    (void)state;
    static const char *const keys[] = {
        "usage.wall_s",        "usage.cpu_s",          "usage.cpu_source",
        "usage.user_s",        "usage.system_s",       "usage.memory_peak_bytes",
        "usage.memory_source", "usage.processes_peak",
    };
    struct result *result = exited_result();
    result->usage.cpu_source = NULL;
    result->usage.wall_ns = 0;
    char *json = written(result, "", 0, 100, (struct result_json_options){true, false});
    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
        assert_at(json, keys[i], "absent");
    free(json);
}

static void a_known_number_is_there_with_its_source(void **state)
{
    (void)state;
    struct result *result = exited_result();
    result->usage.memory_peak_bytes = 1048576;
    result->usage.memory_source = "monitor";
    result->usage.processes_peak = 7;
    result->usage.user_ns = 1000000;
    char *json = written(result, "", 0, 100, (struct result_json_options){true, true});

    assert_at(json, "usage.memory_peak_bytes", "1048576");
    assert_at(json, "usage.memory_source", "\"monitor\"");
    assert_at(json, "usage.processes_peak", "7");
    assert_at(json, "usage.user_s", "0.001");
    assert_at(json, "usage.system_s", "0.0");
    assert_at(json, "timings.run_s", "0.012345");
    assert_at(json, "timings.setup_s", "0.0");
    assert_at(json, "timings.cleanup_s", "0.0");
    free(json);
}

static void a_cut_stream_has_the_marker_between_head_and_tail(void **state)
{
    (void)state;
    struct result *result = exited_result();
    result->streams[STREAM_STDOUT] = (struct stream_facts){.bytes = 26, .omitted_bytes = 16};
    char *json = written(result, "abcdefghijklmnopqrstuvwxyz", 26, 10,
                         (struct result_json_options){true, false});

    assert_at(json, "stdout", "\"abcdef\\n[... 16 bytes left out ...]\\nwxyz\"");
    assert_at(json, "stdout_bytes", "26");
    assert_at(json, "stdout_omitted_bytes", "16");
    assert_at(json, "stdout_truncated", "true");
    assert_at(json, "stderr_truncated", "false");
    assert_at(json, "stdout_base64", "absent");
    free(json);
}

static void the_bytes_are_there_when_decoding_lost_some(void **state)
{
    (void)state;
    struct result *result = exited_result();
    char *json = written(result, "a\xff\0b", 4, 100, (struct result_json_options){true, false});
    assert_at(json, "stdout", "\"a\xef\xbf\xbd\\u0000b\"");
    assert_at(json, "stdout_base64", "\"Yf8AYg==\"");
    assert_at(json, "stdout_head_bytes", "4");
    assert_at(json, "stderr_base64", "absent");
    free(json);

    /* Cut: head "abcde\xff", tail "wxyz", no marker among the bytes. */
    result->streams[STREAM_STDOUT] = (struct stream_facts){.bytes = 16, .omitted_bytes = 6};
    json =
        written(result, "abcde\xff......wxyz", 16, 10, (struct result_json_options){true, false});
    assert_at(json, "stdout_base64", "\"YWJjZGX/d3h5eg==\"");
    assert_at(json, "stdout_head_bytes", "6");
    free(json);

    /* Lost in the tail alone. */
    json =
        written(result, "abcdef......wxy\xff", 16, 10, (struct result_json_options){true, false});
    assert_at(json, "stdout_base64", "\"YWJjZGVmd3h5/w==\"");
    free(json);
}

static void nul_bytes_and_a_printed_replacement_character_lose_nothing(void **state)
{
    (void)state;
    struct result *result = exited_result();
    char *json =
        written(result, "\0\xef\xbf\xbd", 4, 100, (struct result_json_options){true, false});
    assert_at(json, "stdout", "\"\\u0000\xef\xbf\xbd\"");
    assert_at(json, "stdout_base64", "absent");
    free(json);
}

static void live_output_is_counted_and_not_repeated(void **state)
{
    (void)state;
    struct result *result = exited_result();
    char *json = written(result, "hello\n", 6, 100, (struct result_json_options){false, false});
    assert_at(json, "stdout", "absent");
    assert_at(json, "stderr", "absent");
    assert_at(json, "stdout_bytes", "6");
    free(json);
}

static void each_layer_tells_its_state_and_its_promises(void **state)
{
    (void)state;
    struct result *result = exited_result();
    char *json = written(result, "", 0, 100, (struct result_json_options){true, false});

    assert_at(json, "layers.0.layer", "\"limits\"");
    assert_at(json, "layers.0.state", "\"weaker\"");
    assert_at(
        json, "layers.0.promises.0",
        "{\"what\":\"memory of the tree\",\"mechanism\":\"cgroup v2\",\"strength\":\"exact\"}");
    assert_at(json, "layers.0.promises.1.strength", "\"weaker\"");
    assert_at(json, "layers.1.layer", "\"env\"");
    assert_at(json, "layers.1.state", "\"off\"");
    assert_at(json, "layers.1.promises", "[]");
    assert_at(json, "layers.3.state", "\"on\"");
    assert_at(json, "layers.6.layer", "\"syscalls\"");
    assert_at(json, "layers.6.state", "\"absent\"");
    assert_at(json, "layers.7", "absent");
    free(json);
}

static void notes_name_their_layer(void **state)
{
    (void)state;
    struct result *result = exited_result();
    result->note_count = 2;
    result->notes[0] = (struct result_note){BERM_LAYER_PROCESS, "3 forks were refused"};
    result->notes[1] = (struct result_note){BERM_LAYER_NONE, "general"};
    char *json = written(result, "", 0, 100, (struct result_json_options){true, false});

    assert_at(json, "notes.0", "{\"layer\":\"process\",\"text\":\"3 forks were refused\"}");
    assert_at(json, "notes.1", "{\"layer\":null,\"text\":\"general\"}");
    free(json);
}

static void an_error_is_an_object_of_its_own(void **state)
{
    (void)state;
    struct collected collected = {0};
    struct json_writer json;
    struct berm_error err = {.code = BERM_E_UNAVAILABLE,
                             .layer = BERM_LAYER_NETWORK,
                             .step = "clone",
                             .message = "cannot \x1b do it",
                             .cure = ""};
    json_begin(&json, collect, &collected, false);
    assert_int_equal(error_to_json(&err, &json), 0);
    assert_string_equal(
        collected.text,
        "{\"schema\":1,\"error\":{\"code\":\"unavailable\",\"layer\":\"network\","
        "\"step\":\"clone\",\"message\":\"cannot \\u001b do it\",\"cure\":null}}\n");
    free(collected.text);
}

static void a_failing_sink_is_reported(void **state)
{
    (void)state;
    struct collected collected = {.fail_at_call = 1};
    struct json_writer json;
    struct berm_error err = {.code = BERM_E_SYSTEM};
    json_begin(&json, collect, &collected, false);
    assert_int_equal(error_to_json(&err, &json), -EPIPE);
    assert_null(collected.text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_result_begins_with_its_schema_and_is_one_line),
        cmocka_unit_test(every_key_of_an_exit_is_there_with_its_type),
        cmocka_unit_test(a_death_by_signal_has_no_exit_code),
        cmocka_unit_test(an_unknown_number_is_absent),
        cmocka_unit_test(a_known_number_is_there_with_its_source),
        cmocka_unit_test(a_cut_stream_has_the_marker_between_head_and_tail),
        cmocka_unit_test(the_bytes_are_there_when_decoding_lost_some),
        cmocka_unit_test(nul_bytes_and_a_printed_replacement_character_lose_nothing),
        cmocka_unit_test(live_output_is_counted_and_not_repeated),
        cmocka_unit_test(each_layer_tells_its_state_and_its_promises),
        cmocka_unit_test(notes_name_their_layer),
        cmocka_unit_test(an_error_is_an_object_of_its_own),
        cmocka_unit_test(a_failing_sink_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
