/*
 * --env-file: variables from a file or a descriptor, so that their values stand in no process list.
 */
#ifndef BERM_REQUEST_ENV_FILE_H
#define BERM_REQUEST_ENV_FILE_H

#include <stddef.h>

#include <berm/berm.h>

/* Largest file, and most variables. */
#define ENV_FILE_SIZE_MAX  (1u << 20)
#define ENV_FILE_COUNT_MAX 1024

/**
 * Append the variables of one file: K=V, one a line; empty lines and lines that begin with # are passed
 * over. A value is taken as it stands, quotes included.
 *
 * @from       a path, or fd:N.
 * @ret_list   grows; owned by the caller, free with env_file_free().
 * Returns 0, or -errno with @err naming file and line.  Test: cli/test_options.
 */
int env_file_read(const char *from, char ***ret_list, size_t *ret_count, struct berm_error *err);
void env_file_free(char **list, size_t count);

#endif
