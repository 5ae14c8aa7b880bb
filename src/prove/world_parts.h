/*
 * What the files of a world share.
 */
#ifndef BERM_PROVE_WORLD_PARTS_H
#define BERM_PROVE_WORLD_PARTS_H

#include "prove/world.h"

int world_write_file(const char *path, const char *text, mode_t mode);
int world_send_message(const struct world *world);
int world_plant_sockets(struct world *world);
void world_end_victim(struct world *world);

#endif
