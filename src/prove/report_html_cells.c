/*
 * What stands behind each cell of the HTML report: see report_html_parts.h.
 */
#include "prove/report_html_parts.h"

/* A row of a list of terms. Nothing for an empty text. */
static void put_fact(const struct page *page, const char *term, const char *text, bool is_code)
{
    if (!text[0])
        return;
    page_markup(page, "<dt>%s</dt><dd>%s", term, is_code ? "<code>" : "");
    page_text(page, text);
    page_markup(page, "%s</dd>\n", is_code ? "</code>" : "");
}

static void put_barrier(const struct page *page, const struct column *column,
                        const struct cell *cell)
{
    char text[SENTENCE_SIZE];

    say_barrier(cell, text, sizeof(text));
    if (text[0])
        put_fact(page, cell->state == CELL_CONTAINED ? "Stopped by" : "To be stopped by", text,
                 false);
    else if (cell->state == CELL_CONTAINED)
        put_fact(page, "Stopped by",
                 column->level < 0 ? "not known: another sandbox does not say"
                                   : "no layer of this level is meant to stop it",
                 false);
}

static void put_facts(const struct page *page, size_t row, size_t index)
{
    const struct attack *attack = page->matrix->attacks[row];
    const struct column *column = &page->matrix->columns[index];
    const struct cell *cell = matrix_cell(page->matrix, row, index);
    char text[SENTENCE_SIZE];

    page_markup(page, "<dl>\n");
    put_fact(page, "What it tries", attack->tries, false);
    put_fact(page, "What counts as harm", attack->harm, false);
    put_fact(page, "Words of the program", cell->tried, true);
    put_fact(page, "What the host saw", cell->seen, false);
    put_fact(page, "What the program said (its own word, never believed)", cell->said, true);
    put_barrier(page, column, cell);
    say_promise(column, attack, cell, text, sizeof(text));
    put_fact(page, "Promise", text, false);
    put_fact(page, "Verdict of berm", cell->verdict, true);
    say_took(cell->took_ms, text, sizeof(text));
    put_fact(page, "Took", text, false);
    page_markup(page, "</dl>\n");
}

static void put_heading(const struct page *page, size_t row, size_t index)
{
    const struct column *column = &page->matrix->columns[index];
    enum mark mark = mark_of(matrix_cell(page->matrix, row, index));

    page_markup(page, "<header><h3><code>");
    page_text(page, page->matrix->attacks[row]->id);
    page_markup(page, "</code> at <span class=\"name\">");
    page_text(page, column->name);
    page_markup(page, "</span> (");
    page_text(page, column->title);
    page_markup(page, ")</h3>\n<span class=\"mark %s\">%s</span>\n", marks[mark].style,
                marks[mark].plain);
}

static void put_case(const struct page *page, size_t row, size_t index)
{
    enum mark mark = mark_of(matrix_cell(page->matrix, row, index));

    page_markup(page, "<article class=\"case %s\">\n", marks[mark].style);
    put_heading(page, row, index);
    page_markup(page, "</header>\n");
    put_facts(page, row, index);
    page_markup(page, "</article>\n");
}

static size_t count_missed(const struct matrix *matrix)
{
    size_t count = 0;

    for (size_t i = 0; i < matrix->column_count; i++)
        count += matrix_totals_of(matrix, i).missed;
    return count;
}

void page_missed(const struct page *page)
{
    const struct matrix *matrix = page->matrix;

    if (count_missed(matrix) == 0)
        return;
    page_markup(page, "<section>\n<h2 id=\"missed\">Broken promises and errors</h2>\n");
    for (size_t i = 0; i < matrix->column_count; i++) {
        for (size_t row = 0; column_is_here(matrix, i) && row < matrix->attack_count; row++) {
            if (matrix_cell(matrix, row, i)->is_missed)
                put_case(page, row, i);
        }
    }
    page_markup(page, "</section>\n");
}

static void put_neighbour(const struct page *page, size_t row, size_t index)
{
    enum mark mark = mark_of(matrix_cell(page->matrix, row, index));

    page_markup(page, "<a href=\"#");
    page_cell_name(page, row, index);
    page_markup(page, "\">");
    page_text(page, page->matrix->columns[index].name);
    page_markup(page, ": %s</a>", marks[mark].plain);
}

/* Links to the nearest columns that have cells, on both sides. */
static void put_neighbours(const struct page *page, size_t row, size_t index)
{
    size_t before = index;
    size_t after = index + 1;

    while (before > 0 && !column_is_here(page->matrix, before - 1))
        before--;
    while (after < page->matrix->column_count && !column_is_here(page->matrix, after))
        after++;
    page_markup(page, "<nav aria-label=\"Neighbours\"><span>");
    if (before > 0)
        put_neighbour(page, row, before - 1);
    page_markup(page, "</span><span>");
    if (after < page->matrix->column_count)
        put_neighbour(page, row, after);
    page_markup(page, "</span></nav>\n");
}

static void put_sheet(const struct page *page, size_t row, size_t index)
{
    enum mark mark = mark_of(matrix_cell(page->matrix, row, index));

    page_markup(page, "<article class=\"sheet\" id=\"");
    page_cell_name(page, row, index);
    page_markup(page, "\">\n");
    put_heading(page, row, index);
    page_markup(page, "<a class=\"close\" href=\"#");
    page_cell_name(page, row, index);
    page_markup(page, ".mark\">Close</a></header>\n<p class=\"note\">%s.</p>\n", marks[mark].means);
    put_facts(page, row, index);
    put_neighbours(page, row, index);
    page_markup(page, "</article>\n");
}

void page_sheets(const struct page *page)
{
    const struct matrix *matrix = page->matrix;

    page_markup(page, "<section aria-label=\"What stands behind each cell\">\n");
    for (size_t row = 0; row < matrix->attack_count; row++) {
        for (size_t i = 0; i < matrix->column_count; i++) {
            if (column_is_here(matrix, i))
                put_sheet(page, row, i);
        }
    }
    page_markup(page, "</section>\n");
}
