/*
 * berm.h: the result of a run that has ended.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/handles.h"
#include "base/error.h"
#include "plan/dump.h"
#include "wire/result_json.h"

/* How much of stderr the guess of out-of-memory looks at. */
#define TAIL_SIZE 2000

/* Head, marker and tail as one run of bytes, NUL-terminated beside. */
static int join_text(struct berm_result *result, int stream)
{
    struct capture *capture = result->captures[stream];
    const char *head = NULL;
    const char *tail = NULL;
    size_t head_size = 0;
    size_t tail_size = 0;
    size_t marker_size = 0;
    char marker[128];

    capture_parts(capture, &head, &head_size, &tail, &tail_size);
    if (capture_omitted_bytes(capture) > 0)
        marker_size = capture_marker(capture_omitted_bytes(capture), marker, sizeof(marker));
    char *text = malloc(head_size + marker_size + tail_size + 1);
    if (!text)
        return -ENOMEM;
    memcpy(text, head, head_size);
    memcpy(text + head_size, marker, marker_size);
    if (tail_size > 0)
        memcpy(text + head_size + marker_size, tail, tail_size);
    result->text_sizes[stream] = head_size + marker_size + tail_size;
    text[result->text_sizes[stream]] = '\0';
    result->texts[stream] = text;
    return 0;
}

static const char *tail_of(const struct berm_result *result)
{
    size_t size = result->text_sizes[STREAM_STDERR];

    return result->texts[STREAM_STDERR] + (size > TAIL_SIZE ? size - TAIL_SIZE : 0);
}

static int check_reply(const struct berm_run *run, struct berm_error *err)
{
    const struct engine_reply *reply = &run->reply;

    if (run->reply_used == sizeof(*reply) && reply->magic == ENGINE_MAGIC &&
        reply->size == sizeof(*reply)) {
        if (reply->result < 0 && err)
            *err = reply->err;
        return reply->result;
    }
    return error_set(err, BERM_E_INTERNAL, BERM_LAYER_NONE, EPIPE,
                     "look whether somebody killed berm-engine; check that library and engine are "
                     "of one version",
                     "the engine ended without a reply");
}

/* The library counts what reached it; the engine passed everything on. */
static void take_counts(const struct berm_run *run, struct observation *seen)
{
    for (int i = 0; i < STREAM_COUNT; i++) {
        seen->streams[i].bytes = capture_bytes(run->captures[i]);
        seen->streams[i].omitted_bytes = capture_omitted_bytes(run->captures[i]);
    }
}

int berm_run_result(struct berm_run *run, struct berm_result **ret_result, struct berm_error *err)
{
    struct observation seen;

    if (!run->has_ended)
        return error_set(err, BERM_E_INVALID, BERM_LAYER_NONE, EBUSY, "step until it has ended",
                         "the run goes on");
    if (!run->plan)
        return error_set(err, BERM_E_INVALID, BERM_LAYER_NONE, ECHILD, "keep the first one",
                         "the result has been taken already");
    int r = check_reply(run, err);
    if (r < 0)
        return r;
    struct berm_result *result = calloc(1, sizeof(*result));
    if (!result)
        return error_set(err, BERM_E_SYSTEM, BERM_LAYER_NONE, ENOMEM, NULL, "no memory");
    seen = run->reply.seen;
    take_counts(run, &seen);
    result->plan = run->plan;
    run->plan = NULL;
    for (int i = 0; i < STREAM_COUNT; i++) {
        result->captures[i] = run->captures[i];
        run->captures[i] = NULL;
        if (r == 0)
            r = join_text(result, i);
    }
    if (r < 0)
        error_set(err, BERM_E_SYSTEM, BERM_LAYER_NONE, ENOMEM, NULL, "no memory for the output");
    else
        r = outcome(result->plan, &seen, tail_of(result), &result->result, err);
    if (r < 0) {
        berm_result_free(result);
        return r;
    }
    *ret_result = result;
    return 0;
}

void berm_result_free(struct berm_result *result)
{
    if (!result)
        return;
    free(result->plan);
    for (int i = 0; i < STREAM_COUNT; i++) {
        free(result->texts[i]);
        capture_free(result->captures[i]);
    }
    free(result);
}

enum berm_verdict berm_result_verdict(const struct berm_result *result)
{
    return result->result.verdict;
}

int berm_result_exit_code(const struct berm_result *result)
{
    return result->result.exit_code;
}

int berm_result_signal(const struct berm_result *result)
{
    return result->result.signal;
}

int berm_result_status(const struct berm_result *result)
{
    return result->result.status;
}

int berm_result_timed_out(const struct berm_result *result)
{
    return result->result.timed_out;
}

int berm_result_oom(const struct berm_result *result)
{
    return result->result.oom;
}

const char *berm_result_oom_source(const struct berm_result *result)
{
    switch (result->result.oom_source) {
    case OOM_KERNEL:
        return "kernel";
    case OOM_MONITOR:
        return "monitor";
    case OOM_GUESS:
        return "guess";
    case OOM_NONE:
        break;
    }
    return NULL;
}

const char *berm_result_stdout(const struct berm_result *result, size_t *ret_size)
{
    if (ret_size)
        *ret_size = result->text_sizes[STREAM_STDOUT];
    return result->texts[STREAM_STDOUT];
}

const char *berm_result_stderr(const struct berm_result *result, size_t *ret_size)
{
    if (ret_size)
        *ret_size = result->text_sizes[STREAM_STDERR];
    return result->texts[STREAM_STDERR];
}

uint64_t berm_result_stdout_bytes(const struct berm_result *result)
{
    return result->result.streams[STREAM_STDOUT].bytes;
}

uint64_t berm_result_stderr_bytes(const struct berm_result *result)
{
    return result->result.streams[STREAM_STDERR].bytes;
}

uint64_t berm_result_stdout_omitted_bytes(const struct berm_result *result)
{
    return result->result.streams[STREAM_STDOUT].omitted_bytes;
}

uint64_t berm_result_stderr_omitted_bytes(const struct berm_result *result)
{
    return result->result.streams[STREAM_STDERR].omitted_bytes;
}

uint64_t berm_result_wall_ns(const struct berm_result *result)
{
    return result->result.usage.wall_ns;
}

uint64_t berm_result_cpu_ns(const struct berm_result *result)
{
    return result->result.usage.cpu_ns;
}

uint64_t berm_result_memory_peak_bytes(const struct berm_result *result)
{
    return result->result.usage.memory_peak_bytes;
}

const char *berm_result_layer_state(const struct berm_result *result, enum berm_layer layer)
{
    return plan_layer_state(result->plan, layer);
}

const char *berm_result_note(const struct berm_result *result, size_t index)
{
    return index < result->result.note_count ? result->result.notes[index].text : NULL;
}

struct text_sink {
    char *text; /* owned */
    size_t used, capacity;
};

static int add_bytes(void *context, const char *bytes, size_t size)
{
    struct text_sink *sink = context;

    if (sink->used + size + 1 > sink->capacity) {
        size_t wanted = (sink->used + size + 1) * 2;
        char *grown = realloc(sink->text, wanted);
        if (!grown)
            return -ENOMEM;
        sink->text = grown;
        sink->capacity = wanted;
    }
    memcpy(sink->text + sink->used, bytes, size);
    sink->used += size;
    sink->text[sink->used] = '\0';
    return 0;
}

char *berm_result_json(const struct berm_result *result)
{
    struct result_json_options options = {.has_output = true};
    struct text_sink sink = {.text = NULL};
    struct json_writer json;

    json_begin(&json, add_bytes, &sink, true);
    (void)result_to_json(result->plan, &result->result, result->captures, &options, &json);
    if (json_end(&json) < 0) {
        free(sink.text);
        return NULL;
    }
    return sink.text;
}
