/*
 * Host facts: what this kernel and this machine offer. Filled once by linux/probe.c, faked in tests/hosts.
 *
 * In: the kernel. Out: one plain struct, no pointers: it can be copied, printed and written by hand.
 * Must never: hold a decision. A layer decides; the host only says what is there.
 */
#ifndef BERM_LINUX_HOST_H
#define BERM_LINUX_HOST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HOST_PATH_SIZE  512
#define HOST_CAUSE_SIZE 256

/* Why a mechanism cannot be had; NONE = it can. The cure is printed by doctor and by the errors. */
enum host_block {
    BLOCK_NONE = 0,
    BLOCK_UNKNOWN,
    BLOCK_NOT_TRIED, /* the quick probe does not try it; the run itself will find out */
    BLOCK_KERNEL_TOO_OLD,
    BLOCK_USERNS_SYSCTL_MAX,   /* user.max_user_namespaces is 0 or used up */
    BLOCK_USERNS_SYSCTL_CLONE, /* kernel.unprivileged_userns_clone is 0 (Debian patch) */
    BLOCK_USERNS_APPARMOR,     /* kernel.apparmor_restrict_unprivileged_userns is 1 (Ubuntu) */
    BLOCK_OUTER_FILTER,        /* berm itself runs under a system-call filter that refuses it */
    BLOCK_CHROOT,        /* berm was started inside a chroot: the kernel refuses user namespaces */
    BLOCK_PROC_MASKED,   /* parts of /proc are covered: a fresh one may not be mounted */
    BLOCK_READ_ONLY,     /* the cgroup file system is mounted read-only */
    BLOCK_NOT_DELEGATED, /* berm may not make groups below its own */
    BLOCK_CONTROLLER_MISSING,
    BLOCK_NOT_ENABLED,  /* e.g. Landlock is not in lsm= */
    BLOCK_GROUP_SHARED, /* v2: other processes stand in berm's own group */
    BLOCK_PERF_SYSCTL,  /* kernel.perf_event_paranoid keeps ordinary users from a task clock */
    BLOCK_COUNT
};

enum cgroup_controller {
    CG_MEMORY,
    CG_PIDS,
    CG_CPU,
    CG_CPUACCT,
    CG_CONTROLLER_COUNT
};

/* One controller as berm would use it: the directory in which a leaf group is made. */
struct host_controller {
    enum host_block block;
    char parent[HOST_PATH_SIZE]; /* absolute; "" when block is set */
};

struct host_cgroup {
    int version; /* 1, 2, or 0 = none */
    struct host_controller controllers[CG_CONTROLLER_COUNT];
    bool has_swap_limit;  /* memory.memsw.* (v1) or memory.swap.max (v2) is there */
    bool must_enable;     /* v2: the controllers must first be enabled below berm's own group */
    bool must_step_aside; /* v2: and for that berm must leave it for a leaf */
};

/* RLIMIT_* numbers 0..15 are all there are (asm-generic/resource.h). */
#define HOST_RLIMITS 16

/* Longest list of paths that a probe looks for: layers/root_tree.def. */
#define HOST_SUBTREES_MAX 64
/* Top-level names that are links into /usr on a merged system ("bin" -> "usr/bin"). */
#define HOST_TOP_LINKS 8
#define HOST_LINK_SIZE 64

struct host_top_link {
    char name[16];               /* "bin"; "" = does not exist */
    char target[HOST_LINK_SIZE]; /* "usr/bin"; "" = a real directory, bind it */
};

struct host {
    unsigned kernel_major, kernel_minor;
    uint32_t uid, gid; /* effective, in berm's own user namespace */
    bool is_root;      /* effective uid 0 with CAP_SETUID, CAP_SETGID and CAP_SYS_ADMIN */
    uint32_t extra_group_count;
    char home[HOST_PATH_SIZE]; /* by host_find_home(); "" when unknown or not asked for */

    enum host_block userns;
    int userns_errno; /* what clone or the id map answered, 0 when it works */
    int landlock_abi; /* 0 = not there */
    enum host_block landlock;
    bool has_seccomp_filter;
    enum host_block proc_mount;

    struct host_cgroup cgroup;
    enum host_block perf; /* an inherited task clock: by host_try_clock(), or DEEP */

    uint32_t cpu_count;    /* CPUs berm itself may run on */
    uint64_t memory_bytes; /* of the machine */
    uint64_t
        rlimit_hard[HOST_RLIMITS]; /* inherited, by RLIMIT_* number; nothing may become looser */

    struct host_top_link top_links[HOST_TOP_LINKS];
    char time_zone
        [HOST_LINK_SIZE]; /* where /etc/localtime leads below /usr; "" = it is a file, or missing */
    uint64_t subtree_mask;          /* bit i: path i of the probe's list exists */
    uint64_t subtree_files;         /* bit i: and is a file */
    char state_dir[HOST_PATH_SIZE]; /* /run/berm or $XDG_RUNTIME_DIR/berm */
};

/* How much is tried. QUICK reads a few files (tens of microseconds); DEEP makes children and tries. */
enum probe_depth {
    PROBE_QUICK,
    PROBE_DEEP
};

/**
 * Fill the host facts.
 *
 * @ret_host  written completely.
 * @paths, @path_count  borrows; whether each exists goes into subtree_mask; at most HOST_SUBTREES_MAX.
 * Never fails: what cannot be found out is said as BLOCK_UNKNOWN.
 * Threads: yes (DEEP clones, without threads of its own).  Async-signal-safe: no.  Since: 0.1.
 * Source: see linux/probe.c, one citation a fact.  Test: truth/test_refusals.
 */
void host_probe(struct host *ret_host, enum probe_depth depth, const char *const *paths,
                size_t path_count);

/* Whether the tree of control groups is the unified one (v2): a process that berm has beside itself then stands in
 * berm's own group and keeps it from stepping aside. */
bool host_has_unified_groups(void);

/* The home directory of the effective user, by the user database and never by $HOME. Apart from the probe: most
 * plans do without, and to read the database is a tenth of it. */
void host_find_home(struct host *host);

/* Try to open an inherited task clock. Apart from the probe: needed only where no group counts CPU time. */
void host_try_clock(struct host *host);

/* For a caller that is not berm itself and stays where it stands: what would need a step out of the own group
 * (v2) is blocked. */
void host_stay_in_group(struct host *host);

/* Why a user namespace was refused, from what clone or the id map answered. Reads a few sysctls. */
enum host_block host_userns_block(int error);

/* "user.max_user_namespaces is 0" and "set it ..."; never NULL, "" for BLOCK_NONE. */
const char *host_block_cause(enum host_block block);
const char *host_block_cure(enum host_block block);

#endif
