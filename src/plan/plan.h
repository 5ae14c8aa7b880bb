/*
 * The plan: what must be true, written down flat. One block without pointers, so that it can be handed
 * to another process, compared and printed.
 *
 * In: layers write rows through plan/builder.h. Out: src/run and src/enter carry the rows out; the dump
 * (`berm explain`) prints them. Must never: be changed after plan_finish().
 *
 * Every row names the layer that asked, so that an error can name the promise and not the system call.
 * Texts live in the pool at the end; a row holds their offset. Offset 0 is the empty text.
 */
#ifndef BERM_PLAN_PLAN_H
#define BERM_PLAN_PLAN_H

#include <stdbool.h>
#include <stdint.h>

#include <berm/berm.h>

#define PLAN_MAGIC   0x6d726562u /* "berm" */
#define PLAN_VERSION 1u

/* Hard maxima; the builder refuses more. */
#define PLAN_MOUNTS_MAX       640
#define PLAN_RLIMITS_MAX      16
#define PLAN_RULES_MAX        320
#define PLAN_GROUP_WRITES_MAX 16
#define PLAN_CLAIMS_MAX       48
#define PLAN_NOTES_MAX        64
#define PLAN_POOL_MAX         (8u << 20)

/* Stands for the path of the private work directory, which src/run makes: at the beginning of a mount's
 * source or target, of cwd, of an argument (where argv_has_work_mark says so), behind the "=" in envp. */
#define PLAN_WORK_MARK '\x01'

typedef uint32_t plan_text; /* offset into the pool */

/* One act on the file tree, carried out in order by enter/mounts.c. Targets are relative to the new
 * root once it is begun, absolute before. */
enum mount_op {
    MOUNT_NONE = 0,
    MOUNT_PRIVATE, /* make every mount private: nothing propagates to the host */
    MOUNT_STASH,   /* keep a detached copy of source; a later MOUNT_UNSTASH attaches it */
    MOUNT_UNSTASH, /* attach the stashed copy at target, making directories on the way */
    MOUNT_HIDE,    /* an empty tmpfs over a directory, /dev/null over a file */
    MOUNT_ROOT,    /* begin the new root: a tmpfs; options in data */
    MOUNT_DIR,     /* mkdir target, mode */
    MOUNT_FILE,    /* create target with contents data, mode */
    MOUNT_SYMLINK, /* target -> source */
    MOUNT_BIND,    /* source (host path) at target, flags; taken with the caller's own rights */
    MOUNT_SYSTEM,  /* source (system path) at target, as it is; MOUNT_SEAL makes it read-only */
    MOUNT_SEAL,    /* everything mounted so far: read-only, nosuid, nodev, private */
    MOUNT_TMPFS,   /* new tmpfs at target; options in data, flags */
    MOUNT_PROC,    /* new proc at target */
    MOUNT_DEVPTS,  /* new devpts at target */
    MOUNT_GROUP,   /* the run's own control group directory, read-only, at target; index in mode */
    MOUNT_PIVOT,   /* make the new root the root and let go of the old one */
    MOUNT_READ_ONLY, /* remount target read-only (the root itself, last) */
    MOUNT_OP_COUNT
};

/* Flags of a mount; nosuid and nodev are always set by the interpreter except where a row says so. */
enum mount_flag {
    MOUNT_FLAG_RO = 1u << 0,
    MOUNT_FLAG_NOEXEC = 1u << 1,
    MOUNT_FLAG_DEV = 1u << 2, /* device nodes work here: the few bound nodes of /dev */
    MOUNT_FLAG_RECURSIVE = 1u << 3,
    MOUNT_FLAG_OPTIONAL =
        1u << 4, /* a missing source is skipped; only for rows of berm's own tables */
    MOUNT_FLAG_IDMAP =
        1u << 6, /* a caller's path whose owner becomes the run: made by src/run, as root */
    MOUNT_FLAG_IS_FILE = 1u << 5, /* the mount point is a file */
    MOUNT_FLAG_SKELETON = 1u << 7 /* its name may be there already: run/skeleton.h */
};

struct plan_mount {
    uint8_t op;    /* enum mount_op */
    uint8_t layer; /* enum berm_layer */
    uint16_t mode; /* permission bits, or an index where the op says so */
    uint32_t flags;
    plan_text source, target, data;
};

struct plan_rlimit {
    uint8_t layer;
    int32_t resource; /* RLIMIT_* */
    uint64_t soft, hard;
};

/* One file of the run's control group, written by src/run before the program enters it. */
struct plan_group_write {
    uint8_t layer;
    uint8_t controller; /* enum cgroup_controller */
    bool is_optional;   /* the file may be missing on this kernel; noted, never silent */
    plan_text file;     /* "memory.limit_in_bytes" */
    plan_text value;
    uint64_t read_back; /* the number that must be read back; UINT64_MAX = compare the text */
};

struct plan_landlock_rule {
    uint8_t layer;
    plan_text path; /* as seen inside, after the pivot */
    uint64_t access;
};

/* How strongly a promise is kept. */
enum claim_strength {
    CLAIM_EXACT,  /* by the kernel, for the whole tree, with its own count */
    CLAIM_WEAKER, /* by another listed mechanism: the note says what it misses */
    CLAIM_ABSENT  /* not kept: only under `prefer` */
};

/* One promise with the mechanism that keeps it; `explain`, `layers` of the result. */
struct plan_claim {
    uint8_t layer;
    uint8_t strength;    /* enum claim_strength */
    plan_text what;      /* "memory of the whole tree" */
    plan_text mechanism; /* "cgroup v1 memory.limit_in_bytes" */
};

struct plan_note {
    uint8_t layer;
    plan_text text;
};

/* Bits of plan.features: what the sequence does. Each bit is owned by one layer. */
enum plan_feature {
    PLAN_NEW_SESSION = 1u << 0,      /* limits: setsid, so that the sweep finds the run */
    PLAN_INIT = 1u << 1,             /* process: berm's init is PID 1, the program its child */
    PLAN_USER_NAMESPACE = 1u << 2,   /* privileges or any layer that needs it */
    PLAN_CGROUP_NAMESPACE = 1u << 3, /* process: unshared after the group is entered */
    PLAN_LOOPBACK = 1u << 4,         /* network */
    PLAN_NO_NETWORK = 1u << 5,       /* network: evidence must show no interface up */
    PLAN_DROP_CAPABILITIES = 1u << 6,
    PLAN_NO_NEW_PRIVS = 1u << 7,
    PLAN_RESET_SIGNALS = 1u << 8,     /* env */
    PLAN_CLOSE_DESCRIPTORS = 1u << 9, /* every layer but limits: the program gets 0, 1, 2 */
    PLAN_TTY = 1u << 10,              /* env */
    PLAN_HOST_UID = 1u << 11,    /* privileges: a host uid of the run's own, taken by src/run */
    PLAN_WORK_DIR = 1u << 12,    /* env: a private directory on the host, made by src/run */
    PLAN_GROUP_JOIN = 1u << 13,  /* limits: v1, the program writes itself into the groups */
    PLAN_GROUP_CLONE = 1u << 14, /* limits: v2, the clone lands in the group */
    PLAN_MONITOR_PROCESSES = 1u << 15,
    PLAN_MONITOR_MEMORY = 1u << 16,
    PLAN_MONITOR_CPU = 1u << 17,     /* CPU time of the tree is polled from /proc */
    PLAN_GROUP_CPU = 1u << 18,       /* CPU time of the tree is the group's count */
    PLAN_SWEEP_SESSION = 1u << 19,   /* limits: kill what is left of the session at the end */
    PLAN_DUMP_NOTHING = 1u << 20,    /* limits: no core file */
    PLAN_READ_ONLY_ROOT = 1u << 21,  /* filesystem: evidence must show it */
    PLAN_NO_NESTING = 1u << 22,      /* privileges: no user namespace below the run's own */
    PLAN_LOCK_MOUNTS = 1u << 23,     /* process: no mount can be taken away, below L5 */
    PLAN_NEW_KEYRING = 1u << 24,     /* env: the caller's keys stay behind */
    PLAN_SHARED_SKELETON = 1u << 25, /* filesystem: the root's names may be kept from run to run */
    PLAN_HAND_WORK =
        1u << 26, /* filesystem: the supervisor gets a descriptor of the work directory */
    PLAN_AWAIT_FILES = 1u << 27 /* filesystem: with the above; the program waits for files */
};

/* Which embedded filter (src/linux/filter.h). */
enum plan_filter {
    FILTER_NONE = 0,
    FILTER_STANDARD,
    FILTER_COUNT
};

struct plan {
    uint32_t magic, version;
    uint32_t size;      /* bytes of the whole block, pool included */
    uint32_t pool_used; /* bytes of the pool */

    uint32_t features;      /* enum plan_feature */
    uint64_t clone_flags;   /* CLONE_NEW* of the first clone */
    uint8_t clone_owner[8]; /* layer that asked, by row of run/clone_flags (NEWUSER, NEWPID, ...) */

    /* Identity. inside_* as seen in the user namespace; outside is the caller's unless PLAN_HOST_UID. */
    uint32_t inside_uid, inside_gid;
    bool drop_groups; /* setgroups(0): possible when root started berm */

    /* What is executed. argv and envp are runs of NUL-terminated texts in the pool. */
    plan_text program;     /* argv[0] as looked up by execvpe semantics in search_path */
    plan_text search_path; /* PATH used for the lookup, inside */
    plan_text argv, envp;
    uint32_t argc, envc;
    bool argv_has_work_mark;
    plan_text cwd;       /* as seen inside; "" = the private work directory or the caller's */
    plan_text hostname;  /* "" = unchanged */
    plan_text work_dir;  /* what PLAN_HAND_WORK hands over: its path inside */
    plan_text state_dir; /* where locks and work directories are kept, on the host */
    bool has_stdin;
    uint32_t umask;
    int32_t cpu_affinity_count; /* 0 = leave */

    /* Supervisor. 0 = no limit. */
    uint64_t wall_ns, cpu_ns, memory_bytes, process_count, output_total_bytes;
    uint64_t output_chars;
    bool is_watchdog; /* wall_ns is L0's watchdog, not a limit of the policy */

    uint32_t filter;                                     /* enum plan_filter */
    uint64_t landlock_fs, landlock_net, landlock_scoped; /* handled rights; all 0 = no Landlock */

    uint32_t mount_count, rlimit_count, rule_count, group_write_count, claim_count, note_count;
    struct plan_mount mounts[PLAN_MOUNTS_MAX];
    struct plan_rlimit rlimits[PLAN_RLIMITS_MAX];
    struct plan_landlock_rule rules[PLAN_RULES_MAX];
    struct plan_group_write group_writes[PLAN_GROUP_WRITES_MAX];
    plan_text group_parents[4]; /* by enum cgroup_controller; "" = not used */
    uint8_t cgroup_version;
    struct plan_claim claims[PLAN_CLAIMS_MAX];
    struct plan_note notes[PLAN_NOTES_MAX];

    uint16_t fault_step; /* only in the fault-injection build: this row fails, 0 = none */
    int32_t fault_errno;
    char pool[];
};

/* The text at an offset. Borrowed from the plan; "" for 0. Callable inside the child: no library call. */
static inline const char *plan_text_of(const struct plan *plan, plan_text text)
{
    return plan->pool + text;
}

static inline bool plan_has(const struct plan *plan, enum plan_feature feature)
{
    return (plan->features & (uint32_t)feature) != 0;
}

#endif
