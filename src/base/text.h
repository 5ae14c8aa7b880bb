/*
 * What a character is: strict UTF-8, for everything that counts, cuts or shows text.
 *
 * In: bytes of any origin. Out: where characters begin and end. Must never: allocate, read past the
 * given size, depend on the locale.
 *
 * A character is one well-formed UTF-8 sequence (no overlong forms, no surrogates, at most U+10FFFF).
 * Every byte that is part of none is invalid and counts as one character, shown as one U+FFFD. Whether a
 * byte begins a character depends on the three bytes before it at most: text can be walked from both ends.
 * Source: The Unicode Standard 15.0, table 3-7; RFC 3629.
 */
#ifndef BERM_BASE_TEXT_H
#define BERM_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* More bytes are needed to tell; at the end of a stream each such byte is invalid. */
#define TEXT_INCOMPLETE (-1)
/* The longest character in bytes. */
#define TEXT_CHAR_MAX 4
/* U+FFFD in UTF-8: what an invalid byte is shown as. */
#define TEXT_REPLACEMENT "\xef\xbf\xbd"

/**
 * The size of the character at the start of some bytes.
 *
 * @bytes, @size  borrows; at least one byte.
 * Returns 1..4; 0 when the first byte is invalid; TEXT_INCOMPLETE when all bytes are the beginning of a
 * character that is not complete.
 * Threads: yes.  Async-signal-safe: yes.  Since: 0.1.  Test: unit/wire/text.
 */
int text_char_size(const char *bytes, size_t size);

/* The code point of a character of @char_size bytes, as text_char_size() gave it. */
uint32_t text_char_code(const char *bytes, int char_size);

/* Is every byte part of a character? A stream of such bytes loses nothing when it is decoded. */
bool text_is_valid(const char *bytes, size_t size);

/**
 * Does this code point steer a display instead of being shown: C0 controls, DEL, C1 controls, the line
 * and paragraph separators, and the marks, embeddings, overrides and isolates that turn the direction
 * of writing?
 *
 * Threads: yes.  Async-signal-safe: yes.  Since: 0.1.  Test: unit/wire/text.
 * Source: ECMA-48; UAX #9, table "Explicit Directional Formatting"; CVE-2021-42574 for the latter.
 */
bool text_is_control(uint32_t code);

/* Is it one of the two names that every directory holds, "." and ".."? */
static inline bool text_is_dot(const char *name)
{
    return name[0] == '.' && (name[1] == '\0' || (name[1] == '.' && name[2] == '\0'));
}

/* How many bytes at the start are ASCII (below 0x80); fast on long runs. */
size_t text_ascii_size(const char *bytes, size_t size);

/**
 * Walk back over characters, from the end.
 *
 * @bytes, @size  borrows; the end of @bytes is taken as the end of the text.
 * @floor         no character is begun at or below this position; the last one may reach below it.
 * @budget        how many characters at most; reduced by those walked over.
 * Returns the new position: the number of bytes before it.
 * Threads: yes.  Async-signal-safe: yes.  Since: 0.1.  Test: unit/run/capture.
 */
size_t text_walk_back(const char *bytes, size_t size, size_t floor, uint64_t *budget);

#endif
