/*
 * Mounts with mapped ids.
 */
#include "linux/idmap.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/mount.h>
#include <linux/sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "linux/clone.h"
#include "linux/file.h"

#ifndef SYS_open_tree
#    define SYS_open_tree     428
#    define SYS_mount_setattr 442
#endif
#ifndef AT_RECURSIVE
#    define AT_RECURSIVE 0x8000
#endif
#define NAME_ROOM 256
#define MAP_IDS   0x00100000ULL /* MOUNT_ATTR_IDMAP */
#define PRIVATE_PROPAGATION                                                                        \
    (1ULL << 18) /* MS_PRIVATE; <sys/mount.h> clashes with <linux/mount.h> */

static int write_map(pid_t pid, const char *file, uint32_t inside, uint32_t outside)
{
    char path[64];
    char text[64];

    (void)snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, file);
    (void)snprintf(text, sizeof(text), "%u %u 1", inside, outside);
    return file_write_at(AT_FDCWD, path, text);
}

static void wait_for_end(int fd) __attribute__((noreturn));

static void wait_for_end(int fd)
{
    char word;

    (void)!read(fd, &word, 1); /* end of file: the namespace has been opened */
    _exit(0);
}

/* A user namespace that holds nothing but the two maps; the process that it was made with is gone again. */
static int map_namespace(const struct stat *owner, uint32_t uid, uint32_t gid)
{
    AUTO_FD int pidfd = -EBADF;
    char path[64];
    int ends[2];

    if (pipe2(ends, O_CLOEXEC) < 0)
        return -errno;
    pid_t pid = clone_child(CLONE_NEWUSER, -1, &pidfd);
    if (pid == 0) {
        (void)close(ends[1]);
        wait_for_end(ends[0]);
    }
    (void)close(ends[0]);
    int r = pid < 0 ? pid : write_map(pid, "uid_map", owner->st_uid, uid);
    if (r == 0)
        r = write_map(pid, "gid_map", owner->st_gid, gid);
    (void)snprintf(path, sizeof(path), "/proc/%d/ns/user", (int)pid);
    int fd = r < 0 ? r : open(path, O_RDONLY | O_CLOEXEC);
    if (r == 0 && fd < 0)
        fd = -errno;
    (void)close(ends[1]);
    if (pid > 0)
        (void)waitpid(pid, NULL, 0);
    return fd;
}

/* Step by step, through no symbolic link: a link that appeared after the path was judged leads somewhere that
 * nobody judged. The child does the same for what it takes itself (enter/sources.c). */
static int pin_without_links(const char *path)
{
    AUTO_FD int fd = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
    char name[NAME_ROOM] = "";
    struct stat status;

    for (;;) {
        path += strspn(path, "/");
        size_t length = strcspn(path, "/");
        if (fd < 0)
            return -errno;
        if (length == 0)
            return take_fd(&fd);
        if (length >= sizeof(name))
            return -ENAMETOOLONG;
        memcpy(name, path, length);
        name[length] = '\0';
        path += length;
        int next = openat(fd, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
        close_fd(&fd);
        fd = next;
        if (fd >= 0 && (fstat(fd, &status) < 0 || S_ISLNK(status.st_mode)))
            return -ELOOP;
    }
}

int idmap_open(const char *path, uint32_t uid, uint32_t gid, uint64_t attributes)
{
    struct stat owner;
    AUTO_FD int pinned = pin_without_links(path);

    if (pinned < 0)
        return pinned;
    if (fstat(pinned, &owner) < 0)
        return -errno;
    AUTO_FD int tree = (int)syscall(SYS_open_tree, pinned, "",
                                    OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_EMPTY_PATH);
    if (tree < 0)
        return -errno;
    AUTO_FD int namespace = map_namespace(&owner, uid, gid);
    if (namespace < 0)
        return namespace;
    struct mount_attr attr = {0};
    attr.attr_set = attributes | MAP_IDS;
    attr.propagation = PRIVATE_PROPAGATION;
    attr.userns_fd = (unsigned)namespace;
    if (syscall(SYS_mount_setattr, tree, "", (unsigned)AT_EMPTY_PATH, &attr, sizeof(attr)) < 0)
        return -errno;
    return take_fd(&tree);
}
