/*
 * The work directory as a descriptor: what the supervisor puts files into, and reads the result from once all
 * processes of the run are dead.
 *
 * In: the control socket. Out: one descriptor on it. Must never: keep one: a directory outside the program's reach
 * is nothing that init should hold.
 */
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include "enter/raw.h"
#include "enter/sequence.h"

/* One control message with one descriptor (cmsg(3)). */
union work_right {
    struct cmsghdr header;
    unsigned char bytes[CMSG_SPACE(sizeof(int))];
};

static long send_descriptor(int socket_fd, int fd)
{
    union work_right right = {.bytes = {0}};
    char word = ENTER_WORK_WORD;
    struct iovec bytes = {.iov_base = &word, .iov_len = 1};
    struct msghdr message = {.msg_iov = &bytes,
                             .msg_iovlen = 1,
                             .msg_control = &right,
                             .msg_controllen = CMSG_LEN(sizeof(int))};

    right.header.cmsg_level = SOL_SOCKET;
    right.header.cmsg_type = SCM_RIGHTS;
    right.header.cmsg_len = CMSG_LEN(sizeof(int));
    *(int *)(void *)&right.bytes[CMSG_LEN(0)] = fd;
    return RAW(SYS_sendmsg, RAW_ARG(socket_fd), &message, RAW_ARG(MSG_NOSIGNAL));
}

int step_hand_work(struct enter_state *state)
{
    const struct plan *plan = state->plan;
    int socket_fd = state->context->control_fd;
    char word = 0;

    if (!plan_has(plan, PLAN_HAND_WORK))
        return 0;
    int fd = raw_open(plan_text_of(plan, plan->work_dir),
                      O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC, 0);
    if (fd < 0)
        return fd;
    long n = send_descriptor(socket_fd, fd);
    (void)raw_close(fd);
    if (n < 0 || !plan_has(plan, PLAN_AWAIT_FILES))
        return n < 0 ? (int)n : 0;
    n = RAW(SYS_read, RAW_ARG(socket_fd), &word, 1UL);
    /* End of file: a file could not be put, or berm is gone. Nobody listens; the exit is all that matters. */
    return n < 0 ? (int)n : n == 0 ? -ECANCELED : 0;
}
