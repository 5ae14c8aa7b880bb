/*
 * The small root of L6 and its Landlock rules: part of the filesystem layer.
 */
#ifndef BERM_LAYERS_SMALL_ROOT_H
#define BERM_LAYERS_SMALL_ROOT_H

#include "layers/layer.h"

#define ROOT_SUBTREES_COUNT_MAX HOST_SUBTREES_MAX

/* The paths of root_tree.def, for the probe; @ret_count their number. */
const char *const *small_root_subtrees(size_t *ret_count);

int plan_small_root(const struct policy *policy, const struct request *request,
                    const struct host *host, struct plan_builder *builder, struct berm_error *err);

#endif
