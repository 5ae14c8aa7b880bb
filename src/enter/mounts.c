/*
 * The file tree, built from the rows of the plan, in order.
 *
 * In: plan.mounts. Out: a tree in the run's own mount namespace. Must never: follow a path that the
 * program could have made (it does not exist yet), or leave a row out.
 *
 * The new root is mounted on /proc: the one directory that every host has and that no row takes as a
 * source. Rows after MOUNT_ROOT have targets relative to it.
 */
#include <fcntl.h>
#include <linux/mount.h>
#include <sys/stat.h>

#include "enter/attach.h"
#include "enter/raw.h"
#include "enter/sequence.h"
#include "plan/defect.h"

/* mount(2) flags; <sys/mount.h> clashes with <linux/mount.h>. */
#ifndef MS_NOSUID
#    define MS_NOSUID  2
#    define MS_NODEV   4
#    define MS_NOEXEC  8
#    define MS_BIND    4096
#    define MS_REC     16384
#    define MS_PRIVATE (1 << 18)
#endif
#ifndef AT_RECURSIVE
#    define AT_RECURSIVE 0x8000
#endif
#define DETACH 2UL /* MNT_DETACH */

#define ROOT_MOUNT_POINT "/proc"

const char *expand_path(const struct enter_state *state, plan_text text,
                        char buffer[ENTER_PATH_LIMIT])
{
    const char *path = plan_text_of(state->plan, text);
    const char *work = state->context->work_path;
    size_t at = 0;

    if (path[0] != PLAN_WORK_MARK)
        return path;
    for (const char *part = work; *part != '\0' && at < ENTER_PATH_LIMIT; part++)
        buffer[at++] = *part;
    for (const char *part = path + 1; *part != '\0' && at < ENTER_PATH_LIMIT; part++)
        buffer[at++] = *part;
    if (at >= ENTER_PATH_LIMIT)
        return NULL;
    buffer[at] = '\0';
    return buffer;
}

static int do_mount(const char *source, const char *target, const char *type, unsigned long flags,
                    const char *data)
{
    return (int)RAW(SYS_mount, source, target, type, flags, data);
}

static int set_attributes(const char *path, uint32_t flags)
{
    struct mount_attr attributes = {.attr_set = mount_attributes(flags)};

    return (int)RAW(SYS_mount_setattr, RAW_ARG(AT_FDCWD), path, 0UL, &attributes,
                    sizeof(attributes));
}

static int make_file(const char *path, const char *content, unsigned mode)
{
    int fd = raw_open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, mode);
    size_t size = raw_length(content);

    if (fd < 0)
        return fd;
    while (size > 0) {
        long n = RAW(SYS_write, RAW_ARG(fd), content, size);
        if (n <= 0) {
            (void)raw_close(fd);
            return n < 0 ? (int)n : -ENOSPC;
        }
        content += n;
        size -= (size_t)n;
    }
    return raw_close(fd);
}

static int make_directory(const char *path, unsigned mode)
{
    int r = (int)RAW(SYS_mkdirat, RAW_ARG(AT_FDCWD), path, RAW_ARG(mode));
    return r == -EEXIST ? 0 : r;
}

static int make_point(const char *path, bool is_file)
{
    int r = is_file ? (int)RAW(SYS_mknodat, AT_FDCWD, path, S_IFREG | 0644, 0)
                    : make_directory(path, 0755);

    return r == -EEXIST ? 0 : r;
}

/* A mount point. The directories on the way are made only where they are missing: most are there. */
static int make_way(const char *path, bool is_file)
{
    char part[ENTER_PATH_LIMIT];
    size_t length = raw_length(path);

    int r = make_point(path, is_file);
    if (r != -ENOENT)
        return r;
    if (length >= sizeof(part))
        return -ENAMETOOLONG;
    for (size_t i = 0; i < length; i++) {
        part[i] = path[i];
        if (i > 0 && path[i + 1] == '/') {
            part[i + 1] = '\0';
            r = make_directory(part, 0755);
            if (r < 0 && r != -EROFS)
                return r;
        }
    }
    return make_point(path, is_file);
}

/* By fstat and not by opening it: the run's own uid may not enter it, and still it is a directory. */
static bool is_directory(int fd)
{
    struct stat status;

    return RAW(SYS_fstat, RAW_ARG(fd), &status) == 0 && S_ISDIR(status.st_mode);
}

/* Attach a detached mount; the target is made where it is missing, a file for a file. */
static int attach(int fd, const char *target)
{
    int r = make_way(target, !is_directory(fd));

    if (r < 0)
        return r;
    return (int)RAW(SYS_move_mount, RAW_ARG(fd), "", RAW_ARG(AT_FDCWD), target,
                    (unsigned long)MOVE_MOUNT_F_EMPTY_PATH);
}

static int attach_source(struct enter_state *state, uint32_t row, const char *target)
{
    int *fd = &state->source_fds[row];

    if (*fd < 0)
        return 0; /* optional and not there */
    int r = attach(*fd, target);
    (void)raw_close(*fd);
    *fd = -1;
    return r;
}

/* The name of such a row came with the skeleton (run/skeleton.h). */
static bool is_there(const struct enter_state *state, uint32_t flags)
{
    return (flags & MOUNT_FLAG_SKELETON) && state->skeleton_fd >= 0;
}

/* A path of the system at its place. Its attributes come with the seal, all at once: a call for each of two
 * dozen mounts is a measurable share of a cold run. */
static int bind_system(const struct enter_state *state, const char *source, const char *target,
                       uint32_t flags)
{
    int r = is_there(state, flags) ? 0 : make_way(target, flags & MOUNT_FLAG_IS_FILE);

    if (r == 0)
        r = do_mount(source, target, NULL, MS_BIND | MS_REC, NULL);
    return r == -ENOENT && (flags & MOUNT_FLAG_OPTIONAL) ? 0 : r;
}

/* Everything that is mounted below the new root so far: read-only, nosuid, nodev, private. A root that the run
 * builds itself stays writable until its last mount point is made. */
static int seal(const struct enter_state *state)
{
    struct mount_attr all = {.attr_set = MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV,
                             .propagation = MS_PRIVATE};
    struct mount_attr root = {.attr_clr = MOUNT_ATTR_RDONLY};
    unsigned long depth = IS_PLANTED(readonly_top_mount_only) ? 0UL : (unsigned long)AT_RECURSIVE;
    long r = RAW(SYS_mount_setattr, RAW_ARG(AT_FDCWD), ".", depth, &all, sizeof(all));

    if (r < 0 || state->skeleton_fd >= 0)
        return (int)r;
    return (int)RAW(SYS_mount_setattr, RAW_ARG(AT_FDCWD), ".", 0UL, &root, sizeof(root));
}

/* A device node: bound as the host has it, since nodev would close it. */
static int bind_device(const struct enter_state *state, const char *source, const char *target,
                       uint32_t flags)
{
    int r = is_there(state, flags) ? 0 : make_way(target, true);

    return r < 0 ? r : do_mount(source, target, NULL, MS_BIND, NULL);
}

static int new_mount(const char *type, const char *target, const char *data, uint32_t flags)
{
    unsigned long mount_flags = MS_NOSUID;

    if (!(flags & MOUNT_FLAG_DEV))
        mount_flags |= MS_NODEV;
    if (flags & MOUNT_FLAG_NOEXEC)
        mount_flags |= MS_NOEXEC;
    int r = do_mount(type, target, type, mount_flags, data[0] != '\0' ? data : NULL);
    if (r < 0 || !(flags & MOUNT_FLAG_RO))
        return r;
    return set_attributes(target, flags);
}

static int hide(const char *target)
{
    int fd = raw_open(target, O_PATH | O_DIRECTORY | O_CLOEXEC, 0);

    if (fd >= 0) {
        (void)raw_close(fd);
        if (IS_PLANTED(hidden_path_writable))
            return do_mount(target, target, NULL, MS_BIND | MS_REC, NULL);
        return do_mount("tmpfs", target, "tmpfs", MS_NOSUID | MS_NODEV,
                        "size=1m,nr_inodes=256,mode=0755");
    }
    if (fd == -ENOTDIR)
        return do_mount("/dev/null", target, NULL, MS_BIND, NULL);
    /* A missing path needs no hiding: nothing is there to be seen. */
    return fd == -ENOENT ? 0 : fd;
}

static int begin_root(const struct enter_state *state, const char *data)
{
    int r = state->skeleton_fd >= 0
                ? (int)RAW(SYS_move_mount, state->skeleton_fd, "", AT_FDCWD, ROOT_MOUNT_POINT,
                           MOVE_MOUNT_F_EMPTY_PATH)
                : do_mount("tmpfs", ROOT_MOUNT_POINT, "tmpfs", MS_NOSUID | MS_NODEV, data);

    return r < 0 ? r : raw_chdir(ROOT_MOUNT_POINT);
}

/* pivot_root(2), "pivot_root(".", ".")": the old root ends on top of the new one and is let go. */
static int pivot(void)
{
    int r = (int)RAW(SYS_pivot_root, ".", ".");

    if (r < 0)
        return r;
    r = (int)RAW(SYS_umount2, ".", DETACH);
    return r < 0 ? r : raw_chdir("/");
}

static int unstash(const struct enter_state *state, const char *target)
{
    int r = attach(state->stash_fd, target);

    (void)raw_close(state->stash_fd);
    return r;
}

/* The run's own group: what a runtime reads to size itself. Made read-only by the seal. */
static int show_group(const struct enter_state *state, const struct plan_mount *row,
                      const char *target)
{
    const char *source = row->mode < ENTER_GROUPS ? state->context->group_dirs[row->mode] : NULL;
    int r = take_groups(state);

    return r == 0 && source ? bind_system(state, source, target, row->flags) : r;
}

static int run_row(struct enter_state *state, uint32_t index, const char *source,
                   const char *target)
{
    const struct plan_mount *row = &state->plan->mounts[index];
    const char *data = plan_text_of(state->plan, row->data);

    switch ((enum mount_op)row->op) {
    case MOUNT_PRIVATE:
        return do_mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL);
    case MOUNT_STASH:
        state->stash_fd = state->source_fds[index];
        return 0;
    case MOUNT_UNSTASH:
        return unstash(state, target);
    case MOUNT_HIDE:
        return hide(target);
    case MOUNT_ROOT:
        return begin_root(state, data);
    case MOUNT_DIR:
        return is_there(state, row->flags) ? 0 : make_directory(target, row->mode);
    case MOUNT_FILE:
        return is_there(state, row->flags) ? 0 : make_file(target, data, row->mode);
    case MOUNT_SYMLINK:
        return is_there(state, row->flags)
                   ? 0
                   : (int)RAW(SYS_symlinkat, source, RAW_ARG(AT_FDCWD), target);
    case MOUNT_BIND:
        return attach_source(state, index, target);
    case MOUNT_SYSTEM:
        return row->flags & MOUNT_FLAG_DEV ? bind_device(state, source, target, row->flags)
                                           : bind_system(state, source, target, row->flags);
    case MOUNT_SEAL:
        return seal(state);
    case MOUNT_TMPFS:
        return new_mount("tmpfs", target, data, row->flags);
    case MOUNT_PROC:
        return new_mount("proc", target, data, row->flags);
    case MOUNT_DEVPTS:
        return new_mount("devpts", target, data, row->flags);
    case MOUNT_GROUP:
        return show_group(state, row, target);
    case MOUNT_PIVOT:
        return pivot();
    case MOUNT_READ_ONLY:
        return set_attributes(target, MOUNT_FLAG_RO);
    case MOUNT_NONE:
    case MOUNT_OP_COUNT:
        break;
    }
    return -EBADMSG;
}

int step_mounts(struct enter_state *state)
{
    const struct plan *plan = state->plan;
    char source_buffer[ENTER_PATH_LIMIT] = "";
    char target_buffer[ENTER_PATH_LIMIT] = "";

    for (uint32_t i = 0; i < plan->mount_count; i++) {
        const struct plan_mount *row = &plan->mounts[i];
        const char *source = expand_path(state, row->source, source_buffer);
        const char *target = expand_path(state, row->target, target_buffer);

        state->index = i;
        state->layer = row->layer;
        int r = source && target ? run_row(state, i, source, target) : -ENAMETOOLONG;
        if (r < 0)
            return r;
    }
    return 0;
}
