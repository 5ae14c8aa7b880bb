/*
 * Names that a program chose, made fit to be shown, and back.
 *
 * In: bytes. Out: text. Must never: touch the file system.
 */
#ifndef BERM_SESSION_NAMES_H
#define BERM_SESSION_NAMES_H

#include <stdbool.h>
#include <stddef.h>

#include <berm/berm.h>

#include "base/quote.h"

/* Longest relative path in a work directory, with its end. A program can make longer ones; they are not followed. */
#define NAME_PATH_SIZE 4096
/* Room for any of them when escaped. */
#define NAME_SHOWN_SIZE ((size_t)3 * NAME_PATH_SIZE)

/**
 * Write a path in its shown form: valid UTF-8 without control characters, and reversible.
 *
 * A byte is written as %XX (upper case) when it belongs to no valid UTF-8 character, to a control character (C0,
 * DEL, C1) or to a mark that changes the direction or the place of text (text_is_control()), when it is a dash at
 * the beginning of a name, or a percent sign before two hexadecimal digits.
 * @ret_shown  NUL-terminated on success.
 * Returns 0 or -ENAMETOOLONG.  Threads: yes.  Since: 0.1.  Test: unit/session/names.
 */
int name_show(const char *path, char *ret_shown, size_t size);

/* The shown form between quotes, cut to what an error message has room for. Returns ret_quoted->text. */
const char *name_quote(struct quoted *ret_quoted, const char *path);

/* Back again: each %XX becomes its byte; "%00" and "%2F" are refused. Returns 0, -EINVAL or -ENAMETOOLONG. */
int name_read(const char *shown, char *ret_path, size_t size);

/* Is it a path below the work directory as berm takes it: relative, no empty name, ".", "..", no name over 255
 * bytes? On false @err says what is wrong and how to write it; @what is the option's or verb's word ("--put"). */
bool name_is_inside(const char *path, const char *what, struct berm_error *err);

/* Does it hold a wildcard (* ? [) that a backslash does not take away? */
bool name_is_glob(const char *shown);

/* Does a path in its shown form match the pattern? As fnmatch(3) with FNM_PATHNAME and FNM_PERIOD. */
bool name_matches(const char *glob, const char *shown);

#endif
