/*
 * A limit on CPU time, and a program that is PID 1 of its namespace.
 */
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "linux/clone.h"
#include "prove/experiment_parts.h"

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

/* What ends with its PID namespace is waited for by nobody: of that, /proc has told. */
static long long cpu_ms_of(const struct scene *scene)
{
    return (long long)(scene->peaks.cpu_ms > scene->rusage_cpu_ms ? scene->peaks.cpu_ms
                                                                  : scene->rusage_cpu_ms);
}

static void run_cpu_case(struct cell_runner *runner, const struct cpu_case *one,
                         struct figure_row *row)
{
    struct trial trial;
    char end[32];
    struct trial_plan plan = {
        .level = one->level,
        .attack = {.topic = TOPIC_CPU_TIME,
                   .words = {"burn", "one", "8000"},
                   .wall_ms = CPU_WALL_MS,
                   .cpu_ms = CPU_SOFT_S * 1000},
        .before_exec = one->before_exec,
    };

    if (!trial_run_for(runner, &plan, &trial, row))
        return;
    trial_end_of(&trial, end, sizeof(end));
    row_number(row, COLUMN_RAN, cpu_ms_of(&trial.scene));
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
        "PID namespace, as PID 2 of one, and under berm's init. The host counts the CPU time, by wait4(2) and "
        "/proc.",
    .lesson =
        "the soft limit sends a signal that PID 1 of a PID namespace ignores, so it runs on to "
        "the hard limit; berm runs the program under an init of its own, where the limit bites at "
        "the limit.",
    .rows = "limit, in seconds",
    .columns = {{"ran_s", "ran, s", FIGURE_SECONDS, true},
                {"ended_by", "ended by", FIGURE_TEXT, false}},
    .run = run_cpu_pid1,
};
