/*
 * An archive into the current directory.
 *
 * In: a tar on stdin, plain or by gzip, xz, bzip2, zstd; caps. Out: regular files and directories; `file BYTES
 * SHOWN` for each file, `left-out REASON SHOWN` for each that was not made, `done FILES BYTES` or `failed MESSAGE`.
 * Must never: make anything but regular files and directories, write outside of the current directory or through a
 * link, mend a name, pass a cap, or leave half a file.
 *
 * libarchive composes the UTF-8 of pax names (NFC) while it reads them, unless they are declared binary, as pack
 * does; that is the one way in which a name can change.
 *
 * Each entry that libarchive writes is made anew from name, type, size, mode and time, so that nothing else of the
 * archive reaches the disk: owners, ACLs, attributes, flags. What is refused here is refused by libarchive's
 * flags once more.
 */
#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "files/paths.h"
#include "files/verbs.h"

#define BLOCK_BYTES 65536
#define WRITE_FLAGS                                                                                \
    (ARCHIVE_EXTRACT_TIME | ARCHIVE_EXTRACT_SECURE_SYMLINKS | ARCHIVE_EXTRACT_SECURE_NODOTDOT |    \
     ARCHIVE_EXTRACT_SECURE_NOABSOLUTEPATHS)

enum step {
    GO_ON = 0,
    STOP,   /* a cap is reached */
    FAILED, /* said already */
};

struct unpacking {
    struct archive *reader, *disk; /* owned */
    const struct unpack_caps *caps;
    uint64_t made;  /* files and directories */
    uint64_t files; /* of them */
    uint64_t bytes;
    uint64_t left_out;
};

/* ARCHIVE_RETRY lies between the two (archive.h): a damaged header, behind which all would be a guess. */
static bool is_good(int ret)
{
    return ret == ARCHIVE_OK || ret == ARCHIVE_WARN;
}

static enum step fail(const char *message)
{
    (void)fputs("failed ", stdout); /* verb_unpack() looks at the stream */
    path_show(message ? message : "unknown error", stdout);
    (void)putc('\n', stdout);
    return FAILED;
}

/* Also these lines are bounded: a small compressed archive can name millions of links. */
static enum step leave_out(struct unpacking *state, const char *reason, const char *path)
{
    bool is_last = ++state->left_out >= PATH_COUNT_MAX;

    path_left_out(is_last ? "count" : reason, path, stdout);
    return is_last ? STOP : GO_ON;
}

/* Is the file, or a directory above it, a link? The entry's own name may be one: it would be replaced. */
static bool leads_through_link(const char *tidy)
{
    char path[PATH_SIZE];
    struct stat status;

    (void)stpcpy(path, tidy); /* fits: it has no fault */
    for (char *slash = strchr(path, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        bool is_link = lstat(path, &status) == 0 && S_ISLNK(status.st_mode);
        *slash = '/';
        if (is_link)
            return true;
    }
    return false;
}

/* What an entry is, when it is not to be made. The header of a hard link says "regular file" too. */
static const char *type_fault(struct archive_entry *entry)
{
    mode_t type = archive_entry_filetype(entry);

    if (archive_entry_hardlink(entry) || archive_entry_hardlink_utf8(entry))
        return "link";
    return type == 0 ? "type" : path_special(type);
}

static bool is_directory(struct archive_entry *entry)
{
    return archive_entry_filetype(entry) == AE_IFDIR;
}

static uint64_t size_of(struct archive_entry *entry)
{
    int64_t size = is_directory(entry) ? 0 : archive_entry_size(entry);

    return size < 0 ? UINT64_MAX : (uint64_t)size; /* no size: over every cap */
}

/* Why an entry is not made, and whether that ends everything. NULL: it is made. */
static const char *find_fault(const struct unpacking *state, struct archive_entry *entry,
                              const char *path, bool *ret_is_end)
{
    const char *fault = path ? path_fault(path) : "name";
    uint64_t size = size_of(entry);

    if (!fault)
        fault = type_fault(entry);
    if (!fault && size > state->caps->file_bytes)
        fault = "size";
    *ret_is_end = !fault;
    if (!fault && state->made >= state->caps->files)
        fault = "count";
    if (!fault && size > state->caps->bytes - state->bytes)
        fault = "total";
    *ret_is_end = *ret_is_end && fault;
    return fault;
}

/* Returns owned, NULL for no memory. Set-id and sticky bits end here; the owner can always enter and read. */
static struct archive_entry *make_entry(struct archive_entry *entry, const char *tidy)
{
    struct archive_entry *made = archive_entry_new();
    mode_t owner = is_directory(entry) ? 0700 : 0600;

    if (!made)
        return NULL;
    archive_entry_set_pathname(made, tidy);
    archive_entry_set_filetype(made, is_directory(entry) ? AE_IFDIR : AE_IFREG);
    archive_entry_set_perm(made, (archive_entry_perm(entry) & 0777) | owner);
    archive_entry_set_size(made, (int64_t)size_of(entry));
    if (archive_entry_mtime_is_set(entry))
        archive_entry_set_mtime(made, archive_entry_mtime(entry), archive_entry_mtime_nsec(entry));
    return made;
}

/* libarchive could not make the name. A full disk ends everything, what stands in the way does not. */
static enum step explain_refusal(struct unpacking *state, const char *path)
{
    switch (archive_errno(state->disk)) {
    case ENOSPC:
    case EDQUOT:
    case EIO:
    case EROFS:
    case ENOMEM:
    case EMFILE:
        return fail(archive_error_string(state->disk));
    case ENAMETOOLONG:
    case EILSEQ:
    case EINVAL:
        return leave_out(state, "name", path);
    case EACCES:
    case EPERM:
        return leave_out(state, "denied", path);
    default:
        return leave_out(state, "occupied", path);
    }
}

/* The contents of one file. Returns false when it is not whole; that is said. */
static bool copy_contents(struct unpacking *state, uint64_t size)
{
    const void *block = NULL;
    size_t length = 0;
    la_int64_t offset = 0;

    for (;;) {
        int ret = archive_read_data_block(state->reader, &block, &length, &offset);
        if (ret == ARCHIVE_EOF)
            return true;
        if (!is_good(ret)) {
            (void)fail(archive_error_string(state->reader));
            return false;
        }
        if (offset < 0 || (uint64_t)offset > size || length > size - (uint64_t)offset) {
            (void)fail("a file is longer than its header says");
            return false;
        }
        /* A failing write(2) is only ARCHIVE_WARN there. */
        if (archive_write_data_block(state->disk, block, length, offset) < ARCHIVE_OK) {
            (void)fail(archive_error_string(state->disk));
            return false;
        }
    }
}

static enum step make_file(struct unpacking *state, const char *tidy, uint64_t size)
{
    bool is_whole = copy_contents(state, size);

    if (!is_good(archive_write_finish_entry(state->disk)) && is_whole) {
        (void)fail(archive_error_string(state->disk));
        is_whole = false;
    }
    if (!is_whole) {
        (void)unlink(
            tidy); /* nothing to be done when it fails: the caller is told that the archive failed */
        return FAILED;
    }
    state->files++;
    state->bytes += size;
    (void)printf("file %llu ", (unsigned long long)size); /* verb_unpack() looks at the stream */
    path_show(tidy, stdout);
    (void)putc('\n', stdout);
    return GO_ON;
}

static enum step make_name(struct unpacking *state, struct archive_entry *entry, const char *tidy)
{
    struct archive_entry *made = make_entry(entry, tidy);

    if (!made)
        return fail("no memory");
    int ret = archive_write_header(state->disk, made);
    archive_entry_free(made);
    if (ret == ARCHIVE_FATAL)
        return fail(archive_error_string(state->disk));
    if (!is_good(ret))
        return explain_refusal(state, tidy);
    state->made++;
    if (!is_directory(entry))
        return make_file(state, tidy, size_of(entry));
    return !is_good(archive_write_finish_entry(state->disk))
               ? fail(archive_error_string(state->disk))
               : GO_ON;
}

static enum step take_entry(struct unpacking *state, struct archive_entry *entry)
{
    char tidy[PATH_SIZE];
    bool is_end = false;
    const char *path = archive_entry_pathname(entry); /* NULL: the locale has no such characters */
    const char *fault = find_fault(state, entry, path, &is_end);

    if (!path)
        path = archive_entry_pathname_utf8(entry);
    if (fault) {
        enum step step = leave_out(state, fault, path ? path : "");
        return is_end ? STOP : step;
    }
    path_tidy(path, tidy);
    if (tidy[0] == '\0') /* the current directory itself stands in many archives, and is there */
        return is_directory(entry) ? GO_ON : leave_out(state, "name", path);
    if (leads_through_link(tidy))
        return leave_out(state, "link", path);
    return make_name(state, entry, tidy);
}

static enum step take_all(struct unpacking *state)
{
    struct archive_entry *entry = NULL;
    enum step step = GO_ON;

    while (step == GO_ON) {
        int ret = archive_read_next_header(state->reader, &entry);
        if (ret == ARCHIVE_EOF)
            return STOP;
        if (!is_good(ret))
            return fail(archive_error_string(state->reader));
        step = take_entry(state, entry);
    }
    return step;
}

/* ARCHIVE_WARN of a filter means that it would run a program (archive_read_filter(3)): refused as well. */
static bool is_ready(const struct unpacking *state)
{
    return state->reader && state->disk &&
           archive_read_support_format_tar(state->reader) == ARCHIVE_OK &&
           archive_read_support_filter_gzip(state->reader) == ARCHIVE_OK &&
           archive_read_support_filter_xz(state->reader) == ARCHIVE_OK &&
           archive_read_support_filter_bzip2(state->reader) == ARCHIVE_OK &&
           archive_read_support_filter_zstd(state->reader) == ARCHIVE_OK &&
           archive_write_disk_set_options(state->disk, WRITE_FLAGS) == ARCHIVE_OK;
}

static enum step unpack_stdin(struct unpacking *state)
{
    if (!is_ready(state))
        return fail("libarchive lacks what is needed");
    if (!is_good(archive_read_open_fd(state->reader, STDIN_FILENO, BLOCK_BYTES)))
        return fail(archive_error_string(state->reader));
    enum step step = take_all(state);
    if (!is_good(archive_write_close(state->disk)) && step != FAILED)
        return fail(archive_error_string(state->disk));
    return step;
}

int verb_unpack(const struct unpack_caps *caps)
{
    struct unpacking state = {
        .reader = archive_read_new(), .disk = archive_write_disk_new(), .caps = caps};
    enum step step = unpack_stdin(&state);

    (void)archive_read_free(state.reader); /* both take NULL */
    (void)archive_write_free(state.disk);
    if (step != FAILED)
        (void)printf("done %llu %llu\n", (unsigned long long)state.files,
                     (unsigned long long)state.bytes);
    if (fflush(stdout) != 0 || ferror(stdout))
        return verb_failed("cannot write", -EIO);
    return step == FAILED;
}
