/*
 * What is bound into the new root, taken hold of before the identity changes.
 *
 * A run started by root gets a host uid of its own, which may not enter the caller's directories: the paths
 * that the caller named are opened with the caller's own rights, as detached copies of the mounts. What
 * the program may do with the files is decided by its own identity.
 */
#include <fcntl.h>
#include <linux/mount.h>

#include "enter/attach.h"
#include "enter/raw.h"
#include "enter/sequence.h"

#ifndef AT_RECURSIVE
#    define AT_RECURSIVE 0x8000
#endif
#define PRIVATE_PROPAGATION (1UL << 18) /* MS_PRIVATE */

uint64_t mount_attributes(uint32_t flags)
{
    uint64_t attributes = MOUNT_ATTR_NOSUID;

    if (!(flags & MOUNT_FLAG_DEV))
        attributes |= MOUNT_ATTR_NODEV;
    if (flags & MOUNT_FLAG_RO)
        attributes |= MOUNT_ATTR_RDONLY;
    if (flags & MOUNT_FLAG_NOEXEC)
        attributes |= MOUNT_ATTR_NOEXEC;
    return attributes;
}

/* Recursive, since a read-only flag on the top never reaches the mounts below it (mount_setattr(2), Linux
 * 5.12). Private: a copy of a shared mount would go on receiving what the host mounts there. */
static int set_attributes(int fd, uint32_t flags)
{
    struct mount_attr attributes = {.attr_set = mount_attributes(flags),
                                    .propagation = PRIVATE_PROPAGATION};
    unsigned long how = AT_EMPTY_PATH | (flags & MOUNT_FLAG_RECURSIVE ? AT_RECURSIVE : 0UL);

    return (int)RAW(SYS_mount_setattr, RAW_ARG(fd), "", how, &attributes, sizeof(attributes));
}

/* A detached, private copy of the mount at @path with the row's attributes, or -errno. */
static int take_source(const char *path, uint32_t flags)
{
    unsigned long how =
        OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | (flags & MOUNT_FLAG_RECURSIVE ? AT_RECURSIVE : 0UL);
    long fd = RAW(SYS_open_tree, RAW_ARG(AT_FDCWD), path, how);

    if (fd < 0)
        return (int)fd;
    int r = set_attributes((int)fd, flags);
    if (r == 0)
        return (int)fd;
    (void)raw_close((int)fd);
    return r;
}

static bool is_bind(uint8_t op)
{
    return op == MOUNT_BIND || op == MOUNT_STASH;
}

int step_sources(struct enter_state *state)
{
    const struct plan *plan = state->plan;
    char buffer[ENTER_PATH_LIMIT] = "";

    for (uint32_t i = 0; i < plan->mount_count; i++) {
        const struct plan_mount *row = &plan->mounts[i];

        state->source_fds[i] = -1;
        if (!is_bind(row->op))
            continue;
        state->index = i;
        state->layer = row->layer;
        const char *path = expand_path(state, row->source, buffer);
        int fd = path ? take_source(path, row->flags) : -ENAMETOOLONG;
        if (fd == -ENOENT && (row->flags & MOUNT_FLAG_OPTIONAL))
            continue;
        if (fd < 0)
            return fd;
        state->source_fds[i] = fd;
    }
    return 0;
}
