/*
 * Words, harmless text and sentences of the reports: see report_parts.h.
 */
#include "prove/report_parts.h"

#include <errno.h>
#include <stdarg.h>
#include <string.h>

#include "base/text.h"

const struct mark_info marks[MARK_COUNT] = {
    [MARK_PENDING] = {"?",      "?",   "?",      "pending",   "",             "not run"},
    [MARK_KEPT] = {"[ok]",   "[o]", "ok",     "kept",      "\033[32m",
                      "contained, as promised: the host saw no harm"                   },
    [MARK_CONTAINED] = {"ok",     "o",   "ok",     "contained", "\033[36m",
                      "contained, though nothing promised it"                          },
    [MARK_HARMED] = {"harm",   "h",   "harm",   "harmed",    "\033[33m",
                      "the host saw the harm, which nothing promised to stop"          },
    [MARK_MISSED] = {"MISSED", "M",   "MISSED", "missed",    "\033[1;7;31m",
                      "the host saw the harm IN SPITE OF A PROMISE"                    },
    [MARK_ABSENT] = {"n/a",    "-",   "n/a",    "absent",    "\033[2m",
                      "not applicable to this caller on this machine"                  },
    [MARK_ABSENT_PROMISE] = {"[n/a]",  "[-]", "n/a",    "absent",    "\033[2m",
                      "not applicable; promised, but nothing was learnt"               },
    [MARK_ERROR] = {"ERROR",  "E",   "ERROR",  "error",     "\033[1;7;35m",
                      "not begun, or not to be judged: counts as a broken promise"     },
};

enum mark mark_of(const struct cell *cell)
{
    switch (cell->state) {
    case CELL_ERROR:
        return MARK_ERROR;
    case CELL_CONTAINED:
        return cell->is_promised ? MARK_KEPT : MARK_CONTAINED;
    case CELL_HARMED:
        return cell->is_missed ? MARK_MISSED : MARK_HARMED;
    case CELL_NOT_APPLICABLE:
        return cell->is_promised ? MARK_ABSENT_PROMISE : MARK_ABSENT;
    case CELL_PENDING:
        break;
    }
    return MARK_PENDING;
}

struct mark_counts marks_in(const struct matrix *matrix, size_t column)
{
    struct mark_counts counts = {{0}};

    for (size_t row = 0; column_is_here(matrix, column) && row < matrix->attack_count; row++)
        counts.of[mark_of(matrix_cell(matrix, row, column))]++;
    return counts;
}

struct mark_counts marks_in_all(const struct matrix *matrix)
{
    struct mark_counts sum = {{0}};

    for (size_t column = 0; column < matrix->column_count; column++) {
        struct mark_counts counts = marks_in(matrix, column);
        for (size_t i = 0; i < MARK_COUNT; i++)
            sum.of[i] += counts.of[i];
    }
    return sum;
}

const char *cell_state_name(enum cell_state state)
{
    static const char *const names[] = {
        [CELL_PENDING] = "pending", [CELL_CONTAINED] = "contained",
        [CELL_HARMED] = "harmed",   [CELL_NOT_APPLICABLE] = "not_applicable",
        [CELL_ERROR] = "error",
    };
    return names[state];
}

/* A whole character that is no invalid byte. Returns how many characters were written. */
static size_t show_char(const char *bytes, size_t size, char *ret_shown)
{
    uint32_t code = text_char_code(bytes, (int)size);

    if (!text_is_control(code)) {
        memcpy(ret_shown, bytes, size);
        ret_shown[size] = '\0';
        return 1;
    }
    if (code < 0x80) { /* ^@ to ^_, and ^? for DEL */
        (void)snprintf(ret_shown, SHOWN_SIZE, "^%c", (char)(code ^ 0x40));
        return 2;
    }
    return (size_t)snprintf(ret_shown, SHOWN_SIZE, "\\u{%x}", (unsigned)code);
}

size_t shown_next(const char **text, char *ret_shown)
{
    size_t left = strnlen(*text, TEXT_CHAR_MAX);

    ret_shown[0] = '\0';
    if (left == 0)
        return 0;
    int size = text_char_size(*text, left);
    if (size > 0) {
        const char *bytes = *text;
        *text += size;
        return show_char(bytes, (size_t)size, ret_shown);
    }
    *text += 1;
    (void)snprintf(ret_shown, SHOWN_SIZE, "%s", TEXT_REPLACEMENT);
    return 1;
}

void shown_put(FILE *out, const char *text)
{
    char shown[SHOWN_SIZE];

    while (shown_next(&text, shown) > 0)
        (void)fputs(shown, out); /* stream_end() finds a failure */
}

static size_t shown_width(const char *text, const char *end)
{
    char shown[SHOWN_SIZE];
    size_t width = 0;

    while (text < end)
        width += shown_next(&text, shown);
    return width;
}

static void break_line(FILE *out, size_t indent)
{
    (void)fprintf(out, "\n%*s", (int)indent, "");
}

/* A word that is longer than a line is broken. Returns where the cursor stands. */
static size_t put_word(FILE *out, const char *word, const char *end, size_t indent, size_t width)
{
    char shown[SHOWN_SIZE];
    size_t at = indent;

    while (word < end) {
        size_t count = shown_next(&word, shown);
        if (at > indent && at + count > width) {
            break_line(out, indent);
            at = indent;
        }
        (void)fputs(shown, out);
        at += count;
    }
    return at;
}

void shown_wrap(FILE *out, const char *text, size_t indent, size_t width)
{
    size_t at = indent;

    for (text += strspn(text, " "); *text; text += strspn(text, " ")) {
        const char *end = text + strcspn(text, " ");
        size_t need = shown_width(text, end);
        if (at > indent && at + 1 + need <= width) {
            (void)fputc(' ', out);
            (void)put_word(out, text, end, 0, need);
            at += 1 + need;
        } else {
            if (at > indent)
                break_line(out, indent);
            at = put_word(out, text, end, indent, width);
        }
        text = end;
    }
    (void)fputc('\n', out);
}

int stream_end(FILE *out)
{
    errno = 0;
    if (fflush(out) == 0 && !ferror(out))
        return 0;
    return errno > 0 ? -errno : -EIO;
}

bool column_is_here(const struct matrix *matrix, size_t column)
{
    return !matrix->columns[column].missing[0];
}

size_t columns_here(const struct matrix *matrix)
{
    size_t count = 0;

    for (size_t i = 0; i < matrix->column_count; i++)
        count += column_is_here(matrix, i) ? 1 : 0;
    return count;
}

const char *total_name(size_t total)
{
    static const char *const names[TOTAL_COUNT] = {"contained", "harmed", "not applicable",
                                                   "in error", "missed or error"};
    return names[total];
}

size_t total_of(const struct matrix *matrix, size_t column, size_t total)
{
    struct matrix_totals totals = matrix_totals_of(matrix, column);
    const size_t values[TOTAL_COUNT] = {totals.contained, totals.harmed, totals.not_applicable,
                                        totals.errors, totals.missed};
    return values[total];
}

size_t rows_of_layer(const struct matrix *matrix, enum berm_layer layer)
{
    size_t count = 0;

    for (size_t row = 0; row < matrix->attack_count; row++)
        count += matrix->attacks[row]->layer == layer ? 1 : 0;
    return count;
}

bool columns_are_levels(const struct matrix *matrix)
{
    for (size_t i = 0; i < matrix->column_count; i++) {
        if (matrix->columns[i].level < 0)
            return false;
    }
    return true;
}

/* Adds to a text that is cut at its size: the texts that end here are shorter. */
__attribute__((format(printf, 3, 4))) static void add(char *text, size_t size, const char *format,
                                                      ...)
{
    size_t used = strnlen(text, size);
    va_list args;

    va_start(args, format);
    (void)vsnprintf(text + used, size - used, format, args);
    va_end(args);
}

/* How often a mark stands in the columns of berm, or in those of other sandboxes. */
static size_t count_marks(const struct matrix *matrix, enum mark mark, bool is_berm)
{
    size_t count = 0;

    for (size_t column = 0; column < matrix->column_count; column++) {
        if ((matrix->columns[column].level >= 0) == is_berm)
            count += marks_in(matrix, column).of[mark];
    }
    return count;
}

static void add_count(char *text, size_t size, size_t count, const char *one, const char *many)
{
    if (count > 0)
        add(text, size, "%s%zu %s", text[0] ? "; " : "", count, count == 1 ? one : many);
}

void say_conclusion(const struct matrix *matrix, char *ret_text, size_t size)
{
    struct mark_counts sum = marks_in_all(matrix);

    ret_text[0] = '\0';
    add_count(ret_text, size, count_marks(matrix, MARK_MISSED, true), "promise was broken",
              "promises were broken");
    add_count(ret_text, size, count_marks(matrix, MARK_MISSED, false),
              "claim of another sandbox was broken", "claims of other sandboxes were broken");
    add_count(ret_text, size, sum.of[MARK_ERROR], "cell is in error", "cells are in error");
    if (ret_text[0])
        add(ret_text, size, ".");
    else if (!matrix_is_kept(matrix))
        add(ret_text, size, "Not everything was tried: no promise is shown to be kept.");
    else if (sum.of[MARK_KEPT] == 0)
        add(ret_text, size, "No promise was put to the test.");
    else
        add(ret_text, size, "Every promise was kept.");
}

static void say_level(const struct column *column, const struct attack *attack,
                      const struct cell *cell, char *ret_text, size_t size)
{
    if (cell->is_promised)
        add(ret_text, size, "Promised: berm stops this from L%d on.", attack->from);
    else if (column->level < attack->from)
        add(ret_text, size, "Not promised at L%d: berm stops this from L%d on.", column->level,
            attack->from);
    else if (attack->needs & NEEDS_GROUP)
        add(ret_text, size, "Not promised here: only where a control group counts the tree.");
    else
        add(ret_text, size, "Not promised here.");
}

void say_promise(const struct column *column, const struct attack *attack, const struct cell *cell,
                 char *ret_text, size_t size)
{
    ret_text[0] = '\0';
    if (column->level >= 0)
        say_level(column, attack, cell, ret_text, size);
    else
        add(ret_text, size, "%s \"%s\".",
            cell->is_promised ? "Claimed: this sandbox is said to bound"
                              : "Not claimed: this sandbox is not said to bound",
            topic_name(attack->topic));
}

void say_barrier(const struct cell *cell, char *ret_text, size_t size)
{
    bool has_both = cell->layer[0] && cell->mechanism[0];

    ret_text[0] = '\0';
    add(ret_text, size, "%s%s%s", cell->layer, has_both ? ": " : "", cell->mechanism);
}

void say_took(uint32_t took_ms, char *ret_text, size_t size)
{
    ret_text[0] = '\0';
    if (took_ms < 1000)
        add(ret_text, size, "%u ms", (unsigned)took_ms);
    else if (took_ms < 60000)
        add(ret_text, size, "%u.%u s", (unsigned)took_ms / 1000, (unsigned)took_ms / 100 % 10);
    else
        add(ret_text, size, "%u min %u s", (unsigned)took_ms / 60000,
            (unsigned)took_ms / 1000 % 60);
}

void say_claims(uint32_t claims, char *ret_text, size_t size)
{
    ret_text[0] = '\0';
    for (unsigned i = 0; i < TOPIC_COUNT; i++) {
        if (claims & 1u << i)
            add(ret_text, size, "%s%s", ret_text[0] ? ", " : "", topic_name((enum topic)i));
    }
    if (!ret_text[0])
        add(ret_text, size, "nothing");
}
