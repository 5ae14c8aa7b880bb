/*
 * Out of memory or not: what the result says, by a count and by a guess.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "prove/experiment_parts.h"

enum memory_column {
    COLUMN_COUNTER,
    COLUMN_TOOK,
    COLUMN_STATUS,
    COLUMN_VERDICT,
    COLUMN_OOM,
    COLUMN_SOURCE
};

enum counter {
    COUNTER_GROUP,
    COUNTER_MONITOR,
    COUNTER_NOBODY,
    COUNTER_COUNT
};

/* How berm is brought to count in this way, and what its result then names as the mechanism. */
static const struct {
    const char *name;
    const char *options;
    int (*before_exec)(void);
    const char *mechanism;
} counters[COUNTER_COUNT] = {
    [COUNTER_GROUP] = {"group",   "--limits lesson --memory 64MiB",   NULL,                 "cgroup"},
    [COUNTER_MONITOR] = {"monitor", "--limits standard --memory 64MiB", cover_control_groups,
                       "polled"                                                                     },
    [COUNTER_NOBODY] = {"nobody",  "--limits lesson --memory 64MiB",   cover_control_groups,
                       "RLIMIT_AS"                                                                  },
};

struct memory_case {
    const char *what;
    enum counter counter;
    const char *words[3];
    attack_look while_held;
    long long status;
    const char *verdict;
    const char *source; /* "": out of memory is not said */
};

/* As an operator or another program does it. */
static bool end_from_outside(struct scene *scene, char *seen, size_t size)
{
    (void)snprintf(seen, size, "ended from outside");
    (void)sight_end(&scene->sight, scene->tag);
    return false;
}

/* What ends with its PID namespace is waited for by nobody: of that, /proc has told. */
static uint64_t rss_kib_of(const struct scene *scene)
{
    uint64_t peak = scene->peaks.rss_bytes >> 10;

    return peak > scene->rusage_rss_kib ? peak : scene->rusage_rss_kib;
}

static void take_memory(const struct memory_case *one, const struct trial *trial,
                        struct figure_row *row)
{
    const char *verdict = trial_text(trial, "verdict");
    const char *source = trial_text(trial, "oom_source");
    long long status = trial_number(trial, "status");

    if (!strstr(trial_mechanism(trial, "limits", "memory of"), counters[one->counter].mechanism)) {
        row_lacks(row, one->counter == COUNTER_GROUP ? WITHOUT_A_GROUP : NOT_FOR_CALLER);
        return;
    }
    row_text(row, COLUMN_COUNTER, counters[one->counter].name);
    row_number(row, COLUMN_TOOK, (long long)(rss_kib_of(&trial->scene) >> 10));
    row_number(row, COLUMN_STATUS, status);
    row_text(row, COLUMN_VERDICT, verdict);
    row_number(row, COLUMN_OOM, trial_is(trial, "oom"));
    row_text(row, COLUMN_SOURCE, source);
    row->is_as_said = status == one->status && strcmp(verdict, one->verdict) == 0 &&
                      strcmp(source, one->source) == 0 &&
                      trial_is(trial, "oom") == (one->source[0] != '\0');
}

static void run_case(struct cell_runner *runner, const struct memory_case *one,
                     struct figure_row *row)
{
    struct trial trial;
    struct trial_plan plan = {
        .level = 3,
        .attack = {.topic = TOPIC_MEMORY,
                   .words = {one->words[0], one->words[1], one->words[2]},
                   .options = counters[one->counter].options,
                   .while_held = one->while_held},
        .before_exec = counters[one->counter].before_exec,
    };

    if (!trial_run_for(runner, &plan, &trial, row))
        return;
    take_memory(one, &trial, row);
    trial_done(&trial);
}

static int run_oom_flag(struct cell_runner *runner, struct figure_table *table)
{
#define TAKES     "takes 256 MiB of 64"
#define SAYS_ONLY "says MemoryError, takes none"
#define EXITS     "exits with 137 itself"
#define KILLED    "is killed from outside, kill -9"
    static const struct memory_case cases[] = {
        {TAKES,     COUNTER_GROUP,   {"memory-error", "256"}, NULL,             137, "memory",   "kernel" },
        {TAKES,     COUNTER_MONITOR, {"memory-error", "256"}, NULL,             137, "memory",   "monitor"},
        {TAKES,     COUNTER_NOBODY,  {"memory-error", "256"}, NULL,             1,   "exited",   "guess"  },
        {SAYS_ONLY, COUNTER_GROUP,   {"memory-error", "0"},   NULL,             1,   "exited",   ""       },
        {SAYS_ONLY, COUNTER_NOBODY,  {"memory-error", "0"},   NULL,             1,   "exited",   "guess"  },
        {EXITS,     COUNTER_GROUP,   {"end", "exit", "137"},  NULL,             137, "exited",   ""       },
        {EXITS,     COUNTER_NOBODY,  {"end", "exit", "137"},  NULL,             137, "exited",   ""       },
        {KILLED,    COUNTER_GROUP,   {"end", "sleep", "0"},   end_from_outside, 137, "signaled", ""       },
        {KILLED,    COUNTER_NOBODY,  {"end", "sleep", "0"},   end_from_outside, 137, "signaled", ""       },
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        run_case(runner, &cases[i], table_add(table, cases[i].what));
    return 0;
}

const struct experiment experiment_oom_flag = {
    .name = "oom-flag",
    .question = "was it memory, and who says so: a count or a guess?",
    .tries =
        "At L3, with a memory limit of 64 MiB, kept by a control group, by a monitor, or by a limit "
        "on each process, where nobody counts. The host says how many MiB it took, by wait4(2) and "
        "/proc; the rest is berm's result.",
    .lesson =
        "status 137 stands for three different ends, and a guess takes the program's word for it, "
        "once rightly and once wrongly; only a count knows, so the result says which of them it "
        "is.",
    .rows = "the program",
    .columns = {{"counted_by", "counted", FIGURE_TEXT, false},
                {"took_mib", "MiB", FIGURE_COUNT, true},
                {"status", "status", FIGURE_COUNT, false},
                {"verdict", "verdict", FIGURE_TEXT, false},
                {"oom", "oom", FIGURE_YES_NO, false},
                {"oom_source", "source", FIGURE_TEXT, false}},
    .run = run_oom_flag,
};
