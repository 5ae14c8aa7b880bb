/*
 * The words that choose or combine other values: level, profile, strict, and the mode of a layer.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/quote.h"
#include "policy/members.h"
#include "policy/policy.h"
#include "policy/suggest.h"

static int set_level(struct policy *policy, const char *text, const char *origin,
                     struct berm_error *err)
{
    struct quoted quoted;
    unsigned level = 0;

    while (level < LEVEL_COUNT && strcmp(policy_level_name((enum policy_level)level), text) != 0)
        level++;
    if (strcmp(text, "L7") == 0)
        return error_set(err, BERM_E_UNAVAILABLE, BERM_LAYER_NONE, 0, "use L6",
                         "L7 (vm) does not exist yet");
    if (level == LEVEL_COUNT)
        return error_set(err, BERM_E_INVALID, BERM_LAYER_NONE, 0, "write one of L0 to L6",
                         "%s is not a level", quote_text(&quoted, text));
    char *where = strdup(origin);
    if (!where)
        return policy_no_memory(err);
    policy->level = (enum policy_level)level;
    policy_replace_text(&policy->level_origin, where);
    return 0;
}

static int set_profile(struct policy *policy, const char *text, const char *origin,
                       struct berm_error *err)
{
    struct quoted quoted;

    (void)origin; /* a profile is never wrong later: nothing would name it */
    for (unsigned i = 0; i < PROFILE_COUNT; i++) {
        if (strcmp(policy_profile_name((enum limits_profile)i), text) != 0)
            continue;
        policy->profile = (enum limits_profile)i;
        presets_fill(policy);
        return 0;
    }
    return error_set(err, BERM_E_INVALID, BERM_LAYER_NONE, 0, "write standard or lesson",
                     "%s is not a limits profile", quote_text(&quoted, text));
}

static int set_strict(struct policy *policy, const char *text, const char *origin,
                      struct berm_error *err)
{
    (void)origin; /* as for a profile */
    return value_switch(text, &policy->is_strict, err);
}

static int refuse_layer(const char *text, struct berm_error *err)
{
    struct quoted quoted;
    struct suggestion near = suggest_for(text);
    char cure[BERM_CURE_SIZE];

    for (unsigned i = BERM_LAYER_NONE + 1; i < BERM_LAYER_COUNT; i++)
        suggest_offer(&near, layer_name((enum berm_layer)i));
    (void)snprintf(cure, sizeof(cure), "did you mean %s?", near.best ? near.best : "");
    return error_set(err, BERM_E_INVALID, BERM_LAYER_NONE, 0,
                     near.best ? cure
                               : "the layers are limits, env, process, network, filesystem, "
                                 "privileges and syscalls",
                     "%s is not a layer", quote_text(&quoted, text));
}

static int set_mode(struct policy *policy, enum layer_mode mode, const char *text,
                    const char *origin, struct berm_error *err)
{
    enum berm_layer layer = policy_layer(text);

    if (layer == BERM_LAYER_NONE)
        return refuse_layer(text, err);
    char *where = strdup(origin);
    if (!where)
        return policy_no_memory(err);
    policy->modes[layer] = mode;
    policy_replace_text(&policy->mode_origins[layer], where);
    return 0;
}

static int set_require(struct policy *policy, const char *text, const char *origin,
                       struct berm_error *err)
{
    return set_mode(policy, MODE_REQUIRE, text, origin, err);
}

static int set_prefer(struct policy *policy, const char *text, const char *origin,
                      struct berm_error *err)
{
    return set_mode(policy, MODE_PREFER, text, origin, err);
}

static int set_off(struct policy *policy, const char *text, const char *origin,
                   struct berm_error *err)
{
    return set_mode(policy, MODE_OFF, text, origin, err);
}

/* policy_file is not here: a policy reads no files. */
static const struct {
    const char *key;
    selector_setter set;
} selectors[] = {
    {"level",          set_level  },
    {"profile",        set_profile},
    {"limits",         set_profile}, /* the flag's word */
    {"limits.profile", set_profile},
    {"strict",         set_strict },
    {"require",        set_require},
    {"prefer",         set_prefer },
    {"off",            set_off    },
};

selector_setter selector_find(const char *key)
{
    for (size_t i = 0; i < sizeof(selectors) / sizeof(selectors[0]); i++)
        if (strcmp(selectors[i].key, key) == 0)
            return selectors[i].set;
    return NULL;
}
