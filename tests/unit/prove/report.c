/*
 * Claims about prove/report.h and the counting of prove/matrix.h: a report shows what the matrix says, marks
 * what was promised, and lets no text of a program do anything but be read.
 */
/* cmocka.h needs the three before it. */
/* clang-format off */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
/* clang-format on */

#include "prove/report.h"

#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "prove/report_parts.h"

#define ATTACKS 5
#define LEVELS  7
#define HOSTILE "<script>alert(\"x\")</script> it's & \033[31mred\xff\xc3 \xe2\x80\xae"

static const struct attack fake_attacks[ATTACKS] = {
    {.id = "loop-for-ever",
     .tries = "computes for ever",
     .harm = "it is there after the limit",
     .layer = BERM_LAYER_LIMITS,
     .from = 1,
     .topic = TOPIC_TIME,
     .words = {"spin", "--for", "9"},
     .options = "--wall-time 1s",
     .wall_ms = 700},
    {.id = "fill-memory",
     .tries = "takes all memory",
     .harm = "it holds more than the limit",
     .layer = BERM_LAYER_LIMITS,
     .from = 1,
     .topic = TOPIC_MEMORY,
     .needs = NEEDS_GROUP | NEEDS_TWO_CPUS},
    {.id = "call-out",
     .tries = "connects to the host",
     .harm = "the honeypot is called",
     .layer = BERM_LAYER_NETWORK,
     .from = 4,
     .topic = TOPIC_NETWORK           },
    {.id = "read-the-secret",
     .tries = "reads a file by its path",
     .harm = "the canary is in its output",
     .layer = BERM_LAYER_FILESYSTEM,
     .from = 5,
     .topic = TOPIC_SECRETS       },
    {.id = "call-the-kernel",
     .tries = "loads a program into the kernel",
     .harm = "the kernel has it",
     .layer = BERM_LAYER_SYSCALLS,
     .from = 6,
     .topic = TOPIC_KERNEL},
};

const struct attack *attack_at(size_t index)
{
    return index < ATTACKS ? &fake_attacks[index] : NULL;
}

const char *topic_name(enum topic topic)
{
    return topic == TOPIC_NETWORK ? "network" : "something";
}

static struct cell fake_cells[ATTACKS * COLUMNS_MAX];

/* What the columns were made to do: levels keep every promise, and nothing holds what was not promised. */
static void fill_cell(const struct matrix *matrix, size_t row, size_t column)
{
    struct cell *cell = matrix_cell(matrix, row, column);
    const struct column *where = &matrix->columns[column];
    int from = matrix->attacks[row]->from;

    memset(cell, 0, sizeof(*cell));
    cell->is_promised = where->level >= 0 ? where->level >= from
                                          : (where->claims >> matrix->attacks[row]->topic) & 1;
    cell->state = cell->is_promised ? CELL_CONTAINED : CELL_HARMED;
    cell->took_ms = 12;
    (void)snprintf(cell->tried, sizeof(cell->tried), "%s", matrix->attacks[row]->id);
    (void)snprintf(cell->seen, sizeof(cell->seen), "seen by the host");
    (void)snprintf(cell->said, sizeof(cell->said), "said by it");
}

static void add_column(struct matrix *matrix, const char *name, int level)
{
    struct column *column = &matrix->columns[matrix->column_count++];

    (void)snprintf(column->name, sizeof(column->name), "%s", name);
    (void)snprintf(column->title, sizeof(column->title), "title of %s", name);
    (void)snprintf(column->command, sizeof(column->command), "%s -- GUEST", name);
    column->level = level;
}

static void fill_cells(const struct matrix *matrix)
{
    for (size_t row = 0; row < matrix->attack_count; row++) {
        for (size_t column = 0; column < matrix->column_count; column++)
            fill_cell(matrix, row, column);
    }
}

static struct matrix levels(void)
{
    struct matrix matrix = {.attack_count = ATTACKS, .cells = fake_cells, .took_ms = 151234};

    for (size_t i = 0; i < ATTACKS; i++)
        matrix.attacks[i] = &fake_attacks[i];
    for (int level = 0; level < LEVELS; level++) {
        char name[16];
        (void)snprintf(name, sizeof(name), "L%d", level);
        add_column(&matrix, name, level);
    }
    (void)snprintf(matrix.who, sizeof(matrix.who), "an ordinary user");
    (void)snprintf(matrix.kernel, sizeof(matrix.kernel), "Linux 6.1.0-28-amd64 x86_64");
    (void)snprintf(matrix.began, sizeof(matrix.began), "2026-11-30T01:38:30Z");
    fill_cells(&matrix);
    return matrix;
}

/* The last level breaks a promise; the text of the program is hostile. */
static struct cell *miss(const struct matrix *matrix, size_t row, size_t column)
{
    struct cell *cell = matrix_cell(matrix, row, column);

    cell->state = CELL_HARMED;
    cell->is_promised = true;
    cell->is_missed = true;
    (void)snprintf(cell->seen, sizeof(cell->seen), "the canary came out");
    (void)snprintf(cell->said, sizeof(cell->said), "%s", HOSTILE);
    return cell;
}

typedef int (*reporter)(const struct matrix *matrix, FILE *out);

static int text_of_80(const struct matrix *matrix, FILE *out)
{
    return report_text(matrix, 80, false, out);
}

/* Returns owned. */
static char *report(const struct matrix *matrix, reporter write)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);

    assert_non_null(out);
    assert_int_equal(write(matrix, out), 0);
    assert_int_equal(fclose(out), 0);
    assert_int_equal(strlen(text), size);
    return text;
}

static void assert_has(const char *text, const char *part)
{
    if (!strstr(text, part))
        fail_msg("\"%s\" is not in: %s", part, text);
}

static void assert_has_not(const char *text, const char *part)
{
    if (strstr(text, part))
        fail_msg("\"%s\" is in: %s", part, text);
}

static size_t count_of(const char *text, const char *part)
{
    size_t count = 0;

    for (const char *at = text; (at = strstr(at, part)); at += strlen(part))
        count++;
    return count;
}

/* Returns the longest line in characters; no line ends in a blank. */
static size_t widest(const char *text)
{
    size_t widest = 0;
    size_t width = 0;

    for (const char *at = text; *at; at++) {
        if (*at == '\n') {
            assert_true(at == text || at[-1] != ' ');
            widest = width > widest ? width : widest;
            width = 0;
        } else if (((unsigned char)*at & 0xc0) != 0x80) {
            width++;
        }
    }
    return widest;
}

static void totals_count_each_state_and_what_was_missed(void **state)
{
    struct matrix matrix = levels();

    (void)state;
    (void)miss(&matrix, 4, 6);
    matrix_cell(&matrix, 0, 6)->state = CELL_NOT_APPLICABLE;
    matrix_cell(&matrix, 1, 6)->state = CELL_ERROR;
    matrix_cell(&matrix, 1, 6)->is_missed = true;
    struct matrix_totals totals = matrix_totals_of(&matrix, 6);
    assert_int_equal(totals.contained, 2);
    assert_int_equal(totals.harmed, 1);
    assert_int_equal(totals.not_applicable, 1);
    assert_int_equal(totals.errors, 1);
    assert_int_equal(totals.missed, 2);
}

static void kept_is_what_breaks_no_promise(void **state)
{
    struct matrix matrix = levels();

    (void)state;
    assert_true(matrix_is_kept(&matrix));
    matrix_cell(&matrix, 2, 3)->state = CELL_NOT_APPLICABLE;
    assert_true(matrix_is_kept(&matrix));
    (void)miss(&matrix, 2, 4);
    assert_false(matrix_is_kept(&matrix));
}

/* Fails where "nothing went wrong" is taken for "it was shown". */
static void what_was_not_tried_is_not_kept(void **state)
{
    struct matrix matrix = levels();

    (void)state;
    matrix_cell(&matrix, 0, 0)->state = CELL_PENDING;
    assert_false(matrix_is_kept(&matrix));
    matrix_cell(&matrix, 0, 0)->state = CELL_ERROR;
    assert_false(matrix_is_kept(&matrix));
    matrix = levels();
    (void)snprintf(matrix.columns[6].missing, sizeof(matrix.columns[6].missing), "no berm");
    assert_false(matrix_is_kept(&matrix));
    matrix.columns[6].level = -1; /* asked for by its name, and not here */
    assert_false(matrix_is_kept(&matrix));
    matrix.columns[6].is_optional = true;
    assert_true(matrix_is_kept(&matrix));
}

/* An attack that fails without any sandbox proves nothing about one. */
static void a_row_without_harm_at_l0_teaches_nothing(void **state)
{
    struct matrix matrix = levels();

    (void)state;
    for (size_t column = 0; column < matrix.column_count; column++)
        matrix_cell(&matrix, 1, column)->state = CELL_CONTAINED;
    matrix_cell(&matrix, 1, 2)->state = CELL_HARMED;
    matrix_apply_control(&matrix);
    assert_int_equal(matrix_cell(&matrix, 1, 0)->state, CELL_NOT_APPLICABLE);
    assert_int_equal(matrix_cell(&matrix, 1, 6)->state, CELL_NOT_APPLICABLE);
    assert_int_equal(matrix_cell(&matrix, 1, 2)->state, CELL_HARMED);
    assert_non_null(strstr(matrix_cell(&matrix, 1, 6)->seen, "nothing is learnt"));
    assert_int_not_equal(matrix_cell(&matrix, 0, 6)->state, CELL_NOT_APPLICABLE);
}

static void text_of_seven_levels_fits_80_columns(void **state)
{
    struct matrix matrix = levels();

    (void)state;
    (void)miss(&matrix, 3, 6);
    char *text = report(&matrix, text_of_80);
    assert_true(widest(text) <= 80);
    free(text);
}

static void text_shows_a_promise_without_colour(void **state)
{
    struct matrix matrix = levels();

    (void)state;
    (void)miss(&matrix, 2, 6);
    matrix_cell(&matrix, 2, 1)->state = CELL_CONTAINED;
    char *text = report(&matrix, text_of_80);
    assert_has(text, "  call-out         harm    ok    harm   harm   [ok]   [ok]  MISSED\n");
    assert_has(text, "network             L0     L1     L2     L3     L4     L5     L6\n");
    assert_has(text, "MISSED    the host saw the harm");
    assert_has_not(text, "\033");
    free(text);
}

static void text_ends_with_each_broken_promise_in_full(void **state)
{
    struct matrix matrix = levels();

    (void)state;
    char *text = report(&matrix, text_of_80);
    assert_has(text, "\nEvery promise was kept.\n");
    free(text);
    (void)miss(&matrix, 3, 5);
    text = report(&matrix, text_of_80);
    assert_has(text, "MISSED read-the-secret at L5 (title of L5)\n");
    assert_has(text, "reads a file by its path\n");
    assert_has(text, "the canary came out\n");
    assert_has(text, "\n1 promise was broken.\n");
    free(text);
}

static void text_colours_only_when_it_is_told_to(void **state)
{
    struct matrix matrix = levels();
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);

    (void)state;
    assert_int_equal(report_text(&matrix, 80, true, out), 0);
    assert_int_equal(fclose(out), 0);
    assert_has(text, "\033[32m[ok]\033[0m");
    free(text);
}

/* A terminal, and a person, read what the program said. */
static void foreign_text_steers_no_terminal(void **state)
{
    struct matrix matrix = levels();

    (void)state;
    (void)miss(&matrix, 0, 6);
    char *text = report(&matrix, text_of_80);
    assert_has_not(text, "\033");
    assert_has(text, "^[[31mred" TEXT_REPLACEMENT TEXT_REPLACEMENT);
    assert_has(text, "\\u{202e}");
    assert_true(text_is_valid(text, strlen(text)));
    free(text);
}

static const char *const peers[] = {"bubblewrap-with-a-long-name-here",
                                    "bubblewrap-with-a-long-name",
                                    "docker",
                                    "systemd-run",
                                    "firejail",
                                    "runc",
                                    "gvisor"};

static struct matrix levels_and_peers(void)
{
    struct matrix matrix = levels();

    for (size_t i = 0; i < sizeof(peers) / sizeof(peers[0]); i++) {
        add_column(&matrix, peers[i], -1);
        matrix.columns[matrix.column_count - 1].claims = 1u << TOPIC_NETWORK;
    }
    (void)snprintf(matrix.columns[9].missing, sizeof(matrix.columns[9].missing), "no docker & co");
    matrix.columns[9].is_optional = true;
    fill_cells(&matrix);
    return matrix;
}

static void text_of_many_columns_fits_too(void **state)
{
    struct matrix matrix = levels_and_peers();

    (void)state;
    char *text = report(&matrix, text_of_80);
    assert_true(widest(text) <= 80);
    assert_has(text, "[o]");
    free(text);
}

static void a_claim_that_was_not_made_is_not_held_against_a_peer(void **state)
{
    struct matrix matrix = levels_and_peers();

    (void)state;
    assert_true(matrix_is_kept(&matrix));
    assert_int_equal(matrix_totals_of(&matrix, 7).harmed, 4);
    assert_int_equal(matrix_totals_of(&matrix, 7).missed, 0);
    char *text = report(&matrix, report_html);
    assert_has(text, "Not claimed: this sandbox is not said to bound");
    assert_has_not(text, ">MISSED<");
    assert_has(text, "Every promise was kept.");
    free(text);
    (void)miss(&matrix, 2, 7);
    text = report(&matrix, report_html);
    assert_has(text, ">MISSED<");
    assert_has(text, "1 claim of another sandbox was broken.");
    free(text);
}

static void every_report_says_that_a_tool_is_not_here(void **state)
{
    struct matrix matrix = levels_and_peers();
    char *text = report(&matrix, text_of_80);

    (void)state;
    assert_has(text, "not here: no docker & co\n");
    free(text);
    text = report(&matrix, report_html);
    assert_has(text, "not here: no docker &amp; co");
    assert_has_not(text, "id=\"call-out.9\"");
    free(text);
    text = report(&matrix, report_markdown);
    assert_has(text, "not here: no docker \\& co");
    free(text);
}

static void html_escapes_every_foreign_text(void **state)
{
    struct matrix matrix = levels();
    struct cell *cell = miss(&matrix, 0, 6);

    (void)state;
    (void)snprintf(cell->tried, sizeof(cell->tried), "%s", HOSTILE);
    (void)snprintf(cell->seen, sizeof(cell->seen), "%s", HOSTILE);
    (void)snprintf(cell->mechanism, sizeof(cell->mechanism), "%s", HOSTILE);
    (void)snprintf(matrix.kernel, sizeof(matrix.kernel), "%s", HOSTILE);
    (void)snprintf(matrix.columns[3].command, sizeof(matrix.columns[3].command), "%s", HOSTILE);
    (void)snprintf(matrix.columns[3].name, sizeof(matrix.columns[3].name), "\"><script>");
    char *text = report(&matrix, report_html);
    assert_has_not(text, "<script");
    assert_has_not(text, "\033");
    assert_has(
        text,
        "&lt;script&gt;alert(&quot;x&quot;)&lt;/script&gt; it&#39;s &amp; ^[[31mred" TEXT_REPLACEMENT
            TEXT_REPLACEMENT " \\u{202e}");
    assert_true(text_is_valid(text, strlen(text)));
    free(text);
}

static void html_loads_nothing(void **state)
{
    static const char *const ways[] = {" src=", "url(", "@import", "<link", "<script", "://"};
    struct matrix matrix = levels_and_peers();
    char *text = report(&matrix, report_html);

    (void)state;
    for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++)
        assert_has_not(text, ways[i]);
    assert_int_equal(count_of(text, "href=\""), count_of(text, "href=\"#"));
    free(text);
}

static void html_has_something_behind_every_mark(void **state)
{
    struct matrix matrix = levels();
    char *text = report(&matrix, report_html);

    (void)state;
    for (size_t row = 0; row < ATTACKS; row++) {
        for (size_t column = 0; column < LEVELS; column++) {
            char name[64];
            (void)snprintf(name, sizeof(name), "href=\"#%s.%zu\" id=", fake_attacks[row].id,
                           column);
            assert_int_equal(count_of(text, name), 1);
            (void)snprintf(name, sizeof(name), "id=\"%s.%zu\"", fake_attacks[row].id, column);
            assert_int_equal(count_of(text, name), 1);
        }
    }
    free(text);
}

/* Before the first level that promises stands a line, once a row. */
static void html_shows_where_the_promise_begins(void **state)
{
    struct matrix matrix = levels();
    char *text = report(&matrix, report_html);

    (void)state;
    assert_int_equal(count_of(text, " edge\""), ATTACKS);
    assert_has(text, "<td class=\"kept edge\"><a href=\"#call-out.4\"");
    free(text);
}

static json_t *parse(const struct matrix *matrix)
{
    char *text = report(matrix, report_json);
    json_t *root = json_loads(text, JSON_REJECT_DUPLICATES, NULL);

    assert_non_null(root);
    free(text);
    return root;
}

static void json_has_a_cell_for_each_column(void **state)
{
    struct matrix matrix = levels_and_peers();
    json_t *root = parse(&matrix);
    json_t *attacks = json_object_get(root, "attacks");

    (void)state;
    assert_int_equal(json_integer_value(json_object_get(root, "schema")), 1);
    assert_true(json_is_true(json_object_get(root, "kept")));
    assert_int_equal(json_array_size(json_object_get(root, "columns")), matrix.column_count);
    assert_int_equal(json_array_size(attacks), ATTACKS);
    for (size_t row = 0; row < ATTACKS; row++) {
        json_t *cells = json_object_get(json_array_get(attacks, row), "cells");
        assert_int_equal(json_array_size(cells), matrix.column_count);
        assert_true(json_is_null(json_array_get(cells, 9)));
        json_t *cell = json_array_get(cells, 0);
        assert_string_equal(json_string_value(json_object_get(cell, "state")), "harmed");
        assert_true(json_is_false(json_object_get(cell, "promised")));
    }
    json_decref(root);
}

static void json_keeps_what_the_program_said(void **state)
{
    struct matrix matrix = levels();

    (void)state;
    (void)miss(&matrix, 0, 6);
    json_t *root = parse(&matrix);
    json_t *attack = json_array_get(json_object_get(root, "attacks"), 0);
    json_t *cell = json_array_get(json_object_get(attack, "cells"), 6);
    assert_string_equal(
        json_string_value(json_object_get(cell, "said")),
        "<script>alert(\"x\")</script> it's & \033[31mred" TEXT_REPLACEMENT TEXT_REPLACEMENT
        " \xe2\x80\xae");
    assert_true(json_is_true(json_object_get(cell, "missed")));
    assert_true(json_is_false(json_object_get(root, "kept")));
    json_decref(root);
}

static void markdown_rows_are_as_wide_as_the_headings(void **state)
{
    struct matrix matrix = levels();

    (void)state;
    (void)miss(&matrix, 3, 6);
    (void)snprintf(matrix.columns[2].name, sizeof(matrix.columns[2].name), "a|b*c*");
    char *text = report(&matrix, report_markdown);
    assert_has(text, "| attack | L0 | L1 | a\\|b\\*c\\* | L3 | L4 | L5 | L6 |\n");
    assert_has(text, "| `call-out` | harm | harm | harm | harm | **ok** | **ok** | **ok** |\n");
    assert_has(text, "**MISSED** `read-the-secret` at L6");
    free(text);
}

static void markdown_of_foreign_text_is_no_markup(void **state)
{
    struct matrix matrix = levels();
    struct cell *cell = miss(&matrix, 3, 6);

    (void)state;
    (void)snprintf(cell->seen, sizeof(cell->seen), "[x](http://a) <b> www.b `c` a_b_");
    char *text = report(&matrix, report_markdown);
    assert_has(text, "\\[x\\](http\\://a) \\<b\\> www\\.b \\`c\\` a\\_b\\_\n");
    free(text);
}

static int list(const struct matrix *matrix, FILE *out)
{
    (void)matrix;
    return report_list(out);
}

static int first_attack(const struct matrix *matrix, FILE *out)
{
    return report_attack(matrix->attacks[0], out);
}

static int second_attack(const struct matrix *matrix, FILE *out)
{
    return report_attack(matrix->attacks[1], out);
}

static void the_list_names_every_attack(void **state)
{
    char *text = report(NULL, list);

    (void)state;
    for (size_t i = 0; i < ATTACKS; i++)
        assert_int_equal(count_of(text, fake_attacks[i].id), 1);
    assert_has(text, "  call-out         L4  connects to the host\n");
    assert_true(widest(text) <= 80);
    free(text);
}

static void an_attack_is_told_in_full(void **state)
{
    struct matrix matrix = levels();
    char *text = report(&matrix, first_attack);

    (void)state;
    assert_has(text, "computes for ever\n");
    assert_has(text, "it is there after the limit\n");
    assert_has(text, "limits\n");
    assert_has(text, "L1: ");
    assert_has(text, "spin --for 9\n");
    assert_has(text, "--wall-time 1s\n");
    assert_has(text, "700 ms\n");
    assert_has_not(text, "needs");
    free(text);
    text = report(&matrix, second_attack);
    assert_has(text, "control group");
    assert_has(text, "; more than one");
    free(text);
}

static void a_stream_that_takes_nothing_is_an_error(void **state)
{
    static const reporter reporters[] = {text_of_80,      report_json, report_html,
                                         report_markdown, list,        first_attack};
    struct matrix matrix = levels();

    (void)state;
    for (size_t i = 0; i < sizeof(reporters) / sizeof(reporters[0]); i++) {
        FILE *out = fopen("/dev/full", "we");
        assert_non_null(out);
        assert_true(reporters[i](&matrix, out) < 0);
        (void)fclose(out); /* what was not written is tried again, in vain */
    }
}

static void a_matrix_of_nothing_is_reported(void **state)
{
    static const reporter reporters[] = {text_of_80, report_json, report_html, report_markdown};
    struct matrix matrix = {.cells = fake_cells};

    (void)state;
    for (size_t i = 0; i < sizeof(reporters) / sizeof(reporters[0]); i++)
        free(report(&matrix, reporters[i]));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(totals_count_each_state_and_what_was_missed),
        cmocka_unit_test(kept_is_what_breaks_no_promise),
        cmocka_unit_test(what_was_not_tried_is_not_kept),
        cmocka_unit_test(a_row_without_harm_at_l0_teaches_nothing),
        cmocka_unit_test(text_of_seven_levels_fits_80_columns),
        cmocka_unit_test(text_shows_a_promise_without_colour),
        cmocka_unit_test(text_ends_with_each_broken_promise_in_full),
        cmocka_unit_test(text_colours_only_when_it_is_told_to),
        cmocka_unit_test(foreign_text_steers_no_terminal),
        cmocka_unit_test(text_of_many_columns_fits_too),
        cmocka_unit_test(a_claim_that_was_not_made_is_not_held_against_a_peer),
        cmocka_unit_test(every_report_says_that_a_tool_is_not_here),
        cmocka_unit_test(html_escapes_every_foreign_text),
        cmocka_unit_test(html_loads_nothing),
        cmocka_unit_test(html_has_something_behind_every_mark),
        cmocka_unit_test(html_shows_where_the_promise_begins),
        cmocka_unit_test(json_has_a_cell_for_each_column),
        cmocka_unit_test(json_keeps_what_the_program_said),
        cmocka_unit_test(markdown_rows_are_as_wide_as_the_headings),
        cmocka_unit_test(markdown_of_foreign_text_is_no_markup),
        cmocka_unit_test(the_list_names_every_attack),
        cmocka_unit_test(an_attack_is_told_in_full),
        cmocka_unit_test(a_stream_that_takes_nothing_is_an_error),
        cmocka_unit_test(a_matrix_of_nothing_is_reported),
    };

    return cmocka_run_group_tests_name("prove/report", tests, NULL, NULL);
}
