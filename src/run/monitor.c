/*
 * Walking the tree of a run.
 */
#include "run/monitor.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "linux/file.h"
#include "linux/proc.h"

static bool add_process(pid_t pid, void *context)
{
    struct monitor_sample *sample = context;
    struct proc_stat stat;

    if (proc_read_stat(pid, &stat) < 0)
        return true;
    /* Zombies too, as pids.max counts them: 20,500 of them hid 200 living processes behind the walk's bound. */
    sample->tasks += stat.threads > 0 ? stat.threads : 1;
    sample->cpu_ns += stat.cpu_ns + stat.children_cpu_ns;
    sample->rss_bytes += stat.rss_bytes;
    return true;
}

void monitor_sample_tree(pid_t root, bool has_init, struct monitor_sample *ret_sample)
{
    struct proc_stat stat;

    memset(ret_sample, 0, sizeof(*ret_sample));
    if (!has_init)
        (void)add_process(root, ret_sample);
    else if (proc_read_stat(root, &stat) == 0)
        ret_sample->cpu_ns += stat.children_cpu_ns; /* orphans that init has reaped */
    proc_visit_tree(root, add_process, ret_sample);
}

/* ---- The census. ---- */

static void add_entry(struct census *census, pid_t pid, const struct proc_stat *stat,
                      uint64_t amount)
{
    if (census->count == census->capacity) {
        size_t capacity = census->capacity ? census->capacity * 2 : 64;
        struct census_entry *entries =
            reallocarray(census->entries, capacity, sizeof(*census->entries));
        if (!entries)
            return; /* counted too low: the next look comes in 5 ms */
        census->entries = entries;
        census->capacity = capacity;
    }
    census->entries[census->count++] =
        (struct census_entry){.pid = pid, .start_ticks = stat->start_ticks, .amount = amount};
}

void census_add_tasks(struct census *census, pid_t pid)
{
    struct proc_stat stat;

    if (proc_read_stat(pid, &stat) == 0)
        add_entry(census, pid, &stat, stat.threads > 0 ? stat.threads : 1);
}

void census_add_pss(struct census *census, pid_t pid)
{
    char path[48];
    char text[2048];
    struct proc_stat stat;
    uint64_t kib = 0;

    (void)snprintf(path, sizeof(path), "/proc/%d/smaps_rollup", (int)pid);
    if (proc_read_stat(pid, &stat) < 0 || file_read_at(AT_FDCWD, path, text, sizeof(text)) <= 0)
        return;
    const char *line = strstr(text, "\nPss:");
    if (!line)
        return;
    line += sizeof("\nPss:") - 1;
    line += strspn(line, " \t");
    (void)text_to_u64(line, &kib);
    add_entry(census, pid, &stat, kib * 1024);
}

static int compare_entries(const void *a, const void *b)
{
    const struct census_entry *left = a;
    const struct census_entry *right = b;

    return (left->pid > right->pid) - (left->pid < right->pid);
}

uint64_t census_sum(struct census *census)
{
    uint64_t sum = 0;
    pid_t last = 0;

    if (census->count > 0)
        qsort(census->entries, census->count, sizeof(*census->entries), compare_entries);
    for (size_t i = 0; i < census->count; i++) {
        const struct census_entry *entry = &census->entries[i];
        struct proc_stat stat;
        /* Twice in the walk: its parent ended meanwhile, and it was found below the next one. */
        if (entry->pid == last || proc_read_stat(entry->pid, &stat) < 0 ||
            stat.start_ticks != entry->start_ticks)
            continue;
        last = entry->pid;
        sum += entry->amount;
    }
    return sum;
}

void census_done(struct census *census)
{
    free(census->entries);
    *census = (struct census){0};
}

typedef void (*census_add)(struct census *census, pid_t pid);

struct census_walk {
    struct census census;
    census_add add;
};

static bool add_to_walk(pid_t pid, void *context)
{
    struct census_walk *walk = context;

    walk->add(&walk->census, pid);
    return true;
}

static uint64_t take_census(pid_t root, bool has_init, census_add add)
{
    struct census_walk walk = {.add = add};

    if (!has_init)
        (void)add_to_walk(root, &walk);
    proc_visit_tree(root, add_to_walk, &walk);
    uint64_t sum = census_sum(&walk.census);
    census_done(&walk.census);
    return sum;
}

uint64_t monitor_count_tasks(pid_t root, bool has_init)
{
    return take_census(root, has_init, census_add_tasks);
}

uint64_t monitor_pss_bytes(pid_t root, bool has_init)
{
    return take_census(root, has_init, census_add_pss);
}
