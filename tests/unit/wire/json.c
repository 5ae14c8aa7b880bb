/*
 * Claims about wire/json.h; jansson judges what is JSON.
 */
/* cmocka.h needs the three before it. */
/* clang-format off */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
/* clang-format on */

#include "wire/json.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "collect.h"
#include "judge.h"

/* A writer and what it wrote. */
struct written {
    struct json_writer json;
    struct collected out;
};

static void begin(struct written *written, bool is_pretty)
{
    memset(&written->out, 0, sizeof(written->out));
    json_begin(&written->json, collect, &written->out, is_pretty);
}

static void assert_written(struct written *written, const char *expected)
{
    assert_int_equal(json_end(&written->json), 0);
    assert_string_equal(written->out.text, expected);
    free(written->out.text);
}

static void every_kind_of_value_is_written_in_order(void **state)
{
    (void)state;
    struct written written;
    struct json_writer *json = &written.json;
    begin(&written, false);
    json_object(json);
    json_key(json, "a");
    json_u64(json, UINT64_MAX);
    json_key(json, "b");
    json_i64(json, INT64_MIN);
    json_key(json, "c");
    json_array(json);
    json_bool(json, true);
    json_bool(json, false);
    json_null(json);
    json_array(json);
    json_array_end(json);
    json_object(json);
    json_object_end(json);
    json_array_end(json);
    json_key(json, "d");
    json_text(json, "x");
    json_key(json, "e");
    json_seconds(json, 1500000999);
    json_object_end(json);
    assert_written(&written, "{\"a\":18446744073709551615,\"b\":-9223372036854775808,"
                             "\"c\":[true,false,null,[],{}],\"d\":\"x\",\"e\":1.500000}\n");
}

static void pretty_output_has_one_key_a_line(void **state)
{
    (void)state;
    struct written written;
    struct json_writer *json = &written.json;
    begin(&written, true);
    json_object(json);
    json_key(json, "a");
    json_u64(json, 1);
    json_key(json, "b");
    json_array(json);
    json_null(json);
    json_object(json);
    json_object_end(json);
    json_array_end(json);
    json_object_end(json);
    assert_written(&written, "{\n  \"a\": 1,\n  \"b\": [\n    null,\n    {}\n  ]\n}\n");
}

static void each_document_ends_its_line(void **state)
{
    (void)state;
    struct written written;
    begin(&written, false);
    json_u64(&written.json, 1);
    json_text(&written.json, "a");
    json_array(&written.json);
    json_array_end(&written.json);
    assert_int_equal(json_end(&written.json), 0); /* flushing twice writes nothing more */
    assert_written(&written, "1\n\"a\"\n[]\n");
}

static void controls_quotes_and_what_steers_a_terminal_are_escaped(void **state)
{
    (void)state;
    static const char text[] = "\"\\/\n\t\r\b\f\0\x1b[31m\x7f\xc2\x9b\xe2\x80\xae\xe2\x80\xa8";
    struct written written;
    begin(&written, false);
    json_bytes(&written.json, text, sizeof(text) - 1);
    assert_written(&written, "\"\\\"\\\\/\\n\\t\\r\\b\\f\\u0000\\u001b[31m\\u007f\\u009b"
                             "\\u202e\\u2028\"\n");
}

static void keys_are_escaped_like_texts(void **state)
{
    (void)state;
    struct written written;
    begin(&written, false);
    json_object(&written.json);
    json_key(&written.json, "a\"\xff");
    json_null(&written.json);
    json_object_end(&written.json);
    assert_written(&written, "{\"a\\\"\xef\xbf\xbd\":null}\n");
}

static void each_invalid_byte_is_one_replacement_character(void **state)
{
    (void)state;
    struct written written;
    begin(&written, false);
    json_bytes(&written.json, "a\xe2\x82z\xed\xa0\x80\xff\xe2\x82\xac\xf0\x9f", 13);
    assert_written(&written, "\"a\xef\xbf\xbd\xef\xbf\xbdz\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"
                             "\xef\xbf\xbd\xe2\x82\xac\xef\xbf\xbd\xef\xbf\xbd\"\n");
}

static void a_text_in_parts_is_one_text(void **state)
{
    (void)state;
    struct written written;
    begin(&written, false);
    json_array(&written.json);
    json_text_open(&written.json);
    json_text_part(&written.json, "one ", 4);
    json_text_part(&written.json, "", 0);
    json_text_part(&written.json, "\"two\"", 5);
    json_text_close(&written.json);
    json_null(&written.json);
    json_array_end(&written.json);
    assert_written(&written, "[\"one \\\"two\\\"\",null]\n");
}

/* The vectors of RFC 4648, section 10, each split at every place into head and tail. */
static void base64_runs_on_over_the_seam(void **state)
{
    (void)state;

    static const struct {
        const char *bytes, *letters;
    } vectors[] = {
        {"",             "\"\"\n"        },
        {"f",            "\"Zg==\"\n"    },
        {"fo",           "\"Zm8=\"\n"    },
        {"foo",          "\"Zm9v\"\n"    },
        {"foob",         "\"Zm9vYg==\"\n"},
        {"fooba",        "\"Zm9vYmE=\"\n"},
        {"foobar",       "\"Zm9vYmFy\"\n"},
        {"\xfb\xff\xbf", "\"+/+/\"\n"    }
    };

    for (size_t i = 0; i < sizeof(vectors) / sizeof(vectors[0]); i++) {
        size_t size = strlen(vectors[i].bytes);
        for (size_t seam = 0; seam <= size; seam++) {
            struct written written;
            begin(&written, false);
            json_base64(&written.json, vectors[i].bytes, seam, vectors[i].bytes + seam,
                        size - seam);
            assert_written(&written, vectors[i].letters);
        }
    }
}

static void the_first_failure_of_the_sink_sticks_and_stops_all_output(void **state)
{
    (void)state;
    struct written written;
    char text[10000];
    memset(text, 'x', sizeof(text));
    begin(&written, false);
    written.out.fail_at_call = 2;
    json_array(&written.json);
    for (int i = 0; i < 5; i++)
        json_bytes(&written.json, text, sizeof(text));
    json_array_end(&written.json);

    assert_int_equal(json_end(&written.json), -EPIPE);
    assert_int_equal(written.out.calls, 2);
    free(written.out.text);
}

static void long_texts_pass_whole(void **state)
{
    (void)state;

    enum {
        SIZE = 100000
    };
    struct written written;
    char *text = malloc(SIZE);
    assert_non_null(text);
    for (size_t i = 0; i < SIZE; i++)
        text[i] = (char)(1 + (i * i) % 127); /* plain runs and escapes of all lengths */
    begin(&written, false);
    json_bytes(&written.json, text, SIZE);
    assert_int_equal(json_end(&written.json), 0);

    assert_true(judge_is_text(written.out.text, text, SIZE));
    free(written.out.text);
    free(text);
}

static void any_bytes_whatever_become_valid_json(void **state)
{
    (void)state;
    unsigned seed = 7;
    for (int round = 0; round < 3000; round++) {
        char bytes[200];
        struct written written;
        for (size_t i = 0; i < sizeof(bytes); i++) {
            seed = seed * 1664525u + 1013904223u;
            bytes[i] = (char)(seed >> 24);
        }
        begin(&written, round % 2);
        json_object(&written.json);
        json_key(&written.json, "k");
        json_bytes(&written.json, bytes, sizeof(bytes));
        json_object_end(&written.json);
        assert_int_equal(json_end(&written.json), 0);
        assert_true(judge_is_json(written.out.text));
        free(written.out.text);
    }
}

/* Each is a defect of berm: the process must not go on. */
static void misuse(struct json_writer *json, int kind)
{
    switch (kind) {
    case 0: /* a value without a key */
        json_object(json);
        json_null(json);
        break;
    case 1: /* a key inside an array */
        json_array(json);
        json_key(json, "a");
        break;
    case 2: /* a bracket that does not match */
        json_array(json);
        json_object_end(json);
        break;
    case 3: /* a key without a value */
        json_object(json);
        json_key(json, "a");
        json_object_end(json);
        break;
    case 4: /* an end before the end */
        json_array(json);
        (void)json_end(json);
        break;
    default: /* too deep */
        for (int i = 0; i <= JSON_DEPTH_MAX; i++)
            json_array(json);
        break;
    }
}

static void misuse_ends_the_process(void **state)
{
    (void)state;
    for (int kind = 0; kind <= 5; kind++) {
        int status = 0;
        pid_t pid = fork();
        assert_true(pid >= 0);
        if (pid == 0) {
            struct written written;
            (void)signal(SIGABRT, SIG_DFL); /* cmocka catches it */
            (void)close(STDERR_FILENO);
            begin(&written, false);
            misuse(&written.json, kind);
            _exit(0);
        }
        assert_int_equal(waitpid(pid, &status, 0), pid);
        assert_true(WIFSIGNALED(status));
        assert_int_equal(WTERMSIG(status), SIGABRT);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind_of_value_is_written_in_order),
        cmocka_unit_test(pretty_output_has_one_key_a_line),
        cmocka_unit_test(each_document_ends_its_line),
        cmocka_unit_test(controls_quotes_and_what_steers_a_terminal_are_escaped),
        cmocka_unit_test(keys_are_escaped_like_texts),
        cmocka_unit_test(each_invalid_byte_is_one_replacement_character),
        cmocka_unit_test(a_text_in_parts_is_one_text),
        cmocka_unit_test(base64_runs_on_over_the_seam),
        cmocka_unit_test(the_first_failure_of_the_sink_sticks_and_stops_all_output),
        cmocka_unit_test(long_texts_pass_whole),
        cmocka_unit_test(any_bytes_whatever_become_valid_json),
        cmocka_unit_test(misuse_ends_the_process),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
