/*
 * Walking the tree of a run.
 */
#include "run/monitor.h"

#include <fcntl.h>
#include <stdio.h>
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

static bool add_pss(pid_t pid, void *context)
{
    char path[48];
    char text[2048];
    uint64_t *total = context;
    uint64_t kib = 0;

    (void)snprintf(path, sizeof(path), "/proc/%d/smaps_rollup", (int)pid);
    if (file_read_at(AT_FDCWD, path, text, sizeof(text)) <= 0)
        return true;
    const char *line = strstr(text, "\nPss:");
    if (!line)
        return true;
    line += sizeof("\nPss:") - 1;
    line += strspn(line, " \t");
    (void)text_to_u64(line, &kib);
    *total += kib * 1024;
    return true;
}

uint64_t monitor_pss_bytes(pid_t root, bool has_init)
{
    uint64_t total = 0;

    if (!has_init)
        (void)add_pss(root, &total);
    proc_visit_tree(root, add_pss, &total);
    return total;
}
