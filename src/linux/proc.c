/*
 * Reading other processes through /proc.
 */
#include "linux/proc.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "linux/file.h"

#define STAT_SIZE 1024

/* Fields of /proc/PID/stat behind the command name, counted from 3 as proc(5) does. */
enum stat_field {
    STAT_STATE = 3,
    STAT_PARENT = 4,
    STAT_SESSION = 6,
    STAT_UTIME = 14,
    STAT_STIME = 15,
    STAT_CUTIME = 16,
    STAT_CSTIME = 17,
    STAT_THREADS = 20,
    STAT_START = 22,
    STAT_RSS = 24,
};

static uint64_t ticks_ns(uint64_t ticks)
{
    long rate = sysconf(_SC_CLK_TCK);
    return ticks * (1000000000u / (uint64_t)(rate > 0 ? rate : 100));
}

static void take_field(struct proc_stat *stat, int field, uint64_t value)
{
    switch (field) {
    case STAT_PARENT:
        stat->parent = (pid_t)value;
        break;
    case STAT_SESSION:
        stat->session = (pid_t)value;
        break;
    case STAT_UTIME:
    case STAT_STIME:
        stat->cpu_ns += ticks_ns(value);
        break;
    case STAT_CUTIME:
    case STAT_CSTIME:
        stat->children_cpu_ns += ticks_ns(value);
        break;
    case STAT_THREADS:
        stat->threads = (uint32_t)value;
        break;
    case STAT_START:
        stat->start_ticks = value;
        break;
    case STAT_RSS:
        stat->rss_bytes = value * (uint64_t)sysconf(_SC_PAGESIZE);
        break;
    default:
        break;
    }
}

int proc_read_stat(pid_t pid, struct proc_stat *ret_stat)
{
    char path[32];
    char text[STAT_SIZE];
    struct proc_stat stat = {0};

    (void)snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
    ssize_t n = file_read_at(AT_FDCWD, path, text, sizeof(text));
    if (n < 0)
        return n == -ENOENT ? -ESRCH : (int)n;
    /* The name may hold anything, a ")" too: the last one closes it (proc(5)). */
    const char *at = strrchr(text, ')');
    if (!at || at[1] != ' ')
        return -EBADMSG;
    at += 2;
    stat.state = *at;
    for (int field = STAT_STATE; field <= STAT_RSS && at; field++) {
        uint64_t value = 0;
        (void)text_to_u64(at, &value); /* "-1" and letters read as 0: not fields that are taken */
        take_field(&stat, field, value);
        at = strchr(at, ' ');
        if (at)
            at++;
    }
    *ret_stat = stat;
    return 0;
}

/* A bounded list of pids still to be looked at: a tree is walked without recursion. */
struct pid_queue {
    pid_t *items;
    size_t count, next;
};

static void add_one(uint64_t pid, void *context)
{
    struct pid_queue *queue = context;

    if (queue->count < PROC_TREE_MAX)
        queue->items[queue->count++] = (pid_t)pid;
}

static void add_children(struct pid_queue *queue, pid_t pid, const char *thread)
{
    char path[sizeof("/proc//task//children") + 300];

    (void)snprintf(path, sizeof(path), "/proc/%d/task/%s/children", (int)pid, thread);
    (void)file_each_u64_at(AT_FDCWD, path, add_one, queue); /* gone meanwhile: no children */
}

/* Children belong to the thread that made them, so each thread is asked. */
static void add_children_of_threads(struct pid_queue *queue, pid_t pid)
{
    char path[32];
    const struct dirent *entry;

    (void)snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
    DIR *dir = opendir(path);
    if (!dir)
        return;
    while ((entry = readdir(dir)) != NULL) {
        if (entry->d_name[0] != '.')
            add_children(queue, pid, entry->d_name);
    }
    (void)closedir(dir);
}

void proc_visit_tree(pid_t root, proc_visit visit, void *context)
{
    AUTO_FREE pid_t *items = calloc(PROC_TREE_MAX, sizeof(*items));
    struct pid_queue queue = {.items = items};

    if (!items)
        return;
    add_children_of_threads(&queue, root);
    while (queue.next < queue.count) {
        pid_t pid = queue.items[queue.next++];
        if (!visit(pid, context))
            return;
        add_children_of_threads(&queue, pid);
    }
}

void proc_visit_session(pid_t session, proc_visit visit, void *context)
{
    const struct dirent *entry;
    DIR *dir = opendir("/proc");

    if (!dir)
        return;
    while ((entry = readdir(dir)) != NULL) {
        uint64_t pid = 0;
        struct proc_stat stat;

        if (text_to_u64(entry->d_name, &pid) == 0 || proc_read_stat((pid_t)pid, &stat) < 0)
            continue;
        if (stat.session == session && !visit((pid_t)pid, context))
            break;
    }
    (void)closedir(dir);
}
