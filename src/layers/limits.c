/*
 * Limits: a run ends in time, and takes no more than its share.
 */
#include <stdio.h>
#include <sys/resource.h>

#include "base/clock.h"
#include "base/error.h"
#include "layers/choices.h"
#include "layers/plans.h"
#include "plan/defect.h"

#define PAGE 4096ULL
/* cgroup-v1/sched-bwc: the default period; quota below 1 ms is refused by the kernel. */
#define CPU_PERIOD_US    100000ULL
#define CPU_QUOTA_MIN_US 1000ULL
/* What a process may lock into memory; the group counts it all the same. */
#define LOCKED_BYTES   (8ULL << 20)
#define QUEUED_SIGNALS 1024ULL
#define MESSAGE_BYTES  (256ULL << 10)

/* An inherited task clock may be opened: perf_event_open(2). */
static bool can_clock(const struct host *host)
{
    return host->perf == BLOCK_NONE;
}

static void plan_time(const struct policy *policy, const struct host *host,
                      struct plan_builder *builder)
{
    uint64_t seconds = (policy->cpu_time + NS_PER_S - 1) / NS_PER_S;

    builder->plan->wall_ns = policy->wall;
    plan_add_claim(builder, BERM_LAYER_LIMITS, CLAIM_EXACT, "wall clock",
                   "berm's timer (CLOCK_MONOTONIC), kills the whole run");

    builder->plan->cpu_ns = policy->cpu_time;
    /* Where the tree is counted exactly, the count decides and the limit of each process is a backstop: it is
     * fed by ticks, and on a busy machine it ended a run at 0.66 s of 1 s. */
    if (has_group(policy, host, CG_CPUACCT) || can_clock(host))
        seconds++;
    /* hard = soft + 1: for a program that ignores SIGXCPU (setrlimit(2)). */
    limit_resource(builder, host, BERM_LAYER_LIMITS, RLIMIT_CPU, seconds,
                   IS_PLANTED(soft_cpu_only) ? UINT64_MAX : seconds + 1);
    if (has_group(policy, host, CG_CPUACCT)) {
        use_group(builder, host, CG_CPUACCT);
        builder->plan->features |= PLAN_GROUP_CPU;
        plan_add_claim(builder, BERM_LAYER_LIMITS, CLAIM_EXACT, "CPU time of the whole tree",
                       host->cgroup.version == 2
                           ? "cgroup v2 cpu.stat, and RLIMIT_CPU per process"
                           : "cgroup v1 cpuacct.usage, and RLIMIT_CPU per process");
        return;
    }
    builder->plan->features |= PLAN_MONITOR_CPU;
    plan_add_claim(builder, BERM_LAYER_LIMITS, CLAIM_WEAKER, "CPU time of the whole tree",
                   can_clock(host)
                       ? "inherited perf task clock, and RLIMIT_CPU per process"
                       : "/proc polled every 5 ms, and RLIMIT_CPU per process: children that live "
                         "shorter and are not waited for are missed");
}

static void plan_group_memory(const struct policy *policy, const struct host *host,
                              struct plan_builder *builder)
{
    uint64_t bytes = policy->memory / PAGE * PAGE; /* the kernel rounds down to pages */
    char value[32];
    bool is_v2 = host->cgroup.version == 2;

    (void)snprintf(value, sizeof(value), "%llu", (unsigned long long)bytes);
    use_group(builder, host, CG_MEMORY);
    plan_add_group_write(
        builder, &(struct group_write_row){.layer = BERM_LAYER_LIMITS,
                                           .controller = CG_MEMORY,
                                           .file = is_v2 ? "memory.max" : "memory.limit_in_bytes",
                                           .value = value,
                                           .read_back = bytes});
    if (is_v2)
        plan_add_group_write(builder, &(struct group_write_row){.layer = BERM_LAYER_LIMITS,
                                                                .controller = CG_MEMORY,
                                                                .file = "memory.swap.max",
                                                                .value = "0",
                                                                .read_back = 0,
                                                                .is_optional = true});
    else if (host->cgroup.has_swap_limit)
        plan_add_group_write(builder,
                             &(struct group_write_row){.layer = BERM_LAYER_LIMITS,
                                                       .controller = CG_MEMORY,
                                                       .file = "memory.memsw.limit_in_bytes",
                                                       .value = value,
                                                       .read_back = bytes});
    /* v1 counts the memory of TCP sockets apart (cgroup-v1/memory.rst, "2.7"); unreachable without loopback. */
    if (!is_v2 && policy->loopback)
        plan_add_group_write(builder,
                             &(struct group_write_row){.layer = BERM_LAYER_LIMITS,
                                                       .controller = CG_MEMORY,
                                                       .file = "memory.kmem.tcp.limit_in_bytes",
                                                       .value = value,
                                                       .read_back = bytes,
                                                       .is_optional = true});
    plan_add_claim(builder, BERM_LAYER_LIMITS, CLAIM_EXACT,
                   "memory of the whole tree, files in memory included",
                   is_v2 ? "cgroup v2 memory.max, no swap"
                   : host->cgroup.has_swap_limit
                       ? "cgroup v1 memory.limit_in_bytes, swap included (memory.memsw)"
                       : "cgroup v1 memory.limit_in_bytes");
    if (!is_v2 && !host->cgroup.has_swap_limit)
        plan_add_note(builder, BERM_LAYER_LIMITS,
                      "this kernel does not account swap: the run may use swap beyond its memory");
    if (has_small_root(policy) &&
        policy->tmp_size + policy->work_size + policy->shm_size > policy->memory)
        plan_add_note(
            builder, BERM_LAYER_LIMITS,
            "/tmp, /dev/shm and the work directory may together hold more than the memory "
            "limit: files there count as memory, and filling them can end the run");
}

static void plan_memory(const struct policy *policy, const struct host *host,
                        struct plan_builder *builder)
{
    builder->plan->memory_bytes = policy->memory;
    if (has_group(policy, host, CG_MEMORY)) {
        plan_group_memory(policy, host, builder);
        return;
    }
    if (policy->profile == PROFILE_LESSON) {
        limit_resource(builder, host, BERM_LAYER_LIMITS, RLIMIT_AS, policy->memory, policy->memory);
        plan_add_claim(builder, BERM_LAYER_LIMITS, CLAIM_WEAKER, "memory of each process",
                       "RLIMIT_AS: the address space of each process, not of the tree");
        return;
    }
    /* An address-space cap stops Java and Node at start; RLIMIT_DATA does not (settled.md, "Limits"), if it
     * leaves room for the first heap of a JVM that sees no group: 1/64 of the machine, and its copy. */
    uint64_t data = policy->memory + host->memory_bytes / 32;
    limit_resource(builder, host, BERM_LAYER_LIMITS, RLIMIT_DATA, data, data);
    builder->plan->features |= PLAN_MONITOR_MEMORY;
    plan_add_claim(builder, BERM_LAYER_LIMITS, CLAIM_WEAKER, "memory of the whole tree",
                   "resident memory polled every 5 ms, RLIMIT_DATA as a backstop for each process; "
                   "what is in memory and mapped by nobody is not counted: files in tmpfs, memfd, "
                   "System V segments, socket buffers");
}

static void plan_cpus(const struct policy *policy, const struct host *host,
                      struct plan_builder *builder)
{
    uint64_t whole = (policy->cpus + 999) / 1000;
    char value[32];

    if (policy->level < L3)
        return;
    builder->plan->cpu_affinity_count =
        (int32_t)(whole < host->cpu_count ? whole : host->cpu_count);
    if (!has_group(policy, host, CG_CPU)) {
        bool is_fixed = layer_is_on(policy, BERM_LAYER_SYSCALLS); /* refuses sched_setaffinity */
        plan_add_claim(builder, BERM_LAYER_LIMITS,
                       policy->cpus % 1000 == 0 && is_fixed ? CLAIM_EXACT : CLAIM_WEAKER,
                       "CPUs used at a time",
                       policy->cpus % 1000 == 0 ? "CPU affinity"
                                                : "CPU affinity, rounded up to whole CPUs");
        return;
    }
    uint64_t quota = CPU_PERIOD_US * policy->cpus / 1000;
    if (quota < CPU_QUOTA_MIN_US)
        quota = CPU_QUOTA_MIN_US;
    use_group(builder, host, CG_CPU);
    if (host->cgroup.version == 2) {
        (void)snprintf(value, sizeof(value), "%llu %llu", (unsigned long long)quota,
                       (unsigned long long)CPU_PERIOD_US);
        plan_add_group_write(builder, &(struct group_write_row){.layer = BERM_LAYER_LIMITS,
                                                                .controller = CG_CPU,
                                                                .file = "cpu.max",
                                                                .value = value,
                                                                .read_back = UINT64_MAX});
    } else {
        (void)snprintf(value, sizeof(value), "%llu", (unsigned long long)quota);
        plan_add_group_write(builder, &(struct group_write_row){.layer = BERM_LAYER_LIMITS,
                                                                .controller = CG_CPU,
                                                                .file = "cpu.cfs_quota_us",
                                                                .value = value,
                                                                .read_back = quota});
    }
    plan_add_claim(builder, BERM_LAYER_LIMITS, CLAIM_EXACT, "CPUs used at a time",
                   host->cgroup.version == 2 ? "CPU affinity and cgroup v2 cpu.max"
                                             : "CPU affinity and cgroup v1 cpu.cfs_quota_us");
}

static void plan_files(const struct policy *policy, const struct host *host,
                       struct plan_builder *builder)
{
    limit_resource(builder, host, BERM_LAYER_LIMITS, RLIMIT_FSIZE, policy->file_size,
                   policy->file_size);
    plan_add_claim(builder, BERM_LAYER_LIMITS, CLAIM_EXACT, "size of each file", "RLIMIT_FSIZE");
    limit_resource(builder, host, BERM_LAYER_LIMITS, RLIMIT_NOFILE, policy->open_files,
                   policy->open_files);
    plan_add_claim(builder, BERM_LAYER_LIMITS, CLAIM_EXACT, "open files of each process",
                   "RLIMIT_NOFILE");
    /* One byte and not none: 0 is ignored when core_pattern is a pipe, 1 stops the helper, and no core
     * file is that small (fs/coredump.c, "RLIMIT_CORE of 1"). */
    limit_resource(builder, host, BERM_LAYER_LIMITS, RLIMIT_CORE, 1, 1);
    builder->plan->features |= PLAN_DUMP_NOTHING;
    limit_resource(builder, host, BERM_LAYER_LIMITS, RLIMIT_MEMLOCK, LOCKED_BYTES, LOCKED_BYTES);
    /* Counted for the user and not for the run: without a cap one run uses up what all of them share. */
    limit_resource(builder, host, BERM_LAYER_LIMITS, RLIMIT_SIGPENDING, QUEUED_SIGNALS,
                   QUEUED_SIGNALS);
    limit_resource(builder, host, BERM_LAYER_LIMITS, RLIMIT_MSGQUEUE, MESSAGE_BYTES, MESSAGE_BYTES);
    /* No way to a better nice value or a real-time class (setrlimit(2)). */
    limit_resource(builder, host, BERM_LAYER_LIMITS, RLIMIT_NICE, 0, 0);
    limit_resource(builder, host, BERM_LAYER_LIMITS, RLIMIT_RTPRIO, 0, 0);
}

int plan_limits(const struct policy *policy, const struct request *request, const struct host *host,
                struct plan_builder *builder, struct berm_error *err)
{
    (void)request;
    (void)err;
    builder->plan->features |= PLAN_NEW_SESSION | PLAN_SWEEP_SESSION;
    plan_time(policy, host, builder);
    plan_memory(policy, host, builder);
    plan_cpus(policy, host, builder);
    plan_files(policy, host, builder);
    builder->plan->output_chars = policy->output;
    builder->plan->output_total_bytes = policy->output_total;
    plan_add_claim(builder, BERM_LAYER_LIMITS, CLAIM_EXACT, "output that is returned",
                   "berm keeps the first 60 % and the last 40 %");
    plan_add_claim(builder, BERM_LAYER_LIMITS, CLAIM_EXACT, "leftovers",
                   layer_is_on(policy, BERM_LAYER_PROCESS)
                       ? "the end of the PID namespace"
                       : "sweep of the process session; a process that left it lives on");
    return 0;
}
