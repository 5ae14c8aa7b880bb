/*
 * Output on its way to a terminal: what would steer the terminal is made visible instead.
 *
 * In: the program's bytes, in pieces of any size. Out: visible characters, newlines, tabs. Must never: let
 * a byte through that moves the cursor, changes colours, titles or the clipboard, answers back, or turns
 * the direction of writing; allocate.
 *
 *   kept         newline, tab, carriage return directly before a newline, visible characters of UTF-8
 *   ^[ ^G ^M     other C0 controls; ^? for DEL
 *   \u{9b}       C1 controls, direction marks, line and paragraph separators (text_is_control)
 *   \xff         a byte that is part of no character
 *
 * Source: ECMA-48; boundary check "terminal-escape".
 */
#ifndef BERM_CLI_TERMINAL_H
#define BERM_CLI_TERMINAL_H

#include <stddef.h>

#include "base/text.h"

/* The most that may come out for each byte that goes in: \xff. */
#define TERMINAL_GROWTH 4
/* The most that may come out beside, of bytes that were held back; also for terminal_end(). */
#define TERMINAL_HELD_MAX ((size_t)TERMINAL_GROWTH * (TEXT_CHAR_MAX - 1))

/* What is held back until more bytes tell what it is. */
struct terminal {
    char held[TEXT_CHAR_MAX];
    size_t held_size;
};

void terminal_init(struct terminal *terminal);

/**
 * Take some bytes; a run_transform (run/run.h).
 *
 * @context   struct terminal.
 * @out_size  TERMINAL_GROWTH * @in_size + TERMINAL_HELD_MAX is always enough; what does not fit is lost.
 * Returns the number of bytes written to @out.
 * Threads: one.  Async-signal-safe: yes.  Since: 0.1.  Test: unit/run/terminal, fuzz-terminal.
 */
size_t terminal_transform(void *context, const char *in, size_t in_size, char *out,
                          size_t out_size);

/* The stream has ended: what was held back becomes visible. Needs room for TERMINAL_HELD_MAX bytes. */
size_t terminal_end(struct terminal *terminal, char *out, size_t out_size);

#endif
