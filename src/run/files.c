/*
 * The work directory, handed to the caller of a run.
 *
 * At L6 it exists in the run's own mount namespace alone: init sends a descriptor, which keeps the file system
 * when the namespace is gone. Below L6 it is a directory of the host's.
 */
#include "run/files.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "run/ends.h"

/* Returns the descriptor, -EPIPE when the child is gone, -EAGAIN when none is there (MSG_DONTWAIT), or -errno. */
static int receive(int socket_fd, int how)
{
    union {
        struct cmsghdr header; /* for its alignment */
        char room[CMSG_SPACE(sizeof(int))];
    } control = {.room = {0}};

    char word = 0;
    int fd = -EBADF;
    struct iovec bytes = {.iov_base = &word, .iov_len = 1};
    struct msghdr message = {.msg_iov = &bytes,
                             .msg_iovlen = 1,
                             .msg_control = &control,
                             .msg_controllen = sizeof(control)};

    ssize_t n = recvmsg(socket_fd, &message, MSG_CMSG_CLOEXEC | how);
    if (n <= 0)
        return n < 0 ? -errno : -EPIPE;
    if (word != ENTER_WORK_WORD || control.header.cmsg_type != SCM_RIGHTS ||
        control.header.cmsg_len != CMSG_LEN(sizeof(int)))
        return -EBADMSG;
    memcpy(&fd, CMSG_DATA(&control.header), sizeof(fd));
    return fd;
}

static int open_on_host(const struct run_state *run)
{
    int fd = openat(run->slot.state_fd, run->slot.work_name,
                    O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

    return fd < 0 ? -errno : fd;
}

static struct run_place place_of(const struct run_state *run)
{
    return (struct run_place){
        .work_fd = run->work_fd, .uid = run_outside_uid(run), .gid = run_outside_gid(run)};
}

int files_before(struct run_state *run, const struct plan *plan, struct berm_error *err)
{
    if (!run->files || run->work_fd >= 0 || !plan_has(plan, PLAN_AWAIT_FILES))
        return 0;
    bool is_handed = plan_has(plan, PLAN_HAND_WORK);
    run->work_fd = is_handed ? receive(run->control_fd, 0) : open_on_host(run);
    if (run->work_fd < 0)
        return error_set(err, BERM_E_SYSTEM, BERM_LAYER_FILESYSTEM, -run->work_fd, NULL,
                         "cannot reach the work directory of the run: %s", strerror(-run->work_fd));
    struct run_place place = place_of(run);
    int r = run->files->before(run->files->context, &place, err);
    if (r < 0 || !is_handed)
        return r;
    return ends_say(run, "f", err);
}

void files_after(struct run_state *run)
{
    const struct plan *plan = run->parts[0].plan;

    if (!run->files || !run->files->after)
        return;
    run_reap_first(run);
    if (run->work_fd < 0 && plan_has(plan, PLAN_HAND_WORK) && run->control_fd >= 0)
        run->work_fd = receive(run->control_fd, MSG_DONTWAIT); /* a child that failed sent none */
    if (run->work_fd < 0 && plan_has(plan, PLAN_WORK_DIR))
        run->work_fd = open_on_host(run);
    struct run_place place = place_of(run);
    if (run->work_fd >= 0)
        run->files->after(run->files->context, &place);
}
