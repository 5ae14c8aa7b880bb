/*
 * Slots: numbers under a lock.
 */
#include "run/slot.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "linux/file.h"
#include "linux/tree.h"

void slot_init(struct slot *slot)
{
    memset(slot, 0, sizeof(*slot));
    slot->lock_fd = -EBADF;
    slot->state_fd = -EBADF;
}

static int open_state_dir(const char *path, struct berm_error *err)
{
    struct stat status;

    /* Root's runs have uids of their own, which must be able to pass through to their work directory. */
    if (mkdir(path, geteuid() == 0 ? 0711 : 0700) < 0 && errno != EEXIST) {
        int error = errno;
        return error_set(err, BERM_E_SYSTEM, BERM_LAYER_ENV, error,
                         "make the directory above it, or let berm write there",
                         "cannot make the state directory %s: %s", path, strerror(error));
    }
    AUTO_FD int fd = openat(AT_FDCWD, path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &status) < 0)
        return error_set(err, BERM_E_SYSTEM, BERM_LAYER_ENV, errno, NULL,
                         "cannot open the state directory %s: %s", path, strerror(errno));
    /* In a shared /tmp somebody else may have made it first. */
    if (status.st_uid != geteuid() || (status.st_mode & 022) != 0)
        return error_set(err, BERM_E_SYSTEM, BERM_LAYER_ENV, EPERM,
                         "remove it, or make it yours with mode 0700",
                         "the state directory %s belongs to uid %u with mode %04o: others could "
                         "put files there",
                         path, status.st_uid, status.st_mode & 07777);
    if (status.st_uid == 0 && (status.st_mode & 0111) != 0111)
        (void)fchmod(fd,
                     0711); /* made by an earlier version; refused: the work directory says so */
    return take_fd(&fd);
}

/* Does a line "name:first:count" cover the uid? subuid(5). */
static bool line_covers(const char *line, uint64_t id)
{
    uint64_t first = 0;
    uint64_t count = 0;
    const char *at = strchr(line, ':');

    if (!at)
        return false;
    size_t digits = text_to_u64(at + 1, &first);
    if (digits == 0 || at[1 + digits] != ':')
        return false;
    (void)text_to_u64(at + 2 + digits, &count);
    return id >= first && id - first < count;
}

static bool is_given_away(const char *path, uint64_t id)
{
    char text[8192] = "";

    ssize_t n = file_read_at(AT_FDCWD, path, text, sizeof(text));
    if (n == -ENOENT)
        return false;
    if (n < 0)
        return true; /* unreadable or longer than any that was seen: better another number than a shared one */
    for (const char *line = text; line; line = strchr(line, '\n')) {
        if (*line == '\n')
            line++;
        if (line_covers(line, id))
            return true;
    }
    return false;
}

static bool uid_is_free(uint32_t number)
{
    uint64_t id = (uint64_t)SLOT_UID_FIRST + number;

    return !is_given_away("/etc/subuid", id) && !is_given_away("/etc/subgid", id);
}

static int lock_number(const struct slot *slot, uint32_t number)
{
    char name[32];

    (void)snprintf(name, sizeof(name), "slot-%u", number);
    AUTO_FD int fd = openat(slot->state_fd, name, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0)
        return -errno;
    if (flock(fd, LOCK_EX | LOCK_NB) < 0)
        return -errno;
    return take_fd(&fd);
}

/* The group's name holds the state directory's identity: two containers with a /run of their own each may share
 * one tree of control groups, and their locks do not know of each other. */
void slot_group_name(const struct slot *slot, uint32_t number, char *ret_name, size_t size)
{
    struct stat status = {0};

    (void)fstat(slot->state_fd, &status); /* open and ours: cannot fail */
    (void)snprintf(ret_name, size, "berm-%llx-%llx-%u", (unsigned long long)status.st_dev,
                   (unsigned long long)status.st_ino, number);
}

static void name_slot(struct slot *slot, const char *state_dir)
{
    struct stat status = {0};

    slot_group_name(slot, slot->number, slot->group_name, sizeof(slot->group_name));
    (void)snprintf(slot->work_name, sizeof(slot->work_name), "work-%u", slot->number);
    (void)snprintf(slot->work_path, sizeof(slot->work_path), "%s/%s", state_dir, slot->work_name);
    /* The lock file has a length while the number is held: it outlives a holder that is killed. A hole, since a
     * byte would cost a page. */
    slot->was_dirty = fstat(slot->lock_fd, &status) == 0 && status.st_size > 0;
    (void)!ftruncate(slot->lock_fd, 1); /* without it only the sweep is less thorough */
}

static void sweep_number(struct slot *slot, uint32_t number, slot_dead_fn dead, void *context)
{
    struct stat status;
    char work[64];
    AUTO_FD int fd = lock_number(slot, number);

    if (fd < 0 || fstat(fd, &status) < 0 || status.st_size == 0)
        return;
    (void)snprintf(work, sizeof(work), "work-%u", number);
    if (unlinkat(slot->state_fd, work, 0) < 0)
        (void)tree_remove(slot->state_fd, work); /* the next start tries again */
    (void)snprintf(work, sizeof(work), SLOT_DRAFT, number);
    (void)tree_remove(slot->state_fd, work);
    dead(slot, number, context);
    (void)!ftruncate(fd, 0);
}

void slot_sweep(struct slot *slot, slot_dead_fn dead, void *context)
{
    const struct dirent *entry;
    uint64_t number = 0;

    if (slot->state_fd < 0 || !slot->was_dirty)
        return;
    int copy = openat(slot->state_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *dir = copy < 0 ? NULL : fdopendir(copy);
    if (!dir)
        return;
    while ((entry = readdir(dir)) != NULL) {
        if (strncmp(entry->d_name, "slot-", 5) == 0 &&
            text_to_u64(entry->d_name + 5, &number) > 0 && number != slot->number &&
            number < SLOT_COUNT_MAX)
            sweep_number(slot, (uint32_t)number, dead, context);
    }
    (void)closedir(dir);
}

int slot_take(struct slot *slot, const char *state_dir, bool needs_host_uid, struct berm_error *err)
{
    slot->state_fd = open_state_dir(state_dir, err);
    if (slot->state_fd < 0)
        return slot->state_fd;
    for (uint32_t number = 0; number < SLOT_COUNT_MAX; number++) {
        int fd = lock_number(slot, number);

        if (fd == -EWOULDBLOCK)
            continue;
        if (fd < 0)
            return error_set(err, BERM_E_SYSTEM, BERM_LAYER_ENV, -fd, NULL,
                             "cannot take a lock in %s: %s", state_dir, strerror(-fd));
        if (needs_host_uid && !uid_is_free(number)) {
            (void)close(fd);
            continue;
        }
        slot->lock_fd = fd;
        slot->number = number;
        name_slot(slot, state_dir);
        return 0;
    }
    return error_set(err, BERM_E_UNAVAILABLE, BERM_LAYER_PRIVILEGES, EUSERS,
                     "wait for runs to end, or take berm's uids out of /etc/subuid",
                     "no host uid from %u on is free", SLOT_UID_FIRST);
}

/* What a dead run left under the name: a directory, or what somebody put in its place. */
static int remove_dead_work(const struct slot *slot)
{
    if (unlinkat(slot->state_fd, slot->work_name, 0) == 0)
        return 0;
    return tree_remove(slot->state_fd, slot->work_name);
}

int slot_make_work_dir(struct slot *slot, uint32_t uid, uint32_t gid, struct berm_error *err)
{
    const char *cure = "remove the directory";
    int r = 0;

    slot->has_work_dir = true;
    if (mkdirat(slot->state_fd, slot->work_name, 0700) < 0) {
        r = errno == EEXIST ? remove_dead_work(slot) : -errno;
        if (r == 0 && mkdirat(slot->state_fd, slot->work_name, 0700) < 0)
            r = -errno;
    }
    if (r == 0 && uid != geteuid() &&
        fchownat(slot->state_fd, slot->work_name, uid, gid, AT_SYMLINK_NOFOLLOW) < 0)
        r = -errno;
    if (r == 0)
        return 0;
    return error_set(err, BERM_E_SYSTEM, BERM_LAYER_ENV, -r, cure,
                     "cannot make the work directory %s: %s", slot->work_path, strerror(-r));
}

int slot_release(struct slot *slot)
{
    char draft[64];
    int ret = 0;

    if (slot->has_work_dir || slot->was_dirty) {
        int r = tree_remove(slot->state_fd, slot->work_name);
        ret = r == -ENOENT ? 0 : r;
    }
    if (slot->was_dirty) {
        (void)snprintf(draft, sizeof(draft), SLOT_DRAFT, slot->number);
        (void)tree_remove(slot->state_fd, draft);
    }
    if (slot->lock_fd >= 0 && ret == 0)
        (void)!ftruncate(slot->lock_fd, 0); /* clean: nothing under this number needs a sweep */
    close_fd(&slot->lock_fd);
    close_fd(&slot->state_fd);
    return ret;
}
