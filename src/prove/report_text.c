/*
 * A matrix for a terminal.
 *
 * A mark is a word, or a letter where the columns are many; a promised one stands in brackets. Colours repeat
 * what the marks say. The conclusion comes last: the end is what a terminal shows.
 */
#include <string.h>

#include "base/error.h"
#include "berm-config.h"
#include "prove/report.h"
#include "prove/report_parts.h"

#define WIDTH_DEFAULT    80
#define WIDTH_MIN        40
#define WORD_CELL        7 /* "MISSED" and a blank */
#define LETTER_CELL      5 /* "[o]" between blanks */
#define LETTER_CELL_MIN  3
#define UPRIGHT_MAX      12 /* lines of a heading */
#define LIST_NAME_MAX    20
#define TITLE_MIN        18 /* "  not applicable" and two blanks */
#define ROWS_PER_HEADING 24
#define LABEL_WIDTH      12
#define SGR_BOLD         "\033[1m"
#define SGR_END          "\033[0m"

struct table {
    const struct matrix *matrix;
    FILE *out;
    size_t width;
    size_t title_width;   /* of the first column */
    size_t name_width;    /* of the longest name */
    size_t heading_width; /* what is shown of a name; lines, where headings stand upright */
    size_t cell_width;
    size_t owed; /* blanks: none is printed at the end of a line */
    bool has_letters;
    bool is_upright;
    bool is_colored;
};

/* A heading is as wide as it has bytes: what is not ASCII is a question mark there. */
struct heading {
    char text[sizeof((struct column){0}.name)];
};

static size_t larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* A name that is too long ends in "~". */
static struct heading heading_of(const struct column *column, size_t width)
{
    struct heading heading = {""};
    size_t length = strlen(column->name);
    size_t kept = smaller(length, width);

    memcpy(heading.text, column->name, kept);
    for (size_t i = 0; i < kept; i++) {
        if (heading.text[i] <= ' ' || heading.text[i] > '~')
            heading.text[i] = '?';
    }
    if (kept < length && kept > 0)
        heading.text[kept - 1] = '~';
    return heading;
}

/* Do so many characters tell each column from all others? */
static bool headings_differ(const struct matrix *matrix, size_t width)
{
    for (size_t i = 0; i < matrix->column_count; i++) {
        struct heading heading = heading_of(&matrix->columns[i], width);
        for (size_t other = 0; other < i; other++) {
            struct heading before = heading_of(&matrix->columns[other], width);
            if (strcmp(heading.text, before.text) == 0)
                return false;
        }
    }
    return true;
}

static void measure_headings(struct table *table)
{
    size_t width = table->cell_width - 1;

    table->is_upright = table->name_width > width &&
                        (table->cell_width < LETTER_CELL || !headings_differ(table->matrix, width));
    table->heading_width = smaller(table->name_width, table->is_upright ? UPRIGHT_MAX : width);
}

static void measure(struct table *table)
{
    const struct matrix *matrix = table->matrix;
    size_t count = columns_here(matrix);

    table->title_width = TITLE_MIN;
    for (size_t row = 0; row < matrix->attack_count; row++)
        table->title_width = larger(table->title_width, strlen(matrix->attacks[row]->id) + 3);
    for (size_t i = 0; i < matrix->column_count; i++)
        table->name_width = larger(table->name_width, strlen(matrix->columns[i].name));
    size_t room = table->width - smaller(table->width, table->title_width);
    size_t share = room / larger(count, 1);
    table->has_letters = share < WORD_CELL;
    size_t good = table->has_letters ? LETTER_CELL : WORD_CELL;
    table->cell_width = smaller(share, larger(good, table->name_width + 1));
    table->cell_width = larger(table->cell_width, LETTER_CELL_MIN);
    measure_headings(table);
}

static void put_styled(const struct table *table, const char *text, const char *sgr)
{
    bool is_styled = table->is_colored && sgr[0];

    (void)fprintf(table->out, "%s%s%s", is_styled ? sgr : "", text, is_styled ? SGR_END : "");
}

/* ASCII, at the beginning of a line. */
static void put_title(struct table *table, size_t indent, const char *text, const char *sgr)
{
    size_t used = indent + strlen(text);

    (void)fprintf(table->out, "%*s", (int)indent, "");
    put_styled(table, text, sgr);
    table->owed = table->title_width - smaller(table->title_width, used);
}

/* ASCII, in the middle of a cell. */
static void put_cell(struct table *table, const char *text, const char *sgr)
{
    size_t blanks = table->cell_width - smaller(table->cell_width, strlen(text));

    table->owed += blanks / 2;
    if (text[0]) {
        (void)fprintf(table->out, "%*s", (int)table->owed, "");
        put_styled(table, text, sgr);
        table->owed = 0;
    }
    table->owed += blanks - blanks / 2;
}

static void end_line(struct table *table)
{
    table->owed = 0;
    (void)fputc('\n', table->out);
}

/* A line of the headings: all of each, or one letter where they stand upright on the same floor. */
static void put_heading_line(struct table *table, size_t line)
{
    const struct matrix *matrix = table->matrix;

    for (size_t i = 0; i < matrix->column_count; i++) {
        if (!column_is_here(matrix, i))
            continue;
        struct heading heading = heading_of(&matrix->columns[i], table->heading_width);
        size_t above = table->heading_width - strlen(heading.text);
        char letter[2] = "";
        if (line >= above)
            letter[0] = heading.text[line - above];
        put_cell(table, table->is_upright ? letter : heading.text, SGR_BOLD);
    }
}

static void put_headings(struct table *table, const char *title)
{
    size_t line_count = table->is_upright ? table->heading_width : 1;

    (void)fputc('\n', table->out);
    for (size_t line = 0; line < line_count; line++) {
        put_title(table, 0, line + 1 == line_count ? title : "", SGR_BOLD);
        put_heading_line(table, line);
        end_line(table);
    }
}

static void put_row(struct table *table, size_t row)
{
    const struct matrix *matrix = table->matrix;

    put_title(table, 2, matrix->attacks[row]->id, "");
    for (size_t i = 0; i < matrix->column_count; i++) {
        if (!column_is_here(matrix, i))
            continue;
        const struct mark_info *mark = &marks[mark_of(matrix_cell(matrix, row, i))];
        put_cell(table, table->has_letters ? mark->letter : mark->word, mark->sgr);
    }
    end_line(table);
}

static void put_layer(struct table *table, enum berm_layer layer)
{
    size_t done = 0;

    for (size_t row = 0; row < table->matrix->attack_count; row++) {
        if (table->matrix->attacks[row]->layer != layer)
            continue;
        if (done % ROWS_PER_HEADING == 0)
            put_headings(table, layer_name(layer));
        put_row(table, row);
        done++;
    }
}

static void put_totals(struct table *table)
{
    put_headings(table, "totals");
    for (size_t total = 0; total < TOTAL_COUNT; total++) {
        put_title(table, 2, total_name(total), "");
        for (size_t i = 0; i < table->matrix->column_count; i++) {
            char text[24];
            if (!column_is_here(table->matrix, i))
                continue;
            (void)snprintf(text, sizeof(text), "%zu", total_of(table->matrix, i, total));
            put_cell(table, text, "");
        }
        end_line(table);
    }
}

/* Only the marks that stand in the table. */
static void put_legend(struct table *table)
{
    struct mark_counts sum = marks_in_all(table->matrix);

    (void)fputc('\n', table->out);
    for (size_t i = 0; i < MARK_COUNT; i++) {
        const char *mark = table->has_letters ? marks[i].letter : marks[i].word;
        if (sum.of[i] == 0)
            continue;
        (void)fputs("  ", table->out);
        put_styled(table, mark, marks[i].sgr);
        (void)fprintf(table->out, "%*s", LABEL_WIDTH - 2 - (int)strlen(mark), "");
        shown_wrap(table->out, marks[i].means, LABEL_WIDTH, table->width);
    }
    shown_wrap(
        table->out,
        columns_are_levels(table->matrix)
            ? "Brackets: this level promises to stop the attack."
            : "Brackets: this level of berm promises, or this other sandbox claims, to stop the "
              "attack. Harm without a claim is not held against it.",
        0, table->width);
}

static void put_labelled(const struct table *table, const char *label, const char *text)
{
    if (!text[0])
        return;
    (void)fprintf(table->out, "  %-*s", LABEL_WIDTH - 2, label);
    shown_wrap(table->out, text, LABEL_WIDTH, table->width);
}

static void put_column(const struct table *table, const struct column *column)
{
    size_t indent = smaller(table->name_width, LIST_NAME_MAX) + 4;
    size_t used = strlen(column->name) + 2;
    char text[sizeof(column->missing) + 16];

    (void)snprintf(text, sizeof(text), "not here: %s", column->missing);
    (void)fputs("  ", table->out);
    shown_put(table->out, column->name);
    (void)fprintf(table->out, "%*s", (int)(indent - smaller(indent - 1, used)), "");
    shown_wrap(table->out, column->title, indent, table->width);
    if (column->missing[0]) {
        (void)fprintf(table->out, "%*s", (int)indent, "");
        shown_wrap(table->out, text, indent, table->width);
    }
}

static void put_head(const struct table *table)
{
    const struct matrix *matrix = table->matrix;
    char text[SENTENCE_SIZE];

    say_took(matrix->took_ms, text, sizeof(text));
    (void)fprintf(table->out, "berm %s: %zu attacks in %s\n", BERM_VERSION, matrix->attack_count,
                  text);
    (void)snprintf(text, sizeof(text), "as %s, %s, %s", matrix->who, matrix->kernel, matrix->began);
    shown_wrap(table->out, text, 0, table->width);
    (void)fputc('\n', table->out);
    shown_wrap(
        table->out,
        "Each row is an attack, each column what it ran under. What the host observed decides, "
        "never the word of the program.",
        0, table->width);
    (void)fputc('\n', table->out);
    for (size_t i = 0; i < matrix->column_count; i++)
        put_column(table, &matrix->columns[i]);
}

/* All that a person needs to judge a cell without looking anywhere else. */
static void put_missed(struct table *table, size_t row, size_t column)
{
    const struct attack *attack = table->matrix->attacks[row];
    const struct column *where = &table->matrix->columns[column];
    const struct cell *cell = matrix_cell(table->matrix, row, column);
    const struct mark_info *mark = &marks[mark_of(cell)];
    char text[SENTENCE_SIZE];

    (void)fputc('\n', table->out);
    put_styled(table, mark->word, mark->sgr);
    (void)fprintf(table->out, " %s at ", attack->id);
    shown_put(table->out, where->name);
    (void)fputs(" (", table->out);
    shown_put(table->out, where->title);
    (void)fputs(")\n", table->out);
    put_labelled(table, "tries", attack->tries);
    put_labelled(table, "words", cell->tried);
    put_labelled(table, "harm is", attack->harm);
    put_labelled(table, "host saw", cell->seen);
    put_labelled(table, "it said", cell->said);
    say_promise(where, attack, cell, text, sizeof(text));
    put_labelled(table, "promise", text);
    say_barrier(cell, text, sizeof(text));
    put_labelled(table, "layer", text);
    put_labelled(table, "verdict", cell->verdict);
}

static void put_all_missed(struct table *table)
{
    for (size_t i = 0; i < table->matrix->column_count; i++) {
        for (size_t row = 0; column_is_here(table->matrix, i) && row < table->matrix->attack_count;
             row++) {
            if (matrix_cell(table->matrix, row, i)->is_missed)
                put_missed(table, row, i);
        }
    }
}

int report_text(const struct matrix *matrix, unsigned width, bool is_colored, FILE *out)
{
    struct table table = {.matrix = matrix,
                          .out = out,
                          .width = larger(width > 0 ? width : WIDTH_DEFAULT, WIDTH_MIN),
                          .is_colored = is_colored};
    char text[SENTENCE_SIZE];

    measure(&table);
    put_head(&table);
    for (unsigned layer = BERM_LAYER_NONE; layer < BERM_LAYER_COUNT; layer++)
        put_layer(&table, (enum berm_layer)layer);
    put_totals(&table);
    put_legend(&table);
    put_all_missed(&table);
    say_conclusion(matrix, text, sizeof(text));
    (void)fputc('\n', out);
    put_styled(&table, text, SGR_BOLD);
    (void)fputc('\n', out);
    return stream_end(out);
}
