/*
 * What all reports share: the words for a cell, foreign text made harmless, and sentences about a matrix.
 *
 * In: a matrix whose texts may come from a hostile program. Out: valid UTF-8 that steers no display. Must
 * never: judge a cell anew, allocate, or print what it did not make harmless.
 */
#ifndef BERM_PROVE_REPORT_PARTS_H
#define BERM_PROVE_REPORT_PARTS_H

#include <stdio.h>

#include "prove/matrix.h"

/* Room for one character made harmless, ended by NUL. */
#define SHOWN_SIZE 16
/* Room for any sentence of this file. */
#define SENTENCE_SIZE 320

enum mark {
    MARK_PENDING,
    MARK_KEPT,           /* promised and contained */
    MARK_CONTAINED,      /* contained without a promise */
    MARK_HARMED,         /* harmed without a promise */
    MARK_MISSED,         /* harmed in spite of a promise */
    MARK_ABSENT,         /* not applicable */
    MARK_ABSENT_PROMISE, /* not applicable; promised */
    MARK_ERROR,
    MARK_COUNT
};

struct mark_info {
    const char *word;   /* for a table: at most six ASCII characters */
    const char *letter; /* for a narrow table: at most three */
    const char *plain;  /* for a table that shows a promise by other means than brackets */
    const char *style;  /* the class of HTML */
    const char *sgr;    /* of a terminal with colours */
    const char *means;
};

extern const struct mark_info marks[MARK_COUNT];

enum mark mark_of(const struct cell *cell);

/* How often each mark stands in a column; all zero for a column that is missing. */
struct mark_counts {
    size_t of[MARK_COUNT];
};

struct mark_counts marks_in(const struct matrix *matrix, size_t column);
struct mark_counts marks_in_all(const struct matrix *matrix);

/* "contained", "harmed", ...: the words of the JSON report. */
const char *cell_state_name(enum cell_state state);

/**
 * The next character of a text, made harmless: a control character becomes "^[" or "\u{9b}", a byte that is
 * part of no character U+FFFD.
 *
 * @text      borrows; moved on by what was read. Not moved at its end.
 * @ret_shown receives at least one character, SHOWN_SIZE bytes at most.
 * Returns how many characters were written; 0 at the end of the text.
 */
size_t shown_next(const char **text, char *ret_shown);

/* A whole text, made harmless. What the stream could not take is found by stream_end(). */
void shown_put(FILE *out, const char *text);

/* The same by words, which begin at @indent, where the cursor is, and end before @width; then a newline. */
void shown_wrap(FILE *out, const char *text, size_t indent, size_t width);

/* Everything of a matrix that is written to a stream ends here. Returns 0 or -errno. */
int stream_end(FILE *out);

/* Columns that have cells. */
bool column_is_here(const struct matrix *matrix, size_t column);
size_t columns_here(const struct matrix *matrix);

/* The rows of totals, in order. The name of a value of struct matrix_totals, for people. */
#define TOTAL_COUNT 5
const char *total_name(size_t total);
size_t total_of(const struct matrix *matrix, size_t column, size_t total);

/* Attacks of a layer. */
size_t rows_of_layer(const struct matrix *matrix, enum berm_layer layer);

/* Are all columns levels of berm? */
bool columns_are_levels(const struct matrix *matrix);

/* Sentences, ended by NUL; SENTENCE_SIZE bytes are enough for each. Foreign text in them is not made harmless. */

/* "Every promise was kept.", "2 promises were broken; 1 cell is in error." */
void say_conclusion(const struct matrix *matrix, char *ret_text, size_t size);

/* Whether the column promises to stop the attack, and from where on. */
void say_promise(const struct column *column, const struct attack *attack, const struct cell *cell,
                 char *ret_text, size_t size);

/* "filesystem: a mount hides the path"; empty when nothing is known. */
void say_barrier(const struct cell *cell, char *ret_text, size_t size);

/* "850 ms", "12.3 s", "2 min 31 s" */
void say_took(uint32_t took_ms, char *ret_text, size_t size);

/* The names of topics, with commas; "nothing" for none. */
void say_claims(uint32_t claims, char *ret_text, size_t size);

#endif
