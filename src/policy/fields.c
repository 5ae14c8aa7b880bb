/*
 * The table of fields.def as data, and access to a policy's values by field.
 */
#include <assert.h>
#include <stddef.h>
#include <string.h>

#include "base/error.h"
#include "base/units.h"
#include "policy/members.h"
#include "policy/policy.h"

#define GROUP_LIMITS     "limits"
#define GROUP_ENV        "env"
#define GROUP_FILESYSTEM "filesystem"
#define GROUP_NETWORK    "network"
#define GROUP_OUTPUT     "output"

const struct field_info policy_fields[FIELD_COUNT] = {
#define FIELD(id_, flag_, group_, type_, layer_, from_, min_, max_, standard_, lesson_, tighter_,  \
              arg_, help_)                                                                         \
    [FIELD_##id_] = {                                                                              \
        .id = FIELD_##id_,                                                                         \
        .name = #id_,                                                                              \
        .flag = (flag_),                                                                           \
        .group = GROUP_##group_,                                                                   \
        .type = TYPE_##type_,                                                                      \
        .layer = BERM_LAYER_##layer_,                                                              \
        .from = (from_),                                                                           \
        .min = (min_),                                                                             \
        .max = (max_),                                                                             \
        .defaults = {[PROFILE_STANDARD] = (standard_), [PROFILE_LESSON] = (lesson_)},              \
        .arg = (arg_),                                                                             \
        .help = (help_),                                                                           \
        .tighter = TIGHTER_##tighter_,                                                             \
    },
#include "policy/fields.def"
#undef FIELD
};

static const size_t offsets[FIELD_COUNT] = {
#define FIELD(id, ...) [FIELD_##id] = offsetof(struct policy, id),
#include "policy/fields.def"
#undef FIELD
};

static bool is_dash(char c)
{
    return c == '-' || c == '_';
}

/* "cpu-time" and "cpu_time" are the same word: flags are written with dashes, keys without. */
static bool is_same_word(const char *a, const char *b)
{
    for (; *a && *b; a++, b++)
        if (*a != *b && !(is_dash(*a) && is_dash(*b)))
            return false;
    return *a == *b;
}

static bool is_in_group(const struct field_info *field, const char *key, size_t group_size)
{
    return strlen(field->group) == group_size && memcmp(field->group, key, group_size) == 0;
}

const struct field_info *policy_field(const char *key)
{
    const char *dot = strchr(key, '.');
    const char *word = dot ? dot + 1 : key;

    for (size_t i = 0; i < FIELD_COUNT; i++) {
        const struct field_info *field = &policy_fields[i];
        if (dot && !is_in_group(field, key, (size_t)(dot - key)))
            continue;
        if (is_same_word(word, field->name) || is_same_word(word, field->flag))
            return field;
    }
    return NULL;
}

enum berm_layer policy_layer(const char *name)
{
    for (unsigned i = BERM_LAYER_NONE + 1; i < BERM_LAYER_COUNT; i++)
        if (strcmp(layer_name((enum berm_layer)i), name) == 0)
            return (enum berm_layer)i;
    return BERM_LAYER_NONE;
}

static void *member(struct policy *policy, enum field_id id)
{
    return (char *)policy + offsets[id];
}

static const void *const_member(const struct policy *policy, enum field_id id)
{
    return (const char *)policy + offsets[id];
}

static bool is_number(enum field_id id)
{
    enum field_type type = policy_fields[id].type;
    return type == TYPE_DURATION || type == TYPE_SIZE || type == TYPE_COUNT || type == TYPE_CPUS;
}

uint64_t *policy_number_slot(struct policy *policy, enum field_id id)
{
    assert(is_number(id));
    return member(policy, id);
}

bool *policy_switch_slot(struct policy *policy, enum field_id id)
{
    assert(policy_fields[id].type == TYPE_SWITCH);
    return member(policy, id);
}

char **policy_text_slot(struct policy *policy, enum field_id id)
{
    assert(policy_fields[id].type == TYPE_TEXT);
    return member(policy, id);
}

struct text_list *policy_list_slot(struct policy *policy, enum field_id id)
{
    assert(policy_fields[id].type == TYPE_LIST);
    return member(policy, id);
}

uint64_t policy_number(const struct policy *policy, enum field_id id)
{
    assert(is_number(id));
    const uint64_t *slot = const_member(policy, id);
    return *slot;
}

bool policy_switch(const struct policy *policy, enum field_id id)
{
    assert(policy_fields[id].type == TYPE_SWITCH);
    const bool *slot = const_member(policy, id);
    return *slot;
}

const char *policy_text(const struct policy *policy, enum field_id id)
{
    assert(policy_fields[id].type == TYPE_TEXT);
    char *const *slot = const_member(policy, id);
    return *slot;
}

const struct text_list *policy_list(const struct policy *policy, enum field_id id)
{
    assert(policy_fields[id].type == TYPE_LIST);
    return const_member(policy, id);
}

void policy_format(const struct field_info *field, uint64_t number, char *ret_text, size_t size)
{
    switch (field->type) {
    case TYPE_DURATION:
        units_format_duration(number, ret_text, size);
        return;
    case TYPE_SIZE:
        units_format_size(number, ret_text, size);
        return;
    case TYPE_CPUS:
        units_format_cpus(number, ret_text, size);
        return;
    case TYPE_COUNT:
        units_format_count(number, ret_text, size);
        return;
    case TYPE_SWITCH:
    case TYPE_TEXT:
    case TYPE_LIST:
        break;
    }
    assert(false); /* not a number */
}
