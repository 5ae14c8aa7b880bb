/*
 * Files of the current directory as an archive.
 *
 * In: paths on stdin; none stands for everything, sorted. Out: a tar on stdout; `left-out REASON SHOWN` on stderr.
 * Must never: follow a link, open what is neither a regular file nor a directory, or tell more of the host than
 * contents, names, times and modes: no owners, no attributes.
 *
 * A listed directory is an entry by itself, without what is in it. The same tree gives the same bytes.
 */
#include <archive.h>
#include <archive_entry.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "files/paths.h"
#include "files/verbs.h"

#define BLOCK_BYTES 8192

static void leave_out(const char *reason, const char *path)
{
    path_left_out(reason, path, stderr);
}

static const char *word_of(int error)
{
    if (error == ENOENT || error == ENOTDIR || error == ELOOP)
        return "gone";
    return error == EACCES || error == EPERM ? "denied" : "io";
}

/* Adds one name of a directory. Returns 0, or what path_list_add() says. */
static int add_name(struct path_list *list, const char *directory, const char *name)
{
    char path[PATH_SIZE];

    if (text_is_dot(name))
        return 0;
    int size = snprintf(path, sizeof(path), "%s%s%s", directory, directory[0] ? "/" : "", name);
    if (size < 0 || (size_t)size >= sizeof(path)) {
        leave_out("name", directory);
        return 0;
    }
    return path_list_add(list, path);
}

/* Adds what is in a directory; another file has nothing in it. @path stays the caller's. */
static int add_names(struct path_list *list, const char *path)
{
    const struct dirent *entry;
    int ret = 0;
    AUTO_FD int fd = path_open(path[0] ? path : ".", O_RDONLY | O_DIRECTORY | O_NONBLOCK);

    if (fd < 0) /* said when it is packed; also every file comes here */
        return 0;
    if (path_depth(path) == PATH_DEPTH_MAX) {
        leave_out("depth", path);
        return 0;
    }
    DIR *dir = fdopendir(fd);
    if (!dir)
        return -errno;
    (void)take_fd(&fd);
    while (ret == 0 && (entry = readdir(dir)) != NULL)
        ret = add_name(list, path, entry->d_name);
    (void)closedir(dir);
    return ret;
}

/* Everything, without recursion: the list itself is what is still to be looked into. */
static int list_all(struct path_list *list)
{
    int ret = add_names(list, "");

    for (size_t i = 0; ret == 0 && i < list->count; i++)
        ret = add_names(list, list->paths[i]);
    path_list_sort(list);
    if (ret != -E2BIG)
        return ret;
    leave_out("count", ".");
    return 0;
}

/* Nobody's, and readable: what the work directory's owner is called is no business of who reads the archive. */
static void describe(struct archive_entry *entry, const char *tidy, const struct stat *status)
{
    bool is_dir = S_ISDIR(status->st_mode);

    archive_entry_clear(entry);
    archive_entry_set_pathname(entry, tidy);
    archive_entry_set_filetype(entry, is_dir ? AE_IFDIR : AE_IFREG);
    archive_entry_set_perm(entry, (status->st_mode & 0755) | (is_dir ? 0755 : 0644));
    archive_entry_set_size(entry, is_dir ? 0 : status->st_size);
    archive_entry_set_mtime(entry, status->st_mtim.tv_sec, status->st_mtim.tv_nsec);
    archive_entry_set_uid(entry, 0);
    archive_entry_set_gid(entry, 0);
}

/* As many bytes as the header promised. Returns 0, 1 when the file has become shorter, or -errno. */
static int copy_contents(struct archive *archive, int fd, off_t left)
{
    char block[BLOCK_BYTES];

    while (left > 0) {
        size_t wish = left < (off_t)sizeof(block) ? (size_t)left : sizeof(block);
        ssize_t size = read(fd, block, wish);
        if (size < 0 && errno == EINTR)
            continue;
        if (size <= 0) /* libarchive fills the rest with zeros (archive_write_finish_entry(3)) */
            return 1;
        if (archive_write_data(archive, block, (size_t)size) != size)
            return -EIO;
        left -= size;
    }
    return 0;
}

/* Looked at before it is opened: to open a device can do something. Returns owned, or -errno, then with a word in
 * @ret_special for what is neither a regular file nor a directory. */
static int open_plain(const char *path, struct stat *ret_status, const char **ret_special)
{
    AUTO_FD int pinned = path_open(path, O_PATH);

    if (pinned < 0)
        return pinned;
    if (fstat(pinned, ret_status) < 0)
        return -errno;
    *ret_special = path_special(ret_status->st_mode);
    if (*ret_special)
        return -EINVAL;
    AUTO_FD int fd = path_open(path, O_RDONLY | O_NONBLOCK);
    if (fd < 0)
        return fd;
    if (fstat(fd, ret_status) < 0)
        return -errno;
    *ret_special = path_special(ret_status->st_mode);
    return *ret_special ? -EINVAL : take_fd(&fd);
}

/* Returns 0, or -EIO when the archive cannot be written. */
static int pack_path(struct archive *archive, struct archive_entry *entry, const char *path)
{
    char tidy[PATH_SIZE];
    struct stat status = {0};
    const char *reason = path_fault(path);
    AUTO_FD int fd = reason ? -EINVAL : open_plain(path, &status, &reason);

    if (fd < 0) {
        leave_out(reason ? reason : word_of(-fd), path);
        return 0;
    }
    path_tidy(path, tidy);
    if (tidy[0] == '\0') /* "." is there wherever it is unpacked */
        return 0;
    describe(entry, tidy, &status);
    int ret = archive_write_header(archive, entry);
    if (ret != ARCHIVE_OK && ret != ARCHIVE_WARN) /* ARCHIVE_RETRY lies between them */
        return -EIO;
    ret = S_ISREG(status.st_mode) ? copy_contents(archive, fd, status.st_size) : 0;
    if (ret == 1)
        leave_out("changed", path);
    return ret < 0 ? ret : 0;
}

/* Names are bytes: with "BINARY" they are written as they are (archive_write_set_options(3)). */
static int open_writer(struct archive *archive)
{
    if (archive_write_set_format_pax_restricted(archive) != ARCHIVE_OK ||
        archive_write_set_options(archive, "hdrcharset=BINARY") != ARCHIVE_OK ||
        archive_write_set_bytes_in_last_block(archive, 1) != ARCHIVE_OK)
        return -EIO;
    return archive_write_open_fd(archive, STDOUT_FILENO) == ARCHIVE_OK ? 0 : -EIO;
}

static int pack_list(struct archive *archive, struct archive_entry *entry,
                     const struct path_list *list)
{
    int ret = open_writer(archive);

    for (size_t i = 0; ret == 0 && i < list->count; i++)
        ret = pack_path(archive, entry, list->paths[i]);
    if (ret < 0)
        return verb_failed(
            archive_error_string(archive) ? archive_error_string(archive) : "cannot write", 0);
    return archive_write_close(archive) == ARCHIVE_OK ? 0 : verb_failed("cannot write", -EIO);
}

int verb_pack(void)
{
    struct path_list list = {0};
    struct archive *archive = archive_write_new();
    struct archive_entry *entry = archive_entry_new();
    int status;

    int ret = path_list_read(&list, stdin);
    if (ret == 0 && list.count == 0)
        ret = list_all(&list);
    if (ret < 0)
        status = verb_failed("cannot list the paths", ret);
    else
        status = archive && entry ? pack_list(archive, entry, &list) : verb_failed("no memory", 0);
    path_list_done(&list);
    archive_entry_free(entry); /* both take NULL */
    (void)archive_write_free(archive);
    return status;
}
