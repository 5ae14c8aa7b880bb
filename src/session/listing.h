/*
 * What is in a work directory.
 *
 * In: a workspace. Out: entries, each with what fstat of its own descriptor or name says. Must never: follow a
 * link, open what is not a directory, or go on past its bounds: a program can make millions of names.
 */
#ifndef BERM_SESSION_LISTING_H
#define BERM_SESSION_LISTING_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

#include <berm/berm.h>

#include "session/transfer.h"

enum entry_type {
    ENTRY_OTHER = 0,
    ENTRY_FILE,
    ENTRY_DIRECTORY,
    ENTRY_LINK,
    ENTRY_FIFO,
    ENTRY_SOCKET,
    ENTRY_DEVICE,
    ENTRY_TYPE_COUNT
};

struct listing_entry {
    char *path; /* owned: relative to the work directory, as it is (not escaped) */
    enum entry_type type;
    uint64_t bytes; /* its length; of a file */
    uint64_t
        changed_ns; /* CLOCK_REALTIME of the last change of contents or attributes (ctime): a program cannot
                          * set it */
    uint32_t mode;
    uint32_t links; /* names that the inode has */
};

/* What is asked for. */
struct listing_wish {
    uint64_t
        since_ns; /* only what changed at this time or later (files and links; directories are left out
                          * when it is not 0) */
    uint64_t entries_max; /* kept; the rest is only counted, up to visits_max */
    uint64_t visits_max;  /* names looked at in all: bounds the time */
};

struct listing {
    struct listing_entry *entries; /* owned; sorted by path, bytewise */
    uint64_t count;
    uint64_t omitted; /* seen and fit, but over entries_max */
    bool
        is_incomplete; /* visits_max was reached, a directory could not be read, or a path was too long or too deep */
    uint64_t bytes; /* of all files that fit the wish, the omitted ones too */
};

/* "file", "directory", "link", "fifo", "socket", "device", "other". Never NULL. */
const char *entry_type_name(enum entry_type type);

/* The type in the mode that stat(2) gave. */
enum entry_type entry_type_of(mode_t mode);

/**
 * List the work directory, all levels, without recursion.
 *
 * @ret_listing  returns owned (listing_done). Untouched on failure.
 * Returns 0, -ENOMEM, or -errno of opening the directory itself.
 * Threads: changes the file-system ids of the calling thread for its time.  Since: 0.1.
 * Source: openat2(2), getdents(2).  Test: unit/session/listing, truth/test_files.
 */
int listing_make(const struct workspace_dir *dir, const struct listing_wish *wish,
                 struct listing *ret_listing);

void listing_done(struct listing *listing);

#endif
