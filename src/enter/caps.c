/*
 * Capabilities: none, in all five sets, and no way to gain any.
 */
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/prctl.h>
#include <linux/securebits.h>

#include "enter/raw.h"
#include "enter/sequence.h"
#include "plan/defect.h"

/* A set is 64 bits; PR_CAPBSET_DROP answers EINVAL above the kernel's last one (capabilities(7)). */
#define CAPABILITY_LIMIT 64

static int drop_bounding_set(void)
{
    for (unsigned long cap = 0; cap < CAPABILITY_LIMIT; cap++) {
        int r = raw_prctl(PR_CAPBSET_DROP, cap, 0, 0, 0);
        if (r == -EINVAL)
            return cap > 0 ? 0 : r;
        if (r < 0)
            return r;
    }
    return 0;
}

#ifdef BERM_PLANTED_DEFECTS
/* What is left in the permitted set is in force again after one call. */
static int drop_effective(void)
{
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3, .pid = 0};
    struct __user_cap_data_struct sets[_LINUX_CAPABILITY_U32S_3];

    int r = (int)RAW(SYS_capget, &header, sets);
    for (int i = 0; r == 0 && i < _LINUX_CAPABILITY_U32S_3; i++)
        sets[i].effective = 0;
    return r < 0 ? r : (int)RAW(SYS_capset, &header, sets);
}
#else
#    define drop_effective() 0
#endif

int step_capabilities(struct enter_state *state)
{
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3, .pid = 0};
    struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = {
        {0, 0, 0},
        {0, 0, 0}
    };
    int r;

    if (!plan_has(state->plan, PLAN_DROP_CAPABILITIES))
        return 0;
    if (IS_PLANTED(caps_effective_only))
        return drop_effective();
    r = drop_bounding_set();
    if (r < 0)
        return r;
    r = raw_prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
    if (r < 0)
        return r;
    /* uid 0 inside must not regain a set by exec: root is treated as any user (capabilities(7)). */
    r = raw_prctl(PR_SET_SECUREBITS,
                  SECBIT_NOROOT | SECBIT_NOROOT_LOCKED | SECBIT_NO_SETUID_FIXUP |
                      SECBIT_NO_SETUID_FIXUP_LOCKED | SECBIT_KEEP_CAPS_LOCKED |
                      SECBIT_NO_CAP_AMBIENT_RAISE | SECBIT_NO_CAP_AMBIENT_RAISE_LOCKED,
                  0, 0, 0);
    if (r < 0)
        return r;
    return (int)RAW(SYS_capset, &header, none);
}

/* Budgets of the run's own user namespace (namespaces(7), "The /proc/sys/user directory"). What is counted there
 * is counted against the caller too: without a cap one run uses up all inotify instances of its user. */
struct namespace_budget {
    const char *path, *value;
    bool is_optional; /* the file is there only when the kernel has the thing */
};

static const struct namespace_budget budgets[] = {
    {"/proc/sys/user/max_user_namespaces",   "0",     false},
    {"/proc/sys/user/max_inotify_instances", "32",    true },
    {"/proc/sys/user/max_inotify_watches",   "16384", true },
};

int step_no_nesting(struct enter_state *state)
{
    if (!plan_has(state->plan, PLAN_NO_NESTING) || IS_PLANTED(nesting_allowed))
        return 0;
    for (uint32_t i = 0; i < sizeof(budgets) / sizeof(budgets[0]); i++) {
        state->index = i;
        int fd = raw_open(budgets[i].path, O_WRONLY | O_CLOEXEC, 0);
        if (fd == -ENOENT && budgets[i].is_optional)
            continue;
        if (fd < 0)
            return fd;
        long n = RAW(SYS_write, RAW_ARG(fd), budgets[i].value, raw_length(budgets[i].value));
        (void)raw_close(fd);
        if (n < 0)
            return (int)n;
    }
    return 0;
}

int step_no_new_privs(struct enter_state *state)
{
    if (!plan_has(state->plan, PLAN_NO_NEW_PRIVS) || IS_PLANTED(no_new_privs_unset))
        return 0;
    return raw_prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
}
