/*
 * The JSON of a result and of an error: the keys are frozen (docs/reference/result.md), "schema": 1.
 */
#ifndef BERM_WIRE_RESULT_JSON_H
#define BERM_WIRE_RESULT_JSON_H

#include "run/result.h"
#include "session/listing.h"
#include "wire/json.h"

/* The step before the program: how the compiler ended, with its own output and usage. */
struct result_compile {
    const struct result *result;
    struct capture *const *captures; /* by stream */
};

struct result_json_options {
    bool has_output; /* stdout and stderr inside */
    bool has_timings;
    const struct listing *files;          /* what the run created or changed; NULL: not known */
    const struct result_compile *compile; /* NULL: there was no such step */
    bool ended_by_compile; /* the compiler failed: the result is its own, no program was executed */
};

/**
 * Write one result.
 *
 * @captures  the kept output by stream; entries may be NULL when has_output is false.
 * Returns 0 or the sink's -errno.  Test: unit/wire/result_json, fuzz-json.
 */
int result_to_json(const struct plan *plan, const struct result *result,
                   struct capture *const captures[STREAM_COUNT],
                   const struct result_json_options *options, struct json_writer *json);

/* {"schema":1,"error":{code,layer,step,message,cure}}. Returns 0 or the sink's -errno. */
int error_to_json(const struct berm_error *err, struct json_writer *json);

#endif
