/*
 * Judges a run: see result.h. Source of every rule: settled.md "Result and exit", docs/reference/result.md.
 *
 * In: plan and observation. Out: a result, or the error of a run that failed inside berm. Must never: ask
 * the machine anything, interpret exit status 137, or let a descendant's end become the verdict.
 *
 * First cause wins: berm's own decision, recorded before it killed; then the kernel's fatal act on the
 * main program; then its own exit.
 */
#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "base/error.h"
#include "plan/defect.h"
#include "run/failure.h"
#include "run/result.h"

/* The status of a verdict that has a fixed one: 128 + the signal that a shell would show for it, and
 * timeout(1)'s 124. */
#define STATUS_WALL      124
#define STATUS_FAILED    125
#define STATUS_NO_EXEC   126
#define STATUS_NOT_FOUND 127
#define STATUS_SIGNAL    128
#define STATUS_KILLED    (STATUS_SIGNAL + SIGKILL)

/* How the main program ended, decoded once. */
struct ending {
    int exit_code; /* -1: it did not exit */
    int signal;    /* 0: it exited */
};

static uint64_t larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* ---- Usage: the best count there is, with its name. ---- */

static void count_cpu(const struct observation *seen, struct result_usage *usage)
{
    uint64_t own_ns = seen->user_ns + seen->system_ns;

    usage->user_ns = seen->user_ns;
    usage->system_ns = seen->system_ns;
    if (seen->group.has_cpu) {
        usage->cpu_ns = larger(seen->group.cpu_ns, seen->monitor_cpu_ns);
        usage->cpu_source = "cgroup";
    } else if (seen->monitor_cpu_ns > 0 && seen->monitor_cpu_ns >= own_ns) {
        usage->cpu_ns = seen->monitor_cpu_ns;
        usage->cpu_source = seen->has_perf ? "perf" : "monitor";
    } else if (own_ns > 0) {
        usage->cpu_ns = own_ns;
        usage->cpu_source = "rusage";
    }
}

static void count_memory(const struct observation *seen, struct result_usage *usage)
{
    if (seen->group.has_memory && seen->group.memory_peak_bytes > 0) {
        usage->memory_peak_bytes = seen->group.memory_peak_bytes;
        usage->memory_source = "cgroup";
    } else if (seen->monitor_memory_peak_bytes > seen->max_rss_bytes) {
        usage->memory_peak_bytes = seen->monitor_memory_peak_bytes;
        usage->memory_source = "monitor";
    } else if (seen->max_rss_bytes > 0) {
        usage->memory_peak_bytes = seen->max_rss_bytes;
        usage->memory_source = "rusage";
    }
}

/* Version 2 counts init, which is cloned into the group; it is not the program's. */
static uint64_t processes_peak(const struct observation *seen)
{
    if (!seen->group.has_pids || seen->group.pids_peak == 0)
        return seen->monitor_pids_peak;
    return seen->group.pids_peak - (seen->group.version == 2 && seen->group.pids_peak > 1);
}

static void count_usage(const struct observation *seen, struct result_usage *usage)
{
    usage->wall_ns = seen->wall_ns;
    usage->setup_ns = seen->setup_ns;
    usage->cleanup_ns = seen->cleanup_ns;
    usage->stdin_bytes = seen->stdin_bytes;
    count_cpu(seen, usage);
    count_memory(seen, usage);
    usage->processes_peak = processes_peak(seen);
    usage->processes_refused = seen->group.has_pids ? seen->group.pids_refusals : 0;
}

/* ---- The verdict. ---- */

static struct ending decode(const struct observation *seen)
{
    struct ending ending = {.exit_code = -1};
    bool was_executed = seen->has_started && !seen->has_failed;

    if (!was_executed || !seen->has_status)
        ending.signal = SIGKILL; /* with init everything inside is gone: pid_namespaces(7) */
    else if (WIFEXITED(seen->wait_status))
        ending.exit_code = WEXITSTATUS(seen->wait_status);
    else
        ending.signal = WTERMSIG(seen->wait_status);
    return ending;
}

static bool has_rlimit(const struct plan *plan, int resource)
{
    for (uint32_t i = 0; i < plan->rlimit_count; i++) {
        if (plan->rlimits[i].resource == resource)
            return true;
    }
    return false;
}

static enum berm_verdict verdict_of_kill(uint32_t reason)
{
    switch ((enum kill_reason)reason) {
    case KILL_WALL:
        return BERM_VERDICT_WALL_TIMEOUT;
    case KILL_CPU:
        return BERM_VERDICT_CPU_TIMEOUT;
    case KILL_MEMORY:
        return BERM_VERDICT_MEMORY;
    case KILL_PROCESSES:
        return BERM_VERDICT_PROCESSES;
    case KILL_OUTPUT:
        return BERM_VERDICT_OUTPUT;
    case KILL_CANCELLED:
        return BERM_VERDICT_CANCELLED;
    case KILL_NONE:
    case KILL_SUPERVISOR_FAILED:
        break;
    }
    return BERM_VERDICT_NONE;
}

/* The kernel killed for memory, or refused it to one of berm's own steps: very small limits do. */
static bool has_kernel_oom(const struct observation *seen)
{
    if (!seen->group.has_memory)
        return false;
    return seen->group.oom_kills > 0 ||
           (seen->has_failed && seen->failure.error == ENOMEM && seen->group.memory_refusals > 0);
}

/* The kernel's count where there is one; else the monitor saw the limit reached. */
static bool is_out_of_memory(const struct plan *plan, const struct observation *seen)
{
    if (seen->group.has_memory)
        return has_kernel_oom(seen);
    return plan->memory_bytes > 0 && seen->monitor_memory_peak_bytes >= plan->memory_bytes;
}

/*
 * Did the kernel send SIGXCPU, or the program to itself? The kernel does so at the limit, by a count that
 * is sampled at ticks and may differ from the exact one (posix-cpu-timers.c): half of the limit tells
 * the two apart.
 */
static bool is_cpu_signal(const struct plan *plan, const struct result_usage *usage)
{
    return (plan->cpu_ns > 0 || has_rlimit(plan, RLIMIT_CPU)) && usage->cpu_ns >= plan->cpu_ns / 2;
}

/* The kernel's fatal act on the main program; NONE when it exited or nothing explains the signal. */
static enum berm_verdict verdict_of_signal(const struct plan *plan, const struct observation *seen,
                                           const struct result_usage *usage, int number)
{
    if (number == SIGXCPU && is_cpu_signal(plan, usage))
        return BERM_VERDICT_CPU_TIMEOUT;
    if (number == SIGXFSZ && has_rlimit(plan, RLIMIT_FSIZE))
        return BERM_VERDICT_DISK;
    if (number == SIGSYS && plan->filter != FILTER_NONE)
        return BERM_VERDICT_SYSCALL;
    if (number == SIGKILL && is_out_of_memory(plan, seen))
        return BERM_VERDICT_MEMORY;
    return BERM_VERDICT_NONE;
}

static enum berm_verdict judge(const struct plan *plan, const struct observation *seen,
                               const struct result_usage *usage, const struct ending *ending)
{
    enum berm_verdict verdict = verdict_of_kill(seen->kill_reason);

    if (verdict == BERM_VERDICT_NONE)
        verdict = verdict_of_signal(plan, seen, usage, ending->signal);
    if (verdict != BERM_VERDICT_NONE)
        return verdict;
    if (plan->cpu_ns > 0 && usage->cpu_ns >= plan->cpu_ns)
        return BERM_VERDICT_CPU_TIMEOUT;
    if (IS_PLANTED(verdict_from_137) && ending->exit_code == 137)
        return BERM_VERDICT_MEMORY;
    return ending->signal != 0 ? BERM_VERDICT_SIGNALED : BERM_VERDICT_EXITED;
}

static int status_of(enum berm_verdict verdict, const struct ending *ending, int cancel_signal)
{
    switch (verdict) {
    case BERM_VERDICT_EXITED:
        return ending->exit_code;
    case BERM_VERDICT_SIGNALED:
        return STATUS_SIGNAL + ending->signal;
    case BERM_VERDICT_WALL_TIMEOUT:
        return STATUS_WALL;
    case BERM_VERDICT_CPU_TIMEOUT:
        return STATUS_SIGNAL + SIGXCPU;
    case BERM_VERDICT_DISK:
        return STATUS_SIGNAL + SIGXFSZ;
    case BERM_VERDICT_SYSCALL:
        return STATUS_SIGNAL + SIGSYS;
    case BERM_VERDICT_MEMORY:
    case BERM_VERDICT_PROCESSES:
    case BERM_VERDICT_OUTPUT:
        return STATUS_KILLED;
    case BERM_VERDICT_CANCELLED:
        /* Without a signal the caller closed its end: as if it had asked politely. */
        return STATUS_SIGNAL + (cancel_signal > 0 ? cancel_signal : SIGTERM);
    case BERM_VERDICT_NONE:
    case BERM_VERDICT_COUNT:
        break;
    }
    return STATUS_FAILED;
}

/* ---- Out of memory: the flag and how it is known. ---- */

static bool speaks_of_memory(const char *text)
{
    static const char *const words[] = {"MemoryError", "out of memory", "Cannot allocate memory",
                                        "bad_alloc", "OutOfMemoryError"};

    for (size_t i = 0; text && i < sizeof(words) / sizeof(words[0]); i++) {
        if (strcasestr(text, words[i]))
            return true;
    }
    return false;
}

/* Only where nobody counts: the ways in which a program ends that was refused memory. */
static bool looks_like_oom(const struct plan *plan, const struct observation *seen,
                           const struct ending *ending, const char *stderr_tail)
{
    bool has_bad_end = ending->exit_code > 0 || ending->signal == SIGABRT ||
                       (ending->signal == SIGKILL && !seen->main_killed_by_us);
    return plan->memory_bytes > 0 && has_bad_end && speaks_of_memory(stderr_tail);
}

static enum oom_source find_oom(const struct plan *plan, const struct observation *seen,
                                const struct ending *ending, enum berm_verdict verdict,
                                const char *stderr_tail)
{
    if (has_kernel_oom(seen))
        return OOM_KERNEL;
    if (verdict == BERM_VERDICT_MEMORY)
        return OOM_MONITOR;
    if (!seen->group.has_memory && looks_like_oom(plan, seen, ending, stderr_tail))
        return OOM_GUESS;
    return OOM_NONE;
}

/* ---- Notes. ---- */

__attribute__((format(printf, 3, 4))) static void note(struct result *result, enum berm_layer layer,
                                                       const char *format, ...)
{
    if (result->note_count == RESULT_NOTES_MAX)
        return;
    struct result_note *row = &result->notes[result->note_count++];
    va_list args;

    row->layer = layer;
    va_start(args, format);
    (void)vsnprintf(row->text, sizeof(row->text), format, args); /* cut at the size: wanted */
    va_end(args);
}

static const char *many_es(uint64_t count)
{
    return count == 1 ? "" : "es";
}

static void note_memory(const struct observation *seen, struct result *result)
{
    if (result->oom_source == OOM_KERNEL && result->verdict != BERM_VERDICT_MEMORY)
        note(result, BERM_LAYER_LIMITS,
             "the kernel killed %llu process%s of the run for lack of memory",
             (unsigned long long)seen->group.oom_kills, many_es(seen->group.oom_kills));
    if (result->oom_source == OOM_GUESS)
        note(result, BERM_LAYER_LIMITS,
             "out of memory is a guess, from the exit status and the error text: "
             "no control group counts it");
}

static void note_processes(const struct plan *plan, const struct observation *seen,
                           struct result *result)
{
    uint64_t refused = result->usage.processes_refused;

    if (refused > 0)
        note(result, BERM_LAYER_PROCESS,
             "%llu fork%s refused (EAGAIN): the process limit of %llu was reached",
             (unsigned long long)refused, refused == 1 ? " was" : "s were",
             (unsigned long long)plan->process_count);
    if (seen->survivors > 0)
        note(result, BERM_LAYER_LIMITS, "%u process%s outlived the program and %s killed",
             (unsigned)seen->survivors, many_es(seen->survivors),
             seen->survivors == 1 ? "was" : "were");
    if (seen->orphans > 0)
        note(result, BERM_LAYER_PROCESS,
             "%u process%s left the session and may still run: from L3 they would have been ended",
             (unsigned)seen->orphans, many_es(seen->orphans));
}

static void note_time(const struct plan *plan, const struct observation *seen,
                      struct result *result)
{
    if (result->verdict == BERM_VERDICT_WALL_TIMEOUT && plan->is_watchdog)
        note(result, BERM_LAYER_NONE, "ended by the watchdog of L0, which has no limits");
    if (result->verdict == BERM_VERDICT_CPU_TIMEOUT && seen->kill_reason == KILL_NONE &&
        result->exit_code >= 0)
        note(result, BERM_LAYER_LIMITS,
             "the program exited with %d; the CPU time of the tree had reached its limit",
             result->exit_code);
}

/* The first process of the run ended without a word about the program. Below L6 the program can bring that
 * about itself (prlimit on PID 1, which has its uid): it is an end of the run, by SIGKILL. */
static void note_silent_end(const struct observation *seen, struct result *result)
{
    if (!seen->has_status && seen->kill_reason == KILL_NONE && !has_kernel_oom(seen))
        note(result, BERM_LAYER_PROCESS,
             "the run's init was killed, and everything inside with it: by the program itself or "
             "from outside");
}

static void write_notes(const struct plan *plan, const struct observation *seen,
                        struct result *result)
{
    for (uint32_t i = 0; i < plan->note_count; i++)
        note(result, (enum berm_layer)plan->notes[i].layer, "%s",
             plan_text_of(plan, plan->notes[i].text));
    note_silent_end(seen, result);
    note_time(plan, seen, result);
    note_memory(seen, result);
    note_processes(plan, seen, result);
}

/* ---- The whole. ---- */

/* A run that berm itself could not carry out has an error and no result. */
static int find_failure(const struct plan *plan, const struct observation *seen,
                        struct berm_error *err)
{
    if (seen->kill_reason == KILL_SUPERVISOR_FAILED)
        return error_set(err, BERM_E_INTERNAL, BERM_LAYER_NONE, 0,
                         "please report this, with the plan that `berm explain` prints",
                         "the supervisor failed; the run was ended");
    if (seen->has_failed && (seen->failure.error != ENOMEM || !has_kernel_oom(seen)))
        return failure_explain(plan, seen, err);
    /* berm's own decision, or a limit too small for berm's own steps: an end of the run, not of berm. */
    if (verdict_of_kill(seen->kill_reason) != BERM_VERDICT_NONE || has_kernel_oom(seen))
        return 0;
    if (!seen->has_started)
        return error_set(err, BERM_E_SYSTEM, BERM_LAYER_NONE, 0, NULL,
                         "the run ended before the program was started: "
                         "something outside killed it");
    return 0;
}

int outcome(const struct plan *plan, const struct observation *seen, const char *stderr_tail,
            struct result *ret_result, struct berm_error *err)
{
    int failure = find_failure(plan, seen, err);
    if (failure < 0)
        return failure;

    struct ending ending = decode(seen);
    /* The notes are written as they come: clearing 25 KB of them is a measurable share of a cold run. */
    memset(ret_result, 0, offsetof(struct result, notes));
    count_usage(seen, &ret_result->usage);
    ret_result->verdict = judge(plan, seen, &ret_result->usage, &ending);
    ret_result->exit_code = ending.exit_code;
    ret_result->signal = ending.signal;
    ret_result->status = status_of(ret_result->verdict, &ending, seen->cancel_signal);
    ret_result->timed_out = ret_result->verdict == BERM_VERDICT_WALL_TIMEOUT;
    ret_result->oom_source = find_oom(plan, seen, &ending, ret_result->verdict, stderr_tail);
    ret_result->oom = ret_result->oom_source != OOM_NONE;
    memcpy(ret_result->streams, seen->streams, sizeof(ret_result->streams));
    write_notes(plan, seen, ret_result);
    return 0;
}

int error_exit_status(const struct berm_error *err)
{
    if (err->code == BERM_E_NOT_FOUND)
        return STATUS_NOT_FOUND;
    return err->code == BERM_E_NOT_EXECUTABLE ? STATUS_NO_EXEC : STATUS_FAILED;
}
