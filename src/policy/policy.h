/*
 * The policy: what a run may see, reach and use up. Validated, then immutable.
 *
 * In: defaults of a level and a limits profile, key/value texts of a file or of flags. Out: one struct
 * that the layers read. Must never: ask the machine anything, or read a file.
 *
 * Merge order: level < limits profile < policy file < flags. Setting a value marks it explicit; only an
 * explicit value whose layer is off, or whose level is too low, is an error.
 */
#ifndef BERM_POLICY_POLICY_H
#define BERM_POLICY_POLICY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <berm/berm.h>

enum policy_level {
    L0,
    L1,
    L2,
    L3,
    L4,
    L5,
    L6,
    LEVEL_COUNT
};

enum limits_profile {
    PROFILE_STANDARD,
    PROFILE_LESSON,
    PROFILE_COUNT
};

/* Zero is the safe value. */
enum layer_mode {
    MODE_REQUIRE,
    MODE_PREFER,
    MODE_OFF
};

/* L0 has no limits layer; this watchdog is all it has (mission, "Levels"). */
#define L0_WATCHDOG_NS 4000000000ULL

/* Longest list that an option may have, and longest single value. Over it: an error. */
#define POLICY_LIST_MAX 256
#define POLICY_TEXT_MAX 65536

struct text_list {
    char **items; /* owned */
    size_t count;
};

/* How a value compares with another one of the same field; see the column `tighter` of fields.def. */
enum tighter_rule {
    TIGHTER_SAME,
    TIGHTER_SMALLER,
    TIGHTER_MORE,
    TIGHTER_FEWER,
    TIGHTER_FALSE,
    TIGHTER_TRUE
};

enum field_type {
    TYPE_DURATION,
    TYPE_SIZE,
    TYPE_COUNT,
    TYPE_CPUS,
    TYPE_SWITCH,
    TYPE_TEXT,
    TYPE_LIST
};

#define MEMBER_DURATION(id) uint64_t id; /* nanoseconds */
#define MEMBER_SIZE(id)     uint64_t id; /* bytes */
#define MEMBER_COUNT(id)    uint64_t id;
#define MEMBER_CPUS(id)     uint64_t id; /* thousandths of a CPU */
#define MEMBER_SWITCH(id)   bool id;
#define MEMBER_TEXT(id)     char *id; /* owned; NULL = unset */
#define MEMBER_LIST(id)     struct text_list id;

enum field_id {
#define FIELD(id, ...) FIELD_##id,
#include "policy/fields.def"
#undef FIELD
    FIELD_COUNT
};

struct policy {
    enum policy_level level;
    enum limits_profile profile;
    bool is_strict;
    /* What the caller asked per layer. layer_is_on() combines it with the level. */
    enum layer_mode modes[BERM_LAYER_COUNT];
#define FIELD(id, flag, group, type, ...) MEMBER_##type(id)
#include "policy/fields.def"
#undef FIELD
    bool is_explicit[FIELD_COUNT];
    /* Where each explicit value stands ("--memory"), for errors. Owned; NULL = not set by the caller. */
    char *origins[FIELD_COUNT];
    char *mode_origins[BERM_LAYER_COUNT];
    char *level_origin;
};

/**
 * A policy with the defaults of L6 and the standard profile.
 *
 * Returns owned (free with policy_free), or NULL when out of memory.
 * Threads: yes.  Async-signal-safe: no.  Since: 0.1.  Test: unit/policy/policy.
 */
struct policy *policy_new(void);
void policy_free(struct policy *policy);

/**
 * Set one value by its name.
 *
 * @key     a field's id ("cpu_time"), or "level", "profile", "strict", "require", "prefer", "off".
 *          A flag's spelling ("cpu-time") and a path with the group ("limits.cpu_time") are taken too.
 * @value   the text; units are required where the type has them.
 * @origin  where it stands, for the error: "--memory", "policy.json: limits.memory".
 * Lists are appended to. Returns 0 or -EINVAL, -ENOMEM with @err filled (code, message naming key,
 * origin and the accepted form; cure). The policy is unchanged on failure.
 * Threads: one writer.  Async-signal-safe: no.  Since: 0.1.  Test: unit/policy/policy.
 */
int policy_set(struct policy *policy, const char *key, const char *value, const char *origin,
               struct berm_error *err);

/**
 * Check what only the whole shows: explicit options whose layer is off or whose level is too low,
 * values that contradict each other. Call once, after the last policy_set.
 *
 * Returns 0 or -EINVAL with @err filled.  Since: 0.1.  Test: unit/policy/policy.
 */
int policy_validate(const struct policy *policy, struct berm_error *err);

/**
 * May a policy stand inside another one: is none of its values looser?
 *
 * @outer, @inner  borrow; both validated.
 * Only what is in force in @outer binds @inner: level, layers, strictness, then every field by the
 * column `tighter`.
 * Returns 0, or -EINVAL with @err naming the first value that is looser, and where it stands.
 * Threads: yes.  Async-signal-safe: no.  Since: 0.1.
 * Source: fields.def.  Test: unit/policy/tighten.
 */
int policy_tightens(const struct policy *outer, const struct policy *inner, struct berm_error *err);

/**
 * Split a value of --ro or --rw: PATH or PATH:AT. `\:` stands for a colon in a path.
 *
 * @item       borrows.
 * @ret_path   receives the host path, absolute, without "//", "/./" or a slash at the end.
 * @ret_at     receives the path inside, in the same form; PATH when there is no AT. Never "/".
 * Returns 0, or -EINVAL with @err filled: not absolute, "..", empty, a second colon, or too long.
 * Outputs are undefined on failure.
 * Threads: yes.  Async-signal-safe: no.  Since: 0.1.
 * Source: settled.md "Policy and options".  Test: unit/policy/bind, fuzz-policy.
 */
int policy_split_bind(const char *item, char *ret_path, size_t path_size, char *ret_at,
                      size_t at_size, struct berm_error *err);

/* The lowest level at which a layer is on (the mission's table). L1 for limits ... L6 for syscalls. */
enum policy_level layer_from_level(enum berm_layer layer);

/* Is the layer part of this policy: on at its level, and not switched off? */
bool layer_is_on(const struct policy *policy, enum berm_layer layer);

/* One row of fields.def, for everything that walks the table (help, JSON, schema, completion). */
struct field_info {
    enum field_id id;
    const char *name;  /* "cpu_time" */
    const char *flag;  /* "cpu-time" */
    const char *group; /* "limits" */
    enum field_type type;
    enum berm_layer layer;
    enum policy_level from;
    uint64_t min, max;
    const char *defaults[PROFILE_COUNT];
    const char *arg;
    const char *help;
    enum tighter_rule tighter;
};

extern const struct field_info policy_fields[FIELD_COUNT];

/* The field of an id, a flag's word or "group.id"; NULL when there is none. Never a selector. */
const struct field_info *policy_field(const char *key);

/* The layer of a name; BERM_LAYER_NONE when there is none. */
enum berm_layer policy_layer(const char *name);

/* "L0" ... and "standard", "lesson". Never NULL. */
const char *policy_level_name(enum policy_level level);
const char *policy_profile_name(enum limits_profile profile);

/* Does the field have an effect: is its layer on, and the level high enough? */
bool policy_is_in_force(const struct policy *policy, enum field_id id);

/* Values for code that walks the table. The type of the field must fit: anything else is a defect. */
uint64_t policy_number(const struct policy *policy, enum field_id id);
bool policy_switch(const struct policy *policy, enum field_id id);
const char *policy_text(const struct policy *policy, enum field_id id); /* borrowed; NULL = unset */
const struct text_list *policy_list(const struct policy *policy, enum field_id id);

/* Write a number of the field's type as text: "30s", "512MiB", "128", "1.5"; UNITS_TEXT_SIZE bytes. */
void policy_format(const struct field_info *field, uint64_t number, char *ret_text, size_t size);

#endif
