/*
 * Levels and limit profiles: what is on, and how large it is, before anybody asks for something else.
 */
#include <assert.h>
#include <stddef.h>

#include "policy/members.h"
#include "policy/policy.h"

/* The mission's table "Levels: what each layer buys". A layer that is nowhere is on at no level. */
static const enum policy_level from_levels[BERM_LAYER_COUNT] = {
    [BERM_LAYER_NONE] = LEVEL_COUNT, [BERM_LAYER_LIMITS] = L1,   [BERM_LAYER_ENV] = L2,
    [BERM_LAYER_PROCESS] = L3,       [BERM_LAYER_NETWORK] = L4,  [BERM_LAYER_FILESYSTEM] = L5,
    [BERM_LAYER_PRIVILEGES] = L5,    [BERM_LAYER_SYSCALLS] = L6,
};

enum policy_level layer_from_level(enum berm_layer layer)
{
    return layer < BERM_LAYER_COUNT ? from_levels[layer] : LEVEL_COUNT;
}

bool layer_is_on(const struct policy *policy, enum berm_layer layer)
{
    return policy->level >= layer_from_level(layer) && policy->modes[layer] != MODE_OFF;
}

bool policy_is_in_force(const struct policy *policy, enum field_id id)
{
    const struct field_info *field = &policy_fields[id];
    return policy->level >= field->from && layer_is_on(policy, field->layer);
}

const char *policy_level_name(enum policy_level level)
{
    static const char *const names[LEVEL_COUNT] = {"L0", "L1", "L2", "L3", "L4", "L5", "L6"};
    return level < LEVEL_COUNT ? names[level] : "unknown";
}

const char *policy_profile_name(enum limits_profile profile)
{
    static const char *const names[PROFILE_COUNT] = {
        [PROFILE_STANDARD] = "standard",
        [PROFILE_LESSON] = "lesson",
    };
    return profile < PROFILE_COUNT ? names[profile] : "unknown";
}

static void fill_number(struct policy *policy, const struct field_info *field, const char *text)
{
    uint64_t number = 0; /* unset */

    if (*text) {
        int failed = value_number(field, text, &number, NULL);
        assert(!failed); /* a row of fields.def does not read: test unit/policy/policy */
        (void)failed;
    }
    *policy_number_slot(policy, field->id) = number;
}

static void fill_switch(struct policy *policy, const struct field_info *field, const char *text)
{
    int failed = value_switch(text, policy_switch_slot(policy, field->id), NULL);
    assert(!failed); /* as above */
    (void)failed;
}

void presets_fill(struct policy *policy)
{
    for (size_t i = 0; i < FIELD_COUNT; i++) {
        const struct field_info *field = &policy_fields[i];
        const char *text = field->defaults[policy->profile];
        if (policy->is_explicit[i] || field->type == TYPE_TEXT || field->type == TYPE_LIST)
            continue;
        if (field->type == TYPE_SWITCH)
            fill_switch(policy, field, text);
        else
            fill_number(policy, field, text);
    }
}
