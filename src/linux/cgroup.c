/*
 * Control groups, v1 and v2.
 */
#include "linux/cgroup.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "linux/file.h"
#include "plan/defect.h"

#define KILL_ROUNDS_MAX   50
#define REMOVE_ROUNDS_MAX 400
#define REMOVE_PAUSE_NS   500000L /* 0.5 ms: a dying task leaves its group within a few of these */
/* Where berm stands while controllers are enabled below its own group (v2). */
#define SELF_LEAF "/berm-self"
/* A group's directory has two links and one for each group below it (kernfs_refresh_inode, fs/kernfs). */
#define LINKS_WITH_ONE_CHILD 3

void cgroup_init(struct cgroup *group)
{
    memset(group, 0, sizeof(*group));
    for (unsigned i = 0; i < CG_CONTROLLER_COUNT; i++) {
        group->dir_fds[i] = -EBADF;
        group->task_fds[i] = -EBADF;
    }
}

static void close_all(struct cgroup *group)
{
    for (unsigned i = 0; i < CG_CONTROLLER_COUNT; i++) {
        close_fd(&group->dir_fds[i]);
        close_fd(&group->task_fds[i]);
    }
}

static void kill_one(uint64_t pid, void *context)
{
    (void)context;
    if (pid > 1)
        (void)kill((pid_t)pid, SIGKILL); /* gone already is as good */
}

/* Until nobody is left, or the rounds are used up. */
static void kill_in_rounds(int dir_fd)
{
    struct timespec pause = {0, REMOVE_PAUSE_NS};

    for (int round = 0; round < KILL_ROUNDS_MAX; round++) {
        if (file_each_u64_at(dir_fd, "cgroup.procs", kill_one, NULL) == 0)
            return;
        (void)nanosleep(&pause, NULL); /* an early return only costs a round */
    }
}

void cgroup_kill(const struct cgroup *group)
{
    for (unsigned i = 0; i < CG_CONTROLLER_COUNT; i++) {
        if (group->dir_fds[i] < 0)
            continue;
        if (group->version != 2 || file_write_at(group->dir_fds[i], "cgroup.kill", "1") < 0)
            kill_in_rounds(group->dir_fds[i]);
    }
}

/* The controllers of the groups that are wanted, as cgroup.subtree_control takes them. CPU time is counted
 * without any (cgroup-v2.rst, "cpu.stat"). */
static void name_controllers(const char *const parents[CG_CONTROLLER_COUNT], char *text,
                             size_t size)
{
    static const char *const words[] = {
        [CG_MEMORY] = "+memory ", [CG_PIDS] = "+pids ", [CG_CPU] = "+cpu ", [CG_CPUACCT] = ""};
    size_t length = 0;

    text[0] = '\0';
    for (unsigned i = 0; i < CG_CONTROLLER_COUNT && length < size; i++) {
        if (parents[i] && parents[i][0] != '\0')
            length += (size_t)snprintf(text + length, size - length, "%s", words[i]);
    }
}

/* All that are enabled. A group that berm stepped out of had none: it held a process. */
static int disable_controllers(int group_fd)
{
    char enabled[256];
    char words[2 * sizeof(enabled)];
    size_t length = 0;

    ssize_t n = file_read_at(group_fd, "cgroup.subtree_control", enabled, sizeof(enabled));
    for (ssize_t i = 0; i < n; i++) {
        if (i == 0 || enabled[i - 1] == ' ')
            words[length++] = '-';
        words[length++] = enabled[i];
    }
    words[length] = '\0';
    if (n < 0)
        return (int)n;
    return length == 0 ? 0 : file_write_at(group_fd, "cgroup.subtree_control", words);
}

static int move_self(const char *group)
{
    AUTO_FD int fd = open(group, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    /* "0" is the writing process, all its threads (cgroup-v2.rst, "cgroup.procs"). */
    return fd < 0 ? -errno : file_write_at(fd, "cgroup.procs", "0");
}

/* A group that has processes cannot hand controllers to those below it, the real root excepted
 * (cgroup-v2.rst, "No Internal Process Constraint"): then berm, if it is alone there, steps into a leaf. */
static int enable_controllers(const char *parent, const char *const parents[CG_CONTROLLER_COUNT])
{
    AUTO_FD int fd = open(parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    char leaf[HOST_PATH_SIZE + sizeof(SELF_LEAF)];
    char words[64];

    if (fd < 0)
        return -errno;
    name_controllers(parents, words, sizeof(words));
    int r = words[0] == '\0' ? 0 : file_write_at(fd, "cgroup.subtree_control", words);
    if (r != -EBUSY)
        return r;
    (void)snprintf(leaf, sizeof(leaf), "%s" SELF_LEAF, parent);
    if (mkdir(leaf, 0755) < 0 && errno != EEXIST)
        return -errno;
    r = move_self(leaf);
    if (r == 0)
        r = file_write_at(fd, "cgroup.subtree_control", words);
    if (r < 0) {
        (void)move_self(parent); /* where berm came from; it may never have left */
        (void)rmdir(leaf);
    }
    return r;
}

/* Undo the step aside once nothing but berm is left there. Whoever comes next finds the group as it was. */
static void step_back(const char *leaf)
{
    char parent[sizeof(((struct cgroup *)0)->dirs[0])];
    char self[sizeof(parent) + sizeof(SELF_LEAF)];
    struct stat status;

    (void)snprintf(parent, sizeof(parent), "%.*s", (int)(strrchr(leaf, '/') - leaf), leaf);
    (void)snprintf(self, sizeof(self), "%s" SELF_LEAF, parent);
    if (access(self, F_OK) < 0 || stat(parent, &status) < 0 ||
        status.st_nlink != LINKS_WITH_ONE_CHILD)
        return;
    AUTO_FD int fd = open(parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd >= 0 && disable_controllers(fd) == 0 && file_write_at(fd, "cgroup.procs", "0") == 0)
        (void)rmdir(self); /* another berm may still stand in it */
}

static int remove_directory(const char *path)
{
    struct timespec pause = {0, REMOVE_PAUSE_NS};

    for (int round = 0; round < REMOVE_ROUNDS_MAX; round++) {
        if (rmdir(path) == 0 || errno == ENOENT)
            return 0;
        if (errno != EBUSY)
            return -errno;
        (void)nanosleep(&pause, NULL);
    }
    return -EBUSY;
}

/* An empty group goes at once: the usual case. */
static int remove_leaf(const struct cgroup *group, const char *path)
{
    if (IS_PLANTED(oom_stale))
        return 0;
    if (rmdir(path) == 0 || errno != EBUSY)
        return 0;
    cgroup_kill(group);
    return remove_directory(path);
}

int cgroup_remove(struct cgroup *group)
{
    int ret = 0;

    for (unsigned i = 0; i < CG_CONTROLLER_COUNT; i++) {
        if (group->dirs[i][0] == '\0')
            continue;
        int r = remove_leaf(group, group->dirs[i]);
        if (r < 0) {
            ret = r;
            continue;
        }
        if (group->version == 2)
            step_back(group->dirs[i]);
        group->dirs[i][0] = '\0';
    }
    if (ret < 0)
        return ret;
    close_all(group);
    group->version = 0;
    return 0;
}

/* A leaf of the same name belongs to a run that is dead: the name is guarded by the caller's lock. */
static int remove_dead(const char *path)
{
    AUTO_FD int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    if (fd < 0)
        return -errno;
    kill_in_rounds(fd);
    return remove_directory(path);
}

static int remove_stale(const char *path)
{
    char first[HOST_PATH_SIZE + 160];

    (void)snprintf(first, sizeof(first), "%s%s", path, CGROUP_FIRST_SUFFIX);
    (void)remove_dead(first); /* most runs have none */
    return remove_dead(path);
}

void cgroup_sweep(const char *parent, const char *name)
{
    char path[HOST_PATH_SIZE + 96];

    int n = snprintf(path, sizeof(path), "%s/%s", parent, name);
    if (n > 0 && (size_t)n < sizeof(path))
        (void)remove_stale(
            path); /* not there, or held by something that the next start meets again */
}

static int name_leaf(struct cgroup *group, unsigned i, const char *parent, const char *name)
{
    int length = snprintf(group->dirs[i], sizeof(group->dirs[i]), "%s/%s", parent, name);

    if (length >= 0 && (size_t)length < sizeof(group->dirs[i]))
        return 0;
    group->dirs[i][0] = '\0';
    return -ENAMETOOLONG;
}

static int make_leaf(struct cgroup *group, unsigned i)
{
    const char *path = group->dirs[i];

    if (mkdir(path, 0755) < 0) {
        if (errno != EEXIST)
            return -errno;
        int r = IS_PLANTED(oom_stale) ? 0 : remove_stale(path);
        if (r < 0)
            return r;
        if (!IS_PLANTED(oom_stale) && mkdir(path, 0755) < 0)
            return -errno;
    }
    group->dir_fds[i] = openat(AT_FDCWD, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (group->dir_fds[i] < 0)
        return -errno;
    if (group->version == 2)
        return 0;
    group->task_fds[i] = openat(group->dir_fds[i], "tasks", O_WRONLY | O_CLOEXEC);
    return group->task_fds[i] < 0 ? -errno : 0;
}

static int refuse(const char *parent, const char *what, int r, struct berm_error *err)
{
    return error_set(err, BERM_E_UNAVAILABLE, BERM_LAYER_LIMITS, -r,
                     "delegate a group to this user, or use --prefer limits", "cannot %s %s: %s",
                     what, parent, strerror(-r));
}

/* The directories that a leaf is made in: one a hierarchy, whichever controllers are used. */
static bool has_own_leaf(int version, const char *const parents[CG_CONTROLLER_COUNT], unsigned i)
{
    if (version == 2)
        return i == CG_MEMORY;
    if (!parents[i] || parents[i][0] == '\0')
        return false;
    /* v1 hierarchies that are mounted together ("cpu,cpuacct") share one leaf. */
    return i != CG_CPUACCT || !parents[CG_CPU] || strcmp(parents[i], parents[CG_CPU]) != 0;
}

static const char *parent_of(int version, const char *const parents[CG_CONTROLLER_COUNT],
                             unsigned i)
{
    const char *parent = NULL;

    if (version == 1)
        return parents[i];
    for (unsigned k = 0; k < CG_CONTROLLER_COUNT && !parent; k++)
        parent = parents[k] && parents[k][0] != '\0' ? parents[k] : NULL;
    return parent;
}

int cgroup_name(struct cgroup *group, int version, const char *const parents[CG_CONTROLLER_COUNT],
                const char *name, struct berm_error *err)
{
    group->version = version;
    for (unsigned i = 0; i < CG_CONTROLLER_COUNT; i++) {
        const char *parent = parent_of(version, parents, i);

        if (!parent || !has_own_leaf(version, parents, i))
            continue;
        int r = name_leaf(group, i, parent, name);
        if (r < 0)
            return refuse(parent, "make a control group in", r, err);
    }
    return 0;
}

int cgroup_make(struct cgroup *group, const char *const parents[CG_CONTROLLER_COUNT],
                struct berm_error *err)
{
    for (unsigned i = 0; i < CG_CONTROLLER_COUNT; i++) {
        const char *parent = parent_of(group->version, parents, i);
        int r = 0;

        if (group->dirs[i][0] == '\0')
            continue;
        if (group->version == 2) {
            r = enable_controllers(parent, parents);
            if (r < 0)
                return refuse(parent, "enable controllers below the control group", r, err);
        }
        r = make_leaf(group, i);
        if (r < 0) {
            (void)cgroup_remove(group); /* nothing has entered it yet */
            return refuse(parent, "make a control group in", r, err);
        }
    }
    return 0;
}

static int directory_of(const struct cgroup *group, enum cgroup_controller controller)
{
    if (group->version == 2)
        return group->dir_fds[CG_MEMORY];
    if (controller == CG_CPUACCT && group->dir_fds[CG_CPUACCT] < 0)
        return group->dir_fds[CG_CPU];
    return group->dir_fds[controller];
}

int cgroup_set(const struct cgroup *group, enum cgroup_controller controller, const char *file,
               const char *value, uint64_t read_back)
{
    int dir_fd = directory_of(group, controller);
    uint64_t seen = 0;
    char text[64];

    if (dir_fd < 0)
        return -ENODEV;
    AUTO_FD int fd = openat(dir_fd, file, O_RDWR | O_CLOEXEC);
    if (fd < 0 || write(fd, value, strlen(value)) < 0)
        return -errno;
    ssize_t n = pread(fd, text, sizeof(text) - 1, 0);
    if (n < 0)
        return -errno;
    while (n > 0 && text[n - 1] == '\n')
        n--;
    text[n] = '\0';
    if (read_back == UINT64_MAX)
        return strcmp(text, value) == 0 ? 0 : -EBADE;
    if (strcmp(text, "max") == 0)
        return -EBADE;
    return text_to_u64(text, &seen) > 0 && seen == read_back ? 0 : -EBADE;
}

uint64_t cgroup_cpu_ns(const struct cgroup *group)
{
    uint64_t value = 0;
    int fd = group->version == 0 ? -1 : directory_of(group, CG_CPUACCT);

    if (fd < 0)
        return UINT64_MAX;
    if (group->version == 1)
        return file_read_u64_at(fd, "cpuacct.usage", &value) == 0 ? value : UINT64_MAX;
    return file_read_key_at(fd, "cpu.stat", "usage_usec", &value) == 0 ? value * 1000 : UINT64_MAX;
}

static void read_memory(const struct cgroup *group, struct cgroup_counts *counts)
{
    int fd = directory_of(group, CG_MEMORY);
    bool is_v1 = group->version == 1;

    if (fd < 0)
        return;
    int r = file_read_key_at(fd, is_v1 ? "memory.oom_control" : "memory.events", "oom_kill",
                             &counts->oom_kills);
    counts->has_memory = r == 0;
    if (is_v1) {
        (void)file_read_u64_at(fd, "memory.max_usage_in_bytes", &counts->memory_peak_bytes);
        if (counts->oom_kills > 0)
            (void)file_read_u64_at(fd, "memory.failcnt", &counts->memory_refusals);
    } else {
        (void)file_read_u64_at(fd, "memory.peak", &counts->memory_peak_bytes); /* Linux 5.19 */
        if (counts->oom_kills > 0)
            (void)file_read_key_at(fd, "memory.events", "max", &counts->memory_refusals);
    }
}

void cgroup_read(const struct cgroup *group, struct cgroup_counts *ret_counts)
{
    memset(ret_counts, 0, sizeof(*ret_counts));
    if (group->version == 0)
        return;
    read_memory(group, ret_counts);
    uint64_t cpu = cgroup_cpu_ns(group);
    ret_counts->has_cpu = cpu != UINT64_MAX;
    ret_counts->cpu_ns = ret_counts->has_cpu ? cpu : 0;
    int fd = directory_of(group, CG_PIDS);
    if (fd < 0)
        return;
    ret_counts->has_pids =
        file_read_key_at(fd, "pids.events", "max", &ret_counts->pids_refusals) == 0;
    (void)file_read_u64_at(fd, "pids.peak", &ret_counts->pids_peak); /* Linux 6.1 */
}
