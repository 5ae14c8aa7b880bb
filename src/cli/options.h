/*
 * The flags of `berm run`, `code` and `explain`, read into a policy and a set of options.
 *
 * In: argv. Out: policy values, one struct of options, and where the command begins. Must never: know
 * an option that is not a row of fields.def, or ignore a word that it does not know.
 */
#ifndef BERM_CLI_OPTIONS_H
#define BERM_CLI_OPTIONS_H

#include <stdbool.h>

#include <berm/berm.h>

#include "policy/policy.h"

/* A flag that may be repeated, so often. */
#define OPTION_ITEMS_MAX 16

struct option_list {
    const char *items[OPTION_ITEMS_MAX];
    size_t count;
};

/* How one run is fed and shown: the OPTION rows. Texts are borrowed from argv; NULL = not given. */
struct run_options {
#define OPTION_SWITCH(id)           bool id;
#define OPTION_TEXT(id)             const char *id;
#define OPTION_LIST(id)             struct option_list id;
#define OPTION(id, flag, type, ...) OPTION_##type(id)
#include "policy/fields.def"
#undef OPTION
    bool wants_help; /* -h or --help: print the help and do nothing else */
};

enum flag_kind {
    FLAG_FIELD,
    FLAG_OPTION,
    FLAG_SELECTOR
};

/* One flag of the command line. Rows stand in the order of fields.def. */
struct flag {
    const char *word; /* without the dashes */
    enum flag_kind kind;
    unsigned id;     /* enum field_id, or the number of the row of its kind */
    const char *key; /* of policy_set; NULL for an OPTION and for --policy */
    const char *arg; /* the metavariable; "" = takes no value */
    const char *help;
};

enum {
#define FIELD(id, ...)    FLAG_FIELD_##id,
#define OPTION(id, ...)   FLAG_OPTION_##id,
#define SELECTOR(id, ...) FLAG_SELECTOR_##id,
#include "policy/fields.def"
#undef FIELD
#undef OPTION
#undef SELECTOR
    FLAG_COUNT
};

extern const struct flag option_flags[FLAG_COUNT];

/**
 * Read the flags of a verb.
 *
 * @argc, @argv     borrow; argv[0] is the verb and is skipped. Must outlive @ret_options.
 * @policy          receives the values: those of --policy first, then the flags, wherever they stand.
 *                  Not validated yet. May be half filled on failure.
 * @ret_options     written completely, also on failure: with --json a refusal is printed as JSON.
 * @ret_command     index of the first word of the command; argc when there is none.
 * The first word that is no flag begins the command, and so does the word after `--`. After --help
 * nothing more is read. A relative path of a host file is taken from the caller's directory.
 * Returns 0, or -errno with @err filled: unknown flag (with the nearest one), missing or unwanted
 * value, and every error of policy_set and of the policy file.
 * Threads: yes.  Async-signal-safe: no.  Since: 0.1.
 * Source: settled.md "Policy and options".  Test: unit/cli/options.
 */
int options_parse(int argc, char *const *argv, struct policy *policy,
                  struct run_options *ret_options, int *ret_command, struct berm_error *err);

#endif
