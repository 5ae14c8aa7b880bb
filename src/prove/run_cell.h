/*
 * One cell: an attack in a column, against the world of this worker.
 */
#ifndef BERM_PROVE_RUN_CELL_H
#define BERM_PROVE_RUN_CELL_H

#include "prove/scene.h"

struct cell_runner {
    struct world world;
    bool is_planted;
    unsigned prepared; /* 1u << column of prove_peers: prepare() was called */
    unsigned number;   /* of the run: part of its tag */
};

/* Plants the world. 0 or -errno with @ret_what in words; cell_runner_end() in both cases. */
int cell_runner_begin(struct cell_runner *runner, const char **ret_what);

/* Fills the cell. @missing receives why the column's tool cannot be used at all; MISSING_SIZE bytes. */
void cell_runner_run(struct cell_runner *runner, const struct attack *attack,
                     const struct column *column, char *missing, struct cell *cell);

/* The run alone, with the attack, the column and what goes before it as @scene has them: nothing is judged. Fills
 * what was tried, what was said and how long it took. 0, or -errno and it was not started; scene_done() in both
 * cases. */
int cell_runner_play(struct cell_runner *runner, struct scene *scene, char *missing,
                     struct cell *cell);

void cell_runner_end(struct cell_runner *runner);

#endif
