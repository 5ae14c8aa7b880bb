/*
 * Any keys and values set in a policy, in any order: no value is half set, no list has an end that is
 * passed, and what is refused says where it stands.
 *
 * The input is a run of records: key, NUL, value, NUL.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "policy/policy.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define RECORDS_MAX 600
#define ORIGIN      "origin"

static void check_path(const char *path)
{
    if (path[0] != '/' || strstr(path, "//") || strstr(path, "/./"))
        abort();
    for (const char *at = strstr(path, "/.."); at; at = strstr(at + 1, "/.."))
        if (at[3] == '/' || at[3] == '\0')
            abort();
}

static void check_binds(const struct text_list *list)
{
    char path[4096];
    char at[4096];

    if (list->count > POLICY_LIST_MAX)
        abort();
    for (size_t i = 0; i < list->count; i++) {
        if (policy_split_bind(list->items[i], path, sizeof(path), at, sizeof(at), NULL) < 0)
            abort();
        check_path(path);
        check_path(at);
        if (strcmp(at, "/") == 0)
            abort();
    }
}

static void check_numbers(const struct policy *policy)
{
    for (unsigned i = 0; i < FIELD_COUNT; i++) {
        const struct field_info *field = &policy_fields[i];
        if (policy->is_explicit[i] != (policy->origins[i] != NULL))
            abort();
        if (field->type > TYPE_CPUS)
            continue;
        uint64_t number = policy_number(policy, field->id);
        if ((number < field->min || number > field->max) && (number != 0 || policy->is_explicit[i]))
            abort();
    }
}

static void check_policy(const struct policy *policy)
{
    struct berm_error err = {0};

    check_numbers(policy);
    check_binds(&policy->ro);
    check_binds(&policy->rw);
    for (size_t i = 0; i < policy->hide.count; i++)
        check_path(policy->hide.items[i]);
    if (!policy->network || strcmp(policy->network, "none") != 0)
        abort();
    if (policy_validate(policy, &err) < 0 && (!*err.message || !*err.cure))
        abort();
    if (policy_tightens(policy, policy, NULL) != 0)
        abort();
}

static void set(struct policy *policy, const char *key, const char *value)
{
    struct berm_error err = {0};

    if (policy_set(policy, key, value, ORIGIN, &err) == 0)
        return;
    if (err.code == BERM_E_NONE || strncmp(err.message, ORIGIN ": ", strlen(ORIGIN ": ")) != 0)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 2);
    struct policy *policy = policy_new();

    if (!text || !policy)
        abort();
    if (size > 0)
        memcpy(text, data, size);
    text[size] = '\0';
    text[size + 1] = '\0';
    const char *at = text;
    for (unsigned i = 0; i < RECORDS_MAX && at < text + size; i++) {
        const char *value = at + strlen(at) + 1;
        set(policy, at, value);
        at = value + strlen(value) + 1;
    }
    check_policy(policy);
    policy_free(policy);
    free(text);
    return 0;
}
