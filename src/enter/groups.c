/*
 * Control groups as seen from inside: taking hold of them and joining (v1), and the namespace that hides the
 * path to them.
 */
#include <linux/sched.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include "enter/attach.h"
#include "enter/raw.h"
#include "enter/sequence.h"

#define DESCRIPTORS_MAX ((unsigned long)ENTER_PARTS_MAX * ENTER_GROUPS)

/* One control message with descriptors: a header, then these (cmsg(3)). */
union rights {
    struct cmsghdr header;
    unsigned char bytes[sizeof(struct cmsghdr) + DESCRIPTORS_MAX * sizeof(int)];
};

static int store(struct enter_groups *groups, const unsigned char *places, long count,
                 const union rights *rights)
{
    const int *fds = (const void *)&rights->bytes[sizeof(rights->header)];
    unsigned long sent = (rights->header.cmsg_len - sizeof(rights->header)) / sizeof(int);

    if (rights->header.cmsg_type != SCM_RIGHTS || sent != (unsigned long)count)
        return -EBADMSG;
    for (long i = 0; i < count; i++) {
        if (places[i] >= DESCRIPTORS_MAX)
            return -EBADMSG;
        groups->fds[places[i] / ENTER_GROUPS][places[i] % ENTER_GROUPS] = fds[i];
    }
    return 0;
}

int take_groups(const struct enter_state *state)
{
    struct enter_groups *groups = state->context->groups;
    unsigned char places[DESCRIPTORS_MAX];
    union rights rights = {.bytes = {0}};
    struct iovec bytes = {.iov_base = places, .iov_len = sizeof(places)};
    struct msghdr message = {.msg_iov = &bytes,
                             .msg_iovlen = 1,
                             .msg_control = &rights,
                             .msg_controllen = sizeof(rights)};

    if (!groups->are_awaited)
        return 0;
    long n = RAW(SYS_recvmsg, state->context->control_fd, &message, MSG_CMSG_CLOEXEC);
    if (n < 0)
        return (int)n;
    /* End of file: the supervisor gave up or died. Nobody listens; the exit is all that matters. */
    if (n == 0)
        return -ECANCELED;
    groups->are_awaited = false;
    return store(groups, places, n, &rights);
}

int step_groups(struct enter_state *state)
{
    return take_groups(state);
}

int step_group_join(struct enter_state *state)
{
    const int *fds = state->context->groups->fds[state->context->part];

    if (!plan_has(state->plan, PLAN_GROUP_JOIN))
        return 0;
    for (uint32_t i = 0; i < ENTER_GROUPS; i++) {
        if (fds[i] < 0)
            continue;
        state->index = i;
        /* "0" is the writing task (cgroups.rst, v1). The right to move was checked when the
         * supervisor opened the file: the opener's credentials count (Linux 4.2, e57457641613). */
        long n = RAW(SYS_write, RAW_ARG(fds[i]), "0", 1UL);
        if (n < 0)
            return (int)n;
    }
    return 0;
}

int step_cgroup_namespace(struct enter_state *state)
{
    if (!plan_has(state->plan, PLAN_CGROUP_NAMESPACE))
        return 0;
    return (int)RAW(SYS_unshare, (unsigned long)CLONE_NEWCGROUP);
}
