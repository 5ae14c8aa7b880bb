/*
 * Builds a plan: see builder.h.
 *
 * Owns the block while it grows. In: rows from the layers. Out: one finished block, or the first reason
 * why there is none. Must never: ask the machine anything.
 */
#include "plan/builder.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"

/* Enough for the texts of an ordinary L6 plan: most plans never grow. */
#define POOL_FIRST_CAPACITY 8192u

#define TOO_MUCH_TEXT          "bytes of text (at most 8 MiB)"
#define NUMBER_TEXT(number)    #number
#define AT_MOST(what, maximum) what " (at most " NUMBER_TEXT(maximum) ")"

/* Only the first failure is kept: what follows it is its consequence. */
static void fail(struct plan_builder *builder, int number, const char *what)
{
    if (builder->failed)
        return;
    builder->failed = -number;
    builder->failed_what = what;
}

static bool has_room(struct plan_builder *builder, uint32_t count, uint32_t maximum,
                     const char *what)
{
    if (count >= maximum)
        fail(builder, E2BIG, what);
    return !builder->failed;
}

int plan_builder_init(struct plan_builder *builder)
{
    *builder = (struct plan_builder){.pool_capacity = POOL_FIRST_CAPACITY};
    builder->plan = calloc(1, sizeof(struct plan) + POOL_FIRST_CAPACITY);
    if (!builder->plan) {
        fail(builder, ENOMEM, "memory");
        return -ENOMEM;
    }
    builder->plan->magic = PLAN_MAGIC;
    builder->plan->version = PLAN_VERSION;
    builder->plan->pool_used = 1; /* offset 0 is the empty text */
    return 0;
}

void plan_builder_done(struct plan_builder *builder)
{
    free(builder->plan);
    builder->plan = NULL;
}

/*
 * Move the plan to a block with room for @size more bytes of text. The old block is handed to the caller
 * and lives until the new text is written: a layer may add a text that it read from this very plan.
 */
static void grow(struct plan_builder *builder, uint32_t size, void **ret_old)
{
    uint32_t capacity = builder->pool_capacity;
    while (capacity - builder->plan->pool_used < size)
        capacity *= 2; /* ends: used + size <= PLAN_POOL_MAX, far below overflow */

    struct plan *plan = calloc(1, sizeof(struct plan) + capacity);
    if (!plan) {
        fail(builder, ENOMEM, "memory");
        return;
    }
    memcpy(plan, builder->plan, sizeof(struct plan) + builder->plan->pool_used);
    *ret_old = builder->plan;
    builder->plan = plan;
    builder->pool_capacity = capacity;
}

/* Reserve @size bytes at the end of the pool; NULL after a failure. */
static char *reserve(struct plan_builder *builder, size_t size, plan_text *ret_text, void **ret_old)
{
    if (builder->failed)
        return NULL;
    if (size > PLAN_POOL_MAX - builder->plan->pool_used) {
        fail(builder, E2BIG, TOO_MUCH_TEXT);
        return NULL;
    }
    if (size > builder->pool_capacity - builder->plan->pool_used)
        grow(builder, (uint32_t)size, ret_old);
    if (builder->failed)
        return NULL;

    *ret_text = builder->plan->pool_used;
    builder->plan->pool_used += (uint32_t)size;
    return builder->plan->pool + *ret_text;
}

plan_text plan_add_text(struct plan_builder *builder, const char *text)
{
    if (!text || text[0] == '\0')
        return 0;
    const char *const texts[] = {text};
    return plan_add_vector(builder, texts, 1);
}

__attribute__((format(printf, 2, 0))) static plan_text add_format(struct plan_builder *builder,
                                                                  const char *format, va_list args)
{
    AUTO_FREE void *old = NULL;
    plan_text ret = 0;
    va_list again;

    va_copy(again, args);
    int length = vsnprintf(NULL, 0, format, again);
    va_end(again);
    if (length < 0)
        fail(builder, E2BIG, TOO_MUCH_TEXT);
    if (length <= 0)
        return 0;

    char *room = reserve(builder, (size_t)length + 1, &ret, &old);
    if (room)
        (void)vsnprintf(room, (size_t)length + 1, format, args); /* measured just above */
    return ret;
}

plan_text plan_add_format(struct plan_builder *builder, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    plan_text ret = add_format(builder, format, args);
    va_end(args);
    return ret;
}

plan_text plan_add_vector(struct plan_builder *builder, const char *const *texts, uint32_t count)
{
    AUTO_FREE void *old = NULL;
    plan_text ret = 0;
    size_t size = 0;

    for (uint32_t i = 0; i < count && size <= PLAN_POOL_MAX; i++)
        size += strlen(texts[i]) + 1;
    if (size == 0)
        return 0;

    char *room = reserve(builder, size, &ret, &old);
    for (uint32_t i = 0; room && i < count; i++)
        room = stpcpy(room, texts[i]) + 1;
    return ret;
}

void plan_add_mount(struct plan_builder *builder, const struct mount_row *row)
{
    struct plan_mount flat = {
        .op = (uint8_t)row->op,
        .layer = (uint8_t)row->layer,
        .mode = (uint16_t)row->mode,
        .flags = row->flags,
        .source = plan_add_text(builder, row->source),
        .target = plan_add_text(builder, row->target),
        .data = plan_add_text(builder, row->data),
    };
    if (builder->failed)
        return;
    if (has_room(builder, builder->plan->mount_count, PLAN_MOUNTS_MAX,
                 AT_MOST("acts on the file tree", PLAN_MOUNTS_MAX)))
        builder->plan->mounts[builder->plan->mount_count++] = flat;
}

void plan_add_rlimit(struct plan_builder *builder, enum berm_layer layer, int resource,
                     uint64_t soft, uint64_t hard)
{
    struct plan_rlimit row = {
        .layer = (uint8_t)layer, .resource = resource, .soft = soft, .hard = hard};

    if (builder->failed)
        return;
    if (has_room(builder, builder->plan->rlimit_count, PLAN_RLIMITS_MAX,
                 AT_MOST("resource limits", PLAN_RLIMITS_MAX)))
        builder->plan->rlimits[builder->plan->rlimit_count++] = row;
}

void plan_add_rule(struct plan_builder *builder, enum berm_layer layer, const char *path,
                   uint64_t access)
{
    struct plan_landlock_rule row = {
        .layer = (uint8_t)layer, .path = plan_add_text(builder, path), .access = access};

    if (builder->failed)
        return;
    if (has_room(builder, builder->plan->rule_count, PLAN_RULES_MAX,
                 AT_MOST("Landlock rules", PLAN_RULES_MAX)))
        builder->plan->rules[builder->plan->rule_count++] = row;
}

void plan_add_group_write(struct plan_builder *builder, const struct group_write_row *row)
{
    struct plan_group_write flat = {
        .layer = (uint8_t)row->layer,
        .controller = (uint8_t)row->controller,
        .is_optional = row->is_optional,
        .file = plan_add_text(builder, row->file),
        .value = plan_add_text(builder, row->value),
        .read_back = row->read_back,
    };
    if (builder->failed)
        return;
    if (has_room(builder, builder->plan->group_write_count, PLAN_GROUP_WRITES_MAX,
                 AT_MOST("control group writes", PLAN_GROUP_WRITES_MAX)))
        builder->plan->group_writes[builder->plan->group_write_count++] = flat;
}

void plan_add_claim(struct plan_builder *builder, enum berm_layer layer,
                    enum claim_strength strength, const char *what, const char *mechanism)
{
    struct plan_claim row = {
        .layer = (uint8_t)layer,
        .strength = (uint8_t)strength,
        .what = plan_add_text(builder, what),
        .mechanism = plan_add_text(builder, mechanism),
    };
    if (builder->failed)
        return;
    if (has_room(builder, builder->plan->claim_count, PLAN_CLAIMS_MAX,
                 AT_MOST("promises", PLAN_CLAIMS_MAX)))
        builder->plan->claims[builder->plan->claim_count++] = row;
}

void plan_add_note(struct plan_builder *builder, enum berm_layer layer, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    struct plan_note row = {.layer = (uint8_t)layer, .text = add_format(builder, format, args)};
    va_end(args);

    if (builder->failed)
        return;
    if (has_room(builder, builder->plan->note_count, PLAN_NOTES_MAX,
                 AT_MOST("notes", PLAN_NOTES_MAX)))
        builder->plan->notes[builder->plan->note_count++] = row;
}

int plan_builder_finish(struct plan_builder *builder, struct plan **ret_plan,
                        struct berm_error *err)
{
    if (builder->failed == -ENOMEM)
        return error_set(err, BERM_E_SYSTEM, BERM_LAYER_NONE, ENOMEM, NULL,
                         "cannot build the plan: out of memory");
    if (builder->failed)
        return error_set(err, BERM_E_INVALID, BERM_LAYER_NONE, -builder->failed,
                         "ask for fewer paths, variables or arguments",
                         "cannot build the plan: it needs too many %s", builder->failed_what);

    builder->plan->size = (uint32_t)sizeof(struct plan) + builder->plan->pool_used;
    *ret_plan = builder->plan;
    builder->plan = NULL;
    return 0;
}
