/*
 * How a result reaches the caller: JSON on a descriptor, captured text, one line for a person.
 */
#ifndef BERM_CLI_RESULT_PRINT_H
#define BERM_CLI_RESULT_PRINT_H

#include "run/result.h"
#include "wire/result_json.h"

int print_error_json(int fd, const struct berm_error *err);
int print_result_json(int fd, const struct plan *plan, const struct result *result,
                      struct capture *const captures[STREAM_COUNT],
                      const struct result_json_options *options);

/* --result FILE|fd:N. A file is replaced. Says on stderr what failed. Returns 0 or -errno. */
int write_result_file(const char *name, const struct plan *plan, const struct result *result,
                      struct capture *const captures[STREAM_COUNT],
                      const struct result_json_options *options);
int write_error_file(const char *name, const struct berm_error *err);

/* The kept output, with the marker where something was left out. */
void print_captured(struct capture *const captures[STREAM_COUNT]);

/* One capture on stderr; NULL prints nothing. */
void print_captured_to_stderr(struct capture *capture);

/* One line on stderr when the run did not end by itself; nothing when it did. */
void print_verdict(const struct plan *plan, const struct result *result);

/* The last bytes of a capture, NUL-terminated, at most @size - 1. */
void copy_tail(struct capture *capture, char *ret_tail, size_t size);

#endif
