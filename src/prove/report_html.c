/*
 * A matrix as one page of HTML that loads nothing, runs no script, and works in any width.
 *
 * In: texts of hostile programs. Out: they pass through page_text() alone. The page's own policy forbids scripts
 * and every load, should a text slip through (Content Security Policy Level 3, "meta element").
 */
#include <stdarg.h>
#include <string.h>

#include "base/error.h"
#include "berm-config.h"
#include "prove/report.h"
#include "prove/report_html_parts.h"
#include "prove/report_page.h"

static const char *entity_of(char c)
{
    switch (c) {
    case '&':
        return "&amp;";
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    case '"':
        return "&quot;";
    case '\'':
        return "&#39;";
    default:
        return NULL;
    }
}

void page_text(const struct page *page, const char *text)
{
    char shown[SHOWN_SIZE];

    while (shown_next(&text, shown) > 0) {
        const char *entity = entity_of(shown[0]); /* such a character stands alone */
        (void)fputs(entity ? entity : shown, page->out);
    }
}

void page_markup(const struct page *page, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    (void)vfprintf(page->out, format, args); /* stream_end() finds a failure */
    va_end(args);
}

void page_cell_name(const struct page *page, size_t row, size_t column)
{
    page_text(page, page->matrix->attacks[row]->id);
    page_markup(page, ".%zu", column);
}

static void put_element(const struct page *page, const char *name, const char *text)
{
    page_markup(page, "<%s>", name);
    page_text(page, text);
    page_markup(page, "</%s>", name);
}

static const char *title_of(const struct page *page)
{
    return columns_are_levels(page->matrix) ? "What each level stops" : "What each sandbox stops";
}

static void put_head(const struct page *page)
{
    page_markup(page, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
                      "style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'\">\n");
    page_markup(page, "<title>%s: berm %s, ", title_of(page), BERM_VERSION);
    page_text(page, page->matrix->began);
    page_markup(page, "</title>\n<style>\n");
    for (size_t i = 0; i < sizeof(page_style) / sizeof(page_style[0]); i++)
        page_markup(page, "%s", page_style[i]);
    page_markup(page, "</style>\n</head>\n");
}

static void put_term(const struct page *page, const char *term, const char *text)
{
    page_markup(page, "<div><dt>%s</dt>", term);
    put_element(page, "dd", text);
    page_markup(page, "</div>\n");
}

static void put_facts(const struct page *page)
{
    char took[SENTENCE_SIZE];

    say_took(page->matrix->took_ms, took, sizeof(took));
    page_markup(page, "<dl class=\"facts\">\n");
    put_term(page, "berm", BERM_VERSION);
    put_term(page, "Kernel", page->matrix->kernel);
    put_term(page, "Run by", page->matrix->who);
    put_term(page, "Begun", page->matrix->began);
    put_term(page, "Took", took);
    page_markup(page, "</dl>\n");
}

static void put_opening(const struct page *page)
{
    char text[SENTENCE_SIZE];
    bool is_kept = matrix_is_kept(page->matrix);

    say_conclusion(page->matrix, text, sizeof(text));
    page_markup(page, "<header>\n<p class=\"brow\">berm, proved by attacks</p>\n<h1>%s</h1>\n",
                title_of(page));
    page_markup(page, "<p class=\"conclusion %s\">", is_kept ? "kept" : "missed");
    page_text(page, text);
    page_markup(
        page,
        "</p>\n<p>Each row is an attack, each column what it ran under. The host plants what may be "
        "stolen or broken, and looks for the harm itself: what a program says decides "
        "nothing.</p>\n");
    put_facts(page);
    page_markup(page, "</header>\n");
}

/* "12 contained, 46 harmed, 2 not applicable": nothing that is zero but the first two. */
static void put_numbers(const struct page *page, size_t column)
{
    page_markup(page, "<p>");
    for (size_t i = 0; i < TOTAL_COUNT; i++) {
        size_t count = total_of(page->matrix, column, i);
        if (i < 2 || count > 0)
            page_markup(page, "%s%zu %s", i > 0 ? ", " : "", count, total_name(i));
    }
    page_markup(page, "</p>\n");
}

static void put_bar(const struct page *page, size_t column)
{
    static const enum mark order[] = {MARK_KEPT,  MARK_CONTAINED, MARK_HARMED, MARK_MISSED,
                                      MARK_ERROR, MARK_ABSENT,    MARK_PENDING};
    struct mark_counts counts = marks_in(page->matrix, column);

    counts.of[MARK_ABSENT] += counts.of[MARK_ABSENT_PROMISE];
    page_markup(page, "<div class=\"bar\" aria-hidden=\"true\">");
    for (size_t i = 0; i < sizeof(order) / sizeof(order[0]); i++) {
        if (counts.of[order[i]] > 0)
            page_markup(page, "<span class=\"%s\" style=\"flex-grow:%zu\"></span>",
                        marks[order[i]].style, counts.of[order[i]]);
    }
    page_markup(page, "</div>\n");
}

static void put_command(const struct page *page, const struct column *column)
{
    if (!column->command[0])
        return;
    page_markup(page, "<details><summary>Command</summary><pre>");
    page_text(page, column->command);
    page_markup(page, "</pre></details>\n");
}

static void put_claims(const struct page *page, const struct column *column)
{
    char claims[SENTENCE_SIZE];

    if (column->level >= 0)
        return;
    say_claims(column->claims, claims, sizeof(claims));
    page_markup(page, "<p class=\"note\">Claims to bound: ");
    page_text(page, claims);
    page_markup(page, "</p>\n");
}

static void put_column(const struct page *page, size_t index)
{
    const struct column *column = &page->matrix->columns[index];

    page_markup(page, "<li id=\"column:%zu\"><h3><span class=\"name\">", index);
    page_text(page, column->name);
    page_markup(page, "</span> ");
    page_text(page, column->title);
    page_markup(page, "</h3>\n<div>\n");
    if (column_is_here(page->matrix, index)) {
        put_bar(page, index);
        page_markup(page, "<div class=\"under\">");
        put_numbers(page, index);
    } else {
        page_markup(page, "<div class=\"under\"><p class=\"not-here\">not here: ");
        page_text(page, column->missing);
        page_markup(page, "</p>\n");
    }
    put_command(page, column);
    page_markup(page, "</div>\n");
    put_claims(page, column);
    page_markup(page, "</div></li>\n");
}

/* What the parts of a bar are. */
static void put_bar_keys(const struct page *page)
{
    static const struct {
        enum mark mark;
        const char *means;
    } keys[] = {
        {MARK_KEPT,      "contained, as promised"      },
        {MARK_CONTAINED, "contained, without a promise"},
        {MARK_HARMED,    "harmed, without a promise"   },
        {MARK_MISSED,    "promise broken"              },
        {MARK_ERROR,     "in error"                    },
        {MARK_ABSENT,    "not applicable"              },
    };
    struct mark_counts sum = marks_in_all(page->matrix);

    sum.of[MARK_ABSENT] += sum.of[MARK_ABSENT_PROMISE];
    page_markup(page, "<ul class=\"keys bar note\">\n");
    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
        if (sum.of[keys[i].mark] > 0)
            page_markup(page, "<li><span class=\"%s\"></span>%s</li>\n", marks[keys[i].mark].style,
                        keys[i].means);
    }
    page_markup(page, "</ul>\n");
}

static void put_columns(const struct page *page)
{
    page_markup(page, "<section>\n<h2>Columns</h2>\n");
    put_bar_keys(page);
    page_markup(page, "<ul class=\"columns\">\n");
    for (size_t i = 0; i < page->matrix->column_count; i++)
        put_column(page, i);
    page_markup(page, "</ul>\n</section>\n");
}

int report_html(const struct matrix *matrix, FILE *out)
{
    const struct page page = {.matrix = matrix, .out = out};

    put_head(&page);
    page_markup(&page, "<body>\n<main>\n");
    put_opening(&page);
    put_columns(&page);
    page_missed(&page);
    page_matrix(&page);
    page_markup(&page, "<footer>This page loads nothing and runs no script.</footer>\n</main>\n");
    page_sheets(&page);
    page_markup(&page, "</body>\n</html>\n");
    return stream_end(out);
}
