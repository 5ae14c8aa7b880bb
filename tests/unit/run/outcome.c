/*
 * Claims about outcome(): which facts give which verdict, status, flags and notes. Written by hand; no
 * process is started.
 */
/* cmocka.h needs the three before it. */
/* clang-format off */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
/* clang-format on */

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "enter/sequence.h"
#include "plan/builder.h"
#include "run/result.h"

#define SECOND 1000000000ULL
#define MEBI   1048576ULL

#define EXITED(code)   ((code) << 8)
#define KILLED(number) (number)

/* What differs between cases; everything else is an ordinary run of L6 that has started. */
struct facts {
    const char *claim;
    /* what was seen */
    int wait_status;
    bool no_status;
    bool not_started;
    uint32_t kill;
    int cancel_signal;
    bool has_group;
    uint64_t oom_kills;
    uint64_t cpu_ns;         /* the group's, or else the main program's own */
    uint64_t monitor_memory; /* peak seen by the poll */
    const char *stderr_tail;
    bool is_l0; /* a plan without limits and filter */
    /* what must be said */
    enum berm_verdict verdict;
    int status;
    int exit_code;
    int signal;
    enum oom_source oom;
};

/* One case a paragraph; clang-format 14 crashes on rows of different lengths. */
/* clang-format off */
static const struct facts cases[] = {
    /* Its own end. */
    {"exit 0 is exited 0", .wait_status = EXITED(0), .verdict = BERM_VERDICT_EXITED},
    {"exit 1 is exited 1", .wait_status = EXITED(1), .verdict = BERM_VERDICT_EXITED, .status = 1,
     .exit_code = 1},
    {"exit 124 is no timeout", .wait_status = EXITED(124), .verdict = BERM_VERDICT_EXITED,
     .status = 124, .exit_code = 124},
    {"exit 125 is no failure of berm", .wait_status = EXITED(125),
     .verdict = BERM_VERDICT_EXITED, .status = 125, .exit_code = 125},
    {"exit 126 is the program's own", .wait_status = EXITED(126), .verdict = BERM_VERDICT_EXITED,
     .status = 126, .exit_code = 126},
    {"exit 127 is the program's own", .wait_status = EXITED(127), .verdict = BERM_VERDICT_EXITED,
     .status = 127, .exit_code = 127},
    {"exit 137 is never interpreted", .wait_status = EXITED(137), .verdict = BERM_VERDICT_EXITED,
     .status = 137, .exit_code = 137},
    {"exit 137 with a group is never interpreted", .wait_status = EXITED(137), .has_group = true,
     .verdict = BERM_VERDICT_EXITED, .status = 137, .exit_code = 137},
    {"exit 152 is no CPU limit", .wait_status = EXITED(152), .verdict = BERM_VERDICT_EXITED,
     .status = 152, .exit_code = 152},
    {"exit 255 is exited 255", .wait_status = EXITED(255), .verdict = BERM_VERDICT_EXITED,
     .status = 255, .exit_code = 255},
    /* Signals that nothing explains. */
    {"SIGSEGV is signaled 139", .wait_status = KILLED(SIGSEGV), .verdict = BERM_VERDICT_SIGNALED,
     .status = 139, .exit_code = -1, .signal = SIGSEGV},
    {"a core-dump bit changes nothing", .wait_status = KILLED(SIGSEGV) | 0x80,
     .verdict = BERM_VERDICT_SIGNALED, .status = 139, .exit_code = -1, .signal = SIGSEGV},
    {"SIGTERM is signaled 143", .wait_status = KILLED(SIGTERM), .verdict = BERM_VERDICT_SIGNALED,
     .status = 143, .exit_code = -1, .signal = SIGTERM},
    {"SIGABRT is signaled 134", .wait_status = KILLED(SIGABRT), .verdict = BERM_VERDICT_SIGNALED,
     .status = 134, .exit_code = -1, .signal = SIGABRT},
    {"a kill by itself with SIGKILL is not memory", .wait_status = KILLED(SIGKILL),
     .verdict = BERM_VERDICT_SIGNALED, .status = 137, .exit_code = -1, .signal = SIGKILL},
    {"a kill by itself in a group without OOM is not memory", .wait_status = KILLED(SIGKILL),
     .has_group = true, .verdict = BERM_VERDICT_SIGNALED, .status = 137, .exit_code = -1,
     .signal = SIGKILL},
    {"a real-time signal is signaled", .wait_status = KILLED(40), .verdict = BERM_VERDICT_SIGNALED,
     .status = 168, .exit_code = -1, .signal = 40},
    /* berm's own decisions. */
    {"the wall limit is 124", .wait_status = KILLED(SIGKILL), .kill = KILL_WALL,
     .verdict = BERM_VERDICT_WALL_TIMEOUT, .status = 124, .exit_code = -1, .signal = SIGKILL},
    {"the wall limit is 124 when init takes the program's end with it", .no_status = true,
     .kill = KILL_WALL, .verdict = BERM_VERDICT_WALL_TIMEOUT, .status = 124, .exit_code = -1,
     .signal = SIGKILL},
    {"the wall limit wins over an exit in the same moment", .wait_status = EXITED(0),
     .kill = KILL_WALL, .verdict = BERM_VERDICT_WALL_TIMEOUT, .status = 124},
    {"the wall limit wins over OOM, and both are told", .wait_status = KILLED(SIGKILL),
     .kill = KILL_WALL, .has_group = true, .oom_kills = 1, .verdict = BERM_VERDICT_WALL_TIMEOUT,
     .status = 124, .exit_code = -1, .signal = SIGKILL, .oom = OOM_KERNEL},
    {"the wall limit's own SIGKILL is no OOM", .wait_status = KILLED(SIGKILL), .kill = KILL_WALL,
     .monitor_memory = 600 * MEBI, .verdict = BERM_VERDICT_WALL_TIMEOUT, .status = 124,
     .exit_code = -1, .signal = SIGKILL},
    {"berm's count of CPU time is 152", .wait_status = KILLED(SIGKILL), .kill = KILL_CPU,
     .verdict = BERM_VERDICT_CPU_TIMEOUT, .status = 152, .exit_code = -1, .signal = SIGKILL},
    {"the monitor's memory is 137 and says monitor", .wait_status = KILLED(SIGKILL),
     .kill = KILL_MEMORY, .verdict = BERM_VERDICT_MEMORY, .status = 137, .exit_code = -1,
     .signal = SIGKILL, .oom = OOM_MONITOR},
    {"the monitor's processes are 137", .wait_status = KILLED(SIGKILL), .kill = KILL_PROCESSES,
     .verdict = BERM_VERDICT_PROCESSES, .status = 137, .exit_code = -1, .signal = SIGKILL},
    {"the total of output is 137", .wait_status = KILLED(SIGKILL), .kill = KILL_OUTPUT,
     .verdict = BERM_VERDICT_OUTPUT, .status = 137, .exit_code = -1, .signal = SIGKILL},
    {"SIGINT to berm is 130", .wait_status = KILLED(SIGKILL), .kill = KILL_CANCELLED,
     .cancel_signal = SIGINT, .verdict = BERM_VERDICT_CANCELLED, .status = 130, .exit_code = -1,
     .signal = SIGKILL},
    {"SIGTERM to berm is 143", .wait_status = KILLED(SIGKILL), .kill = KILL_CANCELLED,
     .cancel_signal = SIGTERM, .verdict = BERM_VERDICT_CANCELLED, .status = 143, .exit_code = -1,
     .signal = SIGKILL},
    {"SIGHUP to berm is 129", .no_status = true, .kill = KILL_CANCELLED, .cancel_signal = SIGHUP,
     .verdict = BERM_VERDICT_CANCELLED, .status = 129, .exit_code = -1, .signal = SIGKILL},
    {"a caller that goes away is 143", .no_status = true, .kill = KILL_CANCELLED,
     .verdict = BERM_VERDICT_CANCELLED, .status = 143, .exit_code = -1, .signal = SIGKILL},
    {"a cancel before the start is cancelled", .not_started = true, .no_status = true,
     .kill = KILL_CANCELLED, .cancel_signal = SIGINT, .verdict = BERM_VERDICT_CANCELLED,
     .status = 130, .exit_code = -1, .signal = SIGKILL},
    /* CPU time. */
    {"SIGXCPU at the limit is the CPU limit", .wait_status = KILLED(SIGXCPU), .cpu_ns = 2 * SECOND,
     .verdict = BERM_VERDICT_CPU_TIMEOUT, .status = 152, .exit_code = -1, .signal = SIGXCPU},
    {"SIGXCPU a little before the exact count is the CPU limit", .wait_status = KILLED(SIGXCPU),
     .cpu_ns = 2 * SECOND - 20000000, .verdict = BERM_VERDICT_CPU_TIMEOUT, .status = 152,
     .exit_code = -1, .signal = SIGXCPU},
    {"SIGXCPU that the program sent itself is signaled", .wait_status = KILLED(SIGXCPU),
     .cpu_ns = 1000000, .verdict = BERM_VERDICT_SIGNALED, .status = 152, .exit_code = -1,
     .signal = SIGXCPU},
    {"SIGXCPU at L0 is signaled", .wait_status = KILLED(SIGXCPU), .cpu_ns = 9 * SECOND,
     .is_l0 = true, .verdict = BERM_VERDICT_SIGNALED, .status = 152, .exit_code = -1,
     .signal = SIGXCPU},
    {"the tree's count at the limit is the CPU limit, whatever the shell returned",
     .wait_status = EXITED(0), .has_group = true, .cpu_ns = 2 * SECOND,
     .verdict = BERM_VERDICT_CPU_TIMEOUT, .status = 152},
    {"a shell's 152 with the count at the limit is the CPU limit", .wait_status = EXITED(152),
     .has_group = true, .cpu_ns = 3 * SECOND, .verdict = BERM_VERDICT_CPU_TIMEOUT, .status = 152,
     .exit_code = 152},
    {"the hard limit's SIGKILL is the CPU limit", .wait_status = KILLED(SIGKILL),
     .cpu_ns = 3 * SECOND, .verdict = BERM_VERDICT_CPU_TIMEOUT, .status = 152, .exit_code = -1,
     .signal = SIGKILL},
    {"just under the limit is its own end", .wait_status = EXITED(0), .has_group = true,
     .cpu_ns = 2 * SECOND - 1, .verdict = BERM_VERDICT_EXITED},
    /* Disk and system calls. */
    {"SIGXFSZ is the disk", .wait_status = KILLED(SIGXFSZ), .verdict = BERM_VERDICT_DISK,
     .status = 153, .exit_code = -1, .signal = SIGXFSZ},
    {"SIGXFSZ without a file-size limit is signaled", .wait_status = KILLED(SIGXFSZ),
     .is_l0 = true, .verdict = BERM_VERDICT_SIGNALED, .status = 153, .exit_code = -1,
     .signal = SIGXFSZ},
    {"a program that ignores SIGXFSZ gets an error and its own verdict", .wait_status = EXITED(1),
     .stderr_tail = "OSError: [Errno 27] File too large\n", .verdict = BERM_VERDICT_EXITED,
     .status = 1, .exit_code = 1},
    {"SIGSYS is the filter", .wait_status = KILLED(SIGSYS), .verdict = BERM_VERDICT_SYSCALL,
     .status = 159, .exit_code = -1, .signal = SIGSYS},
    {"SIGSYS without a filter is signaled", .wait_status = KILLED(SIGSYS), .is_l0 = true,
     .verdict = BERM_VERDICT_SIGNALED, .status = 159, .exit_code = -1, .signal = SIGSYS},
    /* Memory, counted by the kernel. */
    {"SIGKILL with the group's count is memory", .wait_status = KILLED(SIGKILL), .has_group = true,
     .oom_kills = 1, .verdict = BERM_VERDICT_MEMORY, .status = 137, .exit_code = -1,
     .signal = SIGKILL, .oom = OOM_KERNEL},
    {"init's own death by OOM is memory", .no_status = true, .has_group = true, .oom_kills = 2,
     .verdict = BERM_VERDICT_MEMORY, .status = 137, .exit_code = -1, .signal = SIGKILL,
     .oom = OOM_KERNEL},
    {"OOM before the program could start is memory", .not_started = true, .no_status = true,
     .has_group = true, .oom_kills = 1, .verdict = BERM_VERDICT_MEMORY, .status = 137,
     .exit_code = -1, .signal = SIGKILL, .oom = OOM_KERNEL},
    {"exit 0 after a descendant's OOM is exited, and OOM is told", .wait_status = EXITED(0),
     .has_group = true, .oom_kills = 1, .verdict = BERM_VERDICT_EXITED, .oom = OOM_KERNEL},
    {"a shell's 137 after its child's OOM is exited 137, and OOM is told",
     .wait_status = EXITED(137), .has_group = true, .oom_kills = 1, .verdict = BERM_VERDICT_EXITED,
     .status = 137, .exit_code = 137, .oom = OOM_KERNEL},
    {"SIGSEGV after a descendant's OOM is signaled, and OOM is told",
     .wait_status = KILLED(SIGSEGV), .has_group = true, .oom_kills = 1,
     .verdict = BERM_VERDICT_SIGNALED, .status = 139, .exit_code = -1, .signal = SIGSEGV,
     .oom = OOM_KERNEL},
    {"with a count, an error text is no evidence", .wait_status = EXITED(1), .has_group = true,
     .stderr_tail = "MemoryError\n", .verdict = BERM_VERDICT_EXITED, .status = 1, .exit_code = 1},
    /* Memory, without a count. */
    {"a foreign SIGKILL at the limit that the monitor saw is memory",
     .wait_status = KILLED(SIGKILL), .monitor_memory = 512 * MEBI, .verdict = BERM_VERDICT_MEMORY,
     .status = 137, .exit_code = -1, .signal = SIGKILL, .oom = OOM_MONITOR},
    {"a foreign SIGKILL below the limit is signaled", .wait_status = KILLED(SIGKILL),
     .monitor_memory = 512 * MEBI - 1, .verdict = BERM_VERDICT_SIGNALED, .status = 137,
     .exit_code = -1, .signal = SIGKILL},
    {"Python's MemoryError is a guess", .wait_status = EXITED(1),
     .stderr_tail = "Traceback ...\nMemoryError\n", .verdict = BERM_VERDICT_EXITED, .status = 1,
     .exit_code = 1, .oom = OOM_GUESS},
    {"Node's heap out of memory is a guess", .wait_status = KILLED(SIGABRT),
     .stderr_tail = "FATAL ERROR: JavaScript heap out of memory", .verdict = BERM_VERDICT_SIGNALED,
     .status = 134, .exit_code = -1, .signal = SIGABRT, .oom = OOM_GUESS},
    {"C++'s bad_alloc is a guess", .wait_status = KILLED(SIGABRT),
     .stderr_tail = "terminate called after throwing 'std::bad_alloc'",
     .verdict = BERM_VERDICT_SIGNALED, .status = 134, .exit_code = -1, .signal = SIGABRT,
     .oom = OOM_GUESS},
    {"a shell's fork error is a guess", .wait_status = EXITED(2),
     .stderr_tail = "sh: fork: Cannot allocate memory", .verdict = BERM_VERDICT_EXITED,
     .status = 2, .exit_code = 2, .oom = OOM_GUESS},
    {"a good exit is no OOM, whatever was printed", .wait_status = EXITED(0),
     .stderr_tail = "MemoryError", .verdict = BERM_VERDICT_EXITED},
    {"without the text a bad exit is no OOM", .wait_status = EXITED(1),
     .stderr_tail = "ValueError: memory\n", .verdict = BERM_VERDICT_EXITED, .status = 1,
     .exit_code = 1},
    {"without a memory limit there is no guess", .wait_status = EXITED(1), .is_l0 = true,
     .stderr_tail = "MemoryError", .verdict = BERM_VERDICT_EXITED, .status = 1, .exit_code = 1},
    {"berm's own SIGKILL is never guessed to be OOM", .wait_status = KILLED(SIGKILL),
     .kill = KILL_OUTPUT, .stderr_tail = "out of memory", .verdict = BERM_VERDICT_OUTPUT,
     .status = 137, .exit_code = -1, .signal = SIGKILL},
};

/* clang-format on */

static struct plan *plan_of(const struct facts *facts)
{
    static const char *const argv[] = {"prog", NULL};
    struct plan_builder builder;
    struct plan *plan = NULL;

    assert_int_equal(plan_builder_init(&builder), 0);
    if (!facts->is_l0) {
        plan_add_rlimit(&builder, BERM_LAYER_LIMITS, RLIMIT_CPU, 2, 3);
        plan_add_rlimit(&builder, BERM_LAYER_LIMITS, RLIMIT_FSIZE, MEBI, MEBI);
        builder.plan->cpu_ns = 2 * SECOND;
        builder.plan->memory_bytes = 512 * MEBI;
        builder.plan->process_count = 16;
        builder.plan->filter = FILTER_STANDARD;
    }
    plan_add_mount(&builder, &(struct mount_row){.layer = BERM_LAYER_FILESYSTEM,
                                                 .op = MOUNT_BIND,
                                                 .source = "/data",
                                                 .target = "data"});
    plan_text run = plan_add_vector(&builder, argv, 1);
    plan_text program = plan_add_text(&builder, "prog\x1b");
    builder.plan->argv = run;
    builder.plan->argc = 1;
    builder.plan->program = program;
    assert_int_equal(plan_builder_finish(&builder, &plan, NULL), 0);
    return plan;
}

static struct observation seen_of(const struct facts *facts)
{
    struct observation seen = {
        .has_started = !facts->not_started,
        .has_status = !facts->no_status,
        .wait_status = facts->wait_status,
        .kill_reason = facts->kill,
        .main_killed_by_us = facts->kill != KILL_NONE,
        .cancel_signal = facts->cancel_signal,
        .monitor_memory_peak_bytes = facts->monitor_memory,
        .has_monitor = facts->monitor_memory > 0,
        .wall_ns = SECOND,
    };
    if (facts->has_group) {
        seen.group = (struct group_facts){.version = 2,
                                          .has_memory = true,
                                          .has_cpu = true,
                                          .has_pids = true,
                                          .oom_kills = facts->oom_kills,
                                          .cpu_ns = facts->cpu_ns};
    } else {
        seen.user_ns = facts->cpu_ns;
    }
    return seen;
}

/* Judge; the result is too large for the stack of a test. Freed by the caller. */
static struct result *judged(const struct facts *facts, const struct observation *seen)
{
    struct plan *plan = plan_of(facts);
    struct result *result = malloc(sizeof(*result));
    struct berm_error err = {0};

    assert_non_null(result);
    if (outcome(plan, seen, facts->stderr_tail, result, &err) != 0)
        fail_msg("%s: refused: %s", facts->claim, err.message);
    free(plan);
    return result;
}

static void assert_case(const struct facts *facts)
{
    struct observation seen = seen_of(facts);
    struct result *got = judged(facts, &seen);

    if (got->verdict != facts->verdict || got->status != facts->status ||
        got->exit_code != facts->exit_code || got->signal != facts->signal ||
        got->oom_source != facts->oom)
        fail_msg("%s: got verdict %d status %d exit %d signal %d oom %d", facts->claim,
                 (int)got->verdict, got->status, got->exit_code, got->signal, (int)got->oom_source);
    assert_int_equal(got->oom, facts->oom != OOM_NONE);
    assert_int_equal(got->timed_out, facts->verdict == BERM_VERDICT_WALL_TIMEOUT);
    free(got);
}

static void every_end_has_its_verdict_status_and_flags(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        assert_case(&cases[i]);
}

/* Every wait status that there is, with nothing else to explain it. */
static void every_plain_exit_and_signal_is_told_as_it_is(void **state)
{
    (void)state;
    for (int code = 0; code < 256; code++) {
        struct facts facts = {"exit",         .wait_status = EXITED(code),
                              .is_l0 = true,  .verdict = BERM_VERDICT_EXITED,
                              .status = code, .exit_code = code};
        assert_case(&facts);
    }
    for (int number = 1; number <= 64; number++) {
        struct facts facts = {"signal",
                              .wait_status = KILLED(number),
                              .is_l0 = true,
                              .verdict = BERM_VERDICT_SIGNALED,
                              .status = 128 + number,
                              .exit_code = -1,
                              .signal = number};
        assert_case(&facts);
    }
}

static bool has_note(const struct result *result, enum berm_layer layer, const char *text)
{
    for (uint32_t i = 0; i < result->note_count; i++) {
        if (result->notes[i].layer == layer && strcmp(result->notes[i].text, text) == 0)
            return true;
    }
    return false;
}

static void what_happens_to_descendants_becomes_notes(void **state)
{
    (void)state;
    struct facts facts = {"notes", .has_group = true, .oom_kills = 2};
    struct observation seen = seen_of(&facts);
    seen.group.pids_refusals = 3;
    seen.survivors = 1;
    seen.orphans = 4;
    struct result *result = judged(&facts, &seen);

    assert_int_equal(result->verdict, BERM_VERDICT_EXITED);
    assert_true(has_note(result, BERM_LAYER_LIMITS,
                         "the kernel killed 2 processes of the run for lack of memory"));
    assert_true(has_note(result, BERM_LAYER_PROCESS,
                         "3 forks were refused (EAGAIN): the process limit of 16 was reached"));
    assert_true(
        has_note(result, BERM_LAYER_LIMITS, "1 process outlived the program and was killed"));
    assert_true(has_note(result, BERM_LAYER_PROCESS,
                         "4 processes left the session and may still run: from L3 they would have "
                         "been ended"));
    assert_int_equal(result->note_count, 4);
    assert_int_equal(result->usage.processes_refused, 3);
    free(result);
}

static void an_ordinary_run_has_no_note(void **state)
{
    (void)state;
    struct facts facts = {"no notes", .has_group = true};
    struct observation seen = seen_of(&facts);
    struct result *result = judged(&facts, &seen);
    assert_int_equal(result->note_count, 0);
    free(result);
}

static void a_memory_verdict_needs_no_note_and_a_guess_has_one(void **state)
{
    (void)state;
    struct facts kernel = {"kernel", .wait_status = KILLED(SIGKILL), .has_group = true,
                           .oom_kills = 1};
    struct observation seen = seen_of(&kernel);
    struct result *result = judged(&kernel, &seen);
    assert_int_equal(result->note_count, 0);
    free(result);

    struct facts guess = {"guess", .wait_status = EXITED(1), .stderr_tail = "MemoryError"};
    seen = seen_of(&guess);
    result = judged(&guess, &seen);
    assert_int_equal(result->note_count, 1);
    assert_non_null(strstr(result->notes[0].text, "guess"));
    free(result);
}

static void the_plans_notes_come_first_and_the_table_never_overflows(void **state)
{
    (void)state;
    struct facts facts = {"many", .has_group = true, .oom_kills = 1};
    struct observation seen = seen_of(&facts);
    struct plan_builder builder;
    struct plan *plan = NULL;
    struct result *result = malloc(sizeof(*result));
    char text[400];
    memset(text, 'x', sizeof(text) - 1);
    text[sizeof(text) - 1] = '\0';

    assert_non_null(result);
    assert_int_equal(plan_builder_init(&builder), 0);
    for (int i = 0; i < PLAN_NOTES_MAX; i++)
        plan_add_note(&builder, BERM_LAYER_ENV, "%s", text);
    assert_int_equal(plan_builder_finish(&builder, &plan, NULL), 0);
    assert_int_equal(outcome(plan, &seen, NULL, result, NULL), 0);

    assert_int_equal(result->note_count, PLAN_NOTES_MAX + 1);
    assert_int_equal(strlen(result->notes[0].text), RESULT_NOTE_SIZE - 1);
    assert_int_equal(result->notes[0].layer, BERM_LAYER_ENV);
    assert_int_equal(result->notes[PLAN_NOTES_MAX].layer, BERM_LAYER_LIMITS);
    free(result);
    free(plan);
}

static void a_watchdog_is_named(void **state)
{
    (void)state;
    struct facts facts = {"watchdog", .no_status = true, .kill = KILL_WALL, .is_l0 = true};
    struct observation seen = seen_of(&facts);
    struct plan *plan = plan_of(&facts);
    struct result *result = malloc(sizeof(*result));
    assert_non_null(result);
    plan->is_watchdog = true;
    assert_int_equal(outcome(plan, &seen, NULL, result, NULL), 0);
    assert_true(
        has_note(result, BERM_LAYER_NONE, "ended by the watchdog of L0, which has no limits"));
    free(result);
    free(plan);
}

static void usage_takes_the_best_count_and_names_it(void **state)
{
    (void)state;
    struct facts facts = {"usage", .is_l0 = true};
    struct observation seen = seen_of(&facts);
    seen.user_ns = 70;
    seen.system_ns = 30;
    seen.max_rss_bytes = 5 * MEBI;
    struct result *result = judged(&facts, &seen);
    assert_int_equal(result->usage.cpu_ns, 100);
    assert_string_equal(result->usage.cpu_source, "rusage");
    assert_int_equal(result->usage.memory_peak_bytes, 5 * MEBI);
    assert_string_equal(result->usage.memory_source, "rusage");
    assert_int_equal(result->usage.processes_peak, 0);
    free(result);

    seen.monitor_cpu_ns = 99; /* a poll that missed the end: the kernel's record is larger */
    seen.monitor_memory_peak_bytes = 4 * MEBI;
    result = judged(&facts, &seen);
    assert_string_equal(result->usage.cpu_source, "rusage");
    assert_int_equal(result->usage.memory_peak_bytes, 5 * MEBI);
    assert_string_equal(result->usage.memory_source, "rusage");
    free(result);

    seen.has_monitor = true;
    seen.monitor_cpu_ns = 150;
    seen.monitor_memory_peak_bytes = 9 * MEBI;
    seen.monitor_pids_peak = 4;
    result = judged(&facts, &seen);
    assert_int_equal(result->usage.cpu_ns, 150);
    assert_string_equal(result->usage.cpu_source, "monitor");
    assert_int_equal(result->usage.memory_peak_bytes, 9 * MEBI);
    assert_string_equal(result->usage.memory_source, "monitor");
    assert_int_equal(result->usage.processes_peak, 4);
    free(result);

    seen.has_perf = true;
    result = judged(&facts, &seen);
    assert_string_equal(result->usage.cpu_source, "perf");
    free(result);

    seen.group = (struct group_facts){.version = 2,
                                      .has_cpu = true,
                                      .has_memory = true,
                                      .has_pids = true,
                                      .cpu_ns = 200,
                                      .memory_peak_bytes = 8 * MEBI,
                                      .pids_peak = 6};
    result = judged(&facts, &seen);
    assert_int_equal(result->usage.cpu_ns, 200);
    assert_string_equal(result->usage.cpu_source, "cgroup");
    assert_int_equal(result->usage.memory_peak_bytes, 8 * MEBI);
    assert_string_equal(result->usage.memory_source, "cgroup");
    assert_int_equal(result->usage.processes_peak, 5); /* without init */
    assert_int_equal(result->usage.user_ns, 70);
    free(result);
}

static void an_unknown_count_has_no_source(void **state)
{
    (void)state;
    struct facts facts = {"unknown", .no_status = true, .kill = KILL_WALL, .is_l0 = true};
    struct observation seen = seen_of(&facts);
    struct result *result = judged(&facts, &seen);
    assert_null(result->usage.cpu_source);
    assert_null(result->usage.memory_source);
    free(result);
}

/* ---- Failures of berm. ---- */

static struct berm_error refused(const struct observation *seen)
{
    struct facts facts = {"refused"};
    struct plan *plan = plan_of(&facts);
    struct result *result = malloc(sizeof(*result));
    struct berm_error err = {0};

    assert_non_null(result);
    memset(result, 0x5a, sizeof(*result));
    assert_true(outcome(plan, seen, NULL, result, &err) < 0);
    assert_int_equal(result->status, 0x5a5a5a5a); /* untouched on failure */
    free(result);
    free(plan);
    return err;
}

static struct berm_error refused_at(uint32_t step, int number, enum berm_layer layer,
                                    uint32_t index)
{
    struct observation seen = {.has_failed = true, .has_status = true, .wait_status = EXITED(125)};
    seen.failure.step = step;
    seen.failure.error = number;
    seen.failure.layer = layer;
    seen.failure.index = index;
    return refused(&seen);
}

static void what_exec_answers_decides_between_126_127_and_125(void **state)
{
    (void)state;

    static const struct {
        int number;
        enum berm_error_code code;
        int status;
        const char *message;
    } rows[] = {
        {ENOENT,  BERM_E_NOT_FOUND,      127, "cannot execute \"prog\\x1b\": it does not exist inside"},
        {ENOTDIR, BERM_E_NOT_FOUND,      127,
         "cannot execute \"prog\\x1b\": a part of its path is no directory"                           },
        {EACCES,  BERM_E_NOT_EXECUTABLE, 126, "cannot execute \"prog\\x1b\": permission denied"       },
        {ENOEXEC, BERM_E_NOT_EXECUTABLE, 126,
         "cannot execute \"prog\\x1b\": it is neither a binary of this machine nor a script with "
         "#!"                                                                                         },
        {ELIBBAD, BERM_E_NOT_EXECUTABLE, 126,
         "cannot execute \"prog\\x1b\": its interpreter or loader does not exist inside"              },
        {E2BIG,   BERM_E_INVALID,        125,
         "cannot execute \"prog\\x1b\": its arguments and variables are too long together"            },
        {ENOMEM,  BERM_E_SYSTEM,         125, NULL                                                    },
        {EIO,     BERM_E_SYSTEM,         125, NULL                                                    },
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct berm_error err = refused_at(STEP_EXEC, rows[i].number, BERM_LAYER_NONE, 0);
        assert_int_equal(err.code, rows[i].code);
        assert_int_equal(error_exit_status(&err), rows[i].status);
        assert_string_equal(err.step, "exec");
        assert_int_equal(err.system_errno, rows[i].number);
        if (rows[i].message)
            assert_string_equal(err.message, rows[i].message);
    }
}

static void a_refused_step_names_its_layer_step_row_and_cure(void **state)
{
    (void)state;
    struct berm_error err = refused_at(STEP_MOUNTS, EPERM, BERM_LAYER_FILESYSTEM, 0);
    assert_int_equal(err.code, BERM_E_UNAVAILABLE);
    assert_int_equal(err.layer, BERM_LAYER_FILESYSTEM);
    assert_string_equal(err.step, "mounts");
    assert_string_equal(err.message, "step \"mounts\" failed at bind \"data\" from \"/data\": "
                                     "Operation not permitted");
    assert_string_not_equal(err.cure, "");
    assert_int_equal(error_exit_status(&err), 125);

    err = refused_at(STEP_RLIMITS, EPERM, BERM_LAYER_LIMITS, 1);
    assert_string_equal(err.message, "step \"rlimits\" failed at fsize: Operation not permitted");
    err = refused_at(STEP_FILTER, ENOSYS, BERM_LAYER_SYSCALLS, 99);
    assert_int_equal(err.code, BERM_E_UNAVAILABLE);
    err = refused_at(STEP_MOUNTS, ENOMEM, BERM_LAYER_FILESYSTEM, 5000);
    assert_int_equal(err.code, BERM_E_SYSTEM);
    assert_string_equal(err.step, "mounts");
}

static void evidence_that_contradicts_the_plan_says_which(void **state)
{
    (void)state;
    struct berm_error err = refused_at(STEP_EVIDENCE, EBADE, BERM_LAYER_NONE, 0);
    assert_int_equal(err.code, BERM_E_UNAVAILABLE);
    assert_string_equal(err.step, "evidence");
    assert_non_null(strstr(err.message, evidence_name(0)));
    assert_non_null(strstr(err.message, "contradicts the plan"));
}

static void a_step_refused_memory_under_the_limit_is_the_runs_end(void **state)
{
    (void)state;
    struct facts facts = {"tiny", .not_started = true, .wait_status = EXITED(125),
                          .has_group = true};
    struct observation seen = seen_of(&facts);
    seen.has_failed = true;
    seen.failure.step = STEP_EXEC;
    seen.failure.error = ENOMEM;
    seen.group.memory_refusals = 7;
    struct result *result = judged(&facts, &seen);
    assert_int_equal(result->verdict, BERM_VERDICT_MEMORY);
    assert_int_equal(result->status, 137);
    assert_int_equal(result->exit_code, -1);
    assert_int_equal(result->oom_source, OOM_KERNEL);
    free(result);

    seen.group.memory_refusals = 0; /* the machine itself is out of memory: berm's failure */
    struct berm_error err = refused(&seen);
    assert_int_equal(err.code, BERM_E_SYSTEM);
}

static void a_failed_supervisor_is_a_defect_and_no_verdict(void **state)
{
    (void)state;
    struct observation seen = {
        .has_started = true, .has_status = true, .kill_reason = KILL_SUPERVISOR_FAILED};
    struct berm_error err = refused(&seen);
    assert_int_equal(err.code, BERM_E_INTERNAL);
    assert_int_equal(error_exit_status(&err), 125);
}

static void an_end_before_the_start_is_an_error_never_a_verdict(void **state)
{
    (void)state;
    struct observation before = {.has_started = false};
    struct berm_error err = refused(&before);
    assert_int_equal(err.code, BERM_E_SYSTEM);
    assert_non_null(strstr(err.message, "before the program was started"));
}

/* From L3 the program has the uid of init: prlimit(2) on PID 1 ends it, and everything with it. */
static void a_program_that_kills_its_init_cannot_blame_berm(void **state)
{
    (void)state;
    struct observation silent = {.has_started = true, .has_status = false};
    struct plan *plan = calloc(1, sizeof(*plan) + 1);
    struct result *result = calloc(1, sizeof(*result));
    struct berm_error err = {0};

    assert_non_null(plan);
    assert_non_null(result);
    assert_int_equal(outcome(plan, &silent, NULL, result, &err), 0);
    assert_int_equal(result->verdict, BERM_VERDICT_SIGNALED);
    assert_int_equal(result->signal, SIGKILL);
    assert_int_equal(result->status, 137);
    assert_int_equal(result->note_count, 1);
    assert_non_null(strstr(result->notes[0].text, "init was killed"));
    free(result);
    free(plan);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_end_has_its_verdict_status_and_flags),
        cmocka_unit_test(every_plain_exit_and_signal_is_told_as_it_is),
        cmocka_unit_test(what_happens_to_descendants_becomes_notes),
        cmocka_unit_test(an_ordinary_run_has_no_note),
        cmocka_unit_test(a_memory_verdict_needs_no_note_and_a_guess_has_one),
        cmocka_unit_test(the_plans_notes_come_first_and_the_table_never_overflows),
        cmocka_unit_test(a_watchdog_is_named),
        cmocka_unit_test(usage_takes_the_best_count_and_names_it),
        cmocka_unit_test(an_unknown_count_has_no_source),
        cmocka_unit_test(what_exec_answers_decides_between_126_127_and_125),
        cmocka_unit_test(a_refused_step_names_its_layer_step_row_and_cure),
        cmocka_unit_test(evidence_that_contradicts_the_plan_says_which),
        cmocka_unit_test(a_step_refused_memory_under_the_limit_is_the_runs_end),
        cmocka_unit_test(a_failed_supervisor_is_a_defect_and_no_verdict),
        cmocka_unit_test(an_end_before_the_start_is_an_error_never_a_verdict),
        cmocka_unit_test(a_program_that_kills_its_init_cannot_blame_berm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
