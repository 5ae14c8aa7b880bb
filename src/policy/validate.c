/*
 * What only the whole policy shows: options without their layer, and values that contradict each other.
 */
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/quote.h"
#include "policy/members.h"
#include "policy/policy.h"

#define PATH_SIZE 4096

/* Room for the name that a cure gives an option: "--i-accept-host-loss", "filesystem.work_size". */
#define NAME_SIZE 64

/* How the caller wrote the option, so that the cure can say what to leave out. */
static void name_option(const struct policy *policy, const struct field_info *field,
                        char ret_name[static NAME_SIZE])
{
    const char *origin = policy->origins[field->id];

    if (origin && strncmp(origin, "--", 2) == 0)
        (void)snprintf(ret_name, NAME_SIZE, "--%s", field->flag);
    else
        (void)snprintf(ret_name, NAME_SIZE, "%s.%s", field->group, field->name);
}

static const char *level_origin(const struct policy *policy)
{
    return policy->level_origin ? policy->level_origin : "default";
}

static enum policy_level higher(enum policy_level a, enum policy_level b)
{
    return a > b ? a : b;
}

static int refuse_level(const struct policy *policy, const struct field_info *field,
                        struct berm_error *err)
{
    enum policy_level needed = higher(field->from, layer_from_level(field->layer));
    char name[NAME_SIZE];
    char cure[BERM_CURE_SIZE];

    name_option(policy, field, name);
    (void)snprintf(cure, sizeof(cure), "use --level %s or leave %s out", policy_level_name(needed),
                   name);
    return error_set(err, BERM_E_INVALID, field->layer, 0, cure,
                     "%s: has no effect below level %s (layer %s); the level is %s (%s)",
                     policy->origins[field->id], policy_level_name(needed),
                     layer_name(field->layer), policy_level_name(policy->level),
                     level_origin(policy));
}

static int refuse_off(const struct policy *policy, const struct field_info *field,
                      struct berm_error *err)
{
    char name[NAME_SIZE];
    char cure[BERM_CURE_SIZE];

    name_option(policy, field, name);
    (void)snprintf(cure, sizeof(cure), "leave the layer %s on or leave %s out",
                   layer_name(field->layer), name);
    return error_set(err, BERM_E_INVALID, field->layer, 0, cure,
                     "%s: has no effect without the layer %s, which is off (%s)",
                     policy->origins[field->id], layer_name(field->layer),
                     policy->mode_origins[field->layer]);
}

static int check_fields(const struct policy *policy, struct berm_error *err)
{
    for (size_t i = 0; i < FIELD_COUNT; i++) {
        const struct field_info *field = &policy_fields[i];
        if (!policy->is_explicit[i] || policy_is_in_force(policy, field->id))
            continue;
        if (policy->modes[field->layer] == MODE_OFF)
            return refuse_off(policy, field, err);
        return refuse_level(policy, field, err);
    }
    return 0;
}

static int check_modes(const struct policy *policy, struct berm_error *err)
{
    for (unsigned i = BERM_LAYER_NONE + 1; i < BERM_LAYER_COUNT; i++) {
        enum berm_layer layer = (enum berm_layer)i;
        enum policy_level needed = layer_from_level(layer);
        char cure[BERM_CURE_SIZE];
        if (!policy->mode_origins[i] || policy->level >= needed)
            continue;
        (void)snprintf(cure, sizeof(cure), "use --level %s or leave %s out",
                       policy_level_name(needed), layer_name(layer));
        return error_set(err, BERM_E_INVALID, layer, 0, cure,
                         "%s: the layer %s is on from level %s; the level is %s (%s)",
                         policy->mode_origins[i], layer_name(layer), policy_level_name(needed),
                         policy_level_name(policy->level), level_origin(policy));
    }
    return 0;
}

/* One place inside, and who asked for it. */
struct place {
    enum field_id field;
    size_t index;
    char path[PATH_SIZE], at[PATH_SIZE];
};

static bool read_place(const struct policy *policy, enum field_id field, size_t index,
                       struct place *ret_place)
{
    const struct text_list *list = policy_list(policy, field);

    if (index >= list->count)
        return false;
    ret_place->field = field;
    ret_place->index = index;
    return policy_split_bind(list->items[index], ret_place->path, PATH_SIZE, ret_place->at,
                             PATH_SIZE, NULL) == 0;
}

static int refuse_place(const struct policy *policy, const struct place *place, const char *why,
                        struct berm_error *err)
{
    struct quoted quoted;
    return error_set(err, BERM_E_INVALID, BERM_LAYER_FILESYSTEM, 0, "leave one of the two out",
                     "%s: %s %s", policy->origins[place->field],
                     quote_text(&quoted, policy_list(policy, place->field)->items[place->index]),
                     why);
}

/*
 * Another bind at the same place: the later would cover the earlier. Not inlined: with the paths of its
 * caller the frame would pass the bound of 16 KiB.
 */
__attribute__((noinline)) static int check_twins(const struct policy *policy,
                                                 const struct place *place, struct berm_error *err)
{
    static const enum field_id binds[] = {FIELD_ro, FIELD_rw};
    struct place other;

    for (size_t i = 0; i < sizeof(binds) / sizeof(binds[0]); i++)
        for (size_t j = 0; read_place(policy, binds[i], j, &other); j++) {
            bool is_itself = binds[i] == place->field && j == place->index;
            if (!is_itself && strcmp(other.at, place->at) == 0)
                return refuse_place(policy, place, "stands at a place that is taken twice", err);
        }
    return 0;
}

static int check_hidden(const struct policy *policy, const struct place *place,
                        struct berm_error *err)
{
    for (size_t i = 0; i < policy->hide.count; i++)
        if (strcmp(policy->hide.items[i], place->path) == 0 ||
            strcmp(policy->hide.items[i], place->at) == 0)
            return refuse_place(policy, place, "is also hidden", err);
    return 0;
}

static int check_places(const struct policy *policy, enum field_id field, struct berm_error *err)
{
    struct place place;

    for (size_t i = 0; read_place(policy, field, i, &place); i++) {
        int ret = check_twins(policy, &place, err);
        if (ret == 0)
            ret = check_hidden(policy, &place, err);
        if (ret < 0)
            return ret;
    }
    return 0;
}

int policy_validate(const struct policy *policy, struct berm_error *err)
{
    int ret = check_fields(policy, err);

    if (ret == 0)
        ret = check_modes(policy, err);
    if (ret == 0)
        ret = check_places(policy, FIELD_ro, err);
    if (ret == 0)
        ret = check_places(policy, FIELD_rw, err);
    return ret;
}
