/*
 * The table of the HTML report: see report_html_parts.h.
 */
#include "base/error.h"
#include "prove/report_html_parts.h"

/* So many columns stand side by side in a window of 64rem; more of them scroll in a frame of their own. */
#define FEW_COLUMNS 8

static void put_legend(const struct page *page)
{
    struct mark_counts sum = marks_in_all(page->matrix);

    sum.of[MARK_ABSENT] += sum.of[MARK_ABSENT_PROMISE]; /* without brackets they look the same */
    sum.of[MARK_ABSENT_PROMISE] = 0;
    page_markup(page, "<ul class=\"legend\">\n");
    for (size_t i = 0; i < MARK_COUNT; i++) {
        if (sum.of[i] > 0)
            page_markup(page, "<li><span class=\"mark %s\">%s</span> %s</li>\n", marks[i].style,
                        marks[i].plain, marks[i].means);
    }
    page_markup(
        page,
        "</ul>\n<p class=\"note\">Filled: promised. A thick line stands before the first level that "
        "promises to stop the attack. ");
    if (!columns_are_levels(page->matrix))
        page_markup(
            page, "Of another sandbox, promised is what it claims to bound: what it does not claim "
                  "is never held against it. ");
    page_markup(page,
                "Each mark leads to what was tried, what the host saw, and what stopped it.</p>\n");
}

static void put_layer_links(const struct page *page)
{
    page_markup(page, "<nav class=\"layers\" aria-label=\"Layers\">\n");
    for (unsigned i = BERM_LAYER_NONE; i < BERM_LAYER_COUNT; i++) {
        const char *name = layer_name((enum berm_layer)i);
        if (rows_of_layer(page->matrix, (enum berm_layer)i) > 0)
            page_markup(page, "<a href=\"#layer:%s\">%s</a>\n", name, name);
    }
    page_markup(page, "</nav>\n");
}

static bool row_is_missed(const struct matrix *matrix, size_t row)
{
    for (size_t i = 0; i < matrix->column_count; i++) {
        if (column_is_here(matrix, i) && matrix_cell(matrix, row, i)->is_missed)
            return true;
    }
    return false;
}

static bool layer_is_missed(const struct matrix *matrix, enum berm_layer layer)
{
    for (size_t row = 0; row < matrix->attack_count; row++) {
        if (matrix->attacks[row]->layer == layer && row_is_missed(matrix, row))
            return true;
    }
    return false;
}

/* Chooses rows without a script: the style hides calm ones while the second button is on. */
static void put_choice(const struct page *page)
{
    bool is_needed = false;

    for (size_t row = 0; row < page->matrix->attack_count; row++)
        is_needed = is_needed || row_is_missed(page->matrix, row);
    if (!is_needed)
        return;
    page_markup(page, "<input type=\"radio\" name=\"rows\" id=\"rows-all\" checked>");
    page_markup(page, "<label class=\"choice\" for=\"rows-all\">all rows</label>\n");
    page_markup(page, "<input type=\"radio\" name=\"rows\" id=\"rows-missed\">");
    page_markup(page,
                "<label class=\"choice\" for=\"rows-missed\">only MISSED and ERROR</label>\n");
}

/* Other sandboxes stand apart from the levels. */
static bool is_split(const struct matrix *matrix, size_t column)
{
    for (size_t before = column; before-- > 0;) {
        if (column_is_here(matrix, before))
            return (matrix->columns[before].level < 0) != (matrix->columns[column].level < 0);
    }
    return false;
}

static void put_headings(const struct page *page)
{
    const struct matrix *matrix = page->matrix;

    page_markup(page, "<thead>\n<tr><th scope=\"col\">Attack</th>\n");
    for (size_t i = 0; i < matrix->column_count; i++) {
        if (!column_is_here(matrix, i))
            continue;
        page_markup(page, "<th scope=\"col\"%s><a class=\"name\" href=\"#column:%zu\">",
                    is_split(matrix, i) ? " class=\"split\"" : "", i);
        page_text(page, matrix->columns[i].name);
        page_markup(page, "</a><span class=\"title\">");
        page_text(page, matrix->columns[i].title);
        page_markup(page, "</span></th>\n");
    }
    page_markup(page, "</tr>\n</thead>\n");
}

/* Is it the first of the levels that promises? Before it stands the line. */
static bool is_edge(const struct matrix *matrix, size_t row, size_t column)
{
    if (matrix->columns[column].level < 0 || !matrix_cell(matrix, row, column)->is_promised)
        return false;
    for (size_t i = 0; i < column; i++) {
        if (matrix->columns[i].level >= 0 && column_is_here(matrix, i) &&
            matrix_cell(matrix, row, i)->is_promised)
            return false;
    }
    return true;
}

static void put_mark(const struct page *page, size_t row, size_t column)
{
    const struct cell *cell = matrix_cell(page->matrix, row, column);
    enum mark mark = mark_of(cell);

    page_markup(page, "<td class=\"%s%s%s\"><a href=\"#", marks[mark].style,
                is_edge(page->matrix, row, column) ? " edge" : "",
                is_split(page->matrix, column) ? " split" : "");
    page_cell_name(page, row, column);
    page_markup(page, "\" id=\"");
    page_cell_name(page, row, column);
    page_markup(page, ".mark\">%s%s</a></td>", marks[mark].plain,
                cell->is_promised ? "<span class=\"unseen\">, promised</span>" : "");
}

static void put_row(const struct page *page, size_t row)
{
    const struct matrix *matrix = page->matrix;

    page_markup(page, "<tr%s><th scope=\"row\"><code>",
                row_is_missed(matrix, row) ? "" : " class=\"calm\"");
    page_text(page, matrix->attacks[row]->id);
    page_markup(page, "</code><span class=\"tries\">");
    page_text(page, matrix->attacks[row]->tries);
    page_markup(page, "</span></th>");
    for (size_t i = 0; i < matrix->column_count; i++) {
        if (column_is_here(matrix, i))
            put_mark(page, row, i);
    }
    page_markup(page, "</tr>\n");
}

static void put_layer(const struct page *page, enum berm_layer layer)
{
    const struct matrix *matrix = page->matrix;

    if (rows_of_layer(matrix, layer) == 0)
        return;
    page_markup(
        page,
        "<tbody id=\"layer:%s\"%s>\n<tr class=\"layer\"><th scope=\"rowgroup\" colspan=\"%zu\">"
        "<span>%s</span></th></tr>\n",
        layer_name(layer), layer_is_missed(matrix, layer) ? "" : " class=\"calm\"",
        columns_here(matrix) + 1, layer_name(layer));
    for (size_t row = 0; row < matrix->attack_count; row++) {
        if (matrix->attacks[row]->layer == layer)
            put_row(page, row);
    }
    page_markup(page, "</tbody>\n");
}

static void put_totals(const struct page *page)
{
    const struct matrix *matrix = page->matrix;

    page_markup(page, "<tfoot>\n");
    for (size_t total = 0; total < TOTAL_COUNT; total++) {
        page_markup(page, "<tr><th scope=\"row\">%s</th>", total_name(total));
        for (size_t i = 0; i < matrix->column_count; i++) {
            if (column_is_here(matrix, i))
                page_markup(page, "<td%s>%zu</td>", is_split(matrix, i) ? " class=\"split\"" : "",
                            total_of(matrix, i, total));
        }
        page_markup(page, "</tr>\n");
    }
    page_markup(page, "</tfoot>\n");
}

void page_matrix(const struct page *page)
{
    page_markup(page, "<section>\n<h2 id=\"attacks\">Attacks</h2>\n");
    put_legend(page);
    put_layer_links(page);
    put_choice(page);
    page_markup(
        page,
        "<div class=\"matrix%s\" role=\"region\" aria-labelledby=\"attacks\" tabindex=\"0\">\n<table>\n",
        columns_here(page->matrix) <= FEW_COLUMNS ? " few" : "");
    put_headings(page);
    for (unsigned layer = BERM_LAYER_NONE; layer < BERM_LAYER_COUNT; layer++)
        put_layer(page, (enum berm_layer)layer);
    put_totals(page);
    page_markup(page, "</table>\n</div>\n</section>\n");
}
