/*
 * The JSON of a plan: `berm explain --json`. For people and tests; a plan is never read back from it.
 */
#ifndef BERM_WIRE_PLAN_JSON_H
#define BERM_WIRE_PLAN_JSON_H

#include "plan/plan.h"
#include "wire/json.h"

/**
 * Write one plan that plan_check() accepts. Values of variables are left out: they may be secrets.
 *
 * Returns 0 or the sink's -errno.
 * Threads: yes.  Async-signal-safe: no.  Since: 0.1.  Test: unit/wire/plan_json.
 */
int plan_to_json(const struct plan *plan, struct json_writer *json);

/* The key "layers" of a plan and of a result: state and promises of each layer. */
void layers_to_json(const struct plan *plan, struct json_writer *json);

#endif
