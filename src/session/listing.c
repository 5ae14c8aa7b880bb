/*
 * What is in a work directory: a walk by a queue of relative paths, each opened anew below the work directory.
 *
 * In: a workspace. Out: a listing. Must never: follow a link, recurse, hold more than one directory open, or keep
 * more text than PATHS_BYTES_MAX twice, whatever a program makes.
 */
#include "session/listing.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/text.h"
#include "session/names.h"
#include "session/open_inside.h"

/* Names below each other; what lies deeper is not looked at. */
#define DEPTH_MAX 64
/* Text of paths that is kept, of the queue and of the entries each: a million long ones would be gigabytes. */
#define PATHS_BYTES_MAX (64ULL << 20)
#define FIRST_ROOM      64

struct walk {
    const struct workspace_dir *dir;
    const struct listing_wish *wish;
    struct listing listing;
    uint64_t entries_room;
    uint64_t entries_bytes;
    char **queue; /* directories not yet read: queue[head..tail] */
    uint64_t head, tail, queue_room;
    uint64_t queue_bytes;
    uint64_t visits;
};

const char *entry_type_name(enum entry_type type)
{
    static const char *const names[ENTRY_TYPE_COUNT] = {
        [ENTRY_OTHER] = "other",   [ENTRY_FILE] = "file", [ENTRY_DIRECTORY] = "directory",
        [ENTRY_LINK] = "link",     [ENTRY_FIFO] = "fifo", [ENTRY_SOCKET] = "socket",
        [ENTRY_DEVICE] = "device",
    };
    return type < ENTRY_TYPE_COUNT ? names[type] : "other";
}

enum entry_type entry_type_of(mode_t mode)
{
    switch (mode & S_IFMT) {
    case S_IFREG:
        return ENTRY_FILE;
    case S_IFDIR:
        return ENTRY_DIRECTORY;
    case S_IFLNK:
        return ENTRY_LINK;
    case S_IFIFO:
        return ENTRY_FIFO;
    case S_IFSOCK:
        return ENTRY_SOCKET;
    case S_IFCHR:
    case S_IFBLK:
        return ENTRY_DEVICE;
    default:
        return ENTRY_OTHER;
    }
}

/* Room for one more element. Returns the array, moved or not; NULL when there is no memory. */
static void *grow(void *array, uint64_t count, uint64_t *room, size_t size)
{
    if (count < *room)
        return array;
    uint64_t wanted = *room == 0 ? FIRST_ROOM : *room * 2;
    void *grown = reallocarray(array, wanted, size);
    if (grown)
        *room = wanted;
    return grown;
}

static unsigned depth_of(const char *path)
{
    unsigned depth = 1;

    for (const char *at = path; *at != '\0'; at++)
        depth += *at == '/';
    return depth;
}

static int queue_directory(struct walk *walk, const char *path)
{
    size_t bytes = strlen(path) + 1;

    if (depth_of(path) >= DEPTH_MAX || walk->queue_bytes + bytes > PATHS_BYTES_MAX) {
        walk->listing.is_incomplete = true;
        return 0;
    }
    char **queue = grow(walk->queue, walk->tail, &walk->queue_room, sizeof(*queue));
    if (!queue)
        return -ENOMEM;
    walk->queue = queue;
    char *copy = strdup(path);
    if (!copy)
        return -ENOMEM;
    walk->queue[walk->tail++] = copy;
    walk->queue_bytes += bytes;
    return 0;
}

static uint64_t time_ns(const struct timespec *time)
{
    /* A clock before 1970 is no time that anything can be compared with. */
    return time->tv_sec < 0 ? 0 : clock_ns_of(time);
}

static bool is_wished(const struct listing_wish *wish, const struct listing_entry *entry)
{
    if (wish->since_ns == 0)
        return true;
    return entry->type != ENTRY_DIRECTORY && entry->changed_ns >= wish->since_ns;
}

static int keep_entry(struct walk *walk, const char *path, const struct listing_entry *entry)
{
    struct listing *listing = &walk->listing;
    size_t bytes = strlen(path) + 1;

    if (listing->count >= walk->wish->entries_max ||
        walk->entries_bytes + bytes > PATHS_BYTES_MAX) {
        listing->omitted++;
        return 0;
    }
    struct listing_entry *entries =
        grow(listing->entries, listing->count, &walk->entries_room, sizeof(*entries));
    if (!entries)
        return -ENOMEM;
    listing->entries = entries;
    char *copy = strdup(path);
    if (!copy)
        return -ENOMEM;
    entries[listing->count] = *entry;
    entries[listing->count++].path = copy;
    walk->entries_bytes += bytes;
    return 0;
}

static int take_entry(struct walk *walk, const char *path, const struct stat *status)
{
    enum entry_type type = entry_type_of(status->st_mode);
    struct listing_entry entry = {
        .type = type,
        .bytes = type == ENTRY_FILE ? (uint64_t)status->st_size : 0,
        .changed_ns = time_ns(&status->st_ctim),
        .mode = status->st_mode & 07777,
        .links = (uint32_t)status->st_nlink,
    };
    int r = 0;

    if (is_wished(walk->wish, &entry)) {
        /* Files with holes can add up to more than there are numbers. */
        if (__builtin_add_overflow(walk->listing.bytes, entry.bytes, &walk->listing.bytes))
            walk->listing.bytes = UINT64_MAX;
        r = keep_entry(walk, path, &entry);
    }
    if (r == 0 && type == ENTRY_DIRECTORY)
        r = queue_directory(walk, path);
    return r;
}

static int visit_name(struct walk *walk, int dir_fd, const char *parent, const char *name)
{
    char path[NAME_PATH_SIZE];
    struct stat status;
    int size = *parent == '\0' ? snprintf(path, sizeof(path), "%s", name)
                               : snprintf(path, sizeof(path), "%s/%s", parent, name);

    if (size < 0 || (size_t)size >= sizeof(path)) {
        walk->listing.is_incomplete = true;
        return 0;
    }
    if (fstatat(dir_fd, name, &status, AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT) < 0) {
        /* Removed since it was read: then it is not there, and nothing is missing. */
        walk->listing.is_incomplete = walk->listing.is_incomplete || errno != ENOENT;
        return 0;
    }
    return take_entry(walk, path, &status);
}

/* Takes dir_fd. */
static int read_directory(struct walk *walk, int dir_fd, const char *path)
{
    const struct dirent *entry = NULL;
    DIR *dir = fdopendir(dir_fd);
    int r = 0;

    if (!dir) {
        (void)close(dir_fd);
        return -ENOMEM;
    }
    while (r == 0) {
        errno = 0;
        entry = readdir(dir);
        if (!entry)
            break;
        if (text_is_dot(entry->d_name))
            continue;
        if (walk->visits++ >= walk->wish->visits_max) {
            walk->listing.is_incomplete = true;
            break;
        }
        r = visit_name(walk, dirfd(dir), path, entry->d_name);
    }
    if (!entry && errno != 0)
        walk->listing.is_incomplete = true;
    (void)closedir(dir);
    return r;
}

/* O_DIRECTORY: nothing else is opened, so neither a FIFO nor a device can hold the walk up. */
static int open_directory(const struct walk *walk, const char *path)
{
    return open_below(walk->dir->work_fd, path, O_RDONLY | O_DIRECTORY | O_NONBLOCK);
}

static int read_queued(struct walk *walk)
{
    AUTO_FREE char *path = walk->queue[walk->head];
    int fd = open_directory(walk, path);

    walk->queue[walk->head++] = NULL;
    walk->queue_bytes -= strlen(path) + 1;
    if (fd >= 0)
        return read_directory(walk, fd, path);
    if (fd != -ENOENT)
        walk->listing.is_incomplete = true;
    return 0;
}

static int walk_all(struct walk *walk)
{
    int fd = open_directory(walk, ".");
    int r = fd < 0 ? fd : read_directory(walk, fd, "");

    while (r == 0 && walk->head < walk->tail) {
        if (walk->visits > walk->wish->visits_max)
            break;
        r = read_queued(walk);
    }
    return r;
}

static int compare_paths(const void *left, const void *right)
{
    const struct listing_entry *a = left;
    const struct listing_entry *b = right;

    return strcmp(a->path, b->path);
}

int listing_make(const struct workspace_dir *dir, const struct listing_wish *wish,
                 struct listing *ret_listing)
{
    struct walk walk = {.dir = dir, .wish = wish};
    AS_OWNER struct owner_ids ids = {.is_switched = false};
    int r = owner_enter(dir, &ids, NULL);

    if (r == 0)
        r = walk_all(&walk);
    while (walk.head < walk.tail)
        free(walk.queue[walk.head++]);
    free((void *)walk.queue);
    if (r < 0) {
        listing_done(&walk.listing);
        return r;
    }
    if (walk.listing.count > 1)
        qsort(walk.listing.entries, walk.listing.count, sizeof(*walk.listing.entries),
              compare_paths);
    *ret_listing = walk.listing;
    return 0;
}

void listing_done(struct listing *listing)
{
    for (uint64_t i = 0; i < listing->count; i++)
        free(listing->entries[i].path);
    free(listing->entries);
    *listing = (struct listing){.entries = NULL};
}
