/*
 * The tables of attacks.
 */
#ifndef BERM_PROVE_ATTACKS_H
#define BERM_PROVE_ATTACKS_H

#include "prove/attack.h"
#include "prove/looks.h"
#include "prove/world.h"

extern const struct attack attacks_limits[], attacks_others[], attacks_network[], attacks_files[],
    attacks_kernel[];
extern const size_t attacks_limits_count, attacks_others_count, attacks_network_count,
    attacks_files_count, attacks_kernel_count;

#endif
