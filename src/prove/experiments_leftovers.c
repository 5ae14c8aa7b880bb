/*
 * What goes on after a run: a child that stays in the session, and a daemon that leaves it.
 */
#include <stdio.h>
#include <string.h>

#include "prove/experiment_parts.h"
#include "prove/looks.h"

/* Longer than any look; the host ends them. */
static const char *const child_words[] = {"background", "20000"};
static const char *const daemon_words[] = {"daemon", "20"};

enum leftovers_column {
    COLUMN_CHILD,
    COLUMN_DAEMON,
    COLUMN_ENDERS /* of layer-hides-defect alone */
};

/* Whatever could end a process after the run. */
enum ender {
    ENDER_SWEEP = 1u << 0,     /* of the session: the limits layer */
    ENDER_GROUP = 1u << 1,     /* a control group that is emptied */
    ENDER_NAMESPACE = 1u << 2, /* a PID namespace that ends: the process layer */
    ENDER_COUNT = 3
};

struct leftovers_case {
    const char *what;
    int level;
    const char *off;
    bool is_covered; /* without control groups */
};

static unsigned enders_of(const struct trial *trial)
{
    return (trial_has_layer(trial, "limits") ? ENDER_SWEEP : 0) |
           (trial_has_group(trial) ? ENDER_GROUP : 0) |
           (trial_has_layer(trial, "process") ? ENDER_NAMESPACE : 0);
}

static void name_enders(unsigned enders, char *text, size_t size)
{
    static const char *const names[ENDER_COUNT] = {"sweep", "group", "namespace"};
    size_t used = 0;

    (void)snprintf(text, size, "nobody");
    for (unsigned i = 0; i < ENDER_COUNT && used < size; i++) {
        if (enders & 1u << i)
            used +=
                (size_t)snprintf(text + used, size - used, "%s%s", used > 0 ? ", " : "", names[i]);
    }
}

/* Runs one of the two. False: the row has no figures. */
static bool run_one(struct cell_runner *runner, const struct leftovers_case *one,
                    const char *const words[2], bool *ret_goes_on, unsigned *ret_enders,
                    struct figure_row *row)
{
    struct trial trial;
    struct trial_plan plan = {
        .level = one->level,
        .off = one->off,
        .attack = {.topic = TOPIC_LEFTOVERS,
                   .words = {words[0], words[1]},
                   .afterwards = look_survivors},
        .before_exec = one->is_covered ? cover_control_groups : NULL,
    };

    if (!trial_run_for(runner, &plan, &trial, row))
        return false;
    *ret_goes_on = trial.scene.is_harmed;
    *ret_enders = enders_of(&trial);
    trial_done(&trial);
    return true;
}

/* The sweep reaches what stayed in the session; the others reach everything. */
static void run_case(struct cell_runner *runner, const struct leftovers_case *one,
                     struct figure_row *row)
{
    bool child_goes_on = false;
    bool daemon_goes_on = false;
    unsigned enders = 0;
    char text[40];

    if (!run_one(runner, one, child_words, &child_goes_on, &enders, row) ||
        !run_one(runner, one, daemon_words, &daemon_goes_on, &enders, row))
        return;
    name_enders(enders, text, sizeof(text));
    row_number(row, COLUMN_CHILD, child_goes_on);
    row_number(row, COLUMN_DAEMON, daemon_goes_on);
    row_text(row, COLUMN_ENDERS, text);
    row->is_as_said = child_goes_on == (enders == 0) &&
                      daemon_goes_on == ((enders & (ENDER_GROUP | ENDER_NAMESPACE)) == 0);
}

static int run_cases(struct cell_runner *runner, const struct leftovers_case *cases, size_t count,
                     struct figure_table *table)
{
    for (size_t i = 0; i < count; i++)
        run_case(runner, &cases[i], table_add(table, cases[i].what));
    return 0;
}

static int run_orphan(struct cell_runner *runner, struct figure_table *table)
{
    static const struct leftovers_case cases[] = {
        {"L0 bare",       0, NULL, false},
        {"L1 limits",     1, NULL, false},
        {"L2 env",        2, NULL, false},
        {"L3 process",    3, NULL, false},
        {"L4 network",    4, NULL, false},
        {"L5 filesystem", 5, NULL, false},
        {"L6 hardened",   6, NULL, false},
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
    static const struct leftovers_case cases[] = {
        {"L1",                         1, NULL,             false},
        {"L1 --off limits",            1, "limits",         false},
        {"L3",                         3, NULL,             false},
        {"L3 --off limits",            3, "limits",         false},
        {"L3 --off process",           3, "process",        false},
        {"L3 --off process, no group", 3, "process",        true },
        {"L3 --off limits, process",   3, "limits,process", false},
    };

    return run_cases(runner, cases, sizeof(cases) / sizeof(cases[0]), table);
}

const struct experiment experiment_layer_hides_defect = {
    .name = "layer-hides-defect",
    .question = "would a check at L3 notice that the sweep of the session does not work?",
    .tries =
        "The child and the daemon of \"orphan\", with and without the limits layer, to which the "
        "sweep belongs, the process layer, to which the PID namespace belongs, and a control "
        "group.",
    .lesson =
        "L3 gives the same figures with the sweep and without it: the PID namespace ends "
        "everything, a control group would too, and either hides a sweep that does not work; so "
        "a check of the sweep runs without both, where the child tells.",
    .rows = "level",
    .columns = {{"child_goes_on", "child goes on", FIGURE_YES_NO, false},
                {"daemon_goes_on", "daemon goes on", FIGURE_YES_NO, false},
                {"enders", "who could end them", FIGURE_TEXT, false}},
    .run = run_layer_hides_defect,
};
