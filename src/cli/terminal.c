/*
 * Makes control sequences visible: see terminal.h.
 */
#include "cli/terminal.h"

#include <stdio.h>
#include <string.h>

struct sink {
    char *bytes;
    size_t size, used;
};

/* Whole pieces only: half an escape would be a lie. */
static void put(struct sink *sink, const char *bytes, size_t size)
{
    if (size > sink->size - sink->used)
        return;
    memcpy(sink->bytes + sink->used, bytes, size);
    sink->used += size;
}

static bool is_plain(char c)
{
    unsigned char byte = (unsigned char)c;
    return (byte >= 0x20 && byte < 0x7f) || byte == '\n' || byte == '\t';
}

static void put_invalid(struct sink *sink, char c)
{
    char text[8];
    int length = snprintf(text, sizeof(text), "\\x%02x", (unsigned)(unsigned char)c);
    put(sink, text, (size_t)length);
}

/* One whole character that is not a carriage return. */
static void put_char(struct sink *sink, const char *bytes, int size)
{
    uint32_t code = text_char_code(bytes, size);
    char text[16];

    if (is_plain(bytes[0]) || !text_is_control(code)) {
        put(sink, bytes, (size_t)size);
    } else if (code < 0x80) {
        text[0] = '^';
        text[1] = (char)(code ^ 0x40); /* ^@ to ^_, and ^? for DEL */
        put(sink, text, 2);
    } else {
        int length = snprintf(text, sizeof(text), "\\u{%x}", (unsigned)code);
        put(sink, text, (size_t)length);
    }
}

static void drop_held(struct terminal *terminal, size_t size)
{
    terminal->held_size -= size;
    memmove(terminal->held, terminal->held + size, terminal->held_size);
}

/* Put what the held bytes are known to be. False: more bytes are needed to tell. */
static bool resolve(struct terminal *terminal, struct sink *sink)
{
    const char *held = terminal->held;

    if (held[0] == '\r') {
        if (terminal->held_size == 1)
            return false;
        put(sink, held[1] == '\n' ? "\r\n" : "^M", 2);
        drop_held(terminal, held[1] == '\n' ? 2 : 1);
        return true;
    }
    int size = text_char_size(held, terminal->held_size);
    if (size == TEXT_INCOMPLETE)
        return false;
    if (size > 0)
        put_char(sink, held, size);
    else
        put_invalid(sink, held[0]);
    drop_held(terminal, size > 0 ? (size_t)size : 1);
    return true;
}

static size_t plain_size(const char *bytes, size_t size)
{
    size_t i = 0;
    while (i < size && is_plain(bytes[i]))
        i++;
    return i;
}

void terminal_init(struct terminal *terminal)
{
    memset(terminal, 0, sizeof(*terminal));
}

size_t terminal_transform(void *context, const char *in, size_t in_size, char *out, size_t out_size)
{
    struct terminal *terminal = context;
    struct sink sink = {.bytes = out, .size = out_size};

    while (in_size > 0) {
        size_t done = terminal->held_size == 0 ? plain_size(in, in_size) : 0;
        if (done > 0) {
            put(&sink, in, done);
        } else {
            done = 1;
            terminal->held[terminal->held_size++] = *in;
            while (terminal->held_size > 0 && resolve(terminal, &sink))
                ;
        }
        in += done;
        in_size -= done;
    }
    return sink.used;
}

size_t terminal_end(struct terminal *terminal, char *out, size_t out_size)
{
    struct sink sink = {.bytes = out, .size = out_size};

    for (size_t i = 0; i < terminal->held_size; i++) {
        if (terminal->held[i] == '\r')
            put(&sink, "^M", 2);
        else
            put_invalid(&sink, terminal->held[i]);
    }
    terminal->held_size = 0;
    return sink.used;
}
