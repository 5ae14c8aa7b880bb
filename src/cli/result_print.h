/*
 * How a result reaches the caller: JSON on a descriptor, captured text, one line for a person.
 */
#ifndef BERM_CLI_RESULT_PRINT_H
#define BERM_CLI_RESULT_PRINT_H

#include "run/result.h"
#include "wire/result_json.h"

/* Everywhere: @patience_ms is how long a reader that takes nothing is waited for; negative: for ever. */

/* Return 0 or -errno: what could not be written. */
int print_error_json(int fd, int patience_ms, const struct berm_error *err);
int print_result_json(int fd, int patience_ms, const struct plan *plan, const struct result *result,
                      struct capture *const captures[STREAM_COUNT],
                      const struct result_json_options *options);

/**
 * --result FILE|fd:N, before anything runs: what the program puts in its place later is not met.
 *
 * A link that stands there is not followed, a FIFO without a reader not waited for. A file keeps what it
 * holds until result_file_begin().
 * Returns owned, or -errno with @err.
 */
int result_file_open(const char *name, struct berm_error *err);

/* A file is emptied. -ENOENT when the file that was opened has no name any more: nobody would find it. */
int result_file_begin(int fd, const char *name);

/* printf to stderr, one line or two. Nobody is left to tell when that fails. */
void say(int patience_ms, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The kept output, with the marker where something was left out. Returns 0 or the first -errno of writing. */
int print_captured(struct capture *const captures[STREAM_COUNT], int patience_ms);

/* One capture on stderr; NULL prints nothing. */
void print_captured_to_stderr(struct capture *capture, int patience_ms);

/* One line on stderr when the run did not end by itself; nothing when it did. */
void print_verdict(const struct plan *plan, const struct result *result, int patience_ms);

/* The last bytes of a capture, NUL-terminated, at most @size - 1. */
void copy_tail(struct capture *capture, char *ret_tail, size_t size);

#endif
