/*
 * A policy as JSON. Owns the tree while it is built; the library keeps the order of insertion.
 */
#include "policyreader/show.h"

#include <errno.h>
#include <jansson.h>

#include "base/error.h"
#include "base/units.h"

static json_t *list_value(const struct text_list *list)
{
    json_t *array = json_array();

    for (size_t i = 0; array && i < list->count; i++) {
        if (json_array_append_new(array, json_string(list->items[i])) < 0) {
            json_decref(array);
            return NULL;
        }
    }
    return array;
}

static json_t *field_value(const struct policy *policy, const struct field_info *field)
{
    char text[UNITS_TEXT_SIZE];

    switch (field->type) {
    case TYPE_COUNT:
        return json_integer((json_int_t)policy_number(policy, field->id));
    case TYPE_DURATION:
    case TYPE_SIZE:
    case TYPE_CPUS:
        policy_format(field, policy_number(policy, field->id), text, sizeof(text));
        return json_string(text);
    case TYPE_SWITCH:
        return json_boolean(policy_switch(policy, field->id));
    case TYPE_TEXT:
        return json_string(policy_text(policy, field->id));
    case TYPE_LIST:
        break;
    }
    return list_value(policy_list(policy, field->id));
}

/* A field without a value is left out: the file format has no word for "unset". */
static bool is_unset(const struct policy *policy, const struct field_info *field)
{
    switch (field->type) {
    case TYPE_DURATION:
    case TYPE_SIZE:
    case TYPE_COUNT:
    case TYPE_CPUS:
        return policy_number(policy, field->id) == 0;
    case TYPE_TEXT:
        return !policy_text(policy, field->id);
    case TYPE_SWITCH:
    case TYPE_LIST:
        break;
    }
    return false;
}

/* The object of a group, made when its first field comes. Borrowed from the root; NULL: no memory. */
static json_t *group_of(json_t *root, const char *group)
{
    json_t *object = json_object_get(root, group);

    if (object)
        return object;
    if (json_object_set_new(root, group, json_object()) < 0)
        return NULL;
    return json_object_get(root, group);
}

static int add_fields(json_t *root, const struct policy *policy)
{
    for (size_t i = 0; i < FIELD_COUNT; i++) {
        const struct field_info *field = &policy_fields[i];
        if (!policy_is_in_force(policy, field->id) || is_unset(policy, field))
            continue;
        json_t *group = group_of(root, field->group);
        if (!group || json_object_set_new(group, field->name, field_value(policy, field)) < 0)
            return -ENOMEM;
    }
    return 0;
}

static int add_layers(json_t *root, const struct policy *policy)
{
    static const char *const modes[] = {
        [MODE_REQUIRE] = "require",
        [MODE_PREFER] = "prefer",
        [MODE_OFF] = "off",
    };
    json_t *object = json_object();

    if (json_object_set_new(root, "layers", object) < 0)
        return -ENOMEM;
    for (unsigned i = BERM_LAYER_NONE + 1; i < BERM_LAYER_COUNT; i++) {
        enum berm_layer layer = (enum berm_layer)i;
        if (policy->level < layer_from_level(layer))
            continue;
        if (json_object_set_new(object, layer_name(layer), json_string(modes[policy->modes[i]])) <
            0)
            return -ENOMEM;
    }
    return 0;
}

static int fill(json_t *root, const struct policy *policy)
{
    json_t *limits = NULL;

    if (json_object_set_new(root, "level", json_string(policy_level_name(policy->level))) < 0 ||
        json_object_set_new(root, "strict", json_boolean(policy->is_strict)) < 0)
        return -ENOMEM;
    limits = group_of(root, "limits");
    if (!limits || json_object_set_new(limits, "profile",
                                       json_string(policy_profile_name(policy->profile))) < 0)
        return -ENOMEM;
    int ret = add_fields(root, policy);
    return ret < 0 ? ret : add_layers(root, policy);
}

int show_policy(const struct policy *policy, FILE *out)
{
    json_t *root = json_object();

    if (!root)
        return -ENOMEM;
    int ret = fill(root, policy);
    if (ret == 0 && json_dumpf(root, out, JSON_INDENT(2)) < 0)
        ret = -ENOMEM;
    if (ret == 0)
        (void)fputc('\n', out); /* the caller checks the stream */
    json_decref(root);
    return ret;
}
