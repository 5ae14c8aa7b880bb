/*
 * A policy's life: made with defaults, filled text by text, freed. Owns the heap behind the values.
 */
#include "policy/policy.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/quote.h"
#include "policy/members.h"
#include "policy/suggest.h"

/* How much of an origin an error shows: the cause must still fit behind it. */
#define ORIGIN_SHOWN 200

int policy_no_memory(struct berm_error *err)
{
    return error_set(err, BERM_E_SYSTEM, BERM_LAYER_NONE, ENOMEM, NULL, "no memory for the policy");
}

/* Say where the value stands that an error speaks of. */
static void put_origin_first(struct berm_error *err, const char *origin)
{
    if (!err)
        return;
    struct berm_error plain = *err;
    (void)snprintf(err->message, sizeof(err->message), "%.*s: %.*s", ORIGIN_SHOWN, origin,
                   (int)(sizeof(err->message) - ORIGIN_SHOWN - 3), plain.message);
}

void policy_replace_text(char **slot, char *taken)
{
    free(*slot);
    *slot = taken;
}

static int fill_texts(struct policy *policy)
{
    for (size_t i = 0; i < FIELD_COUNT; i++) {
        const char *text = policy_fields[i].defaults[PROFILE_STANDARD];
        if (policy_fields[i].type != TYPE_TEXT || !*text)
            continue;
        char *copy = strdup(text);
        if (!copy)
            return -ENOMEM;
        policy_replace_text(policy_text_slot(policy, (enum field_id)i), copy);
    }
    return 0;
}

struct policy *policy_new(void)
{
    struct policy *policy = calloc(1, sizeof(*policy));

    if (!policy)
        return NULL;
    policy->level = L6;
    policy->profile = PROFILE_STANDARD;
    presets_fill(policy);
    if (fill_texts(policy) < 0) {
        policy_free(policy);
        return NULL;
    }
    return policy;
}

static void free_list(struct text_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        free(list->items[i]);
    free(list->items);
}

void policy_free(struct policy *policy)
{
    if (!policy)
        return;
    for (size_t i = 0; i < FIELD_COUNT; i++) {
        if (policy_fields[i].type == TYPE_TEXT)
            free(*policy_text_slot(policy, (enum field_id)i));
        if (policy_fields[i].type == TYPE_LIST)
            free_list(policy_list_slot(policy, (enum field_id)i));
        free(policy->origins[i]);
    }
    for (size_t i = 0; i < BERM_LAYER_COUNT; i++)
        free(policy->mode_origins[i]);
    free(policy->level_origin);
    free(policy);
}

/* Single paths are kept in their one form, so that equal ones can be seen. Binds: policy_split_bind. */
static char *copy_text(const struct field_info *field, const char *text)
{
    char *copy = strdup(text);

    if (copy && (field->id == FIELD_hide || field->id == FIELD_cwd))
        (void)path_canonicalise(copy); /* the text was checked: there is no ".." in it */
    return copy;
}

/* The variable that a new item of env replaces: of two, programs would see the older. */
static char **find_variable(const struct text_list *list, const char *item)
{
    size_t size = value_name_size(item) + 1;

    for (size_t i = 0; i < list->count; i++)
        if (strncmp(list->items[i], item, size) == 0)
            return &list->items[i];
    return NULL;
}

static int append(struct policy *policy, const struct field_info *field, const char *text,
                  struct berm_error *err)
{
    struct text_list *list = policy_list_slot(policy, field->id);
    AUTO_FREE char *copy = copy_text(field, text);
    char **old = field->id == FIELD_env ? find_variable(list, text) : NULL;

    if (!copy)
        return policy_no_memory(err);
    if (old) {
        policy_replace_text(old, take_text(&copy));
        return 0;
    }
    if (list->count >= POLICY_LIST_MAX)
        return error_set(err, BERM_E_INVALID, BERM_LAYER_NONE, 0, "leave some of them out",
                         "there are over %d values", POLICY_LIST_MAX);
    char **items = reallocarray(list->items, list->count + 1, sizeof(*items));
    if (!items)
        return policy_no_memory(err);
    items[list->count++] = take_text(&copy);
    list->items = items;
    return 0;
}

static int replace_text(struct policy *policy, const struct field_info *field, const char *text,
                        struct berm_error *err)
{
    char *copy = copy_text(field, text);

    if (!copy)
        return policy_no_memory(err);
    policy_replace_text(policy_text_slot(policy, field->id), copy);
    return 0;
}

static int set_value(struct policy *policy, const struct field_info *field, const char *text,
                     struct berm_error *err)
{
    switch (field->type) {
    case TYPE_DURATION:
    case TYPE_SIZE:
    case TYPE_COUNT:
    case TYPE_CPUS:
        return value_number(field, text, policy_number_slot(policy, field->id), err);
    case TYPE_SWITCH:
        return value_switch(text, policy_switch_slot(policy, field->id), err);
    case TYPE_TEXT:
    case TYPE_LIST:
        break;
    }
    int ret = value_check_text(field, text, err);
    if (ret < 0)
        return ret;
    return field->type == TYPE_TEXT ? replace_text(policy, field, text, err)
                                    : append(policy, field, text, err);
}

static int set_field(struct policy *policy, const struct field_info *field, const char *text,
                     const char *origin, struct berm_error *err)
{
    AUTO_FREE char *where = strdup(origin);

    if (!where)
        return policy_no_memory(err);
    int ret = set_value(policy, field, text, err);
    if (ret < 0)
        return ret;
    policy->is_explicit[field->id] = true;
    policy_replace_text(&policy->origins[field->id], take_text(&where));
    return 0;
}

static int refuse_key(const char *key, struct berm_error *err)
{
    struct quoted quoted;
    struct suggestion near = suggest_for(strchr(key, '.') ? strchr(key, '.') + 1 : key);
    char cure[BERM_CURE_SIZE];

    suggest_offer_keys(&near);
    (void)snprintf(cure, sizeof(cure), "did you mean %s?", near.best ? near.best : "");
    return error_set(err, BERM_E_INVALID, BERM_LAYER_NONE, 0,
                     near.best ? cure : "`berm run --help` lists the options",
                     "there is no option %s", quote_text(&quoted, key));
}

int policy_set(struct policy *policy, const char *key, const char *value, const char *origin,
               struct berm_error *err)
{
    const struct field_info *field = policy_field(key);
    selector_setter set = selector_find(key);
    int ret = 0;

    if (!origin)
        origin = key;
    if (strnlen(value, POLICY_TEXT_MAX + 1) > POLICY_TEXT_MAX)
        ret = error_set(err, BERM_E_INVALID, BERM_LAYER_NONE, 0, NULL,
                        "the value is longer than %d bytes", POLICY_TEXT_MAX);
    else if (set)
        ret = set(policy, value, origin, err);
    else if (field)
        ret = set_field(policy, field, value, origin, err);
    else
        ret = refuse_key(key, err);
    if (ret < 0)
        put_origin_first(err, origin);
    return ret;
}
