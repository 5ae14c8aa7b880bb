/*
 * Any bytes in any pieces: nothing that steers a terminal comes out, the pieces do not matter, and the
 * promised growth is enough.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cli/terminal.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static size_t show(const char *in, size_t size, size_t piece, char *out)
{
    struct terminal terminal;
    size_t used = 0;

    terminal_init(&terminal);
    for (size_t at = 0; at < size; at += piece) {
        size_t part = piece < size - at ? piece : size - at;
        used += terminal_transform(&terminal, in + at, part, out + used,
                                   TERMINAL_GROWTH * part + TERMINAL_HELD_MAX);
    }
    return used + terminal_end(&terminal, out + used, TERMINAL_HELD_MAX);
}

static bool is_harmless(const char *text, size_t size)
{
    for (size_t i = 0; i < size;) {
        int char_size = text_char_size(text + i, size - i);
        if (char_size <= 0)
            return false;
        bool is_line = text[i] == '\n' || text[i] == '\t' ||
                       (text[i] == '\r' && i + 1 < size && text[i + 1] == '\n');
        if (!is_line && text_is_control(text_char_code(text + i, char_size)))
            return false;
        i += (size_t)char_size;
    }
    return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 1)
        return 0;
    const char *in = (const char *)data + 1;
    size_t piece = 1 + data[0] % 16;
    size--;

    size_t room = TERMINAL_GROWTH * size + 2 * TERMINAL_HELD_MAX;
    char *whole = malloc(room);
    char *pieces = malloc(room);
    if (!whole || !pieces)
        abort();
    size_t whole_size = show(in, size, size > 0 ? size : 1, whole);
    size_t pieces_size = show(in, size, piece, pieces);
    if (whole_size != pieces_size || memcmp(whole, pieces, whole_size) != 0 ||
        !is_harmless(whole, whole_size) || whole_size < size)
        abort();
    free(whole);
    free(pieces);
    return 0;
}
