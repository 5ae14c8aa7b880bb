/*
 * The plan functions of the layers, one file each; gathered in layers.c. See layers/layer.h.
 */
#ifndef BERM_LAYERS_PLANS_H
#define BERM_LAYERS_PLANS_H

#include "layers/layer.h"

#define LAYER_PLAN(name)                                                                           \
    int plan_##name(const struct policy *policy, const struct request *request,                    \
                    const struct host *host, struct plan_builder *builder, struct berm_error *err)

LAYER_PLAN(limits);
LAYER_PLAN(env);
LAYER_PLAN(process);
LAYER_PLAN(network);
LAYER_PLAN(filesystem);
LAYER_PLAN(privileges);
LAYER_PLAN(syscalls);

#endif
