/*
 * Claims about run/capture.h, most of them against a reference that keeps everything and cuts afterwards.
 *
 * Linked with --wrap=realloc: the size of the buffer is seen, and made to fail.
 */
/* cmocka.h needs the three before it. */
/* clang-format off */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
/* clang-format on */

#include "run/capture.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void *__real_realloc(void *old, size_t size);
void *__wrap_realloc(void *old, size_t size);

static size_t largest_allocation;
static bool is_memory_gone;

void *__wrap_realloc(void *old, size_t size)
{
    if (is_memory_gone)
        return NULL;
    if (size > largest_allocation)
        largest_allocation = size;
    return __real_realloc(old, size);
}

/* ---- The reference: written apart from base/text.c, by value ranges instead of a table of bytes. ---- */

static size_t reference_char(const unsigned char *at, size_t left)
{
    static const unsigned long smallest[] = {0, 0, 0x80, 0x800, 0x10000};
    size_t size = *at < 0x80         ? 1
                  : (*at >> 5) == 6  ? 2
                  : (*at >> 4) == 14 ? 3
                  : (*at >> 3) == 30 ? 4
                                     : 0;
    if (size <= 1)
        return 1;
    if (size > left)
        return 1;

    unsigned long code = *at & (0x7fu >> size);
    for (size_t i = 1; i < size; i++) {
        if ((at[i] & 0xc0) != 0x80)
            return 1;
        code = code * 64 + (at[i] & 0x3fu);
    }
    if (code < smallest[size] || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff))
        return 1;
    return size;
}

struct expected {
    size_t head, tail, omitted; /* bytes */
};

static struct expected reference(const unsigned char *bytes, size_t size, size_t cap)
{
    size_t *starts = malloc((size + 1) * sizeof(*starts));
    size_t count = 0;
    assert_non_null(starts);

    for (size_t at = 0; at < size; at += reference_char(bytes + at, size - at))
        starts[count++] = at;
    starts[count] = size;
    struct expected ret = {.head = size};
    if (count > cap) {
        size_t head_chars = cap * 60 / 100;
        ret.head = starts[head_chars];
        ret.tail = size - starts[count - (cap - head_chars)];
        ret.omitted = size - ret.head - ret.tail;
    }
    free(starts);
    return ret;
}

static void assert_kept(struct capture *capture, const unsigned char *bytes, size_t size,
                        size_t cap)
{
    struct expected expected = reference(bytes, size, cap);
    const char *head = NULL;
    const char *tail = NULL;
    size_t head_size = 0;
    size_t tail_size = 0;

    assert_int_equal(capture_bytes(capture), size);
    assert_int_equal(capture_omitted_bytes(capture), expected.omitted);
    capture_parts(capture, &head, &head_size, &tail, &tail_size);
    assert_int_equal(head_size, expected.head);
    assert_int_equal(tail_size, expected.tail);
    assert_memory_equal(head, bytes, head_size);
    assert_memory_equal(tail, bytes + size - tail_size, tail_size);
    assert_int_equal(capture_omitted_bytes(capture), expected.omitted);
}

static void assert_whole(const void *text, size_t size, size_t cap)
{
    struct capture *capture = capture_new(cap);
    assert_non_null(capture);
    assert_int_equal(capture_add(capture, text, size), 0);
    assert_kept(capture, text, size, cap);
    capture_free(capture);
}

/* ---- Claims. ---- */

static void nothing_taken_is_nothing_kept(void **state)
{
    (void)state;
    assert_whole("", 0, 1);
    assert_whole("", 0, 8000);
}

static void at_the_cap_all_is_kept_and_one_more_is_cut(void **state)
{
    (void)state;
    const char *head = NULL;
    const char *tail = NULL;
    size_t head_size = 0;
    size_t tail_size = 0;
    for (int size = 9; size <= 11; size++) {
        struct capture *capture = capture_new(10);
        assert_int_equal(capture_add(capture, "abcdefghijk", (size_t)size), 0);
        capture_parts(capture, &head, &head_size, &tail, &tail_size);
        if (size <= 10) {
            assert_int_equal(head_size, size);
            assert_int_equal(tail_size, 0);
            assert_int_equal(capture_omitted_bytes(capture), 0);
        } else {
            assert_int_equal(head_size, 6);
            assert_int_equal(tail_size, 4);
            assert_memory_equal(head, "abcdef", 6);
            assert_memory_equal(tail, "hijk", 4);
            assert_int_equal(capture_omitted_bytes(capture), 1);
        }
        capture_free(capture);
    }
}

static void the_head_is_the_floor_of_sixty_percent(void **state)
{
    (void)state;
    char text[300];
    memset(text, 'x', sizeof(text));
    for (size_t cap = 1; cap <= 120; cap++) {
        const char *head = NULL;
        const char *tail = NULL;
        size_t head_size = 0;
        size_t tail_size = 0;
        struct capture *capture = capture_new(cap);
        assert_int_equal(capture_add(capture, text, sizeof(text)), 0);
        capture_parts(capture, &head, &head_size, &tail, &tail_size);
        assert_int_equal(head_size, cap * 60 / 100);
        assert_int_equal(tail_size, cap - cap * 60 / 100);
        assert_int_equal(capture_omitted_bytes(capture), sizeof(text) - cap);
        capture_free(capture);
    }
}

static void characters_of_every_width_are_cut_around_never_through(void **state)
{
    (void)state;
    static const char *const chars[] = {"a", "\xc3\xa9", "\xe2\x82\xac", "\xf0\x9f\x98\x80"};
    for (int width = 0; width < 4; width++) {
        char text[4 * 40 + 1] = "";
        size_t one = strlen(chars[width]);
        for (size_t count = 1; count <= 40; count++) {
            memcpy(text + (count - 1) * one, chars[width], one);
            for (size_t cap = 1; cap <= 24; cap++)
                assert_whole(text, count * one, cap);
        }
    }
}

/* Every string of up to five bytes from an alphabet in which each way to be invalid can be spelled. */
static void every_short_string_is_cut_like_the_reference(void **state)
{
    (void)state;
    static const unsigned char alphabet[] = {'a',  0x00, 0x80, 0x82, 0x9f, 0xac,
                                             0xc3, 0xe2, 0xed, 0xf0, 0xff};

    enum {
        LETTERS = sizeof(alphabet),
        LENGTH = 5
    };

    unsigned combinations = 1;
    for (int i = 0; i < LENGTH; i++)
        combinations *= LETTERS;

    for (unsigned number = 0; number < combinations; number++) {
        unsigned char text[LENGTH];
        for (unsigned i = 0, rest = number; i < LENGTH; i++, rest /= LETTERS)
            text[i] = alphabet[rest % LETTERS];
        struct capture *capture = capture_new(1 + number % 4);
        for (size_t i = 0; i < LENGTH; i++)
            assert_int_equal(capture_add(capture, text + i, 1), 0);
        assert_kept(capture, text, LENGTH, 1 + number % 4);
        capture_free(capture);
    }
}

static void a_character_may_arrive_split_at_any_place(void **state)
{
    (void)state;
    static const char text[] = "a\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80"
                               "b\xf0\x9f\x98\x80\xe2\x82\xac\xc3\xa9z";
    size_t size = sizeof(text) - 1;
    for (size_t cap = 1; cap <= 10; cap++) {
        for (size_t first = 0; first <= size; first++) {
            for (size_t second = first; second <= size; second++) {
                struct capture *capture = capture_new(cap);
                assert_int_equal(capture_add(capture, text, first), 0);
                assert_int_equal(capture_add(capture, text + first, second - first), 0);
                assert_int_equal(capture_add(capture, text + second, size - second), 0);
                assert_kept(capture, (const unsigned char *)text, size, cap);
                capture_free(capture);
            }
        }
    }
}

static void an_incomplete_end_counts_one_character_a_byte_until_it_is_completed(void **state)
{
    (void)state;
    static const unsigned char text[] = {'a', 0xf0, 0x9f, 0x98, 0x80};
    struct capture *capture = capture_new(3);
    assert_int_equal(capture_add(capture, text, 4), 0);
    assert_kept(capture, text, 4, 3); /* four characters: one is left out */
    assert_int_equal(capture_omitted_bytes(capture), 1);
    assert_int_equal(capture_add(capture, text + 4, 1), 0);
    assert_kept(capture, text, 5, 3); /* two characters: nothing is */
    assert_int_equal(capture_omitted_bytes(capture), 0);
    capture_free(capture);
}

static unsigned random_number(unsigned *seed, unsigned below)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (*seed >> 8) % below;
}

/* Random bytes in which characters of all widths, broken ones and NULs are frequent. */
static size_t random_text(unsigned *seed, unsigned char *text, size_t size)
{
    static const char *const pieces[] = {
        "a",        "bcdefghijklmnopq", "\xc3\xa9", "\xe2\x82\xac", "\xf0\x9f\x98\x80",
        "\xe2\x82", "\xf0\x9f",         "\x80",     "\xff",         "\xed\xa0\x80",
        "\xc0\xaf", "\xf4\x90\x80\x80"};
    size_t used = 0;
    for (;;) {
        unsigned piece = random_number(seed, 13);
        size_t length = piece == 12 ? 1 : strlen(pieces[piece]);
        if (used + length > size)
            return used;
        if (piece == 12)
            text[used] = '\0';
        else
            memcpy(text + used, pieces[piece], length);
        used += length;
    }
}

static void random_text_in_random_pieces_is_cut_like_the_reference(void **state)
{
    (void)state;
    unsigned seed = 1;
    for (int round = 0; round < 20000; round++) {
        unsigned char text[600];
        size_t size = random_text(&seed, text, 1 + random_number(&seed, sizeof(text)));
        size_t cap = 1 + random_number(&seed, round % 2 ? 20 : 300);
        unsigned longest = 1 + random_number(&seed, round % 3 ? 9 : 400);
        struct capture *capture = capture_new(cap);

        for (size_t at = 0; at < size;) {
            size_t part = 1 + random_number(&seed, longest);
            part = part < size - at ? part : size - at;
            assert_int_equal(capture_add(capture, text + at, part), 0);
            at += part;
            if (random_number(&seed, 8) == 0)
                assert_kept(capture, text, at, cap);
        }
        assert_kept(capture, text, size, cap);
        capture_free(capture);
    }
}

static void ten_gigabytes_are_counted_exactly_in_flat_memory(void **state)
{
    (void)state;

    enum {
        BLOCK = 1 << 16,
        BLOCKS = 160000,
        CAP = 102400
    };

    const char *head = NULL;
    const char *tail = NULL;
    size_t head_size = 0;
    size_t tail_size = 0;
    char *block = malloc(BLOCK);
    assert_non_null(block);
    memset(block, 'x', BLOCK);
    largest_allocation = 0;

    struct capture *capture = capture_new(CAP);
    assert_int_equal(capture_add(capture, "first", 5), 0);
    for (int i = 0; i < BLOCKS; i++)
        assert_int_equal(capture_add(capture, block, BLOCK), 0);
    assert_int_equal(capture_add(capture, "last", 4), 0);

    uint64_t total = (uint64_t)BLOCK * BLOCKS + 9;
    assert_int_equal(capture_bytes(capture), total);
    assert_int_equal(capture_omitted_bytes(capture), total - CAP);
    capture_parts(capture, &head, &head_size, &tail, &tail_size);
    assert_int_equal(head_size, CAP * 60 / 100);
    assert_int_equal(tail_size, CAP - CAP * 60 / 100);
    assert_memory_equal(head, "firstxxx", 8);
    assert_memory_equal(tail + tail_size - 8, "xxxxlast", 8);
    assert_true(largest_allocation <= 4 * CAP);
    capture_free(capture);
    free(block);
}

/* Four bytes a character, in adds that never end where a character does. */
static void the_largest_cap_stays_within_half_the_budget(void **state)
{
    (void)state;

    enum {
        CAP = 1000000,
        CHARS = 1500000
    };

    unsigned char *text = malloc(4 * CHARS);
    assert_non_null(text);
    for (size_t i = 0; i < CHARS; i++)
        memcpy(text + 4 * i, "\xf0\x9f\x98\x80", 4);
    largest_allocation = 0;

    struct capture *capture = capture_new(CAP);
    for (size_t at = 0; at < 4 * CHARS;) {
        size_t part = 65537 < 4 * CHARS - at ? 65537 : 4 * CHARS - at;
        assert_int_equal(capture_add(capture, text + at, part), 0);
        at += part;
    }
    assert_kept(capture, text, 4 * CHARS, CAP);
    assert_int_equal(capture_omitted_bytes(capture), 4 * (CHARS - CAP));
    assert_true(largest_allocation <= CAPTURE_BYTES_MAX / 2);
    assert_true(largest_allocation >= 4 * CAP);
    capture_free(capture);
    free(text);
}

static void a_little_output_takes_a_little_memory(void **state)
{
    (void)state;
    largest_allocation = 0;
    struct capture *capture = capture_new(1000000);
    assert_int_equal(largest_allocation, 0);
    assert_int_equal(capture_add(capture, "hello\n", 6), 0);
    assert_true(largest_allocation <= 4096);
    capture_free(capture);
}

static void without_memory_the_bytes_are_counted_and_the_head_stays_whole(void **state)
{
    (void)state;
    const char *head = NULL;
    const char *tail = NULL;
    size_t head_size = 0;
    size_t tail_size = 0;
    char block[10000];
    memset(block, 'x', sizeof(block));

    struct capture *capture = capture_new(8000);
    assert_int_equal(capture_add(capture, "kept \xe2\x82", 7), 0);
    is_memory_gone = true;
    int first = capture_add(capture, block, sizeof(block));
    is_memory_gone = false;
    int second = capture_add(capture, block, sizeof(block));

    assert_int_equal(first, -ENOMEM);
    assert_int_equal(second, -ENOMEM);
    assert_int_equal(capture_bytes(capture), 20007);
    capture_parts(capture, &head, &head_size, &tail, &tail_size);
    assert_int_equal(head_size, 5);
    assert_memory_equal(head, "kept ", 5);
    assert_int_equal(tail_size, 0);
    assert_int_equal(capture_omitted_bytes(capture), 20002);
    capture_free(capture);
}

static void the_marker_names_the_bytes_and_never_overruns(void **state)
{
    (void)state;
    char buffer[64];
    assert_int_equal(capture_marker(123456, buffer, sizeof(buffer)), 33);
    assert_string_equal(buffer, "\n[... 123456 bytes left out ...]\n");
    assert_int_equal(capture_marker(UINT64_MAX, buffer, sizeof(buffer)), 47);
    assert_int_equal(capture_marker(123456, buffer, 8), 7);
    assert_string_equal(buffer, "\n[... 1");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_taken_is_nothing_kept),
        cmocka_unit_test(at_the_cap_all_is_kept_and_one_more_is_cut),
        cmocka_unit_test(the_head_is_the_floor_of_sixty_percent),
        cmocka_unit_test(characters_of_every_width_are_cut_around_never_through),
        cmocka_unit_test(every_short_string_is_cut_like_the_reference),
        cmocka_unit_test(a_character_may_arrive_split_at_any_place),
        cmocka_unit_test(an_incomplete_end_counts_one_character_a_byte_until_it_is_completed),
        cmocka_unit_test(random_text_in_random_pieces_is_cut_like_the_reference),
        cmocka_unit_test(ten_gigabytes_are_counted_exactly_in_flat_memory),
        cmocka_unit_test(the_largest_cap_stays_within_half_the_budget),
        cmocka_unit_test(a_little_output_takes_a_little_memory),
        cmocka_unit_test(without_memory_the_bytes_are_counted_and_the_head_stays_whole),
        cmocka_unit_test(the_marker_names_the_bytes_and_never_overruns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
