/*
 * Who the run is: waiting for the id maps, taking the inner identity.
 */
#include <fcntl.h>
#include <linux/sched.h>

#include "enter/raw.h"
#include "enter/sequence.h"

int step_wait_go(struct enter_state *state)
{
    char go = 0;
    long n = RAW(SYS_read, RAW_ARG(state->context->control_fd), &go, 1UL);

    if (n < 0)
        return (int)n;
    /* End of file: the supervisor gave up or died. Nobody listens; the exit is all that matters. */
    return n == 1 ? 0 : -ECANCELED;
}

int step_identity(struct enter_state *state)
{
    const struct plan *plan = state->plan;
    long r;

    if (!plan_has(plan, PLAN_USER_NAMESPACE))
        return 0;
    if (plan->drop_groups) {
        r = RAW(SYS_setgroups, 0UL, NULL);
        if (r < 0)
            return (int)r;
    }
    /* All three of each: a saved id that stays behind would be a way back (setresuid(2)). */
    r = RAW(SYS_setresgid, plan->inside_gid, plan->inside_gid, plan->inside_gid);
    if (r < 0)
        return (int)r;
    return (int)RAW(SYS_setresuid, plan->inside_uid, plan->inside_uid, plan->inside_uid);
}

static int write_own(const char *path, const char *text)
{
    int fd = raw_open(path, O_WRONLY | O_CLOEXEC, 0);

    if (fd < 0)
        return fd;
    long n = RAW(SYS_write, RAW_ARG(fd), text, raw_length(text));
    (void)raw_close(fd);
    return n < 0 ? (int)n : 0;
}

int step_lock_mounts(struct enter_state *state)
{
    if (!plan_has(state->plan, PLAN_LOCK_MOUNTS))
        return 0;
    int r = (int)RAW(SYS_unshare, (unsigned long)(CLONE_NEWUSER | CLONE_NEWNS));
    /* "deny" first: gid_map may be written without a capability outside only then (user_namespaces(7)). */
    if (r == 0)
        r = write_own("/proc/self/setgroups", "deny");
    if (r == 0)
        r = write_own("/proc/self/gid_map", "0 0 1");
    return r == 0 ? write_own("/proc/self/uid_map", "0 0 1") : r;
}
