/*
 * Shows a foreign text inside an error message.
 *
 * In: a text that somebody else wrote: a flag, a key of a file. Out: a short quoted form that cannot
 * move a terminal's cursor. Must never: allocate, or let a control character through.
 */
#ifndef BERM_BASE_QUOTE_H
#define BERM_BASE_QUOTE_H

#define QUOTED_SIZE 72

struct quoted {
    char text[QUOTED_SIZE];
};

/**
 * Put a text between double quotes, cut to what fits; control characters become \xNN.
 *
 * @ret_quoted  written; lives as long as the caller's variable.
 * @text        borrows.
 * Returns ret_quoted->text.
 * Threads: yes.  Async-signal-safe: no.  Since: 0.1.
 * Source: —.  Test: unit/base/quote.
 */
const char *quote_text(struct quoted *ret_quoted, const char *text);

#endif
