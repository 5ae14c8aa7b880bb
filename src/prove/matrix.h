/*
 * Attacks by columns: each column is a level of berm, or another sandbox.
 */
#ifndef BERM_PROVE_MATRIX_H
#define BERM_PROVE_MATRIX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "prove/attack.h"

#define COLUMNS_MAX      16
#define COLUMN_WORDS_MAX 96

enum cell_state {
    CELL_PENDING,
    CELL_CONTAINED,      /* the attack was begun, and the host saw no harm */
    CELL_HARMED,         /* the host saw the harm */
    CELL_NOT_APPLICABLE, /* nothing to be learnt for this caller on this machine: `seen` says why */
    CELL_ERROR           /* the attack was not begun or could not be judged: `seen` says why */
};

struct cell {
    enum cell_state state;
    bool is_promised; /* the column claims to stop this attack */
    bool is_refused;  /* berm said why it runs nothing; `seen` has it */
    bool is_missed;   /* promised and harmed, or an error */
    char tried[256];  /* the words of the attack, as the program got them */
    char seen[256];   /* what the host observed */
    char said[160];   /* what the program said: shown, never believed */
    char layer[16];   /* berm's columns: the layer that is on and is to stop it; "" otherwise */
    char mechanism[256];
    char verdict[24]; /* berm's verdict; "" elsewhere */
    uint32_t took_ms;
};

struct column {
    char name[32];      /* "L0", "bwrap", "env" */
    char title[64];     /* "bare", "bubblewrap 0.8.0" */
    int level;          /* of berm; negative: another sandbox */
    char command[1024]; /* one line, as a person would type it; the guest is named GUEST */
    uint32_t claims;    /* 1u << enum topic: what another sandbox claims to bound */
    char off[64];       /* berm's: layers that are switched off, by commas */
    char plant[128];    /* berm's: defects, by commas; not empty: berm-defective is run */
    bool is_optional;   /* asked for among all: that it is missing is no failure */
    char missing[128];  /* not empty: the tool is not here, and why; the column has no cells */
};

struct matrix {
    const struct attack *attacks[256]; /* borrowed */
    size_t attack_count;
    struct column columns[COLUMNS_MAX];
    size_t column_count;
    struct cell *cells; /* owned by the caller: attack_count rows of column_count */
    char who[32];       /* "root" or "an ordinary user" */
    char kernel[80];
    char began[32]; /* UTC, ISO 8601 */
    uint32_t took_ms;
    char what[64]; /* that could not be planted, when matrix_run() failed; "" otherwise */
};

/* Where the control, which is L0, saw no harm, nothing is learnt from the row: its contained cells become not
 * applicable, and say so. A matrix without that column stays as it is. */
void matrix_apply_control(struct matrix *matrix);

/* The cell of a row and a column. */
struct cell *matrix_cell(const struct matrix *matrix, size_t row, size_t column);

struct matrix_totals {
    size_t contained, harmed, not_applicable, errors, missed;
};

struct matrix_totals matrix_totals_of(const struct matrix *matrix, size_t column);

/* Does every level of berm keep its promises, and is no cell of any column in error? */
bool matrix_is_kept(const struct matrix *matrix);

/**
 * Run what is pending, @worker_count at a time, each worker against a world of its own.
 *
 * @progress  called in this process after each cell, with how many are done; may be NULL.
 * Returns 0 or -errno: a worker died, or a world could not be planted.
 */
int matrix_run(struct matrix *matrix, unsigned worker_count,
               void (*progress)(size_t done, size_t all, void *context), void *context);

#endif
