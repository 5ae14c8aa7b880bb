/*
 * Paths below the current directory: lists of them, what is wrong with one, opening and showing one.
 *
 * In: bytes that somebody hostile chose. Out: descriptors, text in printable ASCII. Must never: follow a link
 * at any place of a path, leave the current directory, or keep more than its bounds.
 */
#ifndef BERM_FILES_PATHS_H
#define BERM_FILES_PATHS_H

#include <stddef.h>
#include <stdio.h>
#include <sys/types.h>

/* Linux takes no longer path in one call (PATH_MAX with its end: path_resolution(7)). */
#define PATH_SIZE 4096
/* Paths of one list. */
#define PATH_COUNT_MAX 65536
/* Names in one path: it also bounds how many directories one name of an archive can make. */
#define PATH_DEPTH_MAX 64

struct path_list {
    char **paths; /* owned, each too */
    size_t count;
    size_t room;
};

/* Returns 0, -E2BIG (PATH_COUNT_MAX are there) or -ENOMEM. @path is copied. */
int path_list_add(struct path_list *list, const char *path);

/**
 * Read paths, each ended by a NUL, until the end of the stream.
 *
 * Returns 0, -E2BIG, -ENAMETOOLONG, -ENOMEM, -EINVAL when the last one has no NUL, or -errno of the stream.
 * What was read before stays in @list, which is the caller's to end (path_list_done) in any case.
 * Threads: no.  Test: files/test_files.
 */
int path_list_read(struct path_list *list, FILE *in);

/* Bytewise; a directory stands before what is in it. */
void path_list_sort(struct path_list *list);
void path_list_done(struct path_list *list);

/* Why this path is refused, in a word: "absolute", "dotdot", "depth", "name". NULL: it is not. */
const char *path_fault(const char *path);

/* Without empty names, "." and a slash at the end; "" for the current directory itself. @ret_tidy has PATH_SIZE
 * bytes; @path has no fault. */
void path_tidy(const char *path, char *ret_tidy);

/* How many names a path has; "" and "." do not count. */
size_t path_depth(const char *path);

/**
 * Open a path below the current directory, name after name, none of which may be a link.
 *
 * @flags  of open(2); O_NOFOLLOW, O_NOCTTY and O_CLOEXEC are added.
 * Returns a descriptor that the caller owns, -EINVAL for a path with a fault, or -errno.
 * Threads: yes.  Source: open(2).  Test: files/test_files.
 */
int path_open(const char *path, int flags);

/* The type of a file that is neither a regular one nor a directory: "link", "fifo", "socket", "device"; else NULL. */
const char *path_special(mode_t mode);

/* Every byte outside of printable ASCII, and the percent sign, as %XX. Errors stay in the stream. */
void path_show(const char *bytes, FILE *out);

/* One line: `left-out REASON SHOWN`. */
void path_left_out(const char *reason, const char *path, FILE *out);

#endif
