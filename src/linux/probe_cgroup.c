/*
 * Which control groups berm could use: found by the standard mount points and /proc/self/cgroup, never
 * above the group in which berm was started.
 *
 * The mount table is not read: it may have thousands of lines, and the standard places are checked by the
 * file system's own magic number.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <string.h>
#include <sys/statfs.h>
#include <unistd.h>

#include "linux/file.h"
#include "linux/probe_parts.h"

#define CGROUP_BASE      "/sys/fs/cgroup"
#define SELF_CGROUP_SIZE 4096
#ifndef CGROUP2_SUPER_MAGIC
#    define CGROUP2_SUPER_MAGIC 0x63677270
#endif

static const char *const controller_names[CG_CONTROLLER_COUNT] = {
    [CG_MEMORY] = "memory",
    [CG_PIDS] = "pids",
    [CG_CPU] = "cpu",
    [CG_CPUACCT] = "cpuacct",
};

static bool has_magic(const char *path, long magic)
{
    struct statfs info;

    return statfs(path, &info) == 0 && (long)info.f_type == magic;
}

/* Is @name one of the comma-separated words between @list and @end? A substring is not a word: "cpu" must
 * not match "cpuset". */
static bool list_has(const char *list, const char *end, const char *name)
{
    size_t length = strlen(name);

    while (list < end) {
        const char *comma = memchr(list, ',', (size_t)(end - list));
        const char *stop = comma ? comma : end;
        if ((size_t)(stop - list) == length && memcmp(list, name, length) == 0)
            return true;
        list = stop + 1;
    }
    return false;
}

static enum host_block block_of_access(const char *path)
{
    if (faccessat(AT_FDCWD, path, W_OK, AT_EACCESS) == 0)
        return BLOCK_NONE;
    return errno == EROFS ? BLOCK_READ_ONLY : BLOCK_NOT_DELEGATED;
}

/* The usual case, with the fewest calls: a group of the right kind that berm may make groups in. */
static bool take_group(struct host_controller *controller, const char *path)
{
    if (block_of_access(path) != BLOCK_NONE || !has_magic(path, CGROUP_SUPER_MAGIC))
        return false;
    controller->block = BLOCK_NONE;
    (void)snprintf(controller->parent, sizeof(controller->parent), "%s", path);
    return true;
}

/* In a container the path is the host's, and the mount point itself is the group: then the base is taken. */
static void take_parent(struct host_controller *controller, const char *base, const char *path,
                        size_t path_length)
{
    char full[HOST_PATH_SIZE];
    int n =
        snprintf(full, sizeof(full), "%s%.*s", base, path_length > 1 ? (int)path_length : 0, path);

    if (n < 0 || (size_t)n >= sizeof(full) || access(full, F_OK) != 0)
        (void)snprintf(full, sizeof(full), "%s", base);
    controller->block = block_of_access(full);
    if (controller->block == BLOCK_NONE)
        memcpy(controller->parent, full, sizeof(full));
}

/* One line of /proc/self/cgroup: "4:memory:/path" (cgroups(7)). */
static void take_v1_line(struct host_cgroup *cgroup, const char *line, const char *end)
{
    const char *list = memchr(line, ':', (size_t)(end - line));
    const char *path = list ? memchr(list + 1, ':', (size_t)(end - list - 1)) : NULL;

    if (!path)
        return;
    for (unsigned i = 0; i < CG_CONTROLLER_COUNT; i++) {
        char base[64];
        char full[HOST_PATH_SIZE];

        if (!list_has(list + 1, path, controller_names[i]))
            continue;
        /* Mounted together, both names lead to one hierarchy: the same text, so that one leaf is made. */
        bool is_joint = i == CG_CPUACCT && list_has(list + 1, path, "cpu");
        (void)snprintf(base, sizeof(base), CGROUP_BASE "/%s",
                       controller_names[is_joint ? CG_CPU : i]);
        int n = snprintf(full, sizeof(full), "%s%.*s", base,
                         end - path > 2 ? (int)(end - path - 1) : 0, path + 1);
        if (n > 0 && (size_t)n < sizeof(full) && take_group(&cgroup->controllers[i], full))
            continue;
        if (has_magic(base, CGROUP_SUPER_MAGIC))
            take_parent(&cgroup->controllers[i], base, path + 1, (size_t)(end - path - 1));
    }
}

static void probe_v1(struct host_cgroup *cgroup, const char *text)
{
    for (const char *line = text; *line != '\0';) {
        const char *end = strchr(line, '\n');
        if (!end)
            end = line + strlen(line);
        take_v1_line(cgroup, line, end);
        line = *end == '\n' ? end + 1 : end;
    }
    for (unsigned i = 0; i < CG_CONTROLLER_COUNT; i++) {
        if (cgroup->controllers[i].parent[0] != '\0')
            cgroup->version = 1;
    }
    const char *parent = cgroup->controllers[CG_MEMORY].parent;
    char path[HOST_PATH_SIZE + 64];
    (void)snprintf(path, sizeof(path), "%s/memory.memsw.limit_in_bytes", parent);
    cgroup->has_swap_limit = parent[0] != '\0' && access(path, F_OK) == 0;
}

static bool file_lists(const char *dir, const char *name, const char *word)
{
    char path[HOST_PATH_SIZE + 64];
    char text[512];

    (void)snprintf(path, sizeof(path), "%s/%s", dir, name);
    ssize_t n = file_read_at(AT_FDCWD, path, text, sizeof(text));
    for (ssize_t i = 0; i < n; i++) {
        if (text[i] == ' ')
            text[i] = ',';
    }
    return n > 0 && list_has(text, text + n, word);
}

static bool may_write(const char *dir, const char *name)
{
    char path[HOST_PATH_SIZE + 64];

    (void)snprintf(path, sizeof(path), "%s/%s", dir, name);
    return faccessat(AT_FDCWD, path, W_OK, AT_EACCESS) == 0;
}

static void count_others(uint64_t pid, void *context)
{
    unsigned *count = context;

    *count += pid != (uint64_t)getpid();
}

/* Whether controllers can be handed to groups below @dir. The real root may have processes of its own, every
 * other group must be left first (cgroup-v2.rst, "No Internal Process Constraint"); only a group that is not
 * the real root has the file cgroup.type. */
static enum host_block block_of_enabling(struct host_cgroup *cgroup, const char *dir)
{
    char path[HOST_PATH_SIZE + 64];
    unsigned others = 0;

    cgroup->must_enable = true;
    if (!may_write(dir, "cgroup.subtree_control"))
        return BLOCK_NOT_DELEGATED;
    (void)snprintf(path, sizeof(path), "%s/cgroup.type", dir);
    if (access(path, F_OK) < 0)
        return BLOCK_NONE;
    cgroup->must_step_aside = true;
    (void)snprintf(path, sizeof(path), "%s/cgroup.procs", dir);
    (void)file_each_u64_at(AT_FDCWD, path, count_others, &others);
    return others == 0 ? BLOCK_NONE : BLOCK_GROUP_SHARED;
}

/* CPU time is counted in every group, by no controller (cgroup-v2.rst, "cpu.stat"). */
static bool is_lacking(const char *dir, const char *file, unsigned i)
{
    return i != CG_CPUACCT && !file_lists(dir, file, controller_names[i]);
}

static void probe_v2(struct host_cgroup *cgroup, const char *text)
{
    const char *line = strstr(text, "0::/");
    struct host_controller own = {0};
    const char *path = line ? line + 3 : "/";
    size_t length = strcspn(path, "\n");
    bool must_enable = false;

    take_parent(&own, CGROUP_BASE, path, length);
    /* To clone into a group, one must be allowed to move there from here (cgroup-v2.rst, "Delegation"). */
    if (own.block == BLOCK_NONE && !may_write(own.parent, "cgroup.procs"))
        own.block = BLOCK_NOT_DELEGATED;
    for (unsigned i = 0; i < CG_CONTROLLER_COUNT && own.block == BLOCK_NONE; i++)
        must_enable |= is_lacking(own.parent, "cgroup.subtree_control", i) &&
                       !is_lacking(own.parent, "cgroup.controllers", i);
    if (must_enable)
        own.block = block_of_enabling(cgroup, own.parent);
    cgroup->version = own.block == BLOCK_NONE ? 2 : 0;
    for (unsigned i = 0; i < CG_CONTROLLER_COUNT; i++) {
        struct host_controller *controller = &cgroup->controllers[i];

        *controller = own;
        if (own.block == BLOCK_NONE && is_lacking(own.parent, "cgroup.controllers", i))
            controller->block = BLOCK_CONTROLLER_MISSING;
        if (controller->block != BLOCK_NONE)
            controller->parent[0] = '\0';
    }
    cgroup->has_swap_limit = true; /* memory.swap.max; its absence is found when it is written */
}

bool host_has_unified_groups(void)
{
    return has_magic(CGROUP_BASE, CGROUP2_SUPER_MAGIC);
}

void probe_cgroup(struct host_cgroup *cgroup)
{
    char text[SELF_CGROUP_SIZE];

    for (unsigned i = 0; i < CG_CONTROLLER_COUNT; i++)
        cgroup->controllers[i].block = BLOCK_CONTROLLER_MISSING;
    if (file_read_at(AT_FDCWD, "/proc/self/cgroup", text, sizeof(text)) < 0)
        return;
    if (host_has_unified_groups())
        probe_v2(cgroup, text);
    else
        probe_v1(cgroup, text);
}

void host_stay_in_group(struct host *host)
{
    struct host_cgroup *cgroup = &host->cgroup;

    if (!cgroup->must_step_aside)
        return;
    cgroup->version = 0;
    for (unsigned i = 0; i < CG_CONTROLLER_COUNT; i++)
        cgroup->controllers[i] = (struct host_controller){.block = BLOCK_GROUP_SHARED};
}
