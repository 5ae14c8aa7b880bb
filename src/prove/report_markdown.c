/*
 * A matrix as tables of Markdown (the dialect with tables: GFM).
 */
#include <string.h>

#include "base/error.h"
#include "berm-config.h"
#include "prove/report.h"
#include "prove/report_parts.h"

/* Does a character begin or end markup here? "://" and "www." make links of their own accord. */
static bool is_markup(char c, const char *next, char before)
{
    if (c == ':')
        return next[0] == '/';
    if (c == '.')
        return before == 'w' || before == 'W';
    return strchr("\\`*_[]<>#|~&$@", c) != NULL;
}

/* Foreign text, never at the beginning of a line: no character of it is markup. */
static void put_text(FILE *out, const char *text)
{
    char shown[SHOWN_SIZE];
    char before = '\0';

    while (shown_next(&text, shown) > 0) {
        for (const char *c = shown; *c; c++) {
            if (is_markup(*c, text, before))
                (void)fputc('\\', out);
            (void)fputc(*c, out);
            before = *c;
        }
    }
}

static void put_rule(const struct matrix *matrix, FILE *out)
{
    (void)fputs("\n|---|", out);
    for (size_t i = 0; i < columns_here(matrix); i++)
        (void)fputs(":-:|", out);
    (void)fputc('\n', out);
}

static void put_headings(const struct matrix *matrix, FILE *out)
{
    (void)fputs("| attack |", out);
    for (size_t i = 0; i < matrix->column_count; i++) {
        if (!column_is_here(matrix, i))
            continue;
        (void)fputc(' ', out);
        put_text(out, matrix->columns[i].name);
        (void)fputs(" |", out);
    }
    put_rule(matrix, out);
}

/* A promise is shown by bold type; a broken one by capitals too. */
static void put_mark(enum mark mark, FILE *out)
{
    bool is_bold = mark == MARK_KEPT || mark == MARK_MISSED || mark == MARK_ERROR;
    const char *edge = is_bold ? "**" : "";

    (void)fprintf(out, " %s%s%s |", edge, marks[mark].plain, edge);
}

static void put_layer(const struct matrix *matrix, enum berm_layer layer, FILE *out)
{
    if (rows_of_layer(matrix, layer) == 0)
        return;
    (void)fprintf(out, "| *%s* |", layer_name(layer));
    for (size_t i = 0; i < columns_here(matrix); i++)
        (void)fputs(" |", out);
    (void)fputc('\n', out);
    for (size_t row = 0; row < matrix->attack_count; row++) {
        if (matrix->attacks[row]->layer != layer)
            continue;
        (void)fprintf(out, "| `%s` |", matrix->attacks[row]->id);
        for (size_t i = 0; i < matrix->column_count; i++) {
            if (column_is_here(matrix, i))
                put_mark(mark_of(matrix_cell(matrix, row, i)), out);
        }
        (void)fputc('\n', out);
    }
}

static void put_totals(const struct matrix *matrix, FILE *out)
{
    (void)fputs("| *totals* |", out);
    for (size_t i = 0; i < columns_here(matrix); i++)
        (void)fputs(" |", out);
    (void)fputc('\n', out);
    for (size_t total = 0; total < TOTAL_COUNT; total++) {
        (void)fprintf(out, "| %s |", total_name(total));
        for (size_t i = 0; i < matrix->column_count; i++) {
            if (column_is_here(matrix, i))
                (void)fprintf(out, " %zu |", total_of(matrix, i, total));
        }
        (void)fputc('\n', out);
    }
}

/* Without brackets two marks have the same word. */
static void put_legend(const struct matrix *matrix, FILE *out)
{
    struct mark_counts sum = marks_in_all(matrix);

    sum.of[MARK_ABSENT] += sum.of[MARK_ABSENT_PROMISE];
    sum.of[MARK_ABSENT_PROMISE] = 0;
    (void)fputs("\n| mark | means |\n|:-:|---|\n", out);
    for (unsigned i = 0; i < MARK_COUNT; i++) {
        if (sum.of[i] == 0)
            continue;
        (void)fputc('|', out);
        put_mark((enum mark)i, out);
        (void)fprintf(out, " %s |\n", marks[i].means);
    }
}

static void put_columns(const struct matrix *matrix, FILE *out)
{
    for (size_t i = 0; i < matrix->column_count; i++) {
        const struct column *column = &matrix->columns[i];
        (void)fputs("* **", out);
        put_text(out, column->name);
        (void)fputs("**: ", out);
        put_text(out, column->title);
        if (column->missing[0])
            (void)fputs(" (not here: ", out);
        put_text(out, column->missing);
        (void)fputs(column->missing[0] ? ")\n" : "\n", out);
    }
    (void)fputc('\n', out);
}

static void put_missed(const struct matrix *matrix, size_t row, size_t column, FILE *out)
{
    const struct cell *cell = matrix_cell(matrix, row, column);

    (void)fprintf(out, "* **%s** `%s` at ", marks[mark_of(cell)].plain, matrix->attacks[row]->id);
    put_text(out, matrix->columns[column].name);
    (void)fputs(": it ", out);
    put_text(out, matrix->attacks[row]->tries);
    (void)fputs("; the host saw: ", out);
    put_text(out, cell->seen);
    (void)fputc('\n', out);
}

static void put_all_missed(const struct matrix *matrix, FILE *out)
{
    (void)fputc('\n', out);
    for (size_t i = 0; i < matrix->column_count; i++) {
        for (size_t row = 0; column_is_here(matrix, i) && row < matrix->attack_count; row++) {
            if (matrix_cell(matrix, row, i)->is_missed)
                put_missed(matrix, row, i, out);
        }
    }
}

int report_markdown(const struct matrix *matrix, FILE *out)
{
    char conclusion[SENTENCE_SIZE];

    say_conclusion(matrix, conclusion, sizeof(conclusion));
    (void)fprintf(out, "**%s** berm %s, ", conclusion, BERM_VERSION);
    put_text(out, matrix->who);
    (void)fputs(", ", out);
    put_text(out, matrix->kernel);
    (void)fputs(", ", out);
    put_text(out, matrix->began);
    (void)fputs(".\n\n", out);
    put_columns(matrix, out);
    put_headings(matrix, out);
    for (unsigned layer = BERM_LAYER_NONE; layer < BERM_LAYER_COUNT; layer++)
        put_layer(matrix, (enum berm_layer)layer, out);
    put_totals(matrix, out);
    put_legend(matrix, out);
    put_all_missed(matrix, out);
    return stream_end(out);
}
