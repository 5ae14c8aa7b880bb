/*
 * A small JSON writer. Output only: reading JSON is done by berm-policy, with jansson.
 *
 * In: values. Out: bytes to a sink. Must never: allocate, emit invalid JSON or invalid UTF-8, whatever
 * the input bytes are. Nesting is bounded; misuse (a value without a key inside an object) is a defect
 * and asserts.
 */
#ifndef BERM_WIRE_JSON_H
#define BERM_WIRE_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define JSON_DEPTH_MAX 16

/* For three functions that jansson has too: other names for the linker keep one program able to use both,
 * whether jansson is linked as a shared or as a static library. */
#define JSON_SYMBOL(name) __asm__("berm_" #name)

/* Takes bytes; returns 0 or -errno. The first failure sticks and stops all output. */
typedef int (*json_sink)(void *context, const char *bytes, size_t size);

struct json_writer {
    json_sink sink;
    void *context;
    int failed; /* first -errno of the sink */
    unsigned depth;
    bool has_items[JSON_DEPTH_MAX];
    bool is_object[JSON_DEPTH_MAX];
    bool is_pretty; /* two spaces of indent, one key a line */
    bool after_key;
    bool in_text;
    char buffer[4096];
    size_t used;
};

/* Each outermost value is followed by a newline: one document, one line (or one block of lines). */
void json_begin(struct json_writer *json, json_sink sink, void *context, bool is_pretty);
/* Flush; returns 0 or the first -errno. May be called more than once. */
int json_end(struct json_writer *json);

void json_object(struct json_writer *json) JSON_SYMBOL(json_object);
void json_object_end(struct json_writer *json);
void json_array(struct json_writer *json) JSON_SYMBOL(json_array);
void json_array_end(struct json_writer *json);
void json_key(struct json_writer *json, const char *key);
/* Text: bytes that are not UTF-8 become U+FFFD, one for each byte. Control characters are escaped, those
 * that steer a terminal or turn the direction of writing too (text_is_control). */
void json_text(struct json_writer *json, const char *text);
void json_bytes(struct json_writer *json, const char *bytes, size_t size);
/* A text given in pieces: open, any number of parts (each cut at a character), close. */
void json_text_open(struct json_writer *json);
void json_text_part(struct json_writer *json, const char *bytes, size_t size);
void json_text_close(struct json_writer *json);
void json_base64(struct json_writer *json, const char *head, size_t head_size, const char *tail,
                 size_t tail_size);
void json_u64(struct json_writer *json, uint64_t value);
void json_i64(struct json_writer *json, int64_t value);
void json_bool(struct json_writer *json, bool value);
void json_null(struct json_writer *json) JSON_SYMBOL(json_null);
/* Nanoseconds as seconds with six decimals. */
void json_seconds(struct json_writer *json, uint64_t ns);

#endif
