/*
 * Head and tail of one output stream in bounded memory.
 *
 * In: bytes as they come. Out: at most `chars` characters (the first 60 %, the last 40 %), an exact count
 * of what lies between. Must never: hold more than its budget, split a character, or look at meaning.
 *
 * A character is one UTF-8 sequence; each byte of an invalid sequence counts as one character, since it
 * is shown as one replacement character. Cut points are between characters.
 */
#ifndef BERM_RUN_CAPTURE_H
#define BERM_RUN_CAPTURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Both streams of a run together hold at most this (mission: "8 MB held for any run"). */
#define CAPTURE_BYTES_MAX (8u << 20)

struct capture; /* opaque */

/**
 * Begin a capture.
 *
 * @chars  cap in characters, 1..1000000.
 * Memory grows with what arrives, up to 4 bytes a character, never beyond CAPTURE_BYTES_MAX / 2.
 * Returns owned (capture_free), or NULL when out of memory.
 * Threads: one.  Async-signal-safe: no.  Since: 0.1.  Test: unit/run/capture.
 */
struct capture *capture_new(uint64_t chars);
void capture_free(struct capture *capture);

/* Take @size bytes. Returns 0 or -ENOMEM (the bytes are counted all the same). */
int capture_add(struct capture *capture, const void *bytes, size_t size);

/* Total bytes taken; bytes left out between head and tail as of now. */
uint64_t capture_bytes(const struct capture *capture);
uint64_t capture_omitted_bytes(const struct capture *capture);

/**
 * The kept bytes: the head, and when something was left out the tail.
 *
 * @ret_head, @ret_tail  borrow from the capture until the next call; the tail is made contiguous first.
 * When nothing was left out the tail is empty and the head is everything.
 */
void capture_parts(struct capture *capture, const char **ret_head, size_t *ret_head_size,
                   const char **ret_tail, size_t *ret_tail_size);

/* The marker between head and tail, e.g. "\n[... 123456 bytes left out ...]\n". Returns its length. */
size_t capture_marker(uint64_t omitted_bytes, char *buffer, size_t size);

#endif
