/*
 * A level of berm as a column: the command line, and what its result says about who stopped an attack.
 */
#ifndef BERM_PROVE_BERM_COLUMN_H
#define BERM_PROVE_BERM_COLUMN_H

#include "prove/scene.h"

/* Fills name, title, command and claims of a level, 0 to 6. */
void column_of_level(int level, struct column *ret_column);

/* `berm run --level L5 ... -- GUEST`; @places->result_fd is where the result goes. */
void wrap_by_berm(const struct attack *attack, const struct world *world,
                  const struct column *column, const struct places *places, struct words *words);

/* Is the layer switched off in this column by its name? */
bool column_is_off(const struct column *column, enum berm_layer layer);

/* Verdict, layer and mechanism of the cell, from the result of the scene. False: it holds berm's own error, which is
 * then in @cell->seen. */
bool read_berm_result(const struct scene *scene, struct cell *cell);

#endif
