/*
 * Limits on the number of processes, and which of them hold root.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "prove/experiment_parts.h"

#define ASKED         30
#define LIMIT         5
#define LIMIT_OPTIONS "--processes 5"

/* Parts of what berm's result names as the mechanism. */
#define BY_RLIMIT  "RLIMIT_NPROC"
#define BY_MONITOR "/proc walked"
#define BY_GROUP   "cgroup"

enum process_column {
    COLUMN_STARTED,
    COLUMN_VERDICT
};

struct process_case {
    const char *what;
    int level;
    int (*before_exec)(void);
    const char *pause_ms;  /* from one child to the next */
    const char *mechanism; /* what must keep the limit; NULL: no berm */
    bool is_for_root, is_for_user;
};

static int limit_processes(void)
{
    struct rlimit few = {LIMIT, LIMIT};

    return setrlimit(RLIMIT_NPROC, &few) < 0 ? -errno : 0;
}

/* As long as a monitor that looks every 5 ms needs to be sure of a look. */
static bool hold_on(struct scene *scene, char *seen, size_t size)
{
    (void)snprintf(seen, size, "%zu processes", scene->sight.count);
    (void)nanosleep(&(struct timespec){0, 50000000}, NULL);
    return false;
}

/* The limit counts the program itself. A monitor ends the run when it was passed, by however many. The kernel counts
 * all processes of an ordinary user, who has others: less is started then, or nothing. */
static bool is_as_said(const struct process_case *one, long long started, const char *verdict)
{
    if (!one->mechanism)
        return geteuid() == 0 ? started == ASKED : started < LIMIT;
    if (strcmp(one->mechanism, BY_MONITOR) == 0)
        return started >= LIMIT && strcmp(verdict, "processes") == 0;
    return started > 0 && started < LIMIT && strcmp(verdict, "exited") == 0;
}

static void take_processes(const struct process_case *one, const struct trial *trial,
                           struct figure_row *row)
{
    long long told = trial_usage(trial, "processes_peak");
    long long seen = (long long)trial->scene.peaks.processes;
    long long started = (seen > told ? seen : told) - 1;
    const char *verdict = trial_text(trial, "verdict");

    if (one->mechanism &&
        !strstr(trial_mechanism(trial, "process", "number of processes"), one->mechanism)) {
        row_lacks(row, strcmp(one->mechanism, BY_GROUP) == 0 ? WITHOUT_A_GROUP : NOT_FOR_CALLER);
        return;
    }
    row_number(row, COLUMN_STARTED, started);
    row_text(row, COLUMN_VERDICT, verdict);
    row->is_as_said = is_as_said(one, started, verdict);
}

static void run_case(struct cell_runner *runner, const struct process_case *one,
                     struct figure_row *row)
{
    struct trial trial;
    struct trial_plan plan = {
        .level = one->level,
        .attack = {.topic = TOPIC_PROCESSES,
                   .words = {"fork-slowly", "30", one->pause_ms},
                   .options = one->mechanism ? LIMIT_OPTIONS : NULL,
                   .while_held = hold_on},
        .before_exec = one->before_exec,
    };

    if (geteuid() == 0 ? !one->is_for_root : !one->is_for_user) {
        row_lacks(row, NOT_FOR_CALLER);
        return;
    }
    if (!trial_run_for(runner, &plan, &trial, row))
        return;
    take_processes(one, &trial, row);
    trial_done(&trial);
}

/* clang-format off */
static const struct process_case cases[] = {
    {"RLIMIT_NPROC alone, without berm", WITHOUT_BERM, limit_processes,      "20", NULL,       true,  true},
    {"own user namespace (L3, no group)", 3,           cover_control_groups, "20", BY_RLIMIT,  false, true},
    {"a monitor (L3, no group)",          3,           cover_control_groups, "20", BY_MONITOR, true,  false},
    {"a monitor, and all at once",        3,           cover_control_groups, "0",  BY_MONITOR, true,  false},
    {"own host uid (L6, no group)",       6,           cover_control_groups, "20", BY_RLIMIT,  true,  false},
    {"control group (L3)",                3,           NULL,                 "20", BY_GROUP,   true,  true},
    {"control group (L6)",                6,           NULL,                 "20", BY_GROUP,   true,  true},
};

/* clang-format on */

static int run_nproc_root(struct cell_runner *runner, struct figure_table *table)
{
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        run_case(runner, &cases[i], table_add(table, cases[i].what));
    return 0;
}

const struct experiment experiment_nproc_root = {
    .name = "nproc-root",
    .question = "which limit on the number of processes holds root?",
    .tries =
        "A program starts 30 children, one each 20 ms or all at once, under a limit of 5 that counts "
        "itself. The host counts them in /proc; so does berm, and the larger count stands here.",
    .lesson =
        "RLIMIT_NPROC does nothing for real root; a host uid of the run's own makes it bite, a "
        "control group needs no such help, and a monitor ends the run only when the limit was "
        "passed, by however many: test that a limit bites.",
    .rows = "the limit is kept by",
    .columns = {{"started", "started of 30", FIGURE_COUNT, true},
                {"verdict", "berm's verdict", FIGURE_TEXT, false}},
    .run = run_nproc_root,
};
