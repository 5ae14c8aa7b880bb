/*
 * The executables beside berm that do what a small static one cannot: read JSON, prove.
 */
#ifndef BERM_CLI_COMPANION_H
#define BERM_CLI_COMPANION_H

#include <stddef.h>

/**
 * Find an executable: beside this one, or in its build directory, else in the installed place.
 *
 * @name         of the file.
 * @build_place  its path below the build directory.
 * @ret_path     receives at most @size bytes.
 * A file beside the executable is taken only when nobody but root and the caller can have put it there.
 * Threads: yes.  Async-signal-safe: no.  Since: 0.1.
 * Source: —.  Test: cli/test_options.
 */
void companion_find(const char *name, const char *build_place, char *ret_path, size_t size);

#endif
