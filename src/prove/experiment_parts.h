/*
 * What the experiments share: a table of figures, and one run whose figures are read off.
 *
 * A figure is what the host saw: wait4(2), /proc, a honeypot, a canary in the output, berm's result. Where a column
 * shows the program's own word, its title says so. A row that this caller cannot have says why, and has no figures.
 */
#ifndef BERM_PROVE_EXPERIMENT_PARTS_H
#define BERM_PROVE_EXPERIMENT_PARTS_H

#include <jansson.h>
#include <stdio.h>

#include "prove/run_cell.h"

#define EXPERIMENT_COLUMNS_MAX 6
#define EXPERIMENT_ROWS_MAX    16

/* ---- Tables. ---- */

enum figure_kind {
    FIGURE_TEXT,
    FIGURE_COUNT,
    FIGURE_SECONDS, /* milliseconds inside */
    FIGURE_YES_NO
};

struct figure_column {
    const char *key;   /* of JSON */
    const char *title; /* of the table */
    enum figure_kind kind;
    bool varies; /* from run to run: a document shows one of many */
};

struct figure {
    bool is_known;
    long long number;
    char text[40];
};

struct figure_row {
    char what[40];
    struct figure figures[EXPERIMENT_COLUMNS_MAX];
    char lack[160];  /* not empty: there are no figures, and why */
    bool is_as_said; /* by the lesson; of a row without figures: that is no wonder */
};

struct figure_table {
    struct figure_row rows[EXPERIMENT_ROWS_MAX];
    size_t row_count;
};

struct experiment {
    const char *name;
    const char *question; /* one sentence: the list, and the title */
    const char *tries;    /* one or two sentences: what is run, and who counts */
    const char *lesson;   /* one sentence */
    const char *rows;     /* the title of the first column */
    struct figure_column columns[EXPERIMENT_COLUMNS_MAX]; /* up to one without a key */
    /* Fills the table. 0, or -errno and it could not be run. */
    int (*run)(struct cell_runner *runner, struct figure_table *table);
};

extern const struct experiment experiment_orphan, experiment_nproc_root, experiment_cpu_pid1,
    experiment_head_tail, experiment_honeypot, experiment_hidden_key, experiment_oom_flag,
    experiment_layer_hides_defect;

/* A new row, as said until it is known better. At most EXPERIMENT_ROWS_MAX. */
struct figure_row *table_add(struct figure_table *table, const char *what);

void row_text(struct figure_row *row, size_t column, const char *text);
void row_number(struct figure_row *row, size_t column, long long number); /* all kinds but text */

/* No figures: nothing that this caller, or this machine, could show. */
void row_lacks(struct figure_row *row, const char *why);

/* No figures, and there should be some. */
void row_fails(struct figure_row *row, const char *why);

size_t experiment_column_count(const struct experiment *experiment);

/* Are all rows as the lesson says, and are there figures in one at least? */
bool table_shows(const struct figure_table *table);
bool table_is_empty(const struct figure_table *table);

/* At most 80 characters wide. Returns 0 or -errno. */
int table_print(const struct experiment *experiment, const struct figure_table *table, FILE *out);

/* The same as one JSON document; @who is "root" or "an ordinary user". Returns 0 or -errno. */
int table_print_json(const struct experiment *experiment, const struct figure_table *table,
                     const char *who, FILE *out);

/* ---- Runs. ---- */

#define WITHOUT_BERM    (-1)
#define NOT_FOR_CALLER  "not for this caller"
#define WITHOUT_A_GROUP "no control group here"

struct trial_plan {
    int level;                /* of berm, or WITHOUT_BERM */
    const char *off;          /* layers that are switched off, by commas; NULL: none */
    struct attack attack;     /* words, options, limits, topic, looks; from level 0 on */
    int (*before_exec)(void); /* see struct scene; NULL: nothing */
};

/* Large: one at a time. */
struct trial {
    struct scene scene;
    struct column column;
    struct cell cell;  /* `said`: the program's own word */
    json_t *result;    /* owned: berm's; NULL without berm */
    bool is_set_up;    /* before_exec() did what it should */
    char problem[200]; /* not empty: the program was not begun, and why */
};

/* Run it. 0: the program was begun; else -errno, and trial->problem says why. trial_done() in both cases. */
int trial_run(struct cell_runner *runner, const struct trial_plan *plan, struct trial *trial);
void trial_done(struct trial *trial);

/* The same, and where it could not be begun the row says so: false, and trial_done() was called. */
bool trial_run_for(struct cell_runner *runner, const struct trial_plan *plan, struct trial *trial,
                   struct figure_row *row);

/* Of berm's result; "" where it is null or absent. */
const char *trial_text(const struct trial *trial, const char *key);
bool trial_is(const struct trial *trial, const char *key);
long long trial_number(const struct trial *trial, const char *key);
long long trial_usage(const struct trial *trial, const char *key); /* of `usage` */

/* Is the layer on? Does a control group keep any promise? */
bool trial_has_layer(const struct trial *trial, const char *layer);
bool trial_has_group(const struct trial *trial);

/* What keeps the first promise of the layer that has @what in its words; "" where nothing does. */
const char *trial_mechanism(const struct trial *trial, const char *layer, const char *what);

/* "SIGKILL", "exit 3": how what was started ended. */
void trial_end_of(const struct trial *trial, char *text, size_t size);

/* For before_exec: in mount namespaces of their own, an empty directory where the control groups are. Not for
 * ordinary users, who have none that they could use. */
int cover_control_groups(void);

/* A signal has asked for the end: no further run is begun. */
bool experiment_is_stopped(void);

#endif
