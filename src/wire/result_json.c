/*
 * The JSON of a result and of an error: see result_json.h and docs/reference/result.md, which lists
 * every key. A key is never renamed, and never changes its type, while "schema" is 1.
 *
 * In: the result, the plan's claims, the kept output. Out: one object. Must never: judge, or print a
 * number that is not known.
 */
#include "wire/result_json.h"

#include "base/error.h"
#include "base/signals.h"
#include "base/text.h"
#include "session/names.h"
#include "wire/plan_json.h"

#define SCHEMA 1

static void field_u64(struct json_writer *json, const char *key, uint64_t value)
{
    json_key(json, key);
    json_u64(json, value);
}

static void field_bool(struct json_writer *json, const char *key, bool value)
{
    json_key(json, key);
    json_bool(json, value);
}

static void field_seconds(struct json_writer *json, const char *key, uint64_t ns)
{
    json_key(json, key);
    json_seconds(json, ns);
}

/* A text, or null where there is none. */
static void field_text(struct json_writer *json, const char *key, const char *text)
{
    json_key(json, key);
    if (text && text[0] != '\0')
        json_text(json, text);
    else
        json_null(json);
}

static const char *oom_source_name(enum oom_source source)
{
    switch (source) {
    case OOM_NONE:
        return NULL;
    case OOM_KERNEL:
        return "kernel";
    case OOM_MONITOR:
        return "monitor";
    case OOM_GUESS:
        return "guess";
    }
    return NULL;
}

static void write_verdict(const struct result *result, struct json_writer *json)
{
    field_text(json, "verdict", verdict_name(result->verdict));
    json_key(json, "exit_code");
    if (result->exit_code >= 0)
        json_i64(json, result->exit_code);
    else
        json_null(json);
    json_key(json, "signal");
    if (result->signal > 0)
        json_i64(json, result->signal);
    else
        json_null(json);
    field_text(json, "signal_name", signal_name(result->signal));
    json_key(json, "status");
    json_i64(json, result->status);
    field_bool(json, "timed_out", result->timed_out);
    field_bool(json, "oom", result->oom);
    field_text(json, "oom_source", oom_source_name(result->oom_source));
}

/* The words of one stream's keys: string literals, so that the key list can be searched for. */
struct stream_keys {
    const char *text, *bytes, *omitted_bytes, *truncated, *base64, *head_bytes;
};

static const struct stream_keys stream_keys[STREAM_COUNT] = {
    [STREAM_STDOUT] = {"stdout", "stdout_bytes", "stdout_omitted_bytes", "stdout_truncated",
                       "stdout_base64", "stdout_head_bytes"},
    [STREAM_STDERR] = {"stderr", "stderr_bytes", "stderr_omitted_bytes", "stderr_truncated",
                       "stderr_base64", "stderr_head_bytes"},
};

/* What one capture kept. */
struct kept {
    const char *head, *tail;
    size_t head_size, tail_size;
    uint64_t omitted_bytes;
};

static struct kept kept_of(struct capture *capture)
{
    struct kept kept;
    capture_parts(capture, &kept.head, &kept.head_size, &kept.tail, &kept.tail_size);
    kept.omitted_bytes = capture_omitted_bytes(capture);
    return kept;
}

static void write_text(const char *key, const struct kept *kept, struct json_writer *json)
{
    json_key(json, key);
    json_text_open(json);
    json_text_part(json, kept->head, kept->head_size);
    if (kept->omitted_bytes > 0) {
        char marker[64];
        json_text_part(json, marker, capture_marker(kept->omitted_bytes, marker, sizeof(marker)));
    }
    json_text_part(json, kept->tail, kept->tail_size);
    json_text_close(json);
}

/* The bytes themselves, where the text could not hold them: head, then tail, no marker between. */
static void write_base64(const struct stream_keys *keys, const struct kept *kept,
                         struct json_writer *json)
{
    if (text_is_valid(kept->head, kept->head_size) && text_is_valid(kept->tail, kept->tail_size))
        return;
    json_key(json, keys->base64);
    json_base64(json, kept->head, kept->head_size, kept->tail, kept->tail_size);
    field_u64(json, keys->head_bytes, kept->head_size);
}

static void write_streams(const struct result *result, struct capture *const captures[STREAM_COUNT],
                          struct json_writer *json)
{
    struct kept kept[STREAM_COUNT] = {0};

    for (int i = 0; captures && i < STREAM_COUNT; i++) {
        if (!captures[i])
            continue;
        kept[i] = kept_of(captures[i]);
        write_text(stream_keys[i].text, &kept[i], json);
    }
    for (int i = 0; i < STREAM_COUNT; i++) {
        const struct stream_facts *facts = &result->streams[i];
        field_u64(json, stream_keys[i].bytes, facts->bytes);
        field_u64(json, stream_keys[i].omitted_bytes, facts->omitted_bytes);
        field_bool(json, stream_keys[i].truncated, facts->omitted_bytes > 0);
    }
    for (int i = 0; captures && i < STREAM_COUNT; i++) {
        if (captures[i])
            write_base64(&stream_keys[i], &kept[i], json);
    }
}

static void write_usage(const struct result_usage *usage, struct json_writer *json)
{
    json_key(json, "usage");
    json_object(json);
    if (usage->wall_ns > 0)
        field_seconds(json, "wall_s", usage->wall_ns);
    if (usage->cpu_source) {
        field_seconds(json, "cpu_s", usage->cpu_ns);
        field_text(json, "cpu_source", usage->cpu_source);
    }
    /* No process runs for nothing: both zero means that the kernel's record was not had. */
    if (usage->user_ns > 0 || usage->system_ns > 0) {
        field_seconds(json, "user_s", usage->user_ns);
        field_seconds(json, "system_s", usage->system_ns);
    }
    if (usage->memory_source && usage->memory_peak_bytes > 0) {
        field_u64(json, "memory_peak_bytes", usage->memory_peak_bytes);
        field_text(json, "memory_source", usage->memory_source);
    }
    if (usage->processes_peak > 0)
        field_u64(json, "processes_peak", usage->processes_peak);
    field_u64(json, "processes_refused", usage->processes_refused);
    field_u64(json, "stdin_bytes", usage->stdin_bytes);
    json_object_end(json);
}

static void write_notes(const struct result *result, struct json_writer *json)
{
    json_key(json, "notes");
    json_array(json);
    for (uint32_t i = 0; i < result->note_count; i++) {
        const struct result_note *note = &result->notes[i];
        json_object(json);
        field_text(json, "layer", note->layer == BERM_LAYER_NONE ? NULL : layer_name(note->layer));
        field_text(json, "text", note->text);
        json_object_end(json);
    }
    json_array_end(json);
}

/* Names are shown as session/names.h writes them, and can be given back to --get so. */
static void write_file(const struct listing_entry *entry, struct json_writer *json)
{
    char shown[NAME_SHOWN_SIZE];

    if (name_show(entry->path, shown, sizeof(shown)) < 0)
        return; /* longer than any path that is listed */
    json_object(json);
    field_text(json, "path", shown);
    field_text(json, "type", entry_type_name(entry->type));
    if (entry->type == ENTRY_FILE)
        field_u64(json, "bytes", entry->bytes);
    json_object_end(json);
}

static void write_files(const struct listing *files, struct json_writer *json)
{
    json_key(json, "files");
    json_array(json);
    for (uint64_t i = 0; files && i < files->count; i++)
        write_file(&files->entries[i], json);
    json_array_end(json);
    if (files && files->omitted > 0)
        field_u64(json, "files_omitted", files->omitted);
    if (files && files->is_incomplete)
        field_bool(json, "files_incomplete", true);
}

static void write_timings(const struct result_usage *usage, struct json_writer *json)
{
    json_key(json, "timings");
    json_object(json);
    field_seconds(json, "setup_s", usage->setup_ns);
    field_seconds(json, "run_s", usage->wall_ns);
    field_seconds(json, "cleanup_s", usage->cleanup_ns);
    json_object_end(json);
}

/* Keys "step" and "compile", only where there was a compiler. */
static void write_compile(const struct result_json_options *options, struct json_writer *json)
{
    const struct result_compile *compile = options->compile;

    if (!compile)
        return;
    field_text(json, "step", options->ended_by_compile ? "compile" : "run");
    json_key(json, "compile");
    json_object(json);
    write_verdict(compile->result, json);
    write_streams(compile->result, compile->captures, json);
    write_usage(&compile->result->usage, json);
    json_object_end(json);
}

int result_to_json(const struct plan *plan, const struct result *result,
                   struct capture *const captures[STREAM_COUNT],
                   const struct result_json_options *options, struct json_writer *json)
{
    json_object(json);
    field_u64(json, "schema", SCHEMA);
    write_verdict(result, json);
    write_compile(options, json);
    write_streams(result, options->has_output ? captures : NULL, json);
    write_usage(&result->usage, json);
    layers_to_json(plan, json);
    write_files(options->files, json);
    write_notes(result, json);
    if (options->has_timings)
        write_timings(&result->usage, json);
    json_object_end(json);
    return json_end(json);
}

int error_to_json(const struct berm_error *err, struct json_writer *json)
{
    json_object(json);
    field_u64(json, "schema", SCHEMA);
    json_key(json, "error");
    json_object(json);
    field_text(json, "code", error_code_name(err->code));
    field_text(json, "layer", err->layer == BERM_LAYER_NONE ? NULL : layer_name(err->layer));
    field_text(json, "step", err->step);
    field_text(json, "message", err->message);
    field_text(json, "cure", err->cure);
    json_object_end(json);
    json_object_end(json);
    return json_end(json);
}
