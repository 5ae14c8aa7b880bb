/*
 * Which end of an output is kept: the problem stands in its last line.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "prove/experiment_parts.h"

/* All characters of a traceback are ASCII: a character is a byte. */
#define CHARS_ASKED "20000"
#define CAP_CHARS   ((size_t)2000)
#define LAST_LINE   "KeyError: 'price'\n"

enum output_column {
    COLUMN_START,
    COLUMN_END,
    COLUMN_LAST_LINE
};

/* What of a whole output came back, from its start and from its end. */
struct kept {
    size_t start, end;
    bool has_last_line;
};

static bool ends_with(const char *text, size_t size, const char *end)
{
    size_t length = strlen(end);

    return size >= length && memcmp(text + size - length, end, length) == 0;
}

static struct kept keep_start(const char *whole)
{
    size_t size = strlen(whole);
    size_t start = size < CAP_CHARS ? size : CAP_CHARS;

    return (struct kept){.start = start, .has_last_line = ends_with(whole, start, LAST_LINE)};
}

static struct kept keep_end(const char *whole)
{
    size_t size = strlen(whole);
    size_t end = size < CAP_CHARS ? size : CAP_CHARS;

    return (struct kept){.end = end,
                         .has_last_line = ends_with(whole + size - end, end, LAST_LINE)};
}

/* What stands before berm's marker is counted only if the whole begins so, what stands behind it only if the whole
 * ends so. The tag of a run is in the first line of each: it is as long, and passed over. */
static struct kept keep_by_berm(const char *whole, const char *output)
{
    const char *marker = strstr(output, "\n[... ");
    const char *behind = marker ? strstr(marker, "...]\n") : NULL;
    struct kept kept = {.has_last_line = ends_with(output, strlen(output), LAST_LINE)};
    size_t line = strcspn(whole, "\n");

    if (!behind)
        return kept;
    behind += strlen("...]\n");
    size_t start = (size_t)(marker - output);
    if (line == strcspn(output, "\n") && start > line && start <= strlen(whole) &&
        memcmp(whole + line, output + line, start - line) == 0)
        kept.start = start;
    if (ends_with(whole, strlen(whole), behind))
        kept.end = strlen(behind);
    return kept;
}

static void add_row(struct figure_table *table, const char *what, struct kept kept,
                    bool has_last_line)
{
    struct figure_row *row = table_add(table, what);

    row_number(row, COLUMN_START, (long long)kept.start);
    row_number(row, COLUMN_END, (long long)kept.end);
    row_number(row, COLUMN_LAST_LINE, kept.has_last_line);
    row->is_as_said = kept.has_last_line == has_last_line;
}

static void add_berm(struct cell_runner *runner, const char *whole, struct figure_table *table)
{
    static const char what[] = "berm, 60 % and 40 %";
    static struct trial trial; /* large */
    struct trial_plan plan = {
        .level = 1,
        .attack = {.words = {"traceback", CHARS_ASKED}, .options = "--output 2000"},
    };

    if (trial_run(runner, &plan, &trial) == 0) {
        struct kept kept = keep_by_berm(whole, trial.scene.output);
        add_row(table, what, kept, true);
        table->rows[table->row_count - 1].is_as_said &=
            kept.start == CAP_CHARS / 10 * 6 && kept.end == CAP_CHARS / 10 * 4;
    } else {
        row_fails(table_add(table, what), trial.problem);
    }
    trial_done(&trial);
}

static int run_head_tail(struct cell_runner *runner, struct figure_table *table)
{
    static struct trial trial; /* large */
    struct trial_plan plan = {
        .level = WITHOUT_BERM,
        .attack = {.words = {"traceback", CHARS_ASKED}},
    };
    int r = trial_run(runner, &plan, &trial);
    AUTO_FREE char *whole = r == 0 ? strdup(trial.scene.output) : NULL;

    trial_done(&trial);
    if (!whole)
        return r < 0 ? r : -ENOMEM;
    size_t size = strlen(whole);
    bool is_there = ends_with(whole, size, LAST_LINE);
    add_row(table, "all of it", (struct kept){.start = size, .has_last_line = is_there}, true);
    add_row(table, "the first 2,000", keep_start(whole), false);
    add_row(table, "the last 2,000", keep_end(whole), true);
    add_berm(runner, whole, table);
    return 0;
}

const struct experiment experiment_head_tail = {
    .name = "head-tail",
    .question = "does the line that names the problem come back?",
    .tries =
        "A program fails and prints a traceback of about 20,000 characters, whose last line names "
        "the problem; 2,000 characters may come back. The host compares what came with the whole.",
    .lesson =
        "keeping only the beginning loses the one line that matters, and keeping only the end "
        "loses what led to it: berm keeps the first 60 % and the last 40 %.",
    .rows = "what comes back",
    .columns = {{"start_chars", "from the start", FIGURE_COUNT, false},
                {"end_chars", "from the end", FIGURE_COUNT, false},
                {"has_last_line", "last line", FIGURE_YES_NO, false}},
    .run = run_head_tail,
};
