/*
 * The quoted form of a foreign text. Owns no data.
 */
#include "base/quote.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* The longest piece that one step writes, and what the end of the quotation needs. */
#define PIECE_MAX 4
#define TAIL      "...\""

static bool is_continuation(char byte)
{
    return ((unsigned char)byte & 0xc0) == 0x80;
}

/*
 * Bytes of UTF-8 pass, so that a path in any script can be read; U+0080 to U+009F do not: several
 * terminals obey them as control characters (ECMA-48, 8-bit C1).
 */
static bool is_control(const char *at)
{
    unsigned char byte = (unsigned char)at[0];
    unsigned char next = byte == 0xc2 ? (unsigned char)at[1] : 0;

    return byte < 0x20 || byte == 0x7f || (next >= 0x80 && next <= 0x9f);
}

static size_t write_piece(char *ret_piece, const char *at)
{
    static const char digits[] = "0123456789abcdef";
    unsigned char byte = (unsigned char)*at;

    if (!is_control(at)) {
        *ret_piece = *at;
        return 1;
    }
    ret_piece[0] = '\\';
    ret_piece[1] = 'x';
    ret_piece[2] = digits[byte >> 4];
    ret_piece[3] = digits[byte & 0xf];
    return PIECE_MAX;
}

const char *quote_text(struct quoted *ret_quoted, const char *text)
{
    char *out = ret_quoted->text;
    size_t used = 0;

    out[used++] = '"';
    while (*text && used + PIECE_MAX + sizeof(TAIL) <= QUOTED_SIZE) {
        bool is_pair = is_control(text) && (unsigned char)*text == 0xc2;
        used += write_piece(out + used, text++);
        /* The second byte of a C1 control is dropped with the first: alone it is not a character. */
        text += is_pair ? 1 : 0;
    }
    if (!*text) {
        memcpy(out + used, "\"", sizeof("\""));
        return out;
    }
    /* Do not leave the first bytes of a character whose rest was cut off. */
    if (is_continuation(*text)) {
        while (used > 1 && is_continuation(out[used - 1]))
            used--;
        used -= used > 1 ? 1 : 0;
    }
    memcpy(out + used, TAIL, sizeof(TAIL));
    return out;
}
