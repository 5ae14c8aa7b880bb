/*
 * A file that is not yet what it will be: made under a name of its own, then renamed over the lasting one.
 *
 * In: a directory. Out: a descriptor to write to. Must never: write into a file that was there before, or leave
 * anything behind on a failure that it lives to see.
 */
#ifndef BERM_SESSION_DRAFT_H
#define BERM_SESSION_DRAFT_H

#include <sys/stat.h>

#include "session/transfer.h"

#define DRAFT_PREFIX ".berm-draft-"

struct draft {
    int dir_fd;                        /* borrowed */
    int fd;                            /* owned; negative = there is none */
    const struct workspace_dir *owner; /* acted as for every access by name; NULL: as the caller */
    char name[48];
};

/* Removes the draft that was not renamed, at the scope's end. */
#define AUTO_DRAFT __attribute__((cleanup(draft_drop)))

/* Make an empty file (0600) of a random name in @dir_fd. Returns 0 or -errno. */
int draft_make(struct draft *draft, int dir_fd, const struct workspace_dir *owner);

/* Give it its mode and its name; what has the name is replaced, a link is not followed. Returns 0 or -errno, and
 * the draft is there still. */
int draft_publish(struct draft *draft, mode_t mode, int dir_fd, const char *name);

/* Remove it, if it is there. Keeps errno. */
void draft_drop(struct draft *draft);

#endif
