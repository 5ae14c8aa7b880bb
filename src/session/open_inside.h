/*
 * The way to a name of a work directory: as its owner, below its descriptor, through no link.
 *
 * In: a workspace, a name that name_is_inside() found good. Out: a descriptor. Must never: wait at a FIFO or wake
 * a device (a file is opened for reading only when an O_PATH descriptor has shown that it is one), or leave the
 * calling thread with other file-system ids than it came with.
 */
#ifndef BERM_SESSION_OPEN_INSIDE_H
#define BERM_SESSION_OPEN_INSIDE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

#include <berm/berm.h>

#include "session/transfer.h"

/* The ids to go back to. All zeros: nothing to do. */
struct owner_ids {
    bool is_switched;
    uint32_t uid, gid;
};

/* Ends at the scope's end, on every path. */
#define AS_OWNER __attribute__((cleanup(owner_leave)))

/**
 * Act on files as the work directory's owner, from here to owner_leave(). Changes nothing when the caller is not
 * root or the owner is.
 *
 * The supplementary groups stay: they are the process's, not the thread's, and those of root give no more than
 * what berm's caller has.
 * Returns 0, or -EPERM with @err filled and nothing changed.
 * Source: setfsuid(2), capabilities(7): leaving file-system uid 0 takes CAP_DAC_OVERRIDE and its like away.
 */
int owner_enter(const struct workspace_dir *dir, struct owner_ids *ret_ids, struct berm_error *err);

/* Back. Keeps errno. */
void owner_leave(struct owner_ids *ids);

/* openat2(2) below @dir_fd, through no link and no mount. Returns a descriptor or -errno. */
int open_below(int dir_fd, const char *name, int flags);

/* Say why open_below() failed on @name. Returns @error (negative). */
int open_below_failed(int error, const char *name, struct berm_error *err);

/* A regular file with one name, for reading. The caller acts as owner. Returns a descriptor (owned by the caller)
 * or -errno with @err filled. */
int open_file_inside(const struct workspace_dir *dir, const char *name, struct stat *ret_status,
                     struct berm_error *err);

/* The directory that holds @name, those on the way made. The caller acts as owner. @ret_last points into @name.
 * Returns a descriptor (owned by the caller) or -errno with @err filled. */
int open_parent_inside(const struct workspace_dir *dir, const char *name, const char **ret_last,
                       struct berm_error *err);

#endif
