/*
 * Where in a JSON text a value stands: its line, and a number's own digits.
 *
 * In: a text that the JSON library has already found well formed, and calls in the order in which the
 * library's tree is walked. Out: lines and raw numbers, which the library does not keep. Must never:
 * judge a text: on a malformed one the line is wrong, and nothing is read past the end.
 */
#ifndef BERM_POLICYREADER_PLACE_H
#define BERM_POLICYREADER_PLACE_H

#include <stddef.h>

/* Longest number that is handed on as text. A longer one is cut, and still too large for every field. */
#define PLACE_NUMBER_SIZE 64

struct place {
    const char *at, *end; /* borrowed */
    unsigned line;        /* of the key or item that was reached last */
    unsigned newlines;    /* passed so far */
};

struct place place_start(const char *text, size_t size);

/* Go inside the object or array that stands next. */
void place_open(struct place *place);

/* Go past the key that stands next, to its value; the line is the key's. */
void place_key(struct place *place);

/* Go to the array item that stands next; the line is the item's. */
void place_item(struct place *place);

/* Go past a string, number, true, false or null. Its text is cut to what fits, and ended. */
void place_scalar(struct place *place, char ret_text[static PLACE_NUMBER_SIZE]);

/* Go past the end of the object or array whose items have all been passed. */
void place_close(struct place *place);

#endif
