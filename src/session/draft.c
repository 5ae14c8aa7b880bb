/*
 * Drafts: a random name, O_EXCL, and a rename at the end.
 *
 * In: a directory. Out: a file in it. Must never: follow a link, or take a name that is there already.
 */
#include "session/draft.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/random.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "session/open_inside.h"

static int enter(const struct workspace_dir *owner, struct owner_ids *ret_ids)
{
    return owner ? owner_enter(owner, ret_ids, NULL) : 0;
}

int draft_make(struct draft *draft, int dir_fd, const struct workspace_dir *owner)
{
    AS_OWNER struct owner_ids ids = {.is_switched = false};
    uint64_t random[2];

    *draft = (struct draft){.dir_fd = dir_fd, .fd = -EBADF, .owner = owner};
    /* Up to 256 bytes come whole once the pool is ready (getrandom(2)). */
    if (getrandom(random, sizeof(random), 0) != (ssize_t)sizeof(random))
        return errno != 0 ? -errno : -EIO;
    (void)snprintf(draft->name, sizeof(draft->name), DRAFT_PREFIX "%016llx%016llx",
                   (unsigned long long)random[0], (unsigned long long)random[1]);
    int r = enter(owner, &ids);
    if (r < 0)
        return r;
    draft->fd =
        openat(dir_fd, draft->name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    return draft->fd < 0 ? -errno : 0;
}

int draft_publish(struct draft *draft, mode_t mode, int dir_fd, const char *name)
{
    AS_OWNER struct owner_ids ids = {.is_switched = false};
    int r = enter(draft->owner, &ids);

    if (r < 0)
        return r;
    if (fchmod(draft->fd, mode) < 0 || renameat(draft->dir_fd, draft->name, dir_fd, name) < 0)
        return -errno;
    close_fd(&draft->fd);
    return 0;
}

void draft_drop(struct draft *draft)
{
    int saved = errno;
    AS_OWNER struct owner_ids ids = {.is_switched = false};

    if (draft->fd < 0)
        return;
    close_fd(&draft->fd);
    if (enter(draft->owner, &ids) == 0)
        (void)unlinkat(draft->dir_fd, draft->name, 0); /* transfer_clear_drafts() tries again */
    errno = saved;
}
