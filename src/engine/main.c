/*
 * berm-engine: the small executable that the library spawns. One plan in, one run, one reply.
 *
 * It reads input from 0, passes output on to 1 and 2, and speaks with the library on descriptor 3. It is
 * single-threaded, whatever its caller is, and ends everything when the caller is gone.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "engine/message.h"
#include "plan/builder.h"
#include "run/run.h"

#ifndef SYS_pidfd_open
#    define SYS_pidfd_open 434
#endif

static int read_all(int fd, void *buffer, size_t size)
{
    char *at = buffer;

    while (size > 0) {
        ssize_t n = read(fd, at, size);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return n < 0 ? -errno : -EPIPE;
        at += n;
        size -= (size_t)n;
    }
    return 0;
}

static int write_all(int fd, const void *buffer, size_t size)
{
    const char *at = buffer;

    while (size > 0) {
        ssize_t n = write(fd, at, size);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return -errno;
        at += n;
        size -= (size_t)n;
    }
    return 0;
}

/* How a plan begins (plan/plan.h): enough to know how much follows. */
struct plan_head {
    uint32_t magic, version, size, pool_used;
};

/* The block is checked before anything trusts it, though the sender is our own library. */
static int read_plan(struct plan **ret_plan)
{
    struct plan_head head;
    int r = read_all(ENGINE_SOCKET_FD, &head, sizeof(head));

    if (r < 0)
        return r;
    if (head.magic != PLAN_MAGIC || head.size < sizeof(struct plan) ||
        head.size > sizeof(struct plan) + PLAN_POOL_MAX)
        return -EBADMSG;
    AUTO_FREE char *block = malloc(head.size);
    if (!block)
        return -ENOMEM;
    memcpy(block, &head, sizeof(head));
    r = read_all(ENGINE_SOCKET_FD, block + sizeof(head), head.size - sizeof(head));
    if (r == 0)
        r = plan_check(block, head.size);
    if (r == 0)
        *ret_plan = (struct plan *)(void *)take_text(&block);
    return r;
}

int main(int argc, char **argv)
{
    struct engine_reply reply = {.magic = ENGINE_MAGIC, .size = sizeof(reply)};
    AUTO_FREE struct plan *plan = NULL;
    /* The caller as it was when this process began: a reused pid cannot be met, since the caller waits. */
    int caller = (int)syscall(SYS_pidfd_open, getppid(), 0);
    struct run_io io = {
        .stdin_fd = -1,
        .live_fds = {STDOUT_FILENO, STDERR_FILENO},
        .cancel_fd = ENGINE_SOCKET_FD,
        .caller_pidfd = caller,
        .identity_start = argc > 0 ? argv[0] : NULL,
        .identity_size = argc > 0 ? strlen(argv[0]) + 1 : 0
    };

    (void)signal(SIGPIPE, SIG_IGN);
    (void)umask(
        022); /* what is made has the modes that are named, whatever the caller's umask is */
    if (fcntl(ENGINE_SOCKET_FD, F_SETFD, FD_CLOEXEC) < 0)
        return 125; /* started by hand: there is nobody to talk to */
    reply.result = read_plan(&plan);
    if (reply.result < 0 || !plan) {
        error_set(&reply.err, BERM_E_INTERNAL, BERM_LAYER_NONE, -reply.result, NULL,
                  "the engine cannot read its plan: %s", strerror(-reply.result));
    } else {
        struct run_part part = {plan, &io, &reply.seen};

        if (plan->has_stdin)
            io.stdin_fd = STDIN_FILENO;
        reply.result = run_parts(&part, 1, NULL, NULL, &reply.err);
    }
    /* The end of the output comes before the reply: the reader has everything when the reply is there. */
    (void)close(STDOUT_FILENO);
    (void)close(STDERR_FILENO);
    return write_all(ENGINE_SOCKET_FD, &reply, sizeof(reply)) < 0 ? 125 : 0;
}
