/*
 * What a matrix says, counted. Pure: reads the matrix alone.
 */
#include <stdio.h>

#include "prove/matrix.h"

struct cell *matrix_cell(const struct matrix *matrix, size_t row, size_t column)
{
    return &matrix->cells[row * matrix->column_count + column];
}

static void count_cell(const struct cell *cell, struct matrix_totals *totals)
{
    switch (cell->state) {
    case CELL_CONTAINED:
        totals->contained++;
        break;
    case CELL_HARMED:
        totals->harmed++;
        break;
    case CELL_NOT_APPLICABLE:
        totals->not_applicable++;
        break;
    case CELL_ERROR:
        totals->errors++;
        break;
    case CELL_PENDING:
        break;
    }
    if (cell->is_missed)
        totals->missed++;
}

struct matrix_totals matrix_totals_of(const struct matrix *matrix, size_t column)
{
    struct matrix_totals totals = {0};

    if (matrix->columns[column].missing[0])
        return totals;
    for (size_t row = 0; row < matrix->attack_count; row++)
        count_cell(matrix_cell(matrix, row, column), &totals);
    return totals;
}

/* A promise that was not put to the test is not kept. What another sandbox claims is not berm's to keep; but that an
 * attack could not be tried there is no answer. */
static bool is_kept(const struct cell *cell, bool is_berms)
{
    return !(is_berms && cell->is_missed) && cell->state != CELL_ERROR &&
           cell->state != CELL_PENDING;
}

/* One of all the others may be absent; what was asked for by its name may not. */
static bool column_is_kept(const struct matrix *matrix, size_t column)
{
    if (matrix->columns[column].missing[0])
        return matrix->columns[column].is_optional;
    for (size_t row = 0; row < matrix->attack_count; row++) {
        if (!is_kept(matrix_cell(matrix, row, column), matrix->columns[column].level >= 0))
            return false;
    }
    return true;
}

bool matrix_is_kept(const struct matrix *matrix)
{
    for (size_t column = 0; column < matrix->column_count; column++) {
        if (!column_is_kept(matrix, column))
            return false;
    }
    return true;
}

static size_t control_column(const struct matrix *matrix)
{
    size_t column = 0;

    while (column < matrix->column_count && matrix->columns[column].level != 0)
        column++;
    return column;
}

void matrix_apply_control(struct matrix *matrix)
{
    size_t control = control_column(matrix);

    for (size_t row = 0; control < matrix->column_count && row < matrix->attack_count; row++) {
        char seen[200];

        if (matrix_cell(matrix, row, control)->state != CELL_CONTAINED)
            continue;
        (void)snprintf(seen, sizeof(seen), "%.199s", matrix_cell(matrix, row, control)->seen);
        for (size_t column = 0; column < matrix->column_count; column++) {
            struct cell *cell = matrix_cell(matrix, row, column);

            if (cell->state != CELL_CONTAINED)
                continue;
            cell->state = CELL_NOT_APPLICABLE;
            (void)snprintf(cell->seen, sizeof(cell->seen),
                           "nothing is learnt: without any sandbox it did no harm (%s)", seen);
        }
    }
}
