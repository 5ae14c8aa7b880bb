/*
 * Limits that do not bite: the number of processes for root, the CPU time for PID 1.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "linux/clone.h"
#include "prove/experiment_parts.h"
#include "prove/looks.h"

/* ---- The number of processes. ---- */

#define PROCESSES_ASKED 30
#define PROCESSES_LIMIT 5

enum process_column {
    COLUMN_STARTED,
    COLUMN_VERDICT
};

struct process_case {
    const char *what;
    int level;
    bool is_covered;       /* without control groups */
    const char *mechanism; /* a part of what berm's result must name; NULL: no berm */
    bool is_for_root, is_for_user;
};

static int limit_processes(void)
{
    struct rlimit few = {PROCESSES_LIMIT, PROCESSES_LIMIT};

    return setrlimit(RLIMIT_NPROC, &few) < 0 ? -errno : 0;
}

/* The cap counts the program itself. The monitor is quick and no wall: it is said that it ended the run, not after
 * how many. */
static bool is_as_said(const struct process_case *one, long long started, const char *verdict)
{
    if (!one->mechanism)
        return geteuid() != 0 || started == PROCESSES_ASKED;
    if (strcmp(verdict, "processes") == 0)
        return started < PROCESSES_ASKED;
    return started > 0 && started <= PROCESSES_LIMIT - 1 && strcmp(verdict, "exited") == 0;
}

static void take_processes(const struct process_case *one, const struct trial *trial,
                           struct figure_row *row)
{
    size_t peak = trial->scene.peaks.processes;
    long long started = peak > 0 ? (long long)peak - 1 : 0;
    const char *verdict = trial_text(trial, "verdict");
    const char *mechanism = trial_mechanism(trial, "process", "number of processes");

    if (one->mechanism && !strstr(mechanism, one->mechanism)) {
        row_lacks(row, strcmp(one->mechanism, "cgroup") == 0 ? WITHOUT_A_GROUP : NOT_FOR_CALLER);
        return;
    }
    row_number(row, COLUMN_STARTED, started);
    row_text(row, COLUMN_VERDICT, verdict);
    row->is_as_said = is_as_said(one, started, verdict);
}

static void run_process_case(struct cell_runner *runner, const struct process_case *one,
                             struct figure_row *row)
{
    struct trial trial;
    struct trial_plan plan = {
        .level = one->level,
        .attack = {.topic = TOPIC_PROCESSES,
                   .words = {"fork-slowly", "30", "20"},
                   .options = one->mechanism ? "--processes 5" : NULL,
                   .detail = PROCESSES_LIMIT,
                   .while_held = look_processes},
        .before_exec = one->is_covered ? cover_control_groups : NULL,
    };

    if (geteuid() == 0 ? !one->is_for_root : !one->is_for_user) {
        row_lacks(row, NOT_FOR_CALLER);
        return;
    }
    if (!one->mechanism)
        plan.before_exec = limit_processes;
    if (!trial_run_for(runner, &plan, &trial, row))
        return;
    take_processes(one, &trial, row);
    trial_done(&trial);
}

static int run_nproc_root(struct cell_runner *runner, struct figure_table *table)
{
    static const struct process_case cases[] = {
        {"RLIMIT_NPROC alone, without berm", WITHOUT_BERM, false, NULL,           true,  true },
        {"own user namespace (L3)",          3,            true,  "RLIMIT_NPROC", false, true },
        {"a monitor (L3, no control group)", 3,            true,  "/proc",        true,  false},
        {"own host uid (L6, no group)",      6,            true,  "RLIMIT_NPROC", true,  false},
        {"control group (L3)",               3,            false, "cgroup",       true,  true },
        {"control group (L6)",               6,            false, "cgroup",       true,  true },
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        run_process_case(runner, &cases[i], table_add(table, cases[i].what));
    return 0;
}

const struct experiment experiment_nproc_root = {
    .name = "nproc-root",
    .question = "which limit on the number of processes holds root?",
    .tries =
        "A program starts 30 children, one each 20 ms, under a limit of 5 that counts itself. The "
        "host counts them in /proc.",
    .lesson =
        "RLIMIT_NPROC does nothing for real root; a host uid of the run's own makes it bite, a "
        "control group needs no such help, and a monitor comes after the fact and ends the run. "
        "Test that a limit bites.",
    .rows = "the limit is kept by",
    .columns = {{"started", "started of 30", FIGURE_COUNT, true},
                {"verdict", "berm's verdict", FIGURE_TEXT, false}},
    .run = run_nproc_root,
};

/* ---- CPU time. ---- */

#define CPU_SOFT_S  2
#define CPU_WALL_MS 15000

enum cpu_column {
    COLUMN_RAN,
    COLUMN_END
};

struct cpu_case {
    const char *what;
    int level;
    int (*before_exec)(void);
    const char *end; /* by the lesson */
};

static int limit_cpu(rlim_t hard_s)
{
    struct rlimit cpu = {CPU_SOFT_S, hard_s};
    struct rlimit core = {1, 1}; /* SIGXCPU dumps core (signal(7)): none is so small */

    return setrlimit(RLIMIT_CORE, &core) < 0 || setrlimit(RLIMIT_CPU, &cpu) < 0 ? -errno : 0;
}

static int limit_cpu_both(void)
{
    return limit_cpu(CPU_SOFT_S);
}

static int limit_cpu_soft(void)
{
    return limit_cpu(CPU_SOFT_S + 1);
}

/* As the child ended: PID 1 cannot send itself a signal that would end it, so it says so as a shell does. */
static _Noreturn void end_as_child(pid_t pid)
{
    int status = 0;

    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    int number = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    if (WIFEXITED(status) && WEXITSTATUS(status) > 128)
        number = WEXITSTATUS(status) - 128;
    if (number > 0) {
        (void)signal(number, SIG_DFL); /* SIGKILL: it is so already */
        (void)raise(number);
        _exit(128 + number);
    }
    _exit(WEXITSTATUS(status));
}

/* Returns in PID 1 of a new PID namespace. */
static int become_first(void)
{
    uint64_t flags = CLONE_NEWPID | (geteuid() == 0 ? 0 : CLONE_NEWUSER);
    int pidfd = -EBADF;
    int r = limit_cpu_soft();

    if (r < 0)
        return r;
    pid_t pid = clone_child(flags, -1, &pidfd);
    if (pid > 0)
        end_as_child(pid);
    return pid;
}

/* Returns in PID 2, whose parent is an init that does nothing but wait. */
static int become_second(void)
{
    int r = become_first();

    if (r < 0)
        return r;
    pid_t pid = fork();
    if (pid > 0)
        end_as_child(pid);
    return pid < 0 ? -errno : 0;
}

static void run_cpu_case(struct cell_runner *runner, const struct cpu_case *one,
                         struct figure_row *row)
{
    struct trial trial;
    char end[32];
    struct trial_plan plan = {
        .level = one->level,
        .attack = {.words = {"burn", "one", "8000"},
                   .wall_ms = CPU_WALL_MS,
                   .cpu_ms = CPU_SOFT_S * 1000},
        .before_exec = one->before_exec,
    };

    if (!trial_run_for(runner, &plan, &trial, row))
        return;
    trial_end_of(&trial, end, sizeof(end));
    row_number(row, COLUMN_RAN, (long long)trial.scene.rusage_cpu_ms);
    row_text(row, COLUMN_END, one->level < 0 ? end : trial_text(&trial, "verdict"));
    row->is_as_said = strcmp(row->figures[COLUMN_END].text, one->end) == 0;
    trial_done(&trial);
}

static int run_cpu_pid1(struct cell_runner *runner, struct figure_table *table)
{
    static const struct cpu_case cases[] = {
        {"soft 2, hard 2",                      WITHOUT_BERM, limit_cpu_both, "SIGKILL"    },
        {"soft 2, hard 3",                      WITHOUT_BERM, limit_cpu_soft, "SIGXCPU"    },
        {"soft 2, hard 3, as PID 1",            WITHOUT_BERM, become_first,   "SIGKILL"    },
        {"soft 2, hard 3, PID 2 under an init", WITHOUT_BERM, become_second,  "SIGXCPU"    },
        {"berm run --level L3 --cpu-time 2s",   3,            NULL,           "cpu_timeout"},
    };
    const struct figure_row *rows = table->rows;

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        run_cpu_case(runner, &cases[i], table_add(table, cases[i].what));
    /* The third ran on to its hard limit: half as long again, by a clock of ticks. */
    if (rows[1].lack[0] == '\0' && rows[2].lack[0] == '\0' &&
        rows[2].figures[COLUMN_RAN].number * 10 < rows[1].figures[COLUMN_RAN].number * 11)
        table->rows[2].is_as_said = false;
    return 0;
}

const struct experiment experiment_cpu_pid1 = {
    .name = "cpu-pid1",
    .question = "does a CPU limit of 2 s end a busy loop that is PID 1?",
    .tries =
        "The same busy loop under a limit of 2 s of CPU time: without a namespace, as PID 1 of a "
        "PID namespace, as PID 2 of one, and under berm's init. wait4(2) counts the CPU time.",
    .lesson =
        "the soft limit sends a signal that PID 1 of a PID namespace ignores, so it runs on to "
        "the hard limit; berm runs the program under an init of its own, where the limit bites at "
        "the limit.",
    .rows = "limit, in seconds",
    .columns = {{"ran_s", "ran, s", FIGURE_SECONDS, true},
                {"ended_by", "ended by", FIGURE_TEXT, false}},
    .run = run_cpu_pid1,
};
