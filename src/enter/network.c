/*
 * The run's own network: the namespace, made beside the mounts, and its loopback interface.
 *
 * A new network namespace costs more than everything else in clone3 together: 0.9 ms of 1.3 (bench/method.md).
 * So a process that shares the memory and the descriptors of init makes it while init builds the file tree,
 * and init enters it afterwards.
 */
#include <linux/if.h>
#include <linux/sched.h>
#include <linux/sockios.h>
#include <sched.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "enter/raw.h"
#include "enter/sequence.h"

#define MAKER_STACK_SIZE 8192

static _Alignas(16) char maker_stack[MAKER_STACK_SIZE];

static int open_new_network(void)
{
    long r = RAW(SYS_unshare, CLONE_NEWNET);

    if (r < 0)
        return (int)r;
    long fd = RAW(SYS_socket, AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return (int)fd;
    /* The namespace of a socket, close-on-exec (Linux 4.10, c62cce2caee5): no /proc is needed, which init
     * may have covered by now. */
    r = RAW(SYS_ioctl, fd, SIOCGSKNS);
    (void)raw_close((int)fd);
    return (int)r;
}

static int maker_main(void *argument)
{
    struct enter_state *state = argument;

    state->network_fd = open_new_network();
    (void)RAW(SYS_exit, 0);
    __builtin_unreachable();
}

int step_begin_network(struct enter_state *state)
{
    if (!(state->plan->clone_flags & CLONE_NEWNET))
        return 0;
    /* CLONE_VM and CLONE_FILES: what it opens and answers is there when it has been waited for. No signal at its
     * end: it is waited for even where SIGCHLD is ignored (clone(2), "The child termination signal"). */
    int pid = clone(maker_main, maker_stack + MAKER_STACK_SIZE, CLONE_VM | CLONE_FILES, state);
    if (pid < 0)
        return -errno;
    state->network_maker = pid;
    return 0;
}

int step_network(struct enter_state *state)
{
    if (!(state->plan->clone_flags & CLONE_NEWNET))
        return 0;
    long r = RAW(SYS_wait4, state->network_maker, NULL, __WALL, NULL);
    if (r < 0)
        return (int)r;
    if (state->network_fd < 0)
        return state->network_fd;
    r = RAW(SYS_setns, state->network_fd, CLONE_NEWNET);
    (void)raw_close(state->network_fd);
    return (int)r;
}

int step_loopback(struct enter_state *state)
{
    struct ifreq request = {.ifr_name = "lo"};
    long r;

    if (!plan_has(state->plan, PLAN_LOOPBACK))
        return 0;
    long fd = RAW(SYS_socket, RAW_ARG(AF_INET), RAW_ARG(SOCK_DGRAM | SOCK_CLOEXEC), 0UL);
    if (fd < 0)
        return (int)fd;
    r = RAW(SYS_ioctl, fd, (unsigned long)SIOCGIFFLAGS, &request);
    if (r == 0) {
        request.ifr_flags |= IFF_UP;
        r = RAW(SYS_ioctl, fd, (unsigned long)SIOCSIFFLAGS, &request);
    }
    (void)raw_close((int)fd);
    return (int)r;
}
