/*
 * The words for the enums of a plan: see dump.h.
 */
#include <sched.h>
#include <stddef.h>

#include "plan/dump.h"

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

const char *plan_shown_text(const struct plan *plan, plan_text text)
{
    const char *shown = plan_text_of(plan, text);
    return shown[0] == PLAN_WORK_MARK && shown[1] == '\0' ? "(the work directory)" : shown;
}

const char *claim_strength_name(uint8_t strength)
{
    static const char *const names[] = {
        [CLAIM_EXACT] = "exact", [CLAIM_WEAKER] = "weaker", [CLAIM_ABSENT] = "absent"};
    return strength < COUNT_OF(names) ? names[strength] : "unknown";
}

const char *plan_layer_state(const struct plan *plan, enum berm_layer layer)
{
    unsigned counts[CLAIM_ABSENT + 1] = {0};

    for (uint32_t i = 0; i < plan->claim_count; i++) {
        const struct plan_claim *claim = &plan->claims[i];
        if (claim->layer == layer && claim->strength <= CLAIM_ABSENT)
            counts[claim->strength]++;
    }
    if (counts[CLAIM_WEAKER] > 0 || (counts[CLAIM_EXACT] > 0 && counts[CLAIM_ABSENT] > 0))
        return "weaker";
    if (counts[CLAIM_ABSENT] > 0)
        return "absent";
    return counts[CLAIM_EXACT] > 0 ? "on" : "off";
}

const char *mount_op_name(uint8_t op)
{
    static const char *const names[MOUNT_OP_COUNT] = {
        [MOUNT_NONE] = "unknown",    [MOUNT_PRIVATE] = "private", [MOUNT_STASH] = "stash",
        [MOUNT_UNSTASH] = "unstash", [MOUNT_HIDE] = "hide",       [MOUNT_ROOT] = "root",
        [MOUNT_DIR] = "dir",         [MOUNT_FILE] = "file",       [MOUNT_SYMLINK] = "symlink",
        [MOUNT_BIND] = "bind",       [MOUNT_SYSTEM] = "system",   [MOUNT_SEAL] = "seal",
        [MOUNT_TMPFS] = "tmpfs",     [MOUNT_PROC] = "proc",       [MOUNT_DEVPTS] = "devpts",
        [MOUNT_GROUP] = "group",     [MOUNT_PIVOT] = "pivot",     [MOUNT_READ_ONLY] = "read-only",
    };
    return op < MOUNT_OP_COUNT && names[op] ? names[op] : "unknown";
}

const char *plan_feature_name(unsigned bit)
{
    /* By bit of enum plan_feature. */
    static const char *const names[] = {
        "new-session",
        "init",
        "user-namespace",
        "cgroup-namespace",
        "loopback",
        "no-network",
        "drop-capabilities",
        "no-new-privs",
        "reset-signals",
        "close-descriptors",
        "tty",
        "host-uid",
        "work-dir",
        "group-join",
        "group-clone",
        "monitor-processes",
        "monitor-memory",
        "monitor-cpu",
        "group-cpu",
        "sweep-session",
        "dump-nothing",
        "read-only-root",
        "no-nesting",
        "lock-mounts",
        "new-keyring",
        "shared-skeleton",
        "hand-work",
        "await-files",
    };
    return bit < COUNT_OF(names) ? names[bit] : NULL;
}

const char *rlimit_name(int32_t resource)
{
    /* By RLIMIT_*: the same numbers on all architectures that berm is built for
     * (asm-generic/resource.h). */
    static const char *const names[] = {
        "cpu",     "fsize", "data",  "stack",      "core",     "rss",  "nproc",  "nofile",
        "memlock", "as",    "locks", "sigpending", "msgqueue", "nice", "rtprio", "rttime",
    };
    return resource >= 0 && (size_t)resource < COUNT_OF(names) ? names[resource] : "unknown";
}

const char *plan_namespace_name(unsigned row, uint64_t *ret_flag)
{
    static const struct {
        uint64_t flag;
        const char *name;
    } names[] = {
        {CLONE_NEWUSER,   "user"   },
        {CLONE_NEWPID,    "pid"    },
        {CLONE_NEWNS,     "mount"  },
        {CLONE_NEWNET,    "network"},
        {CLONE_NEWIPC,    "ipc"    },
        {CLONE_NEWUTS,    "uts"    },
        {CLONE_NEWCGROUP, "cgroup" },
    };

    if (row >= COUNT_OF(names))
        return NULL;
    *ret_flag = names[row].flag;
    return names[row].name;
}

const char *plan_controller_name(uint8_t controller)
{
    static const char *const names[] = {"memory", "pids", "cpu", "cpuacct"};
    return controller < COUNT_OF(names) ? names[controller] : "unknown";
}
