/*
 * The skeleton of the small root: see skeleton.h.
 *
 * A directory is named after what is in it and appears under that name by one rename(2), complete. Who uses it
 * holds a shared lock: a mount point that is removed takes the mounts of every run on it along (Linux 3.18,
 * 8ed936b5671b), so an old one goes only when nobody holds it.
 */
#include "run/skeleton.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "linux/tree.h"

#define PREFIX "root-"
/* So many are kept: a few numbers of CPUs, with a terminal or without. */
#define KEEP_MAX 16

void skeleton_init(struct skeleton *skeleton)
{
    skeleton->fd = -EBADF;
    skeleton->path[0] = '\0';
}

/* FNV-1a, 64 bits: the rows come from berm's own tables, so nobody seeks a collision. */
static uint64_t mix(uint64_t hash, unsigned char byte)
{
    return (hash ^ byte) * 0x100000001b3ULL;
}

static uint64_t mix_number(uint64_t hash, uint32_t number)
{
    for (unsigned shift = 0; shift < 32; shift += 8)
        hash = mix(hash, (unsigned char)(number >> shift));
    return hash;
}

/* The end of the text counts too. */
static uint64_t mix_text(uint64_t hash, const struct plan *plan, plan_text text)
{
    const char *byte = plan_text_of(plan, text);

    for (; *byte != '\0'; byte++)
        hash = mix(hash, (unsigned char)*byte);
    return mix(hash, 0);
}

static bool is_in_skeleton(const struct plan_mount *row)
{
    return (row->flags & MOUNT_FLAG_SKELETON) != 0;
}

/* What a row leaves in the skeleton; the source of a mount does not matter. */
static uint64_t hash_rows(const struct plan *plan)
{
    uint64_t hash = 0xcbf29ce484222325ULL;

    for (uint32_t i = 0; i < plan->mount_count; i++) {
        const struct plan_mount *row = &plan->mounts[i];

        if (!is_in_skeleton(row))
            continue;
        hash = mix_number(mix_number(mix_number(hash, row->op), row->mode), row->flags);
        hash = mix_text(hash, plan, row->target);
        if (row->op == MOUNT_SYMLINK)
            hash = mix_text(hash, plan, row->source);
        if (row->op == MOUNT_FILE)
            hash = mix_text(hash, plan, row->data);
    }
    return hash;
}

static int make_directory(int root_fd, const char *path)
{
    return mkdirat(root_fd, path, 0755) < 0 && errno != EEXIST ? -errno : 0;
}

static int make_file(int root_fd, const char *path, const char *content, mode_t mode)
{
    AUTO_FD int fd =
        openat(root_fd, path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
    size_t size = strlen(content);

    if (fd < 0)
        return -errno;
    return write(fd, content, size) == (ssize_t)size ? 0 : -EIO;
}

/* The directories on the way, then the point itself. */
static int make_point(int root_fd, const char *path, bool is_file)
{
    char part[256];
    int r = 0;

    for (const char *slash = strchr(path, '/'); r == 0 && slash; slash = strchr(slash + 1, '/')) {
        int n = snprintf(part, sizeof(part), "%.*s", (int)(slash - path), path);
        r = n > 0 && (size_t)n < sizeof(part) ? make_directory(root_fd, part) : -ENAMETOOLONG;
    }
    if (r < 0)
        return r;
    return is_file ? make_file(root_fd, path, "", 0644) : make_directory(root_fd, path);
}

static int make_row(int root_fd, const struct plan *plan, const struct plan_mount *row)
{
    const char *target = plan_text_of(plan, row->target);
    bool is_file = (row->flags & (MOUNT_FLAG_IS_FILE | MOUNT_FLAG_DEV)) != 0;

    if (row->op == MOUNT_DIR)
        return make_directory(root_fd, target);
    if (row->op == MOUNT_FILE)
        return make_file(root_fd, target, plan_text_of(plan, row->data), row->mode);
    if (row->op == MOUNT_SYMLINK)
        return symlinkat(plan_text_of(plan, row->source), root_fd, target) < 0 ? -errno : 0;
    return make_point(root_fd, target, is_file);
}

static int make_rows(int root_fd, const struct plan *plan)
{
    int r = 0;

    for (uint32_t i = 0; r == 0 && i < plan->mount_count; i++) {
        if (is_in_skeleton(&plan->mounts[i]))
            r = make_row(root_fd, plan, &plan->mounts[i]);
    }
    return r;
}

/* Complete, or not there: another berm may do the same at this moment. */
static int make(const struct slot *slot, const char *name, const struct plan *plan)
{
    char draft[64];

    (void)snprintf(draft, sizeof(draft), SLOT_DRAFT, slot->number);
    (void)tree_remove(slot->state_fd, draft); /* of a berm that died; the number is ours now */
    if (mkdirat(slot->state_fd, draft, 0755) < 0)
        return -errno;
    AUTO_FD int fd = openat(slot->state_fd, draft, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    int r = fd < 0 ? -errno : make_rows(fd, plan);
    /* An empty directory may be replaced, a full one not (rename(2)): the first to come wins. */
    if (r == 0 && renameat(slot->state_fd, draft, slot->state_fd, name) < 0 && errno != ENOTEMPTY &&
        errno != EEXIST)
        r = -errno;
    (void)tree_remove(slot->state_fd, draft);
    return r;
}

/* Locked, and still under its name: the lock may have come after somebody removed it. */
static int lock_named(const struct slot *slot, const char *name, int how)
{
    struct stat held;
    struct stat named;
    AUTO_FD int fd = openat(slot->state_fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

    if (fd < 0 || flock(fd, how | LOCK_NB) < 0 || fstat(fd, &held) < 0 ||
        fstatat(slot->state_fd, name, &named, AT_SYMLINK_NOFOLLOW) < 0)
        return -errno;
    if (held.st_ino != named.st_ino || held.st_uid != geteuid() || (held.st_mode & 022) != 0)
        return -ESTALE;
    return take_fd(&fd);
}

static void remove_unused(const struct slot *slot, const char *name)
{
    char draft[64];
    AUTO_FD int fd = lock_named(slot, name, LOCK_EX);

    if (fd < 0)
        return;
    /* Renamed first: a berm that is killed here must not leave a part of it under its name. */
    (void)snprintf(draft, sizeof(draft), SLOT_DRAFT, slot->number);
    (void)tree_remove(slot->state_fd, draft);
    if (renameat(slot->state_fd, name, slot->state_fd, draft) == 0)
        (void)tree_remove(slot->state_fd,
                          draft); /* what stays is swept by the number's next holder */
}

/* When there are too many, those that nobody holds go: the host's system, or berm, has changed. */
static void thin_out(const struct slot *slot)
{
    const struct dirent *entry;
    unsigned count = 0;

    int copy = openat(slot->state_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *dir = copy < 0 ? NULL : fdopendir(copy);
    if (!dir)
        return;
    while ((entry = readdir(dir)) != NULL) {
        if (strncmp(entry->d_name, PREFIX, sizeof(PREFIX) - 1) == 0 && ++count > KEEP_MAX)
            remove_unused(slot, entry->d_name);
    }
    (void)closedir(dir);
}

void skeleton_take(struct skeleton *skeleton, const struct slot *slot, const char *state_dir,
                   const struct plan *plan)
{
    char name[64];

    if (!plan_has(plan, PLAN_SHARED_SKELETON) || slot->state_fd < 0)
        return;
    (void)snprintf(name, sizeof(name), PREFIX "%016llx", (unsigned long long)hash_rows(plan));
    skeleton->fd = lock_named(slot, name, LOCK_SH);
    if (skeleton->fd == -ENOENT) {
        thin_out(slot);
        if (make(slot, name, plan) == 0)
            skeleton->fd = lock_named(slot, name, LOCK_SH);
    }
    if (skeleton->fd >= 0)
        (void)snprintf(skeleton->path, sizeof(skeleton->path), "%s/%s", state_dir, name);
}

void skeleton_release(struct skeleton *skeleton)
{
    close_fd(&skeleton->fd);
    skeleton->path[0] = '\0';
}
