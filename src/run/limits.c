/*
 * When a limit that berm itself watches over is reached.
 */
#include "run/limits.h"

#include <unistd.h>

#include "base/clock.h"
#include "linux/perf.h"
#include "plan/defect.h"
#include "run/monitor.h"

/* Shortest pause between two looks at the tree's CPU time. */
#define CPU_CHECK_MIN_NS 2000000ULL

/* How many CPUs can use up CPU time at once. */
static uint64_t cpu_count(const struct plan *plan)
{
    long online =
        plan->cpu_affinity_count > 0 ? plan->cpu_affinity_count : sysconf(_SC_NPROCESSORS_ONLN);

    return online > 0 ? (uint64_t)online : 1;
}

/* UINT64_MAX: nothing counts it. */
static uint64_t tree_cpu_ns(struct limit_watch *watch)
{
    uint64_t value = UINT64_MAX;

    if (plan_has(watch->part->plan, PLAN_GROUP_CPU))
        value = cgroup_cpu_ns(&watch->part->group);
    else if (watch->run->perf_fd >= 0)
        value = perf_clock_ns(watch->run->perf_fd);
    watch->seen->has_perf = watch->run->perf_fd >= 0 && value != UINT64_MAX;
    if (value != UINT64_MAX && value > watch->seen->monitor_cpu_ns)
        watch->seen->monitor_cpu_ns = value;
    return value;
}

static enum kill_reason check_cpu(struct limit_watch *watch, uint64_t now)
{
    uint64_t limit = watch->part->plan->cpu_ns;

    /* What is planted leaves the count of a control group: it hides the defect from L3 on. */
    if (limit == 0 || now < watch->next_cpu_ns ||
        (IS_PLANTED(soft_cpu_only) && !plan_has(watch->part->plan, PLAN_GROUP_CPU)))
        return KILL_NONE;
    uint64_t used = tree_cpu_ns(watch);
    if (used == UINT64_MAX) {
        watch->next_cpu_ns = UINT64_MAX; /* no such count: the monitor looks, or nobody */
        return KILL_NONE;
    }
    if (used >= limit)
        return KILL_CPU;
    /* Sooner the limit cannot be reached, with every CPU of the run busy. */
    uint64_t pause = (limit - used) / cpu_count(watch->part->plan);
    watch->next_cpu_ns = now + (pause > CPU_CHECK_MIN_NS ? pause : CPU_CHECK_MIN_NS);
    return KILL_NONE;
}

static enum kill_reason look_at_memory(struct limit_watch *watch, uint64_t rss_bytes)
{
    struct observation *seen = watch->seen;
    bool has_init = plan_has(watch->part->plan, PLAN_INIT);

    if (rss_bytes <= watch->part->plan->memory_bytes) {
        if (rss_bytes > seen->monitor_memory_peak_bytes)
            seen->monitor_memory_peak_bytes = rss_bytes;
        return KILL_NONE;
    }
    /* Shared pages count once for each process in the resident sets: confirmed before it kills. */
    uint64_t pss_bytes = monitor_pss_bytes(watch->run->pid, has_init);
    if (pss_bytes > seen->monitor_memory_peak_bytes)
        seen->monitor_memory_peak_bytes = pss_bytes;
    return pss_bytes > watch->part->plan->memory_bytes ? KILL_MEMORY : KILL_NONE;
}

static enum kill_reason look_at_processes(struct limit_watch *watch, uint64_t tasks)
{
    struct observation *seen = watch->seen;

    if (tasks <= seen->monitor_pids_peak)
        return KILL_NONE;
    tasks = monitor_count_tasks(watch->run->pid, plan_has(watch->part->plan, PLAN_INIT));
    if (tasks > seen->monitor_pids_peak)
        seen->monitor_pids_peak = tasks;
    bool is_over = tasks > watch->part->plan->process_count;
    return is_over && plan_has(watch->part->plan, PLAN_MONITOR_PROCESSES) ? KILL_PROCESSES
                                                                          : KILL_NONE;
}

static enum kill_reason run_monitor(struct limit_watch *watch, uint64_t now)
{
    const struct plan *plan = watch->part->plan;
    struct observation *seen = watch->seen;
    struct monitor_sample sample;
    bool counts_cpu = plan_has(plan, PLAN_MONITOR_CPU) && watch->run->perf_fd < 0;
    bool counts_memory = plan_has(plan, PLAN_MONITOR_MEMORY);

    if (now < watch->next_monitor_ns)
        return KILL_NONE;
    if (!counts_cpu && !counts_memory && !plan_has(plan, PLAN_MONITOR_PROCESSES)) {
        watch->next_monitor_ns = UINT64_MAX;
        return KILL_NONE;
    }
    watch->next_monitor_ns = now + MONITOR_INTERVAL_NS;
    monitor_sample_tree(watch->run->pid, plan_has(plan, PLAN_INIT), &sample);
    seen->has_monitor = true;
    enum kill_reason reason = look_at_processes(watch, sample.tasks);
    if (reason == KILL_NONE && counts_memory) {
        /* Near the limit the next look comes sooner: at 1 GB/s, 5 ms are 5 MB, and more on a busy machine. */
        if (sample.rss_bytes > plan->memory_bytes / 2)
            watch->next_monitor_ns = now + MONITOR_NEAR_NS;
        reason = look_at_memory(watch, sample.rss_bytes);
    }
    if (counts_cpu && sample.cpu_ns > seen->monitor_cpu_ns)
        seen->monitor_cpu_ns = sample.cpu_ns;
    if (reason == KILL_NONE && counts_cpu && plan->cpu_ns != 0 &&
        seen->monitor_cpu_ns >= plan->cpu_ns)
        reason = KILL_CPU;
    return reason;
}

void limit_watch_begin(struct limit_watch *watch, uint64_t started_ns)
{
    const struct plan *plan = watch->part->plan;

    watch->started_ns = started_ns;
    watch->next_cpu_ns = started_ns + plan->cpu_ns / cpu_count(plan);
}

enum kill_reason limit_watch_look(struct limit_watch *watch, uint64_t output_bytes)
{
    const struct plan *plan = watch->part->plan;
    uint64_t now = clock_now_ns();

    if (watch->started_ns == 0)
        return KILL_NONE;
    if (plan->wall_ns != 0 && now - watch->started_ns >= plan->wall_ns &&
        !IS_PLANTED(wall_unwatched))
        return KILL_WALL;
    enum kill_reason reason = check_cpu(watch, now);
    if (reason == KILL_NONE)
        reason = run_monitor(watch, now);
    if (reason == KILL_NONE && plan->output_total_bytes != 0 &&
        output_bytes > plan->output_total_bytes)
        reason = KILL_OUTPUT;
    return reason;
}

uint64_t limit_watch_next_ns(const struct limit_watch *watch)
{
    const struct plan *plan = watch->part->plan;
    uint64_t next = watch->next_monitor_ns;

    if (watch->started_ns == 0)
        return UINT64_MAX;
    if (plan->wall_ns != 0 && watch->started_ns + plan->wall_ns < next)
        next = watch->started_ns + plan->wall_ns;
    if (plan->cpu_ns != 0 && watch->next_cpu_ns < next)
        next = watch->next_cpu_ns;
    return next;
}
