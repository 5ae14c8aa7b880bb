/*
 * Removing a directory tree without recursion and without long paths.
 *
 * A directory that is not empty is renamed to the top of the tree, so that everything comes to lie one
 * level deep. Each directory is visited once, whatever the depth.
 */
#include "linux/tree.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/text.h"

struct tree {
    int top_fd;
    unsigned long long moved; /* names given to directories that were moved to the top */
};

/* Opened without following; a directory without rights is given them first (it is ours). */
static int open_directory(int parent_fd, const char *name)
{
    int flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
    int fd = openat(parent_fd, name, flags);
    struct stat status;

    if (fd < 0 && errno != EACCES)
        return -errno;
    if (fd >= 0 && fstat(fd, &status) == 0 && (status.st_mode & 0700) == 0700)
        return fd;
    if (fd >= 0) {
        (void)fchmod(fd, 0700); /* when it fails, the removal inside fails and says so */
        return fd;
    }
    /* fchmodat follows a last link; O_PATH|O_NOFOLLOW pins what is changed (open(2)). */
    AUTO_FD int pinned = openat(parent_fd, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    char path[64];
    if (pinned < 0)
        return -errno;
    (void)snprintf(path, sizeof(path), "/proc/self/fd/%d", pinned);
    if (chmod(path, 0700) < 0)
        return -errno;
    fd = openat(parent_fd, name, flags);
    return fd < 0 ? -errno : fd;
}

static int move_to_top(struct tree *tree, int dir_fd, const char *name)
{
    char moved[64];

    for (;;) {
        (void)snprintf(moved, sizeof(moved), "berm-removed-%llu", tree->moved++);
        /* An empty directory of that name may be replaced; another file is passed over. */
        if (renameat(dir_fd, name, tree->top_fd, moved) == 0)
            return 0;
        if (errno == EACCES || errno == EPERM) {
            /* Moving a directory writes its "..": it needs write permission itself (rename(2)). */
            int fd = open_directory(dir_fd, name);
            if (fd < 0)
                return fd;
            (void)close(fd);
            return renameat(dir_fd, name, tree->top_fd, moved) == 0 ? 0 : -errno;
        }
        if (errno != ENOTEMPTY && errno != EEXIST && errno != ENOTDIR)
            return -errno;
    }
}

/* Everything in one directory below the top: files unlinked, full directories moved to the top. */
static int empty_directory(struct tree *tree, int dir_fd)
{
    const struct dirent *entry;
    int ret = 0;
    DIR *dir = fdopendir(dir_fd); /* takes dir_fd */

    if (!dir) {
        (void)close(dir_fd);
        return -errno;
    }
    while ((entry = readdir(dir)) != NULL) {
        if (text_is_dot(entry->d_name) || unlinkat(dirfd(dir), entry->d_name, 0) == 0)
            continue;
        if (unlinkat(dirfd(dir), entry->d_name, AT_REMOVEDIR) == 0)
            continue;
        int r = errno == ENOTEMPTY || errno == EEXIST || errno == EACCES
                    ? move_to_top(tree, dirfd(dir), entry->d_name)
                    : -errno;
        if (r < 0)
            ret = r;
    }
    (void)closedir(dir);
    return ret;
}

/* One pass over the top. Returns the number of directories that were emptied, or -errno. */
static int pass_over_top(struct tree *tree)
{
    const struct dirent *entry;
    int emptied = 0;
    int ret = 0;
    int copy = openat(tree->top_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *dir = copy < 0 ? NULL : fdopendir(copy);

    if (!dir)
        return -errno;
    while ((entry = readdir(dir)) != NULL) {
        if (text_is_dot(entry->d_name) || unlinkat(tree->top_fd, entry->d_name, 0) == 0)
            continue;
        if (unlinkat(tree->top_fd, entry->d_name, AT_REMOVEDIR) == 0)
            continue;
        int fd = open_directory(tree->top_fd, entry->d_name);
        int r = fd < 0 ? fd : empty_directory(tree, fd);
        if (r == 0 && unlinkat(tree->top_fd, entry->d_name, AT_REMOVEDIR) < 0)
            r = -errno;
        if (r < 0)
            ret = r;
        emptied++;
    }
    (void)closedir(dir);
    return ret < 0 ? ret : emptied;
}

int tree_remove(int parent_fd, const char *name)
{
    struct tree tree = {.top_fd = open_directory(parent_fd, name)};
    AUTO_FD int top = tree.top_fd;
    int emptied;

    if (top < 0)
        return top;
    do {
        emptied = pass_over_top(&tree);
    } while (emptied > 0);
    if (emptied < 0)
        return emptied;
    return unlinkat(parent_fd, name, AT_REMOVEDIR) == 0 ? 0 : -errno;
}
