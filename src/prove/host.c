/*
 * Reading the processes of an attack from outside.
 */
#include "prove/host.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "linux/clone.h"
#include "linux/file.h"
#include "linux/proc.h"

/* GUEST hold TAG WORD...: a wrapper has the same words among its own, but not as its second and third. */
static bool is_of_attack(pid_t pid, const char *tag)
{
    char path[64];
    char text[4096];

    (void)snprintf(path, sizeof(path), "/proc/%d/cmdline", (int)pid);
    ssize_t n = file_read_at(AT_FDCWD, path, text, sizeof(text) - 1);
    if (n <= 0)
        return false;
    text[n] = '\0';
    const char *end = text + n;
    const char *second = text + strlen(text) + 1;
    if (second >= end || strcmp(second, "hold") != 0)
        return false;
    const char *third = second + strlen(second) + 1;
    return third < end && strcmp(third, tag) == 0;
}

void sight_find(struct sight *sight, const char *tag)
{
    const struct dirent *entry;
    DIR *dir = opendir("/proc");

    sight->count = 0;
    while (dir && (entry = readdir(dir)) != NULL && sight->count < SIGHT_PIDS_MAX) {
        uint64_t pid = 0;

        if (isdigit((unsigned char)entry->d_name[0]) && text_to_u64(entry->d_name, &pid) > 0 &&
            is_of_attack((pid_t)pid, tag))
            sight->pids[sight->count++] = (pid_t)pid;
    }
    if (dir)
        (void)closedir(dir);
}

void sight_count(const struct sight *sight, struct sight_peaks *peaks)
{
    uint64_t rss = 0;
    uint64_t cpu_ns = 0;
    size_t threads = 0;

    for (size_t i = 0; i < sight->count; i++) {
        struct proc_stat stat;

        if (proc_read_stat(sight->pids[i], &stat) < 0)
            continue;
        rss += stat.rss_bytes;
        cpu_ns += stat.cpu_ns + stat.children_cpu_ns;
        threads += stat.threads;
    }
    if (sight->count > peaks->processes)
        peaks->processes = sight->count;
    if (threads > peaks->threads)
        peaks->threads = threads;
    if (rss > peaks->rss_bytes)
        peaks->rss_bytes = rss;
    if (cpu_ns / 1000000 > peaks->cpu_ms)
        peaks->cpu_ms = cpu_ns / 1000000;
}

size_t sight_end(struct sight *sight, const char *tag)
{
    size_t first = 0;

    for (int round = 0; round < 200; round++) {
        sight_find(sight, tag);
        if (round == 0)
            first = sight->count;
        if (sight->count == 0)
            break;
        for (size_t i = 0; i < sight->count; i++) {
            AUTO_FD int pidfd = (int)syscall(SYS_pidfd_open, sight->pids[i], 0);
            /* Pinned first, and looked at again: a PID is given anew (pidfd_open(2)). */
            if (pidfd >= 0 && is_of_attack(sight->pids[i], tag))
                (void)pidfd_signal(pidfd, SIGKILL);
        }
        (void)nanosleep(&(struct timespec){0, 5000000}, NULL);
    }
    return first;
}

bool sight_status(pid_t pid, const char *field, char *out, size_t size)
{
    char path[64];
    char text[8192];
    char name[64];

    (void)snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
    ssize_t n = file_read_at(AT_FDCWD, path, text, sizeof(text) - 1);
    if (n <= 0)
        return false;
    text[n] = '\0';
    (void)snprintf(name, sizeof(name), "\n%s:", field);
    const char *at = strstr(text, name);
    if (!at)
        return false;
    at += strlen(name);
    at += strspn(at, "\t ");
    (void)snprintf(out, size, "%.*s", (int)strcspn(at, "\n"), at);
    return true;
}

bool sight_stat(pid_t pid, int field, int64_t *ret_value)
{
    char path[64];
    char text[2048];

    (void)snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
    if (file_read_at(AT_FDCWD, path, text, sizeof(text)) <= 0)
        return false;
    const char *at = strrchr(text, ')');
    for (int i = 2; at && i < field; i++) {
        at = strchr(at, ' ');
        at = at ? at + 1 : NULL;
    }
    if (!at)
        return false;
    *ret_value = strtoll(at, NULL, 10);
    return true;
}

bool sight_has_descriptor(pid_t pid, const char *part, char *seen, size_t size)
{
    char path[64];
    const struct dirent *entry;
    bool is_found = false;

    (void)snprintf(path, sizeof(path), "/proc/%d/fd", (int)pid);
    DIR *dir = opendir(path);
    while (dir && !is_found && (entry = readdir(dir)) != NULL) {
        char target[512];
        ssize_t n = readlinkat(dirfd(dir), entry->d_name, target, sizeof(target) - 1);

        target[n < 0 ? 0 : n] = '\0';
        is_found = strstr(target, part) != NULL;
        if (is_found)
            (void)snprintf(seen, size, "descriptor %.16s of the program is %.200s", entry->d_name,
                           target);
    }
    if (dir)
        (void)closedir(dir);
    return is_found;
}

size_t sight_open_files(pid_t pid)
{
    char path[64];
    const struct dirent *entry;
    size_t count = 0;

    (void)snprintf(path, sizeof(path), "/proc/%d/fd", (int)pid);
    DIR *dir = opendir(path);
    while (dir && (entry = readdir(dir)) != NULL)
        count += entry->d_name[0] != '.';
    if (dir)
        (void)closedir(dir);
    return count;
}

bool sight_file_has(pid_t pid, const char *file, const char *text)
{
    char path[128];
    static char content[1 << 18];
    size_t used = 0;

    (void)snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, file);
    AUTO_FD int fd = open(path, O_RDONLY | O_CLOEXEC);
    while (fd >= 0 && used < sizeof(content)) {
        ssize_t n = read(fd, content + used, sizeof(content) - used);
        if (n <= 0)
            break;
        used += (size_t)n;
    }
    return memmem(content, used, text, strlen(text)) != NULL;
}

bool sight_line(pid_t pid, const char *file, char *out, size_t size)
{
    char path[128];

    (void)snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, file);
    ssize_t n = file_read_at(AT_FDCWD, path, out, size - 1);
    if (n < 0) {
        n = readlink(path, out, size - 1);
        if (n < 0)
            return false;
    }
    out[n] = '\0';
    out[strcspn(out, "\n")] = '\0';
    return true;
}
