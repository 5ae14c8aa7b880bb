/*
 * What goes on after a run: a child that stays in the session, and a daemon that leaves it.
 */
#include <stdio.h>
#include <string.h>

#include "prove/experiment_parts.h"

/* Longer than any look; the host ends them. */
static const char *const child_words[] = {"background", "20000"};
static const char *const daemon_words[] = {"daemon", "20"};

struct case_of_leftovers {
    const char *what;
    int level;
    const char *off;
    bool child_goes_on, daemon_goes_on; /* by the lesson */
};

enum leftovers_column {
    COLUMN_CHILD,
    COLUMN_DAEMON,
    COLUMN_ENDERS /* of layer-hides-defect alone */
};

/* Whom the result names: the sweep belongs to the limits layer, the namespace to the process layer. */
static const char *enders_of(const struct trial *trial)
{
    bool has_sweep = trial_has_layer(trial, "limits");
    bool has_namespace = trial_has_layer(trial, "process");

    if (has_sweep && has_namespace)
        return "sweep, PID namespace";
    if (has_namespace)
        return "PID namespace";
    return has_sweep ? "sweep" : "nobody";
}

static void run_one(struct cell_runner *runner, const struct case_of_leftovers *one,
                    const char *const words[2], size_t column, struct figure_row *row)
{
    struct trial trial;
    struct trial_plan plan = {
        .level = one->level,
        .off = one->off,
        .attack = {.topic = TOPIC_LEFTOVERS, .words = {words[0], words[1]}},
    };

    if (row->lack[0] != '\0' || !trial_run_for(runner, &plan, &trial, row))
        return;
    row_number(row, column, trial.scene.sight.count > 0);
    row_text(row, COLUMN_ENDERS, enders_of(&trial));
    trial_done(&trial);
}

static int run_cases(struct cell_runner *runner, const struct case_of_leftovers *cases,
                     size_t count, struct figure_table *table)
{
    for (size_t i = 0; i < count; i++) {
        struct figure_row *row = table_add(table, cases[i].what);

        run_one(runner, &cases[i], child_words, COLUMN_CHILD, row);
        run_one(runner, &cases[i], daemon_words, COLUMN_DAEMON, row);
        if (row->lack[0] == '\0')
            row->is_as_said = row->figures[COLUMN_CHILD].number == cases[i].child_goes_on &&
                              row->figures[COLUMN_DAEMON].number == cases[i].daemon_goes_on;
    }
    return 0;
}

static int run_orphan(struct cell_runner *runner, struct figure_table *table)
{
    static const struct case_of_leftovers cases[] = {
        {"L0 bare",       0, NULL, true,  true },
        {"L1 limits",     1, NULL, false, true },
        {"L2 env",        2, NULL, false, true },
        {"L3 process",    3, NULL, false, false},
        {"L4 network",    4, NULL, false, false},
        {"L5 filesystem", 5, NULL, false, false},
        {"L6 hardened",   6, NULL, false, false},
    };

    return run_cases(runner, cases, sizeof(cases) / sizeof(cases[0]), table);
}

const struct experiment experiment_orphan = {
    .name = "orphan",
    .question = "what goes on after the run, and from which level on does nothing?",
    .tries =
        "A program ends and leaves something behind: once a child that stays in its session, once "
        "a daemon that has left it. The host looks for both in /proc when the run has ended.",
    .lesson = "a sweep of the session ends what stayed in it, from L1; only the end of the PID "
              "namespace reaches a daemon, from L3.",
    .rows = "level",
    .columns = {{"child_goes_on", "child goes on", FIGURE_YES_NO, false},
                {"daemon_goes_on", "daemon goes on", FIGURE_YES_NO, false}},
    .run = run_orphan,
};

static int run_layer_hides_defect(struct cell_runner *runner, struct figure_table *table)
{
    static const struct case_of_leftovers cases[] = {
        {"L1",                      1, NULL,             false, true },
        {"L1 --off limits",         1, "limits",         true,  true },
        {"L3",                      3, NULL,             false, false},
        {"L3 --off limits",         3, "limits",         false, false},
        {"L3 --off process",        3, "process",        false, true },
        {"L3 --off limits,process", 3, "limits,process", true,  true },
    };

    return run_cases(runner, cases, sizeof(cases) / sizeof(cases[0]), table);
}

const struct experiment experiment_layer_hides_defect = {
    .name = "layer-hides-defect",
    .question = "would a check at L3 notice that the sweep of the session does not work?",
    .tries =
        "The child and the daemon of \"orphan\", with and without the limits layer, to which the "
        "sweep belongs, and the process layer, to which the PID namespace belongs.",
    .lesson =
        "L3 gives the same figures with the sweep and without it: the PID namespace ends "
        "everything and hides a sweep that does not work, so a check of the sweep must run with "
        "the process layer off, where the child tells.",
    .rows = "level",
    .columns = {{"child_goes_on", "child goes on", FIGURE_YES_NO, false},
                {"daemon_goes_on", "daemon goes on", FIGURE_YES_NO, false},
                {"ended_by", "who could end them", FIGURE_TEXT, false}},
    .run = run_layer_hides_defect,
};
