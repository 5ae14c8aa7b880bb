/*
 * Evidence: what the kernel says is in force, read back right before exec and compared with the plan.
 *
 * In: the finished child. Out: struct evidence, and -EBADE with an index when it contradicts the plan.
 * Must never: trust that a step which returned 0 did what it was asked.
 */
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/if.h>
#include <linux/prctl.h>
#include <linux/sched.h>
#include <linux/sockios.h>
#include <sys/socket.h>

#include "enter/raw.h"
#include "enter/sequence.h"
#include "plan/defect.h"

const struct enter_namespace enter_namespaces[ENTER_NAMESPACES] = {
    {CLONE_NEWUSER,   "user",   "user"   },
    {CLONE_NEWPID,    "pid",    "pid"    },
    {CLONE_NEWNS,     "mnt",    "mount"  },
    {CLONE_NEWNET,    "net",    "network"},
    {CLONE_NEWIPC,    "ipc",    "ipc"    },
    {CLONE_NEWUTS,    "uts",    "uts"    },
    {CLONE_NEWCGROUP, "cgroup", "cgroup" },
};

/* What can contradict the plan. The number travels as the index of the failure. */
enum evidence_item {
    EVIDENCE_UID,
    EVIDENCE_GROUPS,
    EVIDENCE_NAMESPACE, /* + row of enter_namespaces */
    EVIDENCE_CAPABILITIES = EVIDENCE_NAMESPACE + ENTER_NAMESPACES,
    EVIDENCE_NO_NEW_PRIVS,
    EVIDENCE_NESTING,
    EVIDENCE_FILTER_MODE,
    EVIDENCE_FILTER_PROBE,
    EVIDENCE_LANDLOCK,
    EVIDENCE_INTERFACES,
    EVIDENCE_PID,
    EVIDENCE_ROOT,
    EVIDENCE_RLIMIT, /* + row of plan.rlimits */
    EVIDENCE_COUNT = EVIDENCE_RLIMIT + ENTER_RLIMITS
};

/* The layer whose promise the item bears out. */
static enum berm_layer evidence_layer(const struct plan *plan, uint32_t item)
{
    static const uint8_t owners[EVIDENCE_RLIMIT] = {
        [EVIDENCE_UID] = BERM_LAYER_PRIVILEGES,
        [EVIDENCE_GROUPS] = BERM_LAYER_PRIVILEGES,
        [EVIDENCE_CAPABILITIES] = BERM_LAYER_PRIVILEGES,
        [EVIDENCE_NO_NEW_PRIVS] = BERM_LAYER_PRIVILEGES,
        [EVIDENCE_NESTING] = BERM_LAYER_PRIVILEGES,
        [EVIDENCE_FILTER_MODE] = BERM_LAYER_SYSCALLS,
        [EVIDENCE_FILTER_PROBE] = BERM_LAYER_SYSCALLS,
        [EVIDENCE_LANDLOCK] = BERM_LAYER_FILESYSTEM,
        [EVIDENCE_INTERFACES] = BERM_LAYER_NETWORK,
        [EVIDENCE_PID] = BERM_LAYER_PROCESS,
        [EVIDENCE_ROOT] = BERM_LAYER_FILESYSTEM,
    };

    if (item >= EVIDENCE_RLIMIT)
        return (enum berm_layer)plan->rlimits[item - EVIDENCE_RLIMIT].layer;
    if (item < EVIDENCE_NAMESPACE || item >= EVIDENCE_CAPABILITIES)
        return (enum berm_layer)owners[item];
    switch (enter_namespaces[item - EVIDENCE_NAMESPACE].clone_flag) {
    case CLONE_NEWNET:
        return BERM_LAYER_NETWORK;
    case CLONE_NEWNS:
        return BERM_LAYER_FILESYSTEM;
    case CLONE_NEWUSER:
        return BERM_LAYER_PRIVILEGES;
    default:
        return BERM_LAYER_PROCESS;
    }
}

const char *evidence_name(uint32_t index)
{
    static const char *const names[EVIDENCE_RLIMIT] = {
        [EVIDENCE_UID] = "user and group id",
        [EVIDENCE_GROUPS] = "supplementary groups",
        [EVIDENCE_CAPABILITIES] = "capability sets",
        [EVIDENCE_NO_NEW_PRIVS] = "no_new_privs",
        [EVIDENCE_NESTING] = "a user namespace that must be refused",
        [EVIDENCE_FILTER_MODE] = "system-call filter mode",
        [EVIDENCE_FILTER_PROBE] = "a call that the filter must refuse",
        [EVIDENCE_LANDLOCK] = "an act that Landlock must refuse",
        [EVIDENCE_INTERFACES] = "network interfaces that are up",
        [EVIDENCE_PID] = "process id inside",
        [EVIDENCE_ROOT] = "root and /usr read-only, nosuid, nodev",
    };

    if (index >= EVIDENCE_NAMESPACE && index < EVIDENCE_CAPABILITIES)
        return enter_namespaces[index - EVIDENCE_NAMESPACE].name;
    if (index < EVIDENCE_RLIMIT)
        return names[index];
    return index < EVIDENCE_COUNT ? "resource limit" : "unknown";
}

/* "net:[4026531840]" -> 4026531840; 0 when it cannot be read. */
static uint64_t namespace_id(int directory_fd, const char *link)
{
    char text[64];
    uint64_t id = 0;
    long n = RAW(SYS_readlinkat, directory_fd, link, text, sizeof(text));

    for (long i = 0; i < n; i++) {
        if (text[i] >= '0' && text[i] <= '9')
            id = id * 10 + (uint64_t)(text[i] - '0');
    }
    return id;
}

static void read_capabilities(struct evidence *evidence)
{
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3, .pid = 0};
    struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3] = {
        {~0u, ~0u, ~0u},
        {~0u, ~0u, ~0u}
    };

    (void)RAW(SYS_capget, &header, data); /* on failure all bits stay set: a contradiction */
    evidence->caps_effective = data[0].effective | (uint64_t)data[1].effective << 32;
    evidence->caps_permitted = data[0].permitted | (uint64_t)data[1].permitted << 32;
    evidence->caps_inheritable = data[0].inheritable | (uint64_t)data[1].inheritable << 32;
    for (unsigned cap = 0; cap < 64; cap++) {
        int in_bounding = raw_prctl(PR_CAPBSET_READ, cap, 0, 0, 0);
        if (in_bounding == -EINVAL && cap > 0)
            break;
        if (in_bounding != 0)
            evidence->caps_bounding |= 1ULL << cap;
    }
    /* The ambient set is never larger than the permitted and the inheritable (capabilities(7)): asked for
     * one by one only when they are not empty. */
    uint64_t possible = evidence->caps_permitted & evidence->caps_inheritable;
    for (unsigned cap = 0; cap < 64 && possible != 0; cap++) {
        if (raw_prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_IS_SET, cap, 0, 0) > 0)
            evidence->caps_ambient |= 1ULL << cap;
    }
}

/* 0 when the loopback interface is down, 1 when it is up, -errno when it cannot be asked. A new network
 * namespace holds no other interface that carries traffic (network_namespaces(7)). */
static int interfaces_up(void)
{
    struct ifreq request = {.ifr_name = "lo"};
    long fd = RAW(SYS_socket, RAW_ARG(AF_INET), RAW_ARG(SOCK_DGRAM | SOCK_CLOEXEC), 0UL);

    if (fd < 0)
        return (int)fd;
    long r = RAW(SYS_ioctl, fd, (unsigned long)SIOCGIFFLAGS, &request);
    (void)raw_close((int)fd);
    if (r < 0)
        return (int)r;
    return request.ifr_flags & IFF_UP ? 1 : 0;
}

/* A file that anybody may read by its mode, in the one directory of the small root whose rule does not allow it:
 * Landlock answers EACCES, and without Landlock it would be opened. A whiteout, which was tried before, is judged
 * as a regular file by Linux 6.1 and as a device by 6.18. */
static int landlock_probe(void)
{
    int fd = raw_open("/.berm-landlock", O_RDONLY | O_CLOEXEC, 0);

    if (fd >= 0)
        (void)raw_close(fd);
    return fd < 0 ? -fd : 0;
}

static int filter_probe(const struct enter_context *context)
{
    return (int)-RAW(context->filter_probe_call, context->filter_probe_argument, 0L, 0L, 0L, 0L);
}

static void read_limits(const struct plan *plan, struct evidence *evidence)
{
    for (uint32_t i = 0; i < plan->rlimit_count && i < ENTER_RLIMITS; i++) {
        uint64_t limit[2] = {0, 0};

        (void)RAW(SYS_prlimit64, 0UL, RAW_ARG(plan->rlimits[i].resource), NULL, limit);
        evidence->rlimit_soft[i] = limit[0];
        evidence->rlimit_hard[i] = limit[1];
    }
}

/* ST_* flags of the mount at a path; f_flags is the eleventh long of struct statfs on both architectures
 * (statfs(2)). 0 when it cannot be asked: no promise of ours is kept by 0. */
static uint32_t mount_flags(const char *path)
{
    long fields[16] = {0};

    return RAW(SYS_statfs, path, fields) == 0 ? (uint32_t)fields[10] : 0;
}

static bool root_is_sealed(const struct evidence *seen)
{
    const uint32_t sealed = 1u | 2u | 4u; /* ST_RDONLY, ST_NOSUID, ST_NODEV */

    return (seen->root_flags & sealed) == sealed && (seen->system_flags & sealed) == sealed;
}

static void read_namespaces(struct evidence *evidence)
{
    int fd = raw_open(ENTER_NAMESPACE_DIRECTORY, O_PATH | O_DIRECTORY | O_CLOEXEC, 0);

    for (unsigned i = 0; i < ENTER_NAMESPACES; i++)
        evidence->namespace_ids[i] = namespace_id(fd, enter_namespaces[i].link);
    (void)raw_close(fd);
}

static void read_evidence(const struct enter_context *context, struct evidence *evidence)
{
    const struct plan *plan = context->plan;
    evidence->uid = (uint32_t)RAW(SYS_geteuid);
    evidence->gid = (uint32_t)RAW(SYS_getegid);
    evidence->group_count = (uint32_t)RAW(SYS_getgroups, 0L, NULL);
    evidence->pid = (int32_t)RAW(SYS_getpid);
    evidence->no_new_privs = raw_prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0);
    evidence->seccomp_mode = raw_prctl(PR_GET_SECCOMP, 0, 0, 0, 0);
    if (plan->clone_flags != 0)
        read_namespaces(evidence);
    if (plan_has(plan, PLAN_DROP_CAPABILITIES))
        read_capabilities(evidence);
    /* When it works all the same, this process stands in a namespace that nobody planned, and ends. */
    if (plan_has(plan, PLAN_NO_NESTING) && !IS_PLANTED(evidence_not_compared))
        evidence->nesting_probe = (int)-RAW(SYS_unshare, (unsigned long)CLONE_NEWUSER);
    if (plan_has(plan, PLAN_NO_NETWORK))
        evidence->interfaces_up = interfaces_up();
    if (plan->landlock_fs != 0)
        evidence->landlock_probe = landlock_probe();
    if (plan->filter != FILTER_NONE)
        evidence->filter_probe = filter_probe(context);
    if (plan_has(plan, PLAN_READ_ONLY_ROOT)) {
        evidence->root_flags = mount_flags("/");
        evidence->system_flags = mount_flags("/usr");
    }
    read_limits(plan, evidence);
}

static bool same_limits(const struct plan *plan, const struct evidence *evidence, uint32_t *ret_row)
{
    for (uint32_t i = 0; i < plan->rlimit_count && i < ENTER_RLIMITS; i++) {
        *ret_row = i;
        if (evidence->rlimit_soft[i] != plan->rlimits[i].soft ||
            evidence->rlimit_hard[i] != plan->rlimits[i].hard)
            return false;
    }
    return true;
}

/* The row of the first namespace that should be new and is the caller's, or ENTER_NAMESPACES. */
static uint32_t shared_namespace(const struct enter_context *context,
                                 const struct evidence *evidence)
{
    uint64_t expected = context->plan->clone_flags;

    if (plan_has(context->plan, PLAN_CGROUP_NAMESPACE))
        expected |= CLONE_NEWCGROUP;
    for (uint32_t i = 0; i < ENTER_NAMESPACES; i++) {
        if ((expected & enter_namespaces[i].clone_flag) &&
            (evidence->namespace_ids[i] == 0 ||
             evidence->namespace_ids[i] == context->outer_namespace_ids[i]))
            return i;
    }
    return ENTER_NAMESPACES;
}

static bool capabilities_are_gone(const struct evidence *evidence)
{
    return (evidence->caps_effective | evidence->caps_permitted | evidence->caps_inheritable |
            evidence->caps_bounding | evidence->caps_ambient) == 0;
}

/* One promise that the kernel must bear out: the first that it does not is kept. */
static void require(uint32_t *found, uint32_t item, bool is_asked, bool holds)
{
    if (*found == EVIDENCE_COUNT && is_asked && !holds)
        *found = item;
}

/* The first item that contradicts the plan, or EVIDENCE_COUNT. */
static uint32_t contradiction(const struct enter_context *context, const struct evidence *seen)
{
    const struct plan *plan = context->plan;
    uint32_t shared = shared_namespace(context, seen);
    uint32_t found = EVIDENCE_COUNT;
    uint32_t limit = 0;
    bool has_filter = plan->filter != FILTER_NONE;
    /* Init is 1, the first program 2; a second one comes after whatever the first made. */
    bool has_own_pid = context->part > 0 ? seen->pid > 2 : seen->pid == 2;
    bool limits_hold = same_limits(plan, seen, &limit);

    require(&found, EVIDENCE_UID, plan_has(plan, PLAN_USER_NAMESPACE),
            seen->uid == plan->inside_uid && seen->gid == plan->inside_gid);
    require(&found, EVIDENCE_GROUPS, plan->drop_groups, seen->group_count == 0);
    require(&found, EVIDENCE_NAMESPACE + shared, shared < ENTER_NAMESPACES, false);
    require(&found, EVIDENCE_CAPABILITIES, plan_has(plan, PLAN_DROP_CAPABILITIES),
            capabilities_are_gone(seen));
    require(&found, EVIDENCE_NO_NEW_PRIVS, plan_has(plan, PLAN_NO_NEW_PRIVS),
            seen->no_new_privs == 1);
    require(&found, EVIDENCE_NESTING, plan_has(plan, PLAN_NO_NESTING), seen->nesting_probe > 0);
    require(&found, EVIDENCE_FILTER_MODE, has_filter, seen->seccomp_mode == 2);
    require(&found, EVIDENCE_FILTER_PROBE, has_filter,
            seen->filter_probe == context->filter_probe_errno);
    require(&found, EVIDENCE_LANDLOCK, plan->landlock_fs != 0, seen->landlock_probe == EACCES);
    require(&found, EVIDENCE_INTERFACES, plan_has(plan, PLAN_NO_NETWORK),
            seen->interfaces_up == (plan_has(plan, PLAN_LOOPBACK) ? 1 : 0));
    require(&found, EVIDENCE_PID, plan_has(plan, PLAN_INIT), has_own_pid);
    require(&found, EVIDENCE_ROOT, plan_has(plan, PLAN_READ_ONLY_ROOT), root_is_sealed(seen));
    require(&found, EVIDENCE_RLIMIT + limit, true, limits_hold);
    return found;
}

int step_evidence(struct enter_state *state)
{
    struct enter_message message = {.kind = ENTER_READY, .step = STEP_EVIDENCE};

    read_evidence(state->context, &state->evidence);
    uint32_t item = IS_PLANTED(evidence_not_compared)
                        ? EVIDENCE_COUNT
                        : contradiction(state->context, &state->evidence);
    if (item != EVIDENCE_COUNT) {
        state->index = item;
        state->layer = evidence_layer(state->plan, item);
        return -EBADE;
    }
    message.evidence = state->evidence;
    enter_send(state->status_fd, &message);
    return 0;
}

/* The candidates are tried as execvp(3) does: a path that is not there or may not be entered is passed
 * over, but a refusal is remembered and told rather than "not found". A file that is there and still
 * answers ENOENT lacks its interpreter (execve(2)): sent as ELIBBAD. */
int step_exec(struct enter_state *state)
{
    const struct enter_context *context = state->context;
    int error = -ENOENT;

    for (uint32_t i = 0; context->candidates[i]; i++) {
        long r = RAW(SYS_execve, context->candidates[i], context->argv, context->envp);

        state->index = i;
        if (r == -EACCES)
            error = -EACCES;
        else if (r == -ENOENT &&
                 RAW(SYS_faccessat, RAW_ARG(AT_FDCWD), context->candidates[i], 0L) == 0)
            return -ELIBBAD;
        else if (r != -ENOENT && r != -ENOTDIR)
            return (int)r;
    }
    return error;
}
