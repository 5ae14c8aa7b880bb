/*
 * The JSON writer: see json.h.
 *
 * In: values, in order. Out: bytes to the sink. Must never: allocate, or let a byte of the input decide
 * the structure.
 * Source: RFC 8259.
 */
#include "wire/json.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"

static void flush(struct json_writer *json)
{
    if (!json->failed && json->used > 0)
        json->failed = json->sink(json->context, json->buffer, json->used);
    json->used = 0;
}

static void emit(struct json_writer *json, const char *bytes, size_t size)
{
    if (size > sizeof(json->buffer) - json->used)
        flush(json);
    if (json->failed)
        return;
    if (size > sizeof(json->buffer)) {
        json->failed = json->sink(json->context, bytes, size);
        return;
    }
    memcpy(json->buffer + json->used, bytes, size);
    json->used += size;
}

static void emit_text(struct json_writer *json, const char *text)
{
    emit(json, text, strlen(text));
}

static void new_line(struct json_writer *json)
{
    if (!json->is_pretty)
        return;
    emit_text(json, "\n");
    for (unsigned i = 0; i < json->depth; i++)
        emit_text(json, "  ");
}

/* What stands between this item and the one before it. */
static void next_item(struct json_writer *json)
{
    if (json->depth == 0)
        return;
    if (json->has_items[json->depth - 1])
        emit_text(json, ",");
    json->has_items[json->depth - 1] = true;
    new_line(json);
}

static void before_value(struct json_writer *json)
{
    assert(!json->in_text);
    if (json->after_key) {
        json->after_key = false;
        return;
    }
    assert(json->depth == 0 || !json->is_object[json->depth - 1]);
    next_item(json);
}

static void after_value(struct json_writer *json)
{
    if (json->depth == 0)
        emit_text(json, "\n");
}

void json_begin(struct json_writer *json, json_sink sink, void *context, bool is_pretty)
{
    json->sink = sink;
    json->context = context;
    json->failed = 0;
    json->depth = 0;
    json->is_pretty = is_pretty;
    json->after_key = false;
    json->in_text = false;
    json->used = 0;
}

int json_end(struct json_writer *json)
{
    assert(json->depth == 0 && !json->in_text);
    flush(json);
    return json->failed;
}

static void open_level(struct json_writer *json, const char *bracket, bool is_object)
{
    before_value(json);
    assert(json->depth < JSON_DEPTH_MAX);
    emit_text(json, bracket);
    json->has_items[json->depth] = false;
    json->is_object[json->depth] = is_object;
    json->depth++;
}

static void close_level(struct json_writer *json, const char *bracket, bool is_object)
{
    assert(json->depth > 0 && !json->after_key && !json->in_text);
    assert(json->is_object[json->depth - 1] == is_object);
    json->depth--;
    if (json->has_items[json->depth])
        new_line(json);
    emit_text(json, bracket);
    after_value(json);
}

void json_object(struct json_writer *json)
{
    open_level(json, "{", true);
}

void json_object_end(struct json_writer *json)
{
    close_level(json, "}", true);
}

void json_array(struct json_writer *json)
{
    open_level(json, "[", false);
}

void json_array_end(struct json_writer *json)
{
    close_level(json, "]", false);
}

void json_key(struct json_writer *json, const char *key)
{
    assert(json->depth > 0 && json->is_object[json->depth - 1]);
    assert(!json->after_key && !json->in_text);
    next_item(json);
    emit_text(json, "\"");
    json->in_text = true;
    json_text_part(json, key, strlen(key));
    json->in_text = false;
    emit_text(json, json->is_pretty ? "\": " : "\":");
    json->after_key = true;
}

/* Stands for itself inside a JSON string, and in one byte. */
static bool is_plain(char c)
{
    unsigned char byte = (unsigned char)c;
    return byte >= 0x20 && byte < 0x7f && byte != '"' && byte != '\\';
}

static size_t plain_size(const char *bytes, size_t size)
{
    size_t i = 0;
    while (i < size && is_plain(bytes[i]))
        i++;
    return i;
}

static void emit_escape(struct json_writer *json, uint32_t code)
{
    static const char *const short_forms[0x60] = {
        ['"'] = "\\\"", ['\\'] = "\\\\", ['\n'] = "\\n", ['\t'] = "\\t",
        ['\r'] = "\\r", ['\b'] = "\\b",  ['\f'] = "\\f",
    };
    char text[8];

    if (code < 0x60 && short_forms[code]) {
        emit_text(json, short_forms[code]);
        return;
    }
    (void)snprintf(text, sizeof(text), "\\u%04x", (unsigned)(code & 0xffff)); /* 6 and a NUL fit */
    emit_text(json, text);
}

/* One character that is not plain: escaped, as it is, or replaced. Returns its size. */
static size_t emit_char(struct json_writer *json, const char *bytes, size_t size)
{
    int char_size = text_char_size(bytes, size);
    if (char_size <= 0) {
        emit_text(json, TEXT_REPLACEMENT);
        return 1;
    }
    /* No control lies above U+FFFF: an escape never needs a surrogate pair. */
    uint32_t code = text_char_code(bytes, char_size);
    if (code < 0x80 || text_is_control(code))
        emit_escape(json, code);
    else
        emit(json, bytes, (size_t)char_size);
    return (size_t)char_size;
}

void json_text_open(struct json_writer *json)
{
    before_value(json);
    emit_text(json, "\"");
    json->in_text = true;
}

void json_text_part(struct json_writer *json, const char *bytes, size_t size)
{
    assert(json->in_text);
    while (size > 0 && !json->failed) {
        size_t done = plain_size(bytes, size);
        if (done > 0)
            emit(json, bytes, done);
        else
            done = emit_char(json, bytes, size);
        bytes += done;
        size -= done;
    }
}

void json_text_close(struct json_writer *json)
{
    assert(json->in_text);
    json->in_text = false;
    emit_text(json, "\"");
    after_value(json);
}

void json_bytes(struct json_writer *json, const char *bytes, size_t size)
{
    json_text_open(json);
    json_text_part(json, bytes, size);
    json_text_close(json);
}

void json_text(struct json_writer *json, const char *text)
{
    json_bytes(json, text, strlen(text));
}

/* RFC 4648, section 4: @count bytes, 1 to 3, become four letters. */
static void emit_base64(struct json_writer *json, const unsigned char bytes[3], size_t count)
{
    static const char letters[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    uint32_t group = (uint32_t)bytes[0] << 16 | (uint32_t)bytes[1] << 8 | bytes[2];
    char text[4] = {letters[group >> 18], letters[group >> 12 & 63], '=', '='};

    if (count > 1)
        text[2] = letters[group >> 6 & 63];
    if (count > 2)
        text[3] = letters[group & 63];
    emit(json, text, sizeof(text));
}

void json_base64(struct json_writer *json, const char *head, size_t head_size, const char *tail,
                 size_t tail_size)
{
    unsigned char group[3] = {0};
    size_t count = 0;

    before_value(json);
    emit_text(json, "\"");
    for (size_t i = 0; i < head_size + tail_size && !json->failed; i++) {
        group[count++] = (unsigned char)(i < head_size ? head[i] : tail[i - head_size]);
        if (count == sizeof(group)) {
            emit_base64(json, group, count);
            memset(group, 0, sizeof(group));
            count = 0;
        }
    }
    if (count > 0)
        emit_base64(json, group, count);
    emit_text(json, "\"");
    after_value(json);
}

static void emit_value(struct json_writer *json, const char *text)
{
    before_value(json);
    emit_text(json, text);
    after_value(json);
}

void json_u64(struct json_writer *json, uint64_t value)
{
    char text[24];
    (void)snprintf(text, sizeof(text), "%llu", (unsigned long long)value); /* at most 20 digits */
    emit_value(json, text);
}

void json_i64(struct json_writer *json, int64_t value)
{
    char text[24];
    (void)snprintf(text, sizeof(text), "%lld", (long long)value); /* at most 20 characters */
    emit_value(json, text);
}

void json_bool(struct json_writer *json, bool value)
{
    emit_value(json, value ? "true" : "false");
}

void json_null(struct json_writer *json)
{
    emit_value(json, "null");
}

void json_seconds(struct json_writer *json, uint64_t ns)
{
    char text[32];
    (void)snprintf(text, sizeof(text), "%llu.%06llu", (unsigned long long)(ns / 1000000000u),
                   (unsigned long long)(ns % 1000000000u / 1000u)); /* at most 11 + 1 + 6 */
    emit_value(json, text);
}
