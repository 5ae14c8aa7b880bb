/*
 * Pipes and terminals between berm and the run.
 */
#include "run/ends.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/error.h"

/* One pipe; ours is non-blocking, theirs is not. */
static int make_pipe(int *ours, int *theirs, bool we_write)
{
    int ends[2];

    if (pipe2(ends, O_CLOEXEC) < 0)
        return -errno;
    *ours = ends[we_write ? 1 : 0];
    *theirs = ends[we_write ? 0 : 1];
    return fcntl(*ours, F_SETFL, O_NONBLOCK) < 0 ? -errno : 0;
}

/* With a host uid of its own the run must own its pipes, or it could not reopen /dev/stdout (the mode of a pipe
 * is 0600: pipe(7)). */
static int make_stream(const struct run_state *run, int *ours, int *theirs, bool we_write)
{
    int r = make_pipe(ours, theirs, we_write);

    if (r == 0 && plan_has(run->parts[0].plan, PLAN_HOST_UID) &&
        fchown(*theirs, run_outside_uid(run), run_outside_gid(run)) < 0)
        return -errno;
    return r;
}

/* A terminal in place of the three pipes: its one stream is stdout. The program gets the slave side, which it
 * owns; the master side is berm's. */
static int make_terminal(const struct run_state *run, struct part_state *part,
                         struct part_ends *child)
{
    char name[64];

    part->output_fds[STREAM_STDOUT] = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
    int master = part->output_fds[STREAM_STDOUT];
    if (master < 0 || grantpt(master) < 0 || unlockpt(master) < 0 ||
        ptsname_r(master, name, sizeof(name)) != 0 || fcntl(master, F_SETFL, O_NONBLOCK) < 0)
        return -errno;
    (void)fcntl(master, F_SETFD, FD_CLOEXEC); /* posix_openpt may pass over O_CLOEXEC */
    if (part->io->window.ws_row != 0)
        (void)ioctl(master, TIOCSWINSZ, &part->io->window); /* only the size that is shown */
    part->input_fd = fcntl(master, F_DUPFD_CLOEXEC, 3);
    child->stdio[0] = open(name, O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (part->input_fd < 0 || child->stdio[0] < 0)
        return -errno;
    if (plan_has(part->plan, PLAN_HOST_UID) &&
        fchown(child->stdio[0], run_outside_uid(run), run_outside_gid(run)) < 0)
        return -errno;
    for (int i = 1; i < 3; i++) {
        child->stdio[i] = fcntl(child->stdio[0], F_DUPFD_CLOEXEC, 3);
        if (child->stdio[i] < 0)
            return -errno;
    }
    return 0;
}

int ends_make(const struct run_state *run, struct part_state *part, struct part_ends *child)
{
    int r = make_pipe(&part->status_fd, &child->status, false);

    if (r == 0 && plan_has(part->plan, PLAN_TTY))
        return make_terminal(run, part, child);
    for (int i = 0; r == 0 && i < STREAM_COUNT; i++)
        r = make_stream(run, &part->output_fds[i], &child->stdio[1 + i], false);
    if (r < 0)
        return r;
    if (part->io->stdin_fd >= 0)
        return make_stream(run, &part->input_fd, &child->stdio[0], true);
    child->stdio[0] = openat(AT_FDCWD, "/dev/null", O_RDONLY | O_CLOEXEC);
    return child->stdio[0] < 0 ? -errno : 0;
}

void child_ends_init(struct child_ends *child)
{
    child->control = -EBADF;
    child->berm_pidfd = -EBADF;
    for (unsigned part = 0; part < RUN_PARTS_MAX; part++) {
        child->parts[part].status = -EBADF;
        for (int i = 0; i < 3; i++)
            child->parts[part].stdio[i] = -EBADF;
    }
}

void child_ends_close(struct child_ends *child)
{
    close_fd(&child->control);
    close_fd(&child->berm_pidfd);
    for (unsigned part = 0; part < RUN_PARTS_MAX; part++) {
        close_fd(&child->parts[part].status);
        for (int i = 0; i < 3; i++)
            close_fd(&child->parts[part].stdio[i]);
    }
}

int ends_say(const struct run_state *run, const char *word, struct berm_error *err)
{
    if (send(run->control_fd, word, 1, MSG_NOSIGNAL) == 1)
        return 0;
    return error_set(err, BERM_E_SYSTEM, BERM_LAYER_NONE, errno, NULL,
                     "the new process is gone before it began: %s", strerror(errno));
}
