/*
 * Strict UTF-8, forwards and backwards: see text.h.
 */
#include "base/text.h"

#include <string.h>

/* Unicode 15.0, table 3-7: the second byte's range depends on the first; later ones are 80..BF. */
struct lead {
    unsigned char first, last; /* range of the first byte */
    unsigned char size;
    unsigned char low, high; /* range of the second byte */
};

static const struct lead leads[] = {
    {0xc2, 0xdf, 2, 0x80, 0xbf},
    {0xe0, 0xe0, 3, 0xa0, 0xbf},
    {0xe1, 0xec, 3, 0x80, 0xbf},
    {0xed, 0xed, 3, 0x80, 0x9f},
    {0xee, 0xef, 3, 0x80, 0xbf},
    {0xf0, 0xf0, 4, 0x90, 0xbf},
    {0xf1, 0xf3, 4, 0x80, 0xbf},
    {0xf4, 0xf4, 4, 0x80, 0x8f},
};

static const struct lead *find_lead(unsigned char first)
{
    for (size_t i = 0; i < sizeof(leads) / sizeof(leads[0]); i++) {
        if (first >= leads[i].first && first <= leads[i].last)
            return &leads[i];
    }
    return NULL;
}

int text_char_size(const char *bytes, size_t size)
{
    unsigned char first = (unsigned char)bytes[0];
    if (first < 0x80)
        return 1;
    const struct lead *lead = find_lead(first);
    if (!lead)
        return 0;

    for (size_t i = 1; i < lead->size; i++) {
        if (i == size)
            return TEXT_INCOMPLETE;
        unsigned char byte = (unsigned char)bytes[i];
        if (byte < (i == 1 ? lead->low : 0x80) || byte > (i == 1 ? lead->high : 0xbf))
            return 0;
    }
    return lead->size;
}

uint32_t text_char_code(const char *bytes, int char_size)
{
    static const unsigned char masks[] = {0, 0x7f, 0x1f, 0x0f, 0x07};
    uint32_t code = (unsigned char)bytes[0] & masks[char_size];

    for (int i = 1; i < char_size; i++)
        code = code << 6 | ((unsigned char)bytes[i] & 0x3fu);
    return code;
}

bool text_is_valid(const char *bytes, size_t size)
{
    for (size_t i = 0;;) {
        i += text_ascii_size(bytes + i, size - i);
        if (i == size)
            return true;
        int char_size = text_char_size(bytes + i, size - i);
        if (char_size <= 0)
            return false;
        i += (size_t)char_size;
    }
}

bool text_is_control(uint32_t code)
{
    if (code < 0x20 || (code >= 0x7f && code <= 0x9f))
        return true;
    return code == 0x061c || code == 0x200e || code == 0x200f ||
           (code >= 0x2028 && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);
}

/* Eight bytes at a time: none of them has its high bit set. */
static bool is_ascii_word(const char *bytes)
{
    uint64_t word;
    memcpy(&word, bytes, sizeof(word));
    return (word & 0x8080808080808080ULL) == 0;
}

size_t text_ascii_size(const char *bytes, size_t size)
{
    size_t i = 0;

    while (size - i >= sizeof(uint64_t) && is_ascii_word(bytes + i))
        i += sizeof(uint64_t);
    while (i < size && (unsigned char)bytes[i] < 0x80)
        i++;
    return i;
}

/* The size of the last character: the one sequence that ends exactly here, or one byte. */
static size_t last_char_size(const char *bytes, size_t size)
{
    for (size_t back = 1; back <= TEXT_CHAR_MAX && back <= size; back++) {
        if (text_char_size(bytes + size - back, back) == (int)back)
            return back;
    }
    return 1;
}

size_t text_walk_back(const char *bytes, size_t size, size_t floor, uint64_t *budget)
{
    while (*budget > 0 && size > floor) {
        if (*budget >= sizeof(uint64_t) && size - floor >= sizeof(uint64_t) &&
            is_ascii_word(bytes + size - sizeof(uint64_t))) {
            size -= sizeof(uint64_t);
            *budget -= sizeof(uint64_t);
            continue;
        }
        size -= last_char_size(bytes, size);
        *budget -= 1;
    }
    return size;
}
