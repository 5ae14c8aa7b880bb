/*
 * Is one policy nowhere looser than another one? The column `tighter` of fields.def, carried out.
 */
#include <string.h>

#include "base/error.h"
#include "policy/policy.h"

static int refuse(const struct policy *inner, const struct field_info *field, const char *why,
                  struct berm_error *err)
{
    const char *origin = inner->origins[field->id];
    return error_set(err, BERM_E_INVALID, field->layer, 0,
                     "ask for less, or change the outer policy", "%s: %s",
                     origin ? origin : field->name, why);
}

/* 0 is "unset" in a field that may be unset: no bound at all. */
static bool is_larger(const struct field_info *field, uint64_t inner, uint64_t outer)
{
    bool may_be_unset = *field->defaults[PROFILE_STANDARD] == '\0';

    if (may_be_unset && outer == 0)
        return false;
    return inner > outer || (may_be_unset && inner == 0);
}

static bool has_item(const struct text_list *list, const char *item)
{
    for (size_t i = 0; i < list->count; i++)
        if (strcmp(list->items[i], item) == 0)
            return true;
    return false;
}

static bool has_all(const struct text_list *list, const struct text_list *wanted)
{
    for (size_t i = 0; i < wanted->count; i++)
        if (!has_item(list, wanted->items[i]))
            return false;
    return true;
}

static bool is_same_text(const char *a, const char *b)
{
    return a && b ? strcmp(a, b) == 0 : a == b;
}

static bool is_same(const struct policy *outer, const struct policy *inner,
                    const struct field_info *field)
{
    if (field->type == TYPE_TEXT)
        return is_same_text(policy_text(outer, field->id), policy_text(inner, field->id));
    if (field->type == TYPE_LIST)
        return has_all(policy_list(outer, field->id), policy_list(inner, field->id)) &&
               has_all(policy_list(inner, field->id), policy_list(outer, field->id));
    if (field->type == TYPE_SWITCH)
        return policy_switch(outer, field->id) == policy_switch(inner, field->id);
    return policy_number(outer, field->id) == policy_number(inner, field->id);
}

static int check_field(const struct policy *outer, const struct policy *inner,
                       const struct field_info *field, struct berm_error *err)
{
    enum field_id id = field->id;
    bool is_looser = false;
    const char *why = "";

    switch (field->tighter) {
    case TIGHTER_SAME:
        is_looser = !is_same(outer, inner, field);
        why = "may not differ from the outer policy";
        break;
    case TIGHTER_SMALLER:
        is_looser = is_larger(field, policy_number(inner, id), policy_number(outer, id));
        why = "is larger than the outer policy allows";
        break;
    case TIGHTER_MORE:
        is_looser = !has_all(policy_list(inner, id), policy_list(outer, id));
        why = "leaves out a value of the outer policy";
        break;
    case TIGHTER_FEWER:
        is_looser = !has_all(policy_list(outer, id), policy_list(inner, id));
        why = "has a value that the outer policy has not";
        break;
    case TIGHTER_FALSE:
        is_looser = policy_switch(inner, id) && !policy_switch(outer, id);
        why = "is not allowed by the outer policy";
        break;
    case TIGHTER_TRUE:
        is_looser = !policy_switch(inner, id) && policy_switch(outer, id);
        why = "is demanded by the outer policy";
        break;
    }
    return is_looser ? refuse(inner, field, why, err) : 0;
}

/* How much a layer's promise weighs: off, prefer, require. */
static int weight(const struct policy *policy, enum berm_layer layer)
{
    if (!layer_is_on(policy, layer))
        return 0;
    return policy->modes[layer] == MODE_PREFER ? 1 : 2;
}

static int check_layers(const struct policy *outer, const struct policy *inner,
                        struct berm_error *err)
{
    for (unsigned i = BERM_LAYER_NONE + 1; i < BERM_LAYER_COUNT; i++) {
        enum berm_layer layer = (enum berm_layer)i;
        const char *origin = inner->mode_origins[i];
        if (weight(inner, layer) < weight(outer, layer))
            return error_set(err, BERM_E_INVALID, layer, 0, "leave the layer on and required",
                             "%s: the outer policy demands more of the layer %s",
                             origin ? origin : "layers", layer_name(layer));
    }
    return 0;
}

int policy_tightens(const struct policy *outer, const struct policy *inner, struct berm_error *err)
{
    if (inner->level < outer->level)
        return error_set(err, BERM_E_INVALID, BERM_LAYER_NONE, 0, "use the outer policy's level",
                         "%s: %s is below the outer policy's %s",
                         inner->level_origin ? inner->level_origin : "level",
                         policy_level_name(inner->level), policy_level_name(outer->level));
    if (outer->is_strict && !inner->is_strict)
        return error_set(err, BERM_E_INVALID, BERM_LAYER_NONE, 0, "add --strict",
                         "strict: the outer policy demands it");
    int ret = check_layers(outer, inner, err);
    for (size_t i = 0; i < FIELD_COUNT && ret == 0; i++)
        if (policy_is_in_force(outer, (enum field_id)i))
            ret = check_field(outer, inner, &policy_fields[i], err);
    return ret;
}
