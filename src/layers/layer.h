/*
 * A layer: a promise that a user can hold us to. Seven of them, in one array.
 *
 * In: policy, request, host facts. Out: rows of the plan, then a report from the observation. Must never:
 * make a system call, hold state.
 */
#ifndef BERM_LAYERS_LAYER_H
#define BERM_LAYERS_LAYER_H

#include <berm/berm.h>

#include "linux/host.h"
#include "plan/builder.h"
#include "policy/policy.h"
#include "policy/request.h"

struct layer {
    enum berm_layer id;
    const char *promise; /* one sentence; printed by explain and the man page */
    /* Write what must be true. Returns 0, or -errno with @err filled: the layer cannot be had. */
    int (*plan)(const struct policy *policy, const struct request *request, const struct host *host,
                struct plan_builder *builder, struct berm_error *err);
};

/* Indexed by enum berm_layer; row 0 is empty. */
extern const struct layer layers[BERM_LAYER_COUNT];

/**
 * Ask every layer that is on, and build the plan.
 *
 * @ret_plan  returns owned; free(). Untouched on failure.
 * Returns 0, or -errno with @err naming layer, cause and cure. A layer under `prefer` that cannot be had
 * becomes a claim of strength ABSENT and a note; under `require` it is an error.
 * Threads: yes.  Async-signal-safe: no.  Since: 0.1.  Test: unit/layers/namespaces, escape.
 */
int layers_plan(const struct policy *policy, const struct request *request, const struct host *host,
                struct plan **ret_plan, struct berm_error *err);

#endif
