/*
 * Inside the policy room only: places of values, and the checks of single values.
 *
 * In: a field and a text. Out: a value, or an error without the origin (policy_set adds it). Must never:
 * be included outside src/policy.
 */
#ifndef BERM_POLICY_MEMBERS_H
#define BERM_POLICY_MEMBERS_H

#include "policy/policy.h"

/* The place of a value; the field's type must fit. Borrowed from the policy. */
uint64_t *policy_number_slot(struct policy *policy, enum field_id id);
bool *policy_switch_slot(struct policy *policy, enum field_id id);
char **policy_text_slot(struct policy *policy, enum field_id id);
struct text_list *policy_list_slot(struct policy *policy, enum field_id id);

/**
 * Read a number of the field's type and hold it against the field's bounds.
 *
 * Returns 0, or -EINVAL with @err filled; @ret_number untouched then.
 * Source: fields.def.  Test: unit/policy/policy.
 */
int value_number(const struct field_info *field, const char *text, uint64_t *ret_number,
                 struct berm_error *err);

/* "true" or "false". Returns 0 or -EINVAL with @err filled. */
int value_switch(const char *text, bool *ret_value, struct berm_error *err);

/* Hold a text, or one item of a list, against what the field takes. Returns 0 or -EINVAL. */
int value_check_text(const struct field_info *field, const char *text, struct berm_error *err);

/* Bytes of the name in "NAME=VALUE". The item was checked. */
size_t value_name_size(const char *variable);

/* Bring an absolute path into its one form, in place: no "//", "/./" or slash at the end. False: "..". */
bool path_canonicalise(char *path);

/* Set one selector: as policy_set, without the origin in the error. */
typedef int (*selector_setter)(struct policy *policy, const char *text, const char *origin,
                               struct berm_error *err);

/* The setter of a selector's key; NULL when the key is none. */
selector_setter selector_find(const char *key);

/* -ENOMEM with @err filled. */
int policy_no_memory(struct berm_error *err);

/* Put an owned text in the place of another one, which is freed. */
void policy_replace_text(char **slot, char *taken);

/* Fill every number and switch that the caller did not set from the policy's profile. */
void presets_fill(struct policy *policy);

#endif
