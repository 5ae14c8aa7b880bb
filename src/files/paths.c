/*
 * Paths below the current directory, taken name by name.
 *
 * openat2(2) would resolve in one call what path_open() does in a loop, but a filter of a run may not know it.
 */
#include "files/paths.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cleanup.h"

int path_list_add(struct path_list *list, const char *path)
{
    if (list->count == PATH_COUNT_MAX)
        return -E2BIG;
    if (list->count == list->room) {
        size_t room = list->room ? 2 * list->room : 64;
        char **paths = reallocarray(list->paths, room, sizeof(*paths));
        if (!paths)
            return -ENOMEM;
        list->paths = paths;
        list->room = room;
    }
    char *copy = strdup(path);
    if (!copy)
        return -ENOMEM;
    list->paths[list->count++] = copy;
    return 0;
}

int path_list_read(struct path_list *list, FILE *in)
{
    char path[PATH_SIZE];
    size_t size = 0;
    int byte;

    while ((byte = getc(in)) != EOF) {
        if (size == sizeof(path))
            return -ENAMETOOLONG;
        path[size++] = (char)byte;
        if (byte != '\0')
            continue;
        int ret = path_list_add(list, path);
        if (ret < 0)
            return ret;
        size = 0;
    }
    if (ferror(in))
        return errno > 0 ? -errno : -EIO;
    return size == 0 ? 0 : -EINVAL;
}

static int compare(const void *left, const void *right)
{
    return strcmp(*(char *const *)left, *(char *const *)right);
}

void path_list_sort(struct path_list *list)
{
    if (list->count > 1)
        qsort(list->paths, list->count, sizeof(*list->paths), compare);
}

void path_list_done(struct path_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        free(list->paths[i]);
    free(list->paths);
    *list = (struct path_list){0};
}

/* Moves to the next name that leads somewhere: "" and "." do not. Returns its size, 0 at the end. */
static size_t next_name(const char **path)
{
    for (;;) {
        *path += strspn(*path, "/");
        size_t size = strcspn(*path, "/");
        if (size != 1 || **path != '.')
            return size;
        *path += 1;
    }
}

const char *path_fault(const char *path)
{
    size_t depth = 0;

    if (path[0] == '/')
        return "absolute";
    if (path[0] == '\0' || strlen(path) >= PATH_SIZE)
        return "name";
    /* Written so that ".." wins over what else is wrong: that word says what was tried. */
    const char *fault = NULL;
    for (size_t size = next_name(&path); size > 0; size = next_name(&path)) {
        if (size == 2 && path[0] == '.' && path[1] == '.')
            return "dotdot";
        if (size > NAME_MAX)
            fault = "name";
        path += size;
        depth++;
    }
    if (!fault && depth > PATH_DEPTH_MAX)
        fault = "depth";
    return fault;
}

void path_tidy(const char *path, char *ret_tidy)
{
    size_t used = 0;

    for (size_t size = next_name(&path); size > 0; size = next_name(&path)) {
        if (used > 0)
            ret_tidy[used++] = '/';
        memcpy(ret_tidy + used, path, size);
        used += size;
        path += size;
    }
    ret_tidy[used] = '\0';
}

size_t path_depth(const char *path)
{
    size_t depth = 0;

    for (size_t size = next_name(&path); size > 0; size = next_name(&path)) {
        path += size;
        depth++;
    }
    return depth;
}

/* One name, which is not ended by a NUL. */
static int open_name(int dir_fd, const char *name, size_t size, int flags)
{
    char text[NAME_MAX + 1];

    if (size >= sizeof(text))
        return -ENAMETOOLONG;
    memcpy(text, name, size);
    text[size] = '\0';
    int fd = openat(dir_fd, text, flags | O_NOFOLLOW | O_NOCTTY | O_CLOEXEC);
    return fd < 0 ? -errno : fd;
}

int path_open(const char *path, int flags)
{
    if (path_fault(path))
        return -EINVAL;
    AUTO_FD int dir = open(".", O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (dir < 0)
        return -errno;
    size_t size = next_name(&path);
    if (size == 0)
        return open_name(dir, ".", 1, flags);
    for (;;) {
        const char *name = path;
        path += size;
        size_t next = next_name(&path);
        if (next == 0)
            return open_name(dir, name, size, flags);
        int fd = open_name(dir, name, size, O_PATH | O_DIRECTORY);
        if (fd < 0)
            return fd;
        close_fd(&dir);
        dir = fd;
        size = next;
    }
}

const char *path_special(mode_t mode)
{
    if (S_ISREG(mode) || S_ISDIR(mode))
        return NULL;
    if (S_ISLNK(mode))
        return "link";
    if (S_ISFIFO(mode))
        return "fifo";
    return S_ISSOCK(mode) ? "socket" : "device";
}

void path_show(const char *bytes, FILE *out)
{
    static const char digits[] = "0123456789ABCDEF";

    for (; *bytes; bytes++) {
        unsigned char byte = (unsigned char)*bytes;
        if (byte >= 0x20 && byte < 0x7f && byte != '%') {
            (void)putc(byte, out); /* the caller looks at the stream */
            continue;
        }
        (void)putc('%', out);
        (void)putc(digits[byte >> 4], out);
        (void)putc(digits[byte & 15], out);
    }
}

void path_left_out(const char *reason, const char *path, FILE *out)
{
    (void)fprintf(out, "left-out %s ", reason); /* the caller looks at the stream */
    path_show(path, out);
    (void)putc('\n', out);
}
