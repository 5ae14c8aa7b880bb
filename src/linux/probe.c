/*
 * Fills the host facts.
 *
 * QUICK is on the path of every run: it reads a handful of files and tries nothing that makes a process.
 * DEEP (doctor) also makes children that try.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/seccomp.h>
#include <pwd.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "linux/file.h"
#include "linux/host.h"
#include "linux/perf.h"
#include "linux/probe_parts.h"

#ifndef SYS_landlock_create_ruleset
#    define SYS_landlock_create_ruleset 444
#endif
#define NGROUPS_LISTED         64
#define LANDLOCK_VERSION_QUERY 1U /* LANDLOCK_CREATE_RULESET_VERSION, landlock_create_ruleset(2) */

static void probe_kernel(struct host *host)
{
    struct utsname name;
    uint64_t major = 0;
    uint64_t minor = 0;

    if (uname(&name) == 0) {
        size_t used = text_to_u64(name.release, &major);
        if (name.release[used] == '.')
            (void)text_to_u64(name.release + used + 1, &minor);
    }
    host->kernel_major = (unsigned)major;
    host->kernel_minor = (unsigned)minor;

    long abi = syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_VERSION_QUERY);
    host->landlock_abi = abi > 0 ? (int)abi : 0;
    if (abi < 0) {
        host->landlock = errno == EOPNOTSUPP ? BLOCK_NOT_ENABLED
                         : errno == EPERM    ? BLOCK_OUTER_FILTER
                                             : BLOCK_KERNEL_TOO_OLD;
    }
    /* EFAULT: the action is known and the null pointer is not; anything else: no filters (seccomp(2)). */
    errno = 0;
    (void)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, NULL);
    host->has_seccomp_filter = errno == EFAULT || errno == EACCES;
}

/* The list may name the primary group as well (getgroups(2)): that one is mapped, not left over. */
static uint32_t count_extra_groups(gid_t own)
{
    gid_t list[NGROUPS_LISTED];
    int count = getgroups(NGROUPS_LISTED, list);
    uint32_t extra = 0;

    if (count < 0) /* more than are listed here */
        return (uint32_t)getgroups(0, NULL);
    for (int i = 0; i < count; i++)
        extra += list[i] != own;
    return extra;
}

static void probe_user(struct host *host)
{
    host->uid = geteuid();
    host->gid = getegid();
    host->extra_group_count = count_extra_groups(host->gid);
}

/* The user database and not $HOME: no environment variable changes isolation. In the static executable this is
 * /etc/passwd alone, since it cannot load name service modules. */
void host_find_home(struct host *host)
{
    char buffer[4096];
    struct passwd entry;
    struct passwd *found = NULL;

    if (getpwuid_r(host->uid, &entry, buffer, sizeof(buffer), &found) == 0 && found)
        (void)snprintf(host->home, sizeof(host->home), "%s", entry.pw_dir);
}

static void probe_time_zone(struct host *host)
{
    static const char zones[] = "/usr/share/zoneinfo/";
    char target[HOST_LINK_SIZE];

    ssize_t n = readlink("/etc/localtime", target, sizeof(target) - 1);
    if (n < 0)
        return;
    target[n] = '\0';
    const char *absolute = strncmp(target, "..", 2) == 0 ? target + 2 : target;
    if ((size_t)n < sizeof(target) - 1 && strncmp(absolute, zones, sizeof(zones) - 1) == 0)
        (void)snprintf(host->time_zone, sizeof(host->time_zone), "%s", absolute);
}

/* The initial user namespace, whose inode number never changes (PROC_USER_INIT_INO, linux/proc_ns.h). Root of
 * another one is an ordinary user here: it may have no uid to give to a run. */
#define INITIAL_USER_NAMESPACE 0xEFFFFFFDU

static bool is_initial_namespace(void)
{
    struct stat status;

    return stat("/proc/self/ns/user", &status) == 0 && status.st_ino == INITIAL_USER_NAMESPACE;
}

/* CAP_SYS_ADMIN, CAP_SETUID and CAP_SETGID decide what "root" means here (capabilities(7)). */
static bool has_root_powers(void)
{
    enum {
        SETGID = 6,
        SETUID = 7,
        SYS_ADMIN = 21
    };

    struct {
        uint32_t version;
        int pid;
    } header = {0x20080522, 0}; /* _LINUX_CAPABILITY_VERSION_3 */

    struct {
        uint32_t effective, permitted, inheritable;
    } data[2];

    const uint32_t needed = 1u << SETGID | 1u << SETUID | 1u << SYS_ADMIN;

    if (geteuid() != 0 || syscall(SYS_capget, &header, data) < 0)
        return false;
    return (data[0].effective & needed) == needed && is_initial_namespace();
}

static void probe_top_links(struct host *host)
{
    static const char *const names[] = {"bin", "sbin", "lib", "lib32", "lib64", "libx32"};
    size_t count = 0;

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        struct host_top_link *link = &host->top_links[count];
        struct stat status;
        char path[16];

        (void)snprintf(path, sizeof(path), "/%s", names[i]);
        ssize_t n = readlink(path, link->target, sizeof(link->target) - 1);
        if (n < 0 && (stat(path, &status) < 0 || !S_ISDIR(status.st_mode)))
            continue;
        link->target[n < 0 ? 0 : n] = '\0';
        (void)snprintf(link->name, sizeof(link->name), "%s", names[i]);
        count++;
    }
}

static void probe_cpus(struct host *host)
{
    cpu_set_t set;

    CPU_ZERO(&set);
    if (sched_getaffinity(0, sizeof(set), &set) == 0)
        host->cpu_count = (uint32_t)CPU_COUNT(&set);
    if (host->cpu_count == 0)
        host->cpu_count = 1;
}

static void probe_memory(struct host *host)
{
    struct sysinfo info;

    if (sysinfo(&info) == 0)
        host->memory_bytes = (uint64_t)info.totalram * info.mem_unit;
}

static void probe_rlimits(struct host *host)
{
    for (int i = 0; i < HOST_RLIMITS; i++) {
        struct rlimit limit = {RLIM_INFINITY, RLIM_INFINITY};

        /* The bare call: glibc and musl disagree on the type of the first argument. */
        (void)syscall(SYS_prlimit64, 0, i, NULL, &limit);
        host->rlimit_hard[i] = limit.rlim_max;
    }
}

/* perf_event_open(2), "ERRORS"; an outer filter answers EPERM. */
void host_try_clock(struct host *host)
{
    AUTO_FD int fd = perf_clock_open(0);

    host->perf = fd >= 0         ? BLOCK_NONE
                 : fd == -EACCES ? BLOCK_PERF_SYSCTL
                 : fd == -EPERM  ? BLOCK_OUTER_FILTER
                                 : BLOCK_KERNEL_TOO_OLD;
}

void host_probe(struct host *ret_host, enum probe_depth depth, const char *const *paths,
                size_t path_count)
{
    struct host *host = ret_host;

    memset(host, 0, sizeof(*host));
    probe_kernel(host);
    probe_user(host);
    host->is_root = has_root_powers();
    probe_top_links(host);
    probe_time_zone(host);
    probe_cpus(host);
    probe_memory(host);
    probe_rlimits(host);
    for (size_t i = 0; i < path_count && i < HOST_SUBTREES_MAX; i++) {
        struct stat status;

        if (stat(paths[i], &status) < 0)
            continue;
        host->subtree_mask |= 1ULL << i;
        if (!S_ISDIR(status.st_mode))
            host->subtree_files |= 1ULL << i;
    }
    probe_cgroup(&host->cgroup);
    probe_state_dir(host);
    host->perf = BLOCK_NOT_TRIED;
    host->userns = BLOCK_NOT_TRIED;
    host->proc_mount = BLOCK_NOT_TRIED;
    if (depth == PROBE_DEEP) {
        host_try_clock(host);
        probe_by_trying(host);
    }
}
