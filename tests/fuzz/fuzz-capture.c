/*
 * Any bytes in any pieces under any small cap: what is kept is a beginning and an end of the stream, cut
 * at characters, never more than the cap, and every byte is accounted for.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "run/capture.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static uint64_t count_chars(const char *bytes, size_t size)
{
    uint64_t count = 0;
    for (size_t i = 0; i < size; count++) {
        int char_size = text_char_size(bytes + i, size - i);
        i += char_size > 0 ? (size_t)char_size : 1;
    }
    return count;
}

static void check(struct capture *capture, const char *bytes, size_t size, uint64_t cap)
{
    const char *head = NULL;
    const char *tail = NULL;
    size_t head_size = 0;
    size_t tail_size = 0;
    uint64_t omitted = capture_omitted_bytes(capture);

    capture_parts(capture, &head, &head_size, &tail, &tail_size);
    if (capture_bytes(capture) != size || head_size + tail_size + omitted != size)
        abort();
    if (memcmp(head, bytes, head_size) != 0 ||
        memcmp(tail, bytes + size - tail_size, tail_size) != 0)
        abort();
    uint64_t total = count_chars(bytes, size);
    uint64_t head_chars = count_chars(head, head_size);
    uint64_t tail_chars = count_chars(tail, tail_size);
    if (total <= cap ? omitted != 0 || tail_size != 0
                     : head_chars != cap * 60 / 100 || head_chars + tail_chars != cap)
        abort();
    /* Cut between characters: the parts and what lies between have as many as the whole. */
    if (head_chars + count_chars(bytes + head_size, omitted) + tail_chars != total)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 2)
        return 0;
    uint64_t cap = 1 + data[0];
    size_t piece = 1 + data[1];
    const char *bytes = (const char *)data + 2;
    size -= 2;

    struct capture *capture = capture_new(cap);
    if (!capture)
        abort();
    for (size_t at = 0; at < size; at += piece) {
        size_t part = piece < size - at ? piece : size - at;
        if (capture_add(capture, bytes + at, part) != 0)
            abort();
        if (at % 7 == 0)
            check(capture, bytes, at + part, cap);
    }
    check(capture, bytes, size, cap);
    capture_free(capture);
    return 0;
}
