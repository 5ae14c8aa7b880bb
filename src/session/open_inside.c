/*
 * Opening names that a program chose.
 *
 * In: a workspace, a path. Out: a descriptor of a regular file or of a directory. Must never: resolve a path by
 * anything but openat2(2), or trust what a name was a moment ago: every check is made on a descriptor.
 */
#include "session/open_inside.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "session/listing.h"
#include "session/names.h"

/* A rename anywhere on the system can make one attempt fail (openat2(2), EAGAIN); a program that renames all the
 * time must not hold the caller up for ever. */
#define ATTEMPTS_MAX 128

/* By system call, since the C library's function may act on every thread or hide the result. Returns the id that
 * was set before; there is no other sign of failure (setfsuid(2)). */
static uint32_t set_fs_id(long number, uint32_t id)
{
    return (uint32_t)syscall(number, id);
}

/* -1 is no id: nothing changes, and the present one comes back. */
static uint32_t get_fs_id(long number)
{
    return set_fs_id(number, UINT32_MAX);
}

void owner_leave(struct owner_ids *ids)
{
    int saved = errno;

    if (ids->is_switched) {
        /* Cannot fail: the ids are those that the thread has as its effective ones. */
        (void)set_fs_id(SYS_setfsuid, ids->uid);
        (void)set_fs_id(SYS_setfsgid, ids->gid);
    }
    ids->is_switched = false;
    errno = saved;
}

int owner_enter(const struct workspace_dir *dir, struct owner_ids *ret_ids, struct berm_error *err)
{
    *ret_ids = (struct owner_ids){.is_switched = false};
    if (geteuid() != 0 || dir->uid == 0)
        return 0;
    ret_ids->uid = get_fs_id(SYS_setfsuid);
    ret_ids->gid = get_fs_id(SYS_setfsgid);
    ret_ids->is_switched = true;
    (void)set_fs_id(SYS_setfsgid, dir->gid);
    (void)set_fs_id(SYS_setfsuid, dir->uid);
    if (get_fs_id(SYS_setfsuid) == dir->uid && get_fs_id(SYS_setfsgid) == dir->gid)
        return 0;
    owner_leave(ret_ids);
    return error_set(err, BERM_E_SYSTEM, BERM_LAYER_FILESYSTEM, EPERM,
                     "give berm CAP_SETUID and CAP_SETGID, or start it as an ordinary user",
                     "cannot act on files as uid %u, gid %u, the owner of the work directory: "
                     "setfsuid or setfsgid changed nothing",
                     dir->uid, dir->gid);
}

int open_below(int dir_fd, const char *name, int flags)
{
    struct open_how how = {
        .flags = (uint64_t)(unsigned)(flags | O_CLOEXEC | O_NOFOLLOW),
        .resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS | RESOLVE_NO_XDEV,
    };

    for (int attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
        long fd = syscall(SYS_openat2, dir_fd, name, &how, sizeof(how));
        if (fd >= 0)
            return (int)fd;
        if (errno != EAGAIN && errno != EINTR)
            return -errno;
    }
    return -EAGAIN;
}

/* Why a name is refused that the program planted or that is not there, or NULL: then the system failed. */
static const char *refusal_of(int error)
{
    switch (error) {
    case ENOENT:
        return "there is no such name";
    case ELOOP:
        return "a symbolic link is in its path, and links are not followed";
    case ENOTDIR:
        return "a name in its path is not a directory";
    case EXDEV:
        return "it lies on another file system or outside the work directory";
    case EACCES:
        return "its owner has no permission";
    case EAGAIN:
        return "something in its path is being renamed all the time";
    default:
        return NULL;
    }
}

int open_below_failed(int error, const char *name, struct berm_error *err)
{
    struct quoted quoted;
    const char *refusal = refusal_of(-error);

    if (refusal)
        return error_set(err, BERM_E_INVALID, BERM_LAYER_FILESYSTEM, -error,
                         "list the work directory and take a name as it is shown there",
                         "cannot open %s in the work directory: %s", name_quote(&quoted, name),
                         refusal);
    if (error == -ENOSYS || error == -EPERM)
        return error_set(err, BERM_E_UNAVAILABLE, BERM_LAYER_FILESYSTEM, -error,
                         "use Linux 5.6 or newer, or a filter outside berm that lets openat2 pass",
                         "cannot open %s in the work directory: openat2 is refused here (Linux 5.6 "
                         "has it): %s",
                         name_quote(&quoted, name), strerror(-error));
    return error_set(err, BERM_E_SYSTEM, BERM_LAYER_FILESYSTEM, -error, NULL,
                     "cannot open %s in the work directory: %s", name_quote(&quoted, name),
                     strerror(-error));
}

static int refuse_file(int number, const char *name, const char *reason, struct berm_error *err)
{
    struct quoted quoted;

    return error_set(err, BERM_E_INVALID, BERM_LAYER_FILESYSTEM, number,
                     "let the program copy the contents to a new regular file",
                     "%s in the work directory is refused: %s", name_quote(&quoted, name), reason);
}

/* Is what a descriptor stands for a regular file with one name? */
static int check_file(const char *name, const struct stat *status, struct berm_error *err)
{
    char reason[64];

    if (!S_ISREG(status->st_mode)) {
        const char *type = entry_type_name(entry_type_of(status->st_mode));
        int number = S_ISLNK(status->st_mode) ? ELOOP : S_ISDIR(status->st_mode) ? EISDIR : EINVAL;

        (void)snprintf(reason, sizeof(reason), "it is no regular file (type: %s)", type);
        return refuse_file(number, name, reason, err);
    }
    if (status->st_nlink == 0)
        return refuse_file(ENOENT, name, "it was removed meanwhile", err);
    if (status->st_nlink > 1)
        return refuse_file(EMLINK, name, "it has more than one name (a hard link)", err);
    return 0;
}

/* From O_PATH to a descriptor that reads. O_NONBLOCK: a lease that the program holds on its file would make
 * open(2) wait for it (fcntl(2), F_SETLEASE). */
static int reopen_file(int path_fd, const char *name, struct berm_error *err)
{
    char path[64];

    (void)snprintf(path, sizeof(path), "/proc/self/fd/%d", path_fd);
    int fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (fd >= 0)
        return fd;
    if (errno == EWOULDBLOCK)
        return refuse_file(EWOULDBLOCK, name, "the program holds a lease on it", err);
    return open_below_failed(-errno, name, err);
}

int open_file_inside(const struct workspace_dir *dir, const char *name, struct stat *ret_status,
                     struct berm_error *err)
{
    struct stat pinned;
    AUTO_FD int path_fd = open_below(dir->work_fd, name, O_PATH);

    if (path_fd < 0)
        return open_below_failed(path_fd, name, err);
    if (fstat(path_fd, &pinned) < 0)
        return open_below_failed(-errno, name, err);
    int r = check_file(name, &pinned, err);
    if (r < 0)
        return r;
    AUTO_FD int fd = reopen_file(path_fd, name, err);
    if (fd < 0)
        return fd;
    if (fstat(fd, ret_status) < 0)
        return open_below_failed(-errno, name, err);
    if (ret_status->st_ino != pinned.st_ino || ret_status->st_dev != pinned.st_dev)
        return refuse_file(ESTALE, name, "/proc led to another file", err);
    r = check_file(name, ret_status, err);
    return r < 0 ? r : take_fd(&fd);
}

/* One directory down, made when it is not there. Returns a descriptor or -errno. */
static int descend(int dir_fd, const char *name)
{
    int fd = open_below(dir_fd, name, O_PATH | O_DIRECTORY);

    if (fd != -ENOENT)
        return fd;
    if (mkdirat(dir_fd, name, 0755) < 0 && errno != EEXIST)
        return -errno;
    return open_below(dir_fd, name, O_PATH | O_DIRECTORY);
}

int open_parent_inside(const struct workspace_dir *dir, const char *name, const char **ret_last,
                       struct berm_error *err)
{
    char copy[NAME_PATH_SIZE];
    char *left = copy;
    AUTO_FD int fd = open_below(dir->work_fd, ".", O_PATH | O_DIRECTORY);

    (void)snprintf(copy, sizeof(copy), "%s", name);
    for (char *slash; fd >= 0 && (slash = strchr(left, '/')) != NULL; left = slash + 1) {
        *slash = '\0';
        int next = descend(fd, left);
        close_fd(&fd);
        fd = next;
    }
    if (fd < 0)
        return open_below_failed(fd, name, err);
    *ret_last = name + (left - copy);
    return take_fd(&fd);
}
