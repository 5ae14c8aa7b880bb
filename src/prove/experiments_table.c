/*
 * Tables of figures: filling them, and printing them for people. Must never: state a figure that was not given.
 */
#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "prove/experiment_parts.h"
#include "prove/report_parts.h"

#define WIDTH   80
#define BETWEEN 2
#define UNKNOWN "-"

/* ---- Filling. ---- */

struct figure_row *table_add(struct figure_table *table, const char *what)
{
    assert(table->row_count < EXPERIMENT_ROWS_MAX);
    struct figure_row *row = &table->rows[table->row_count++];

    memset(row, 0, sizeof(*row));
    (void)snprintf(row->what, sizeof(row->what), "%s", what);
    row->is_as_said = true;
    return row;
}

void row_text(struct figure_row *row, size_t column, const char *text)
{
    struct figure *figure = &row->figures[column];

    figure->is_known = text[0] != '\0';
    (void)snprintf(figure->text, sizeof(figure->text), "%s", text);
}

void row_number(struct figure_row *row, size_t column, long long number)
{
    row->figures[column] = (struct figure){.is_known = true, .number = number};
}

void row_lacks(struct figure_row *row, const char *why)
{
    (void)snprintf(row->lack, sizeof(row->lack), "%s", why);
}

void row_fails(struct figure_row *row, const char *why)
{
    row_lacks(row, why);
    row->is_as_said = false;
}

size_t experiment_column_count(const struct experiment *experiment)
{
    size_t count = 0;

    while (count < EXPERIMENT_COLUMNS_MAX && experiment->columns[count].key)
        count++;
    return count;
}

bool table_is_empty(const struct figure_table *table)
{
    for (size_t i = 0; i < table->row_count; i++) {
        if (table->rows[i].lack[0] == '\0')
            return false;
    }
    return true;
}

bool table_shows(const struct figure_table *table)
{
    for (size_t i = 0; i < table->row_count; i++) {
        if (!table->rows[i].is_as_said)
            return false;
    }
    return !table_is_empty(table);
}

/* ---- Printing. ---- */

static void say_figure(const struct figure_column *column, const struct figure *figure, char *text,
                       size_t size)
{
    if (!figure->is_known) {
        (void)snprintf(text, size, UNKNOWN);
        return;
    }
    switch (column->kind) {
    case FIGURE_TEXT:
        (void)snprintf(text, size, "%s", figure->text);
        break;
    case FIGURE_COUNT:
        (void)snprintf(text, size, "%lld", figure->number);
        break;
    case FIGURE_SECONDS:
        (void)snprintf(text, size, "%.2f", (double)figure->number / 1000);
        break;
    case FIGURE_YES_NO:
        (void)snprintf(text, size, "%s", figure->number != 0 ? "yes" : "no");
        break;
    }
}

static bool is_right_aligned(const struct figure_column *column)
{
    return column->kind == FIGURE_COUNT || column->kind == FIGURE_SECONDS;
}

static int larger(int a, size_t b)
{
    return a > (int)b ? a : (int)b;
}

static int width_of_rows(const struct experiment *experiment, const struct figure_table *table)
{
    int width = (int)strlen(experiment->rows);

    for (size_t i = 0; i < table->row_count; i++)
        width = larger(width, strlen(table->rows[i].what));
    return width;
}

static int width_of(const struct figure_table *table, const struct figure_column *column,
                    size_t index)
{
    int width = (int)strlen(column->title);

    for (size_t i = 0; i < table->row_count; i++) {
        char text[64];

        if (table->rows[i].lack[0] != '\0')
            continue;
        say_figure(column, &table->rows[i].figures[index], text, sizeof(text));
        width = larger(width, strlen(text));
    }
    return width;
}

/* No blanks behind the last one. */
static void put_cell(FILE *out, const char *text, int width, bool is_right, bool is_last)
{
    (void)fprintf(out, "%*s", BETWEEN, "");
    if (is_right)
        (void)fprintf(out, "%*s", width, text);
    else
        (void)fprintf(out, "%-*s", is_last ? 0 : width, text);
}

static void put_head(const struct experiment *experiment, const struct figure_table *table,
                     FILE *out)
{
    size_t count = experiment_column_count(experiment);

    (void)fprintf(out, "%-*s", width_of_rows(experiment, table), experiment->rows);
    for (size_t i = 0; i < count; i++) {
        const struct figure_column *column = &experiment->columns[i];
        put_cell(out, column->title, width_of(table, column, i), is_right_aligned(column),
                 i + 1 == count);
    }
    (void)fputc('\n', out);
}

static void put_row(const struct experiment *experiment, const struct figure_table *table,
                    const struct figure_row *row, FILE *out)
{
    size_t count = experiment_column_count(experiment);
    int indent = width_of_rows(experiment, table);

    (void)fprintf(out, "%-*s", indent, row->what);
    if (row->lack[0] != '\0') {
        (void)fprintf(out, "%*s", BETWEEN, "");
        shown_wrap(out, row->lack, (size_t)indent + BETWEEN, WIDTH);
        return;
    }
    for (size_t i = 0; i < count; i++) {
        const struct figure_column *column = &experiment->columns[i];
        char text[64];

        say_figure(column, &row->figures[i], text, sizeof(text));
        put_cell(out, text, width_of(table, column, i), is_right_aligned(column), i + 1 == count);
    }
    (void)fputc('\n', out);
}

int table_print(const struct experiment *experiment, const struct figure_table *table, FILE *out)
{
    static const char label[] = "Lesson: ";

    (void)fprintf(out, "%s: ", experiment->name);
    shown_wrap(out, experiment->question, strlen(experiment->name) + 2, WIDTH);
    (void)fputc('\n', out);
    shown_wrap(out, experiment->tries, 0, WIDTH);
    (void)fputc('\n', out);
    put_head(experiment, table, out);
    for (size_t i = 0; i < table->row_count; i++)
        put_row(experiment, table, &table->rows[i], out);
    (void)fprintf(out, "\n%s", label);
    shown_wrap(out, experiment->lesson, sizeof(label) - 1, WIDTH);
    for (size_t i = 0; i < table->row_count; i++) {
        if (!table->rows[i].is_as_said)
            (void)fprintf(out, "\nNot as the lesson says: row %zu, %s\n", i + 1,
                          table->rows[i].what);
    }
    return stream_end(out);
}
