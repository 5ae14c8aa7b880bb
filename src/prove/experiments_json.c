/*
 * A table of figures as one JSON document. Owns the tree while it is built.
 */
#include <errno.h>
#include <jansson.h>

#include "base/error.h"
#include "prove/experiment_parts.h"
#include "prove/report_parts.h"

#define SCHEMA 1

static const char *kind_name(enum figure_kind kind)
{
    switch (kind) {
    case FIGURE_TEXT:
        return "text";
    case FIGURE_COUNT:
        return "count";
    case FIGURE_SECONDS:
        return "seconds";
    case FIGURE_YES_NO:
        return "yes or no";
    }
    return "unknown";
}

static json_t *figure_value(const struct figure_column *column, const struct figure *figure)
{
    if (!figure->is_known)
        return json_null();
    switch (column->kind) {
    case FIGURE_TEXT:
        return json_string(figure->text);
    case FIGURE_COUNT:
        return json_integer(figure->number);
    case FIGURE_SECONDS:
        return json_real((double)figure->number / 1000);
    case FIGURE_YES_NO:
        return json_boolean(figure->number != 0);
    }
    return NULL;
}

static json_t *columns_value(const struct experiment *experiment)
{
    json_t *array = json_array();

    for (size_t i = 0; i < experiment_column_count(experiment); i++) {
        const struct figure_column *column = &experiment->columns[i];
        (void)json_array_append_new(
            array, json_pack("{s:s, s:s, s:s, s:b}", "key", column->key, "title", column->title,
                             "kind", kind_name(column->kind), "varies", (int)column->varies));
    }
    return array;
}

/* A row without figures has none of their keys. */
static json_t *row_value(const struct experiment *experiment, const struct figure_row *row)
{
    bool has_figures = row->lack[0] == '\0';
    json_t *object = json_pack("{s:s, s:b, s:s?}", "row", row->what, "as_said",
                               (int)row->is_as_said, "lack", has_figures ? NULL : row->lack);

    for (size_t i = 0; has_figures && i < experiment_column_count(experiment); i++)
        (void)json_object_set_new(object, experiment->columns[i].key,
                                  figure_value(&experiment->columns[i], &row->figures[i]));
    return object;
}

static json_t *rows_value(const struct experiment *experiment, const struct figure_table *table)
{
    json_t *array = json_array();

    for (size_t i = 0; i < table->row_count; i++)
        (void)json_array_append_new(array, row_value(experiment, &table->rows[i]));
    return array;
}

/* Fewer entries than there should be: memory ran out on the way. */
static bool is_whole(const json_t *document, const struct experiment *experiment,
                     const struct figure_table *table)
{
    return document &&
           json_array_size(json_object_get(document, "columns")) ==
               experiment_column_count(experiment) &&
           json_array_size(json_object_get(document, "rows")) == table->row_count;
}

int table_print_json(const struct experiment *experiment, const struct figure_table *table,
                     const char *who, FILE *out)
{
    json_t *document =
        json_pack("{s:i, s:s, s:s, s:s, s:s, s:s, s:o, s:o, s:s, s:b}", "schema", SCHEMA,
                  "experiment", experiment->name, "question", experiment->question, "tries",
                  experiment->tries, "who", who, "row_title", experiment->rows, "columns",
                  columns_value(experiment), "rows", rows_value(experiment, table), "lesson",
                  experiment->lesson, "shown", (int)table_shows(table));
    int r = is_whole(document, experiment, table) ? 0 : -ENOMEM;

    if (r == 0 && json_dumpf(document, out, JSON_INDENT(2) | JSON_REAL_PRECISION(6)) < 0)
        r = -EIO;
    json_decref(document);
    if (r == 0 && fputc('\n', out) == EOF)
        r = -EIO;
    return r == 0 ? stream_end(out) : r;
}
