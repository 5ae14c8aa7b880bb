/*
 * Files in and out of a work directory: what may go, and the order in which it goes.
 *
 * In: a workspace, names, descriptors of the caller's. Out: copies. Must never: open a name inside but by
 * session/open_inside.h, touch the destination before the source was found good, or leave a draft on a failure.
 */
#include "session/transfer.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/text.h"
#include "linux/tree.h"
#include "session/copy.h"
#include "session/draft.h"
#include "session/names.h"
#include "session/open_inside.h"

/* What error messages need. */
struct subject {
    const char *name;
    struct berm_error *err;
};

/* How many bytes the next file may have. */
static uint64_t room_of(const struct transfer_account *account)
{
    uint64_t total = account->caps.total_bytes;
    uint64_t left = total > account->used.bytes ? total - account->used.bytes : 0;

    return account->caps.file_bytes < left ? account->caps.file_bytes : left;
}

static int refuse_size(const struct subject *subject, const struct transfer_account *account)
{
    struct quoted quoted;

    return error_set(subject->err, BERM_E_INVALID, BERM_LAYER_FILESYSTEM, EFBIG,
                     "raise the cap, or transfer less at once",
                     "%s is refused: it is longer than the %llu bytes that a file may have here "
                     "(cap of each file: %llu, of all together: %llu, of these used: %llu)",
                     name_quote(&quoted, subject->name), (unsigned long long)room_of(account),
                     (unsigned long long)account->caps.file_bytes,
                     (unsigned long long)account->caps.total_bytes,
                     (unsigned long long)account->used.bytes);
}

/* One more file, of that length: is it within the caps? */
static int check_caps(const struct subject *subject, const struct transfer_account *account,
                      uint64_t bytes)
{
    struct quoted quoted;

    if (account->used.files >= account->caps.files)
        return error_set(subject->err, BERM_E_INVALID, BERM_LAYER_FILESYSTEM, E2BIG,
                         "raise the cap, or transfer fewer files at once",
                         "%s is refused: %llu files have been transferred, and no more may be",
                         name_quote(&quoted, subject->name),
                         (unsigned long long)account->used.files);
    return bytes > room_of(account) ? refuse_size(subject, account) : 0;
}

static void count_file(struct transfer_account *account, const struct copy *copy,
                       struct transfer_report *ret_report)
{
    account->used.files++;
    account->used.bytes += copy->bytes;
    *ret_report = (struct transfer_report){.bytes = copy->bytes, .is_cut = copy->has_more};
}

static bool is_full(int error)
{
    return error == -ENOSPC || error == -EDQUOT;
}

/* ---- In. ---- */

/* A step on the side of the work directory failed. */
static int in_failed(const struct subject *subject, int error, const char *act)
{
    struct quoted quoted;

    if (is_full(error))
        return error_set(subject->err, BERM_E_INVALID, BERM_LAYER_FILESYSTEM, -error,
                         "give it more room with --work-size, or remove files in it",
                         "cannot %s %s: the work directory is full (%s)", act,
                         name_quote(&quoted, subject->name), strerror(-error));
    return error_set(subject->err, BERM_E_SYSTEM, BERM_LAYER_FILESYSTEM, -error,
                     "see whether the work directory's owner may write there",
                     "cannot %s %s in the work directory: %s", act,
                     name_quote(&quoted, subject->name), strerror(-error));
}

/* How long the caller's file is from where it stands; 0 of a stream. Returns 0 or -errno with the error filled. */
static int measure_source(const struct subject *subject, int fd, uint64_t *ret_bytes)
{
    struct quoted quoted;
    struct stat status;

    *ret_bytes = 0;
    if (fstat(fd, &status) < 0)
        return error_set(subject->err, BERM_E_SYSTEM, BERM_LAYER_NONE, errno, "open it for reading",
                         "cannot look at the source of %s: %s", name_quote(&quoted, subject->name),
                         strerror(errno));
    if (S_ISFIFO(status.st_mode) || S_ISSOCK(status.st_mode))
        return 0;
    if (!S_ISREG(status.st_mode))
        return error_set(subject->err, BERM_E_INVALID, BERM_LAYER_NONE, EINVAL,
                         "give a regular file, or pipe the contents in",
                         "the source of %s is no regular file, pipe or socket",
                         name_quote(&quoted, subject->name));
    off_t at = lseek(fd, 0, SEEK_CUR);
    if (at >= 0 && status.st_size > at)
        *ret_bytes = (uint64_t)(status.st_size - at);
    return 0;
}

static int fill_draft(const struct subject *subject, const struct transfer_account *account,
                      struct copy *copy)
{
    struct quoted quoted;
    int r = copy_bytes(copy);

    if (r < 0 && copy->is_write_failure)
        return in_failed(subject, r, "write");
    if (r < 0)
        return error_set(subject->err, BERM_E_SYSTEM, BERM_LAYER_NONE, -r, "open it for reading",
                         "cannot read the source of %s: %s", name_quote(&quoted, subject->name),
                         strerror(-r));
    return copy->has_more ? refuse_size(subject, account) : 0;
}

/* A directory, a link, a FIFO under the name: somebody planted it, or it is a mistake. */
static int check_target(const struct subject *subject, int parent_fd, const char *last)
{
    struct quoted quoted;
    struct stat status;

    if (fstatat(parent_fd, last, &status, AT_SYMLINK_NOFOLLOW) < 0)
        return errno == ENOENT ? 0 : in_failed(subject, -errno, "look at");
    if (S_ISREG(status.st_mode))
        return 0;
    return error_set(subject->err, BERM_E_INVALID, BERM_LAYER_FILESYSTEM, EEXIST,
                     "choose another name",
                     "%s is there in the work directory and is no regular file: it is not replaced",
                     name_quote(&quoted, subject->name));
}

static int publish_inside(const struct subject *subject, struct draft *draft, mode_t mode)
{
    const char *last = NULL;
    AS_OWNER struct owner_ids ids = {.is_switched = false};
    int r = owner_enter(draft->owner, &ids, subject->err);

    if (r < 0)
        return r;
    AUTO_FD int parent = open_parent_inside(draft->owner, subject->name, &last, subject->err);
    if (is_full(parent))
        return in_failed(subject, parent, "make the directories of");
    if (parent < 0)
        return parent;
    r = check_target(subject, parent, last);
    if (r < 0)
        return r;
    owner_leave(&ids); /* draft_publish() acts as owner by itself */
    r = draft_publish(draft, mode, parent, last);
    return r < 0 ? in_failed(subject, r, "put") : 0;
}

int transfer_in(const struct workspace_dir *dir, const char *name,
                const struct transfer_source *source, struct transfer_account *account,
                struct transfer_report *ret_report, struct berm_error *err)
{
    const struct subject subject = {.name = name, .err = err};
    AUTO_DRAFT struct draft draft = {.fd = -EBADF};
    uint64_t bytes = 0;

    if (!name_is_inside(name, "file to put in", err))
        return -EINVAL;
    int r = measure_source(&subject, source->fd, &bytes);
    if (r == 0)
        r = check_caps(&subject, account, bytes);
    if (r < 0)
        return r;
    r = draft_make(&draft, dir->staging_fd >= 0 ? dir->staging_fd : dir->work_fd, dir);
    if (r < 0)
        return in_failed(&subject, r, "make a draft of");
    struct copy copy = {.from_fd = source->fd, .to_fd = draft.fd, .limit = room_of(account)};
    r = fill_draft(&subject, account, &copy);
    if (r == 0)
        r = publish_inside(&subject, &draft, source->mode & 0777);
    if (r == 0)
        count_file(account, &copy, ret_report);
    return r;
}

/* ---- Out. ---- */

/* A step on the caller's side failed. */
static int out_failed(const struct subject *subject, int error, const char *act)
{
    struct quoted quoted;

    return error_set(subject->err, BERM_E_SYSTEM, BERM_LAYER_NONE, -error,
                     is_full(error) ? "make room at the destination"
                                    : "choose a destination that can be written",
                     "cannot %s the copy of %s: %s", act, name_quote(&quoted, subject->name),
                     strerror(-error));
}

static int refuse_place(const struct transfer_place *place, int number, const char *reason,
                        struct berm_error *err)
{
    struct quoted quoted;

    return error_set(err, BERM_E_INVALID, BERM_LAYER_NONE, number, "choose another destination",
                     "%s is no destination for a file: %s", name_quote(&quoted, place->name),
                     reason);
}

/* A rename would replace a device or a FIFO of the caller's too: nobody means that. */
static int check_place(const struct transfer_place *place, struct berm_error *err)
{
    const char *name = place->name;
    struct stat status;

    if (*name == '\0' || strchr(name, '/') || text_is_dot(name))
        return refuse_place(place, EINVAL, "it is not one name of a directory", err);
    if (fstatat(place->dir_fd, name, &status, AT_SYMLINK_NOFOLLOW) < 0)
        return errno == ENOENT ? 0 : refuse_place(place, errno, strerror(errno), err);
    if (S_ISDIR(status.st_mode))
        return refuse_place(place, EISDIR, "it is a directory", err);
    if (!S_ISREG(status.st_mode) && !S_ISLNK(status.st_mode))
        return refuse_place(place, EEXIST, "it is there and is no regular file", err);
    return 0;
}

static int open_source(const struct workspace_dir *dir, const struct subject *subject,
                       struct stat *ret_status)
{
    AS_OWNER struct owner_ids ids = {.is_switched = false};
    int r = owner_enter(dir, &ids, subject->err);

    return r < 0 ? r : open_file_inside(dir, subject->name, ret_status, subject->err);
}

static int copy_out(const struct subject *subject, struct copy *copy)
{
    struct quoted quoted;
    int r = copy_bytes(copy);

    if (r < 0 && !copy->is_write_failure)
        return error_set(subject->err, BERM_E_SYSTEM, BERM_LAYER_FILESYSTEM, -r, NULL,
                         "cannot read %s in the work directory: %s",
                         name_quote(&quoted, subject->name), strerror(-r));
    return r < 0 ? out_failed(subject, r, "write") : 0;
}

static int copy_to_place(const struct subject *subject, const struct transfer_place *place,
                         mode_t mode, struct copy *copy)
{
    AUTO_DRAFT struct draft draft = {.fd = -EBADF};
    int r = check_place(place, subject->err);

    if (r < 0)
        return r;
    r = draft_make(&draft, place->dir_fd, NULL);
    if (r < 0)
        return out_failed(subject, r, "make");
    copy->to_fd = draft.fd;
    r = copy_out(subject, copy);
    if (r < 0)
        return r;
    r = draft_publish(&draft, mode, place->dir_fd, place->name);
    return r < 0 ? out_failed(subject, r, "name") : 0;
}

int transfer_out(const struct workspace_dir *dir, const char *name,
                 const struct transfer_place *place, struct transfer_account *account,
                 struct transfer_report *ret_report, struct berm_error *err)
{
    const struct subject subject = {.name = name, .err = err};
    struct stat status = {0};

    if (!name_is_inside(name, "file to get out", err))
        return -EINVAL;
    AUTO_FD int fd = open_source(dir, &subject, &status);
    if (fd < 0)
        return fd;
    int r = check_caps(&subject, account, (uint64_t)status.st_size);
    if (r < 0)
        return r;
    struct copy copy = {.from_fd = fd, .to_fd = place->stream_fd, .limit = room_of(account)};
    if (place->stream_fd >= 0)
        r = copy_out(&subject, &copy);
    else
        r = copy_to_place(&subject, place, (status.st_mode & 0100) != 0 ? 0755 : 0644, &copy);
    if (r == 0)
        count_file(account, &copy, ret_report);
    return r;
}

/* ---- What was left. ---- */

int transfer_clear_drafts(const struct workspace_dir *dir)
{
    AS_OWNER struct owner_ids ids = {.is_switched = false};
    const struct dirent *entry;
    int ret = dir->staging_fd < 0 ? 0 : owner_enter(dir, &ids, NULL);

    if (ret < 0 || dir->staging_fd < 0)
        return ret;
    int copy = openat(dir->staging_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *staging = copy < 0 ? NULL : fdopendir(copy);
    if (!staging) {
        ret = -errno;
        cleanup_close(&copy);
        return ret;
    }
    while ((entry = readdir(staging)) != NULL) {
        if (text_is_dot(entry->d_name) || unlinkat(dir->staging_fd, entry->d_name, 0) == 0)
            continue;
        int r = errno == EISDIR ? tree_remove(dir->staging_fd, entry->d_name) : -errno;
        if (ret == 0)
            ret = r;
    }
    (void)closedir(staging);
    return ret;
}
