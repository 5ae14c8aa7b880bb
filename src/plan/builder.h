/*
 * Builds a plan: grows the block, fills the pool, refuses past the maxima.
 *
 * In: rows from the layers. Out: one finished, immutable block. Must never: ask the machine anything.
 *
 * A failing call is remembered; the layer need not check each one: plan_builder_finish() reports the
 * first. So a layer reads as a list of what must be true.
 */
#ifndef BERM_PLAN_BUILDER_H
#define BERM_PLAN_BUILDER_H

#include "plan/plan.h"

struct plan_builder {
    struct plan *plan; /* owned until finish; may move at any add */
    uint32_t pool_capacity;
    int failed; /* first negative errno, 0 = none */
    const char *failed_what;
};

/* Begin an empty plan. Returns 0 or -ENOMEM. */
int plan_builder_init(struct plan_builder *builder);
void plan_builder_done(struct plan_builder *builder);

/* Put a text into the pool; equal texts share an offset only when they are "". */
plan_text plan_add_text(struct plan_builder *builder, const char *text);
plan_text plan_add_format(struct plan_builder *builder, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Put a NULL-terminated vector into the pool as a run of texts. */
plan_text plan_add_vector(struct plan_builder *builder, const char *const *texts, uint32_t count);

/* A row to add; texts that are NULL are "". */
struct mount_row {
    enum berm_layer layer;
    enum mount_op op;
    const char *source, *target, *data;
    uint32_t flags;
    unsigned mode;
};

void plan_add_mount(struct plan_builder *builder, const struct mount_row *row);
void plan_add_rlimit(struct plan_builder *builder, enum berm_layer layer, int resource,
                     uint64_t soft, uint64_t hard);
void plan_add_rule(struct plan_builder *builder, enum berm_layer layer, const char *path,
                   uint64_t access);

/* See struct plan_group_write. */
struct group_write_row {
    enum berm_layer layer;
    unsigned controller;
    const char *file, *value;
    uint64_t read_back;
    bool is_optional;
};

void plan_add_group_write(struct plan_builder *builder, const struct group_write_row *row);
void plan_add_claim(struct plan_builder *builder, enum berm_layer layer,
                    enum claim_strength strength, const char *what, const char *mechanism);
void plan_add_note(struct plan_builder *builder, enum berm_layer layer, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/**
 * Close the plan.
 *
 * @ret_plan  returns owned; free(). Untouched on failure.
 * Returns 0, -ENOMEM, or -E2BIG when a table was full (message names it).
 */
int plan_builder_finish(struct plan_builder *builder, struct plan **ret_plan,
                        struct berm_error *err);

/**
 * Is this block a plan that the interpreter can trust: magic, version, sizes, every offset inside the
 * pool and every text terminated, every count within its table, every enum known?
 * Returns 0 or -EBADMSG.  Test: unit/plan/check, fuzz-plan.
 */
int plan_check(const void *block, size_t size);

#endif
