/*
 * What is bound into the new root, taken hold of before the identity changes.
 *
 * A run started by root gets a host uid of its own, which may not enter the caller's directories: the paths
 * that the caller named are opened with the caller's own rights, as detached copies of the mounts. What
 * the program may do with the files is decided by its own identity.
 */
#include <fcntl.h>
#include <linux/mount.h>
#include <sys/stat.h>

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

/* Step by step from the root, through no symbolic link: the path was judged with its links resolved, and a
 * link that appeared since leads somewhere that nobody judged (90 of 400 tries, without this). */
static int open_without_links(const char *path)
{
    char name[256] = "";
    int fd = raw_open("/", O_PATH | O_DIRECTORY | O_CLOEXEC, 0);

    while (fd >= 0 && *path != '\0') {
        size_t length = 0;
        struct stat status;

        while (*path == '/')
            path++;
        while (path[length] != '\0' && path[length] != '/' && length + 1 < sizeof(name)) {
            name[length] = path[length];
            length++;
        }
        name[length] = '\0';
        path += length;
        if (length == 0)
            break;
        int next =
            (int)RAW(SYS_openat, RAW_ARG(fd), name, RAW_ARG(O_PATH | O_NOFOLLOW | O_CLOEXEC), 0L);
        (void)raw_close(fd);
        fd = next;
        if (fd >= 0 && (RAW(SYS_fstat, RAW_ARG(fd), &status) < 0 || S_ISLNK(status.st_mode))) {
            (void)raw_close(fd);
            return -ELOOP;
        }
    }
    return fd;
}

/* A detached, private copy of the mount at @path with the row's attributes, or -errno. */
static int take_source(const char *path, uint32_t flags, bool is_callers)
{
    unsigned long how = OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_EMPTY_PATH |
                        (flags & MOUNT_FLAG_RECURSIVE ? AT_RECURSIVE : 0UL);
    /* berm's own work directory may lie behind a link that the host made, such as /tmp. */
    int pinned = is_callers ? open_without_links(path) : raw_open(path, O_PATH | O_CLOEXEC, 0);

    if (pinned < 0)
        return pinned;
    long fd = RAW(SYS_open_tree, RAW_ARG(pinned), "", how);
    (void)raw_close(pinned);
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

/* The run's own uid may not be able to get there (a /run that is closed to others). Without it the root is built. */
static int take_skeleton(const char *path)
{
    if (path[0] == '\0')
        return -ENOENT;
    return (int)RAW(SYS_open_tree, AT_FDCWD, path, OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC);
}

int step_sources(struct enter_state *state)
{
    const struct plan *plan = state->plan;
    char buffer[ENTER_PATH_LIMIT] = "";

    state->skeleton_fd = take_skeleton(state->context->skeleton_path);
    for (uint32_t i = 0; i < plan->mount_count; i++) {
        const struct plan_mount *row = &plan->mounts[i];

        state->source_fds[i] = -1;
        if (!is_bind(row->op))
            continue;
        state->index = i;
        state->layer = row->layer;
        if (row->flags & MOUNT_FLAG_IDMAP) {
            state->source_fds[i] = state->context->mapped_fds[i];
            continue;
        }
        const char *path = expand_path(state, row->source, buffer);
        int fd = path ? take_source(path, row->flags, row->op == MOUNT_BIND) : -ENAMETOOLONG;
        if (fd == -ENOENT && (row->flags & MOUNT_FLAG_OPTIONAL))
            continue;
        if (fd < 0)
            return fd;
        state->source_fds[i] = fd;
    }
    return 0;
}
