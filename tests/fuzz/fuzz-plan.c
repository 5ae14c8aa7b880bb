/*
 * Any bytes as a plan: what plan_check() accepts can be printed without reading outside the block.
 *
 * Blind bytes never get past the frame, so the input also overwrites parts of a plan that is good: pairs
 * of a position and a byte.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "plan/builder.h"
#include "plan/dump.h"
#include "wire/plan_json.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int discard(void *context, const char *bytes, size_t size)
{
    volatile char last = size > 0 ? bytes[size - 1] : '\0'; /* for the sanitizer: is it readable? */
    (void)last;
    (void)context;
    return 0;
}

static void check_and_print(const void *block, size_t size)
{
    struct json_writer json;

    if (plan_check(block, size) != 0)
        return;
    if (plan_dump(block, discard, NULL) != 0)
        abort();
    json_begin(&json, discard, NULL, true);
    if (plan_to_json(block, &json) != 0)
        abort();
}

static struct plan *good_plan(void)
{
    static const char *const argv[] = {"a", "", "b", NULL};
    struct plan_builder builder;
    struct plan *plan = NULL;

    if (plan_builder_init(&builder) != 0)
        abort();
    for (int i = 0; i < 3; i++) {
        plan_add_mount(&builder, &(struct mount_row){.layer = BERM_LAYER_FILESYSTEM,
                                                     .op = MOUNT_BIND,
                                                     .source = "/a",
                                                     .target = "a",
                                                     .data = "d"});
        plan_add_rlimit(&builder, BERM_LAYER_LIMITS, i, 1, 2);
        plan_add_rule(&builder, BERM_LAYER_FILESYSTEM, "/a", 1);
        plan_add_group_write(&builder, &(struct group_write_row){.layer = BERM_LAYER_LIMITS,
                                                                 .controller = 0,
                                                                 .file = "f",
                                                                 .value = "v",
                                                                 .read_back = 1,
                                                                 .is_optional = true});
        plan_add_claim(&builder, BERM_LAYER_LIMITS, CLAIM_EXACT, "what", "mechanism");
        plan_add_note(&builder, BERM_LAYER_ENV, "note");
    }
    plan_text run = plan_add_vector(&builder, argv, 3);
    builder.plan->argv = builder.plan->envp = builder.plan->program = run;
    builder.plan->argc = builder.plan->envc = 3;
    if (plan_builder_finish(&builder, &plan, NULL) != 0 || plan_check(plan, plan->size) != 0)
        abort();
    return plan;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    /* A block of exactly this size, so that a read past its end is seen. */
    void *block = malloc(size > 0 ? size : 1);
    struct plan *plan = good_plan();
    size_t plan_size = plan->size;

    if (!block)
        abort();
    if (size > 0)
        memcpy(block, data, size);
    check_and_print(block, size);
    free(block);

    void *exact = malloc(plan_size);
    if (!exact)
        abort();
    memcpy(exact, plan, plan_size);
    for (size_t i = 0; i + 3 <= size; i += 3)
        ((uint8_t *)exact)[(size_t)(data[i] << 8 | data[i + 1]) % plan_size] = data[i + 2];
    check_and_print(exact, plan_size);
    free(exact);
    free(plan);
    return 0;
}
