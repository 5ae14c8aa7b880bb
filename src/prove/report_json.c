/*
 * A matrix as one JSON document. Owns the tree while it is built; the library keeps the order of insertion.
 */
#include <errno.h>
#include <jansson.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/text.h"
#include "berm-config.h"
#include "prove/report.h"
#include "prove/report_parts.h"

#define SCHEMA 1

/* The library takes well-formed UTF-8 alone: an invalid byte becomes U+FFFD. NULL: no memory. */
static json_t *text_value(const char *text)
{
    static const char replacement[] = TEXT_REPLACEMENT;
    size_t left = strlen(text);
    size_t used = 0;
    AUTO_FREE char *valid = malloc(left * sizeof(replacement) + 1);

    if (!valid)
        return NULL;
    while (left > 0) {
        int size = text_char_size(text, left);
        const char *given = size > 0 ? text : replacement;
        size_t given_size = size > 0 ? (size_t)size : sizeof(replacement) - 1;
        size_t taken = size > 0 ? (size_t)size : 1;
        memcpy(valid + used, given, given_size);
        used += given_size;
        text += taken;
        left -= taken;
    }
    return json_stringn(valid, used);
}

/* Takes the value; NULL counts as no memory. Failures add up in @failed. */
static void put(json_t *object, const char *key, json_t *value, int *failed)
{
    *failed |= json_object_set_new(object, key, value);
}

static void put_text(json_t *object, const char *key, const char *text, int *failed)
{
    put(object, key, text_value(text), failed);
}

static void put_count(json_t *object, const char *key, size_t count, int *failed)
{
    put(object, key, json_integer((json_int_t)count), failed);
}

/* A part of the tree that is whole or NULL. */
static json_t *whole(json_t *value, int failed)
{
    if (failed == 0)
        return value;
    json_decref(value);
    return NULL;
}

static json_t *claims_value(uint32_t claims)
{
    json_t *array = json_array();
    int failed = 0;

    for (unsigned i = 0; i < TOPIC_COUNT; i++) {
        if (claims & 1u << i)
            failed |= json_array_append_new(array, text_value(topic_name((enum topic)i)));
    }
    return whole(array, failed);
}

static json_t *totals_value(const struct matrix *matrix, size_t column)
{
    struct matrix_totals totals = matrix_totals_of(matrix, column);
    json_t *object = json_object();
    int failed = 0;

    put_count(object, "contained", totals.contained, &failed);
    put_count(object, "harmed", totals.harmed, &failed);
    put_count(object, "not_applicable", totals.not_applicable, &failed);
    put_count(object, "errors", totals.errors, &failed);
    put_count(object, "missed", totals.missed, &failed);
    return whole(object, failed);
}

static json_t *column_value(const struct matrix *matrix, size_t index)
{
    const struct column *column = &matrix->columns[index];
    json_t *object = json_object();
    int failed = 0;

    put_text(object, "name", column->name, &failed);
    put_text(object, "title", column->title, &failed);
    put(object, "level", column->level >= 0 ? json_integer(column->level) : json_null(), &failed);
    put_text(object, "command", column->command, &failed);
    put(object, "claims", claims_value(column->claims), &failed);
    put(object, "missing", column->missing[0] ? text_value(column->missing) : json_null(), &failed);
    put(object, "totals", totals_value(matrix, index), &failed);
    return whole(object, failed);
}

static json_t *cell_value(const struct cell *cell)
{
    json_t *object = json_object();
    int failed = 0;

    put_text(object, "state", cell_state_name(cell->state), &failed);
    put(object, "promised", json_boolean(cell->is_promised), &failed);
    put(object, "missed", json_boolean(cell->is_missed), &failed);
    put_text(object, "tried", cell->tried, &failed);
    put_text(object, "seen", cell->seen, &failed);
    put_text(object, "said", cell->said, &failed);
    put_text(object, "layer", cell->layer, &failed);
    put_text(object, "mechanism", cell->mechanism, &failed);
    put_text(object, "verdict", cell->verdict, &failed);
    put_count(object, "took_ms", cell->took_ms, &failed);
    return whole(object, failed);
}

/* One for each column: null where the column is missing. */
static json_t *cells_value(const struct matrix *matrix, size_t row)
{
    json_t *array = json_array();
    int failed = 0;

    for (size_t i = 0; i < matrix->column_count; i++) {
        bool is_here = column_is_here(matrix, i);
        json_t *cell = is_here ? cell_value(matrix_cell(matrix, row, i)) : json_null();
        failed |= json_array_append_new(array, cell);
    }
    return whole(array, failed);
}

static json_t *attack_value(const struct matrix *matrix, size_t row)
{
    const struct attack *attack = matrix->attacks[row];
    json_t *object = json_object();
    int failed = 0;

    put_text(object, "id", attack->id, &failed);
    put_text(object, "tries", attack->tries, &failed);
    put_text(object, "harm", attack->harm, &failed);
    put_text(object, "layer", layer_name(attack->layer), &failed);
    put(object, "from", json_integer(attack->from), &failed);
    put_text(object, "topic", topic_name(attack->topic), &failed);
    put(object, "cells", cells_value(matrix, row), &failed);
    return whole(object, failed);
}

static json_t *columns_value(const struct matrix *matrix)
{
    json_t *array = json_array();
    int failed = 0;

    for (size_t i = 0; i < matrix->column_count; i++)
        failed |= json_array_append_new(array, column_value(matrix, i));
    return whole(array, failed);
}

static json_t *attacks_value(const struct matrix *matrix)
{
    json_t *array = json_array();
    int failed = 0;

    for (size_t row = 0; row < matrix->attack_count; row++)
        failed |= json_array_append_new(array, attack_value(matrix, row));
    return whole(array, failed);
}

static json_t *matrix_value(const struct matrix *matrix)
{
    json_t *object = json_object();
    int failed = 0;

    put_count(object, "schema", SCHEMA, &failed);
    put_text(object, "berm", BERM_VERSION, &failed);
    put_text(object, "kernel", matrix->kernel, &failed);
    put_text(object, "who", matrix->who, &failed);
    put_text(object, "began", matrix->began, &failed);
    put_count(object, "took_ms", matrix->took_ms, &failed);
    put(object, "kept", json_boolean(matrix_is_kept(matrix)), &failed);
    put(object, "columns", columns_value(matrix), &failed);
    put(object, "attacks", attacks_value(matrix), &failed);
    return whole(object, failed);
}

int report_json(const struct matrix *matrix, FILE *out)
{
    json_t *root = matrix_value(matrix);

    if (!root)
        return -ENOMEM;
    /* ASCII alone: no character of a program reaches a terminal as it is. */
    int failed = json_dumpf(root, out, JSON_INDENT(2) | JSON_ENSURE_ASCII);
    json_decref(root);
    (void)fputc('\n', out);
    int ret = stream_end(out);
    return ret == 0 && failed < 0 ? -ENOMEM : ret;
}
