/*
 * The HTML report is made by three files: report_html.c makes the page, report_html_matrix.c the table, and
 * report_html_cells.c what stands behind each cell. Private to the three.
 */
#ifndef BERM_PROVE_REPORT_HTML_PARTS_H
#define BERM_PROVE_REPORT_HTML_PARTS_H

#include <stdio.h>

#include "prove/report_parts.h"

struct page {
    const struct matrix *matrix;
    FILE *out;
};

/* Text of any origin, for an element or a quoted attribute. */
void page_text(const struct page *page, const char *text);

/* Markup of this program's own. */
void page_markup(const struct page *page, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* The name of a cell in addresses inside the page: "cpu-spin.3". */
void page_cell_name(const struct page *page, size_t row, size_t column);

/* The table of attacks by columns, with its legend. */
void page_matrix(const struct page *page);

/* Every missed cell in full; nothing when there is none. */
void page_missed(const struct page *page);

/* One sheet for each cell, shown when its name is the address. */
void page_sheets(const struct page *page);

#endif
