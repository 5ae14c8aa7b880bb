/*
 * Head and tail of one output stream: see capture.h.
 *
 * Owns one buffer. In: bytes. Out: the kept bytes. Must never: look at what lies between, or walk over
 * every byte of a flood.
 *
 * One buffer, two regions. The head grows until it holds its characters; it is walked over once, as it
 * comes. What follows it fills the ring, which holds the last bytes, whatever they are: a character has
 * at most four, so the last 4n bytes hold the last n characters. Nothing is counted there until somebody
 * asks: a flood costs one memcpy of the end of each block (the test counts 10 GB in under a second).
 * While nothing was dropped the ring has not wrapped, and the buffer as it stands is the whole stream.
 */
#include "run/capture.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "plan/defect.h"

#define HEAD_PERCENT   60
#define FIRST_CAPACITY 4096u
/* So many bytes before a position may decide where a character begins. */
#define LOOK_BACK (TEXT_CHAR_MAX - 1)

struct capture {
    uint64_t bytes; /* taken in all */
    size_t head_chars, tail_chars;
    char *buffer; /* owned */
    size_t capacity, used;
    size_t walked;       /* bytes of the head that are known to be complete characters */
    size_t walked_chars; /* how many; == head_chars: the head is complete */
    size_t oldest;       /* of the full ring: offset of its oldest byte */
    bool has_failed;     /* out of memory: what came later is counted, not kept */
};

/* What is kept, as of now. */
struct cut {
    size_t head_size, tail_size; /* tail_size 0: the head is everything */
};

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

static size_t ring_capacity(const struct capture *capture)
{
    return IS_PLANTED(capture_unbounded) ? (size_t)1 << 40 : capture->tail_chars * TEXT_CHAR_MAX;
}

static bool is_head_full(const struct capture *capture)
{
    return capture->walked_chars == capture->head_chars;
}

struct capture *capture_new(uint64_t chars)
{
    struct capture *capture = calloc(1, sizeof(*capture));
    if (!capture)
        return NULL;
    capture->head_chars = (size_t)(chars * HEAD_PERCENT / 100);
    capture->tail_chars = (size_t)chars - capture->head_chars;
    return capture;
}

void capture_free(struct capture *capture)
{
    if (!capture)
        return;
    free(capture->buffer);
    free(capture);
}

/* The most that the buffer can ever need, as far as it is known by now. */
static size_t capacity_limit(const struct capture *capture)
{
    size_t head = is_head_full(capture) ? capture->walked : capture->head_chars * TEXT_CHAR_MAX;
    return head + ring_capacity(capture);
}

static int reserve(struct capture *capture, size_t size)
{
    size_t need = capture->used + size;
    if (need <= capture->capacity)
        return 0;

    size_t capacity = capture->capacity > 0 ? capture->capacity * 2 : FIRST_CAPACITY;
    if (capacity < need)
        capacity = need;
    capacity = smaller(capacity, capacity_limit(capture)); /* which is never below need */
    char *buffer = realloc(capture->buffer, capacity);
    if (!buffer) {
        capture->has_failed = true;
        return -ENOMEM;
    }
    capture->buffer = buffer;
    capture->capacity = capacity;
    return 0;
}

static int append(struct capture *capture, const char *bytes, size_t size)
{
    int ret = reserve(capture, size);
    if (ret < 0)
        return ret;
    memcpy(capture->buffer + capture->used, bytes, size);
    capture->used += size;
    return 0;
}

/* Count complete characters until the head has all of its own, or more bytes are needed. */
static void walk_head(struct capture *capture)
{
    while (capture->walked < capture->used && !is_head_full(capture)) {
        const char *at = capture->buffer + capture->walked;
        size_t left = capture->used - capture->walked;
        size_t run =
            text_ascii_size(at, smaller(left, capture->head_chars - capture->walked_chars));
        if (run > 0) {
            capture->walked += run;
            capture->walked_chars += run;
            continue;
        }
        int size = text_char_size(at, left);
        if (size == TEXT_INCOMPLETE)
            return;
        capture->walked += size > 0 ? (size_t)size : 1;
        capture->walked_chars++;
    }
}

/* Overwrite the oldest bytes of the full ring. */
static void overwrite(struct capture *capture, const char *bytes, size_t size)
{
    char *ring = capture->buffer + capture->walked;
    size_t capacity = ring_capacity(capture);

    if (size >= capacity) {
        memcpy(ring, bytes + size - capacity, capacity);
        capture->oldest = 0;
        return;
    }
    size_t first = smaller(size, capacity - capture->oldest);
    memcpy(ring + capture->oldest, bytes, first);
    memcpy(ring, bytes + first, size - first);
    capture->oldest = (capture->oldest + size) % capacity;
}

static int add_tail(struct capture *capture, const char *bytes, size_t size)
{
    size_t room = capture->walked + ring_capacity(capture) - capture->used;
    size_t linear = smaller(size, room);
    int ret = append(capture, bytes, linear);

    if (ret == 0 && size > linear)
        overwrite(capture, bytes + linear, size - linear);
    return ret;
}

int capture_add(struct capture *capture, const void *data, size_t size)
{
    const char *bytes = data;

    capture->bytes += size;
    if (capture->has_failed)
        return -ENOMEM;
    while (size > 0 && !is_head_full(capture)) {
        /* A character has at least one byte: so many bytes never overfill the head by much. */
        size_t part = smaller(size, capture->head_chars - capture->walked_chars);
        int ret = append(capture, bytes, part);
        if (ret < 0)
            return ret;
        walk_head(capture);
        bytes += part;
        size -= part;
    }
    return size > 0 ? add_tail(capture, bytes, size) : 0;
}

/*
 * The size of the last characters of the ring, at most tail_chars of them. @start is where the ring
 * begins in the buffer. The ring is an older and a newer part; a character may lie across the seam.
 */
static size_t tail_bytes(const struct capture *capture, size_t start)
{
    const char *newer = capture->buffer + start;
    size_t size = capture->used - start;
    if (capture->oldest == 0) {
        uint64_t budget = capture->tail_chars;
        return size - text_walk_back(newer, size, 0, &budget);
    }

    uint64_t budget = capture->tail_chars;
    const char *older = newer + capture->oldest;
    size_t older_size = size - capture->oldest;
    size_t left =
        text_walk_back(newer, capture->oldest, smaller(LOOK_BACK, capture->oldest), &budget);
    if (budget == 0)
        return capture->oldest - left;

    char seam[TEXT_CHAR_MAX + LOOK_BACK];
    size_t before = smaller(TEXT_CHAR_MAX, older_size);
    memcpy(seam, older + older_size - before, before);
    memcpy(seam + before, newer, left);
    size_t at = text_walk_back(seam, before + left, before, &budget);
    if (at > before)
        return capture->oldest - (at - before);
    older_size -= before - at;
    return size - capture->oldest - text_walk_back(older, older_size, 0, &budget) + capture->oldest;
}

/*
 * Where the stream would be cut if it ended here. Bytes at the end that only begin a character are then
 * invalid: one character each.
 */
static struct cut find_cut(const struct capture *capture)
{
    if (capture->has_failed)
        return (struct cut){.head_size = capture->walked};
    size_t head = capture->walked + smaller(capture->used - capture->walked,
                                            capture->head_chars - capture->walked_chars);
    if (head == capture->used)
        return (struct cut){.head_size = head};

    if (IS_PLANTED(head_only))
        return (struct cut){.head_size = head};
    size_t tail = tail_bytes(capture, head);
    if (capture->bytes == head + tail)
        return (struct cut){.head_size = capture->used};
    return (struct cut){.head_size = head, .tail_size = tail};
}

uint64_t capture_bytes(const struct capture *capture)
{
    return capture->bytes;
}

uint64_t capture_omitted_bytes(const struct capture *capture)
{
    struct cut cut = find_cut(capture);
    return capture->bytes - cut.head_size - cut.tail_size;
}

static void reverse(char *bytes, size_t size)
{
    for (size_t i = 0; i < size / 2; i++) {
        char byte = bytes[i];
        bytes[i] = bytes[size - 1 - i];
        bytes[size - 1 - i] = byte;
    }
}

/* Rotate the ring until its oldest byte comes first: three reversals, no second buffer. */
static void straighten(struct capture *capture)
{
    char *ring = capture->buffer + capture->walked;
    size_t size = capture->used - capture->walked;

    reverse(ring, capture->oldest);
    reverse(ring + capture->oldest, size - capture->oldest);
    reverse(ring, size);
    capture->oldest = 0;
}

void capture_parts(struct capture *capture, const char **ret_head, size_t *ret_head_size,
                   const char **ret_tail, size_t *ret_tail_size)
{
    struct cut cut = find_cut(capture);
    if (capture->oldest > 0)
        straighten(capture);

    const char *buffer = capture->buffer ? capture->buffer : "";
    *ret_head = buffer;
    *ret_head_size = cut.head_size;
    *ret_tail = buffer + capture->used - cut.tail_size;
    *ret_tail_size = cut.tail_size;
}

size_t capture_marker(uint64_t omitted_bytes, char *buffer, size_t size)
{
    int length = snprintf(buffer, size, "\n[... %llu bytes left out ...]\n",
                          (unsigned long long)omitted_bytes);
    return length < 0 ? 0 : smaller((size_t)length, size > 0 ? size - 1 : 0);
}
