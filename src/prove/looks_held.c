/*
 * Looks at an attack that holds still: at its processes, through the host's /proc.
 */
#include <arpa/inet.h>
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "linux/proc.h"
#include "prove/looks.h"
#include "prove/scene.h"

#define SAY(...) (void)snprintf(seen, size, __VA_ARGS__)
#define MIB      (1UL << 20)

/* What `detail` says in MiB. */
static uint64_t detail_bytes(const struct scene *scene)
{
    return (uint64_t)scene->attack->detail * MIB;
}

/* ---- What is used up. ---- */

/* One of the processes of the attack may just be made: the host looks until nothing changes. */
static void look_again(struct scene *scene)
{
    size_t before;

    do {
        before = scene->sight.count;
        (void)nanosleep(&(struct timespec){0, 10000000}, NULL);
        sight_find(&scene->sight, scene->tag);
        sight_count(&scene->sight, &scene->peaks);
    } while (scene->sight.count > before);
}

bool look_memory(struct scene *scene, char *seen, size_t size)
{
    look_again(scene);
    SAY("its processes held %llu MiB", (unsigned long long)(scene->peaks.rss_bytes / MIB));
    return scene->peaks.rss_bytes > detail_bytes(scene);
}

bool look_processes(struct scene *scene, char *seen, size_t size)
{
    look_again(scene);
    SAY("%zu of its processes run at once", scene->peaks.processes);
    return scene->peaks.processes > (size_t)scene->attack->detail;
}

bool look_threads(struct scene *scene, char *seen, size_t size)
{
    look_again(scene);
    SAY("%zu of its threads run at once", scene->peaks.threads);
    return scene->peaks.threads > (size_t)scene->attack->detail;
}

/* Nothing is proven by a file that may not be read: a process of another user's, or one that hides. */
static bool may_look(struct scene *scene, const char *what, char *seen, size_t size)
{
    char path[64];

    (void)snprintf(path, sizeof(path), "/proc/%d/%s", (int)scene->sight.pids[0], what);
    DIR *dir = strcmp(what, "fd") == 0 || strcmp(what, "cwd") == 0 ? opendir(path) : NULL;
    AUTO_FD int fd = dir ? -EBADF : open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    bool may = dir || fd >= 0;

    if (dir)
        (void)closedir(dir);
    if (!may) {
        scene->is_blind = true;
        SAY("%s cannot be read", path);
    }
    return may;
}

bool look_open_files(struct scene *scene, char *seen, size_t size)
{
    if (!may_look(scene, "fd", seen, size))
        return false;
    size_t most = 0;

    for (size_t i = 0; i < scene->sight.count; i++) {
        size_t count = sight_open_files(scene->sight.pids[i]);
        if (count > most)
            most = count;
    }
    SAY("it has %zu files open", most);
    return most > (size_t)scene->attack->detail;
}

/* The files named berm-fill-TAG* in the directory that the attack names, seen as it sees it. */
static size_t count_fill(struct scene *scene, uint64_t *ret_bytes)
{
    const char *where = scene->attack->words[1];
    char path[256];
    const struct dirent *entry;
    char prefix[64];
    size_t count = 0;

    *ret_bytes = 0;
    (void)snprintf(prefix, sizeof(prefix), "berm-fill-%s", scene->tag);
    /* "/proc/PID/root" and "/proc/PID/cwd" lead to what the process sees (proc(5)). */
    if (where[0] == '/')
        (void)snprintf(path, sizeof(path), "/proc/%d/root%s", (int)scene->sight.pids[0], where);
    else
        (void)snprintf(path, sizeof(path), "/proc/%d/cwd", (int)scene->sight.pids[0]);
    DIR *dir = opendir(path);
    while (dir && (entry = readdir(dir)) != NULL) {
        struct stat status;

        if (strncmp(entry->d_name, prefix, strlen(prefix)) != 0 ||
            fstatat(dirfd(dir), entry->d_name, &status, AT_SYMLINK_NOFOLLOW) < 0)
            continue;
        count++;
        *ret_bytes += (uint64_t)status.st_blocks * 512;
    }
    if (dir)
        (void)closedir(dir);
    return count;
}

bool look_stored(struct scene *scene, char *seen, size_t size)
{
    if (!may_look(scene, "cwd", seen, size))
        return false;
    uint64_t bytes = 0;
    size_t count = count_fill(scene, &bytes);

    SAY("its %zu files hold %llu MiB", count, (unsigned long long)(bytes / MIB));
    /* Without a number of its own: the work directory, which may be one piece over. */
    uint64_t bound =
        scene->attack->detail > 0 ? detail_bytes(scene) : (scene->storage_mib + 1UL) * MIB;
    return bytes > bound;
}

bool look_file_count(struct scene *scene, char *seen, size_t size)
{
    if (!may_look(scene, "cwd", seen, size))
        return false;
    uint64_t bytes = 0;
    size_t count = count_fill(scene, &bytes);

    SAY("it has made %zu files", count);
    return count > (size_t)scene->attack->detail;
}

bool look_memory_file(struct scene *scene, char *seen, size_t size)
{
    if (!may_look(scene, "fd", seen, size))
        return false;
    uint64_t bytes = 0;
    char path[64];

    for (int fd = 3; fd < 16 && bytes == 0; fd++) {
        struct stat status;
        char target[64] = "";

        (void)snprintf(path, sizeof(path), "/proc/%d/fd/%d", (int)scene->sight.pids[0], fd);
        if (readlink(path, target, sizeof(target) - 1) > 0 && strstr(target, "memfd:berm-fill") &&
            stat(path, &status) == 0)
            bytes = (uint64_t)status.st_blocks * 512;
    }
    SAY("its memory file holds %llu MiB", (unsigned long long)(bytes / MIB));
    /* Without a number of its own: the work directory, which may be one piece over. */
    uint64_t bound =
        scene->attack->detail > 0 ? detail_bytes(scene) : (scene->storage_mib + 1UL) * MIB;
    return bytes > bound;
}

/* ---- What the kernel says of the process. ---- */

static pid_t held_pid(const struct scene *scene)
{
    return scene->sight.pids[0];
}

bool look_root_uid(struct scene *scene, char *seen, size_t size)
{
    if (!may_look(scene, "status", seen, size))
        return false;
    char text[128] = "unknown";
    bool is_read = sight_status(held_pid(scene), "Uid", text, sizeof(text));

    text[strcspn(text, "\t ")] = '\0';
    SAY("on the host its uid is %s", text);
    return is_read && strcmp(text, "0") == 0;
}

static bool status_is(struct scene *scene, const char *field, const char *harmless, char *seen,
                      size_t size)
{
    char text[128] = "unknown";
    bool is_read = sight_status(held_pid(scene), field, text, sizeof(text));

    SAY("the kernel says %s: %s", field, text);
    return is_read && strcmp(text, harmless) == 0;
}

/* All five sets: what is only permitted or inheritable is in force a call later (capabilities(7)). */
bool look_capabilities(struct scene *scene, char *seen, size_t size)
{
    if (!may_look(scene, "status", seen, size))
        return false;
    static const char *const sets[] = {"CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"};

    for (size_t i = 0; i < sizeof(sets) / sizeof(sets[0]); i++) {
        if (!status_is(scene, sets[i], "0000000000000000", seen, size))
            return true;
    }
    SAY("the kernel names no capability in any of its sets");
    return false;
}

bool look_new_privileges(struct scene *scene, char *seen, size_t size)
{
    if (!may_look(scene, "status", seen, size))
        return false;
    return !status_is(scene, "NoNewPrivs", "1", seen, size);
}

bool look_no_filter(struct scene *scene, char *seen, size_t size)
{
    if (!may_look(scene, "status", seen, size))
        return false;
    return !status_is(scene, "Seccomp", "2", seen, size);
}

static bool stat_differs(struct scene *scene, int field, const char *what, bool (*is_harm)(int64_t),
                         char *seen, size_t size)
{
    int64_t value = 0;
    bool is_read = sight_stat(held_pid(scene), field, &value);

    SAY("its %s is %lld", what, (long long)value);
    return is_read && is_harm(value);
}

static bool is_before_others(int64_t nice)
{
    return nice < 0;
}

static bool is_positive(int64_t value)
{
    return value > 0;
}

/* Fields of /proc/PID/stat (proc(5)). */
bool look_priority(struct scene *scene, char *seen, size_t size)
{
    if (!may_look(scene, "stat", seen, size))
        return false;
    return stat_differs(scene, 19, "nice value", is_before_others, seen, size);
}

bool look_real_time(struct scene *scene, char *seen, size_t size)
{
    if (!may_look(scene, "stat", seen, size))
        return false;
    return stat_differs(scene, 40, "real-time priority", is_positive, seen, size);
}

bool look_oom_score(struct scene *scene, char *seen, size_t size)
{
    if (!may_look(scene, "oom_score_adj", seen, size))
        return false;
    char mine[32] = "0";
    char text[32] = "unknown";

    (void)sight_line(getpid(), "oom_score_adj", mine, sizeof(mine));
    bool is_read = sight_line(held_pid(scene), "oom_score_adj", text, sizeof(text));
    SAY("its OOM score is adjusted by %s; the caller's by %s", text, mine);
    return is_read && strtol(text, NULL, 10) < strtol(mine, NULL, 10);
}

bool look_cpus(struct scene *scene, char *seen, size_t size)
{
    if (!may_look(scene, "status", seen, size))
        return false;
    char text[256] = "";
    unsigned count = 0;
    bool is_read = sight_status(held_pid(scene), "Cpus_allowed", text, sizeof(text));

    for (const char *c = text; *c != '\0'; c++) {
        if (isxdigit((unsigned char)*c)) {
            char digit[2] = {*c, '\0'};
            count += (unsigned)__builtin_popcount((unsigned)strtoul(digit, NULL, 16));
        }
    }
    SAY("it may use %u CPUs at a time", count);
    return is_read && count > 1;
}

bool look_descriptor(struct scene *scene, char *seen, size_t size)
{
    if (!may_look(scene, "fd", seen, size))
        return false;
    static const char *const parts[] = {
        [OPEN_BPF] = "bpf-map",
        [OPEN_PERF] = "[perf_event]",
        [OPEN_USERFAULTFD] = "[userfaultfd]",
        [OPEN_IO_URING] = "[io_uring]",
        [OPEN_FANOTIFY] = "[fanotify]",
        [OPEN_KVM] = "/dev/kvm",
        [OPEN_DISK] = "/dev/",
        [OPEN_KMSG] = "/dev/kmsg",
    };
    const char *part =
        scene->attack->detail == OPEN_DISK ? attack_disk() : parts[scene->attack->detail];

    for (size_t i = 0; i < scene->sight.count; i++) {
        if (sight_has_descriptor(scene->sight.pids[i], part, seen, size))
            return true;
    }
    SAY("none of its descriptors leads to %s", part);
    return false;
}

/* Its source is the directory's own name: "none" and the like are what every system has. */
bool look_mounted(struct scene *scene, char *seen, size_t size)
{
    if (!may_look(scene, "mountinfo", seen, size))
        return false;
    for (size_t i = 0; i < scene->sight.count; i++) {
        if (sight_file_has(scene->sight.pids[i], "mountinfo", "berm-attack-mount")) {
            SAY("its own mount stands in the list of mounts of PID %d", (int)scene->sight.pids[i]);
            return true;
        }
    }
    SAY("no mount of its own is in its list of mounts");
    return false;
}

bool look_namespaces(struct scene *scene, char *seen, size_t size)
{
    if (!may_look(scene, "ns/user", seen, size))
        return false;
    static const char *const names[] = {"ns/user", "ns/net", "ns/mnt"};
    char first[64];
    char other[64];

    for (size_t n = 0; n < 3; n++) {
        if (!sight_line(held_pid(scene), names[n], first, sizeof(first)))
            continue;
        for (size_t i = 1; i < scene->sight.count; i++) {
            if (!sight_line(scene->sight.pids[i], names[n], other, sizeof(other)) ||
                strcmp(first, other) == 0)
                continue;
            SAY("its processes are in two namespaces, %s and %s", first, other);
            return true;
        }
    }
    SAY("all its processes are in one user, network and mount namespace");
    return false;
}

/* /proc/PID/net/udp of its network namespace: rem_address in hexadecimal, in the byte order of the machine. */
bool look_route(struct scene *scene, char *seen, size_t size)
{
    if (!may_look(scene, "net/udp", seen, size))
        return false;
    struct in_addr address;
    char hex[16];

    if (inet_pton(AF_INET, scene->attack->words[1], &address) != 1)
        return false;
    (void)snprintf(hex, sizeof(hex), "%08X:0050", address.s_addr);
    bool is_there = sight_file_has(held_pid(scene), "net/udp", hex);
    SAY(is_there ? "the kernel gave it a route to %s" : "the kernel gave it no route to %s",
        scene->attack->words[1]);
    return is_there;
}

bool look_listener(struct scene *scene, char *seen, size_t size)
{
    struct sockaddr_in to = {.sin_family = AF_INET,
                             .sin_port = htons(scene->world->listen_port),
                             .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    AUTO_FD int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    bool is_reached = fd >= 0 && connect(fd, (struct sockaddr *)&to, sizeof(to)) == 0;

    SAY(is_reached ? "the host reached its port %u" : "nothing answers on the host's port %u",
        scene->world->listen_port);
    return is_reached;
}

bool look_personality(struct scene *scene, char *seen, size_t size)
{
    if (!may_look(scene, "personality", seen, size))
        return false;
    char text[32] = "unknown";
    bool is_read = sight_line(held_pid(scene), "personality", text, sizeof(text));

    SAY("its personality is %s", text);
    return is_read && (strtoul(text, NULL, 16) & 0x0040000) != 0; /* ADDR_NO_RANDOMIZE */
}

bool look_node(struct scene *scene, char *seen, size_t size)
{
    if (!may_look(scene, "cwd", seen, size))
        return false;
    char path[64];
    struct stat status;

    (void)snprintf(path, sizeof(path), "/proc/%d/cwd/berm-guest-node", (int)held_pid(scene));
    bool is_there =
        stat(path, &status) == 0 && (S_ISCHR(status.st_mode) || S_ISBLK(status.st_mode));
    SAY(is_there ? "a device node lies in its directory"
                 : "there is no device node in its directory");
    return is_there;
}

bool look_hard_link(struct scene *scene, char *seen, size_t size)
{
    struct stat status;
    bool is_there = stat(scene->world->tmp_file, &status) == 0 && status.st_nlink > 1;

    SAY(is_there ? "the host's file has a second name" : "the host's file has one name");
    return is_there;
}

/* A child of the attack that has another program, and root's rights. */
bool look_root_child(struct scene *scene, char *seen, size_t size)
{
    const struct dirent *entry;
    DIR *dir = opendir("/proc");
    bool is_there = false;

    while (dir && !is_there && (entry = readdir(dir)) != NULL) {
        struct proc_stat stat;
        char ids[128] = "";
        pid_t pid = (pid_t)strtol(entry->d_name, NULL, 10);

        if (pid <= 0 || proc_read_stat(pid, &stat) < 0 || stat.parent != held_pid(scene) ||
            !sight_status(pid, "Uid", ids, sizeof(ids)))
            continue;
        /* Real, effective, ...: by blanks (proc(5)). */
        char *rest = NULL;
        (void)strtoul(ids, &rest, 10);
        is_there = strtoul(rest, NULL, 10) == 0;
    }
    if (dir)
        (void)closedir(dir);
    SAY(is_there ? "its child runs with root's rights" : "no child of its runs with root's rights");
    return is_there;
}

bool send_secret_datagram(struct scene *scene, char *seen, size_t size)
{
    struct sockaddr_in to = {.sin_family = AF_INET,
                             .sin_port = htons(scene->world->ports[HONEYPOT_UDP]),
                             .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    AUTO_FD int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

    (void)size;
    seen[0] = '\0';
    (void)sendto(fd, scene->world->secret, strlen(scene->world->secret), 0, (struct sockaddr *)&to,
                 sizeof(to));
    return false;
}
