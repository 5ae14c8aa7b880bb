/*
 * The flags of a run. Owns the table of flags, made from fields.def.
 */
#include "cli/options.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/quote.h"
#include "cli/host_path.h"
#include "cli/policy_file.h"
#include "policy/suggest.h"

#define ORIGIN_SIZE 64

enum option_id {
#define OPTION(id, ...) OPTION_ID_##id,
#include "policy/fields.def"
#undef OPTION
};

enum selector_id {
#define SELECTOR(id, ...) SELECTOR_ID_##id,
#include "policy/fields.def"
#undef SELECTOR
};

const struct flag option_flags[FLAG_COUNT] = {
#define FIELD(id_, flag_, group, type, layer, from, min, max, standard, lesson, tighter, arg_,     \
              help_)                                                                               \
    [FLAG_FIELD_##id_] = {flag_, FLAG_FIELD, FIELD_##id_, #id_, arg_, help_},
#define OPTION(id_, flag_, type, arg_, help_)                                                      \
    [FLAG_OPTION_##id_] = {flag_, FLAG_OPTION, OPTION_ID_##id_, NULL, arg_, help_},
#define SELECTOR(id_, flag_, arg_, help_)                                                          \
    [FLAG_SELECTOR_##id_] = {flag_, FLAG_SELECTOR, SELECTOR_ID_##id_, #id_, arg_, help_},
#include "policy/fields.def"
#undef FIELD
#undef OPTION
#undef SELECTOR
};

static const struct flag help_flag = {"help", FLAG_OPTION, 0, NULL, "", ""};

static const struct {
    const char *word;
    const struct flag *flag;
} short_flags[] = {
    {"-t", &option_flags[FLAG_OPTION_tty]},
    {"-h", &help_flag                    },
};

/* One flag as it stands on the command line. */
struct word {
    const struct flag *flag;
    const char *value; /* NULL for a switch */
};

struct cursor {
    int argc, at;
    char *const *argv;
};

static const struct flag *find_flag(const char *name, size_t size)
{
    if (size == strlen("help") && memcmp(name, "help", size) == 0)
        return &help_flag;
    for (size_t i = 0; i < FLAG_COUNT; i++) {
        const char *word = option_flags[i].word;
        if (strlen(word) == size && memcmp(word, name, size) == 0)
            return &option_flags[i];
    }
    return NULL;
}

static const struct flag *find_short_flag(const char *word)
{
    for (size_t i = 0; i < sizeof(short_flags) / sizeof(short_flags[0]); i++)
        if (strcmp(short_flags[i].word, word) == 0)
            return short_flags[i].flag;
    return NULL;
}

static void refuse_unknown(const char *word, size_t size, struct berm_error *err)
{
    struct quoted quoted;
    char name[ORIGIN_SIZE];
    char cure[BERM_CURE_SIZE];

    (void)snprintf(name, sizeof(name), "%.*s", (int)size, word);
    struct suggestion near = suggest_for(name + strspn(name, "-"));
    for (size_t i = 0; i < FLAG_COUNT; i++)
        suggest_offer(&near, option_flags[i].word);
    suggest_offer(&near, help_flag.word);
    if (near.best)
        (void)snprintf(cure, sizeof(cure), "did you mean --%s?", near.best);
    else
        (void)snprintf(cure, sizeof(cure), "`berm run --help` lists the options");
    (void)error_set(err, BERM_E_INVALID, BERM_LAYER_NONE, 0, cure, "unknown option %s",
                    quote_text(&quoted, name)); /* its answer is the caller's */
}

static int refuse_missing(const struct flag *flag, struct berm_error *err)
{
    char cure[BERM_CURE_SIZE];

    (void)snprintf(cure, sizeof(cure), "write --%s %s, or --%s=%s if it begins with dashes",
                   flag->word, flag->arg, flag->word, flag->arg);
    return error_set(err, BERM_E_INVALID, BERM_LAYER_NONE, 0, cure, "--%s: the value is missing",
                     flag->word);
}

static int refuse_value(const struct flag *flag, const char *value, struct berm_error *err)
{
    struct quoted quoted;
    char cure[BERM_CURE_SIZE];

    (void)snprintf(cure, sizeof(cure), "write --%s alone", flag->word);
    return error_set(err, BERM_E_INVALID, BERM_LAYER_NONE, 0, cure,
                     "--%s: takes no value, and %s was given", flag->word,
                     quote_text(&quoted, value));
}

/* The value of a flag that needs one: behind =, or the next word. Another flag is not a value. */
static int take_value(struct cursor *cursor, const char *attached, struct word *word,
                      struct berm_error *err)
{
    if (!*word->flag->arg)
        return attached ? refuse_value(word->flag, attached, err) : 0;
    if (!attached) {
        const char *next = cursor->at < cursor->argc ? cursor->argv[cursor->at] : NULL;
        if (!next || strncmp(next, "--", 2) == 0)
            return refuse_missing(word->flag, err);
        attached = next;
        cursor->at++;
    }
    word->value = attached;
    return 0;
}

/* Returns 1 with a flag, 0 where the command begins, or -errno. */
static int next_word(struct cursor *cursor, struct word *ret_word, struct berm_error *err)
{
    if (cursor->at >= cursor->argc)
        return 0;
    const char *text = cursor->argv[cursor->at];
    if (text[0] != '-' || text[1] == '\0')
        return 0; /* a lone dash is a word like any other */
    cursor->at++;
    if (strcmp(text, "--") == 0)
        return 0;

    bool is_long = text[1] == '-';
    size_t size = strcspn(text, "=");
    *ret_word = (struct word){
        .flag = is_long ? find_flag(text + 2, size - 2) : find_short_flag(text),
    };
    if (!ret_word->flag) {
        refuse_unknown(text, size, err);
        return -EINVAL;
    }
    int ret = take_value(cursor, text[size] == '=' ? text + size + 1 : NULL, ret_word, err);
    return ret < 0 ? ret : 1;
}

static bool set_switch(bool *slot, const char *value)
{
    (void)value; /* a switch has none */
    *slot = true;
    return true;
}

static bool set_text(const char **slot, const char *value)
{
    *slot = value;
    return true;
}

static bool set_list(struct option_list *slot, const char *value)
{
    if (slot->count == OPTION_ITEMS_MAX)
        return false;
    slot->items[slot->count++] = value;
    return true;
}

static int refuse_more(const struct flag *flag, struct berm_error *err)
{
    return error_set(err, BERM_E_INVALID, BERM_LAYER_NONE, E2BIG,
                     "put or get fewer files, or use a pattern",
                     "--%s: was given more than %d times", flag->word, OPTION_ITEMS_MAX);
}

static int set_option(struct run_options *options, const struct word *word, struct berm_error *err)
{
    if (word->value && !*word->value)
        return refuse_missing(word->flag, err);
    switch ((enum option_id)word->flag->id) {
#define SET_SWITCH set_switch
#define SET_TEXT   set_text
#define SET_LIST   set_list
#define OPTION(id, flag_, type, ...)                                                               \
    case OPTION_ID_##id:                                                                           \
        return SET_##type(&options->id, word->value) ? 0 : refuse_more(word->flag, err);
#include "policy/fields.def"
#undef OPTION
    }
    return error_set(err, BERM_E_INTERNAL, BERM_LAYER_NONE, 0, NULL, "--%s has no place",
                     word->flag->word);
}

static int set_policy_file(const char **file, const struct word *word, struct berm_error *err)
{
    if (*file)
        return error_set(err, BERM_E_INVALID, BERM_LAYER_NONE, 0, "write both into one file",
                         "--policy: was given twice");
    *file = word->value;
    return 0;
}

/* The first walk: everything but the policy's values. The file's values must be set before them. */
static int read_options(struct cursor *cursor, struct run_options *options, const char **ret_file,
                        struct berm_error *err)
{
    struct word word;
    int ret = 0;

    while ((ret = next_word(cursor, &word, err)) > 0) {
        if (word.flag == &help_flag) {
            options->wants_help = true;
            return 0;
        }
        if (word.flag->kind == FLAG_OPTION)
            ret = set_option(options, &word, err);
        else if (word.flag == &option_flags[FLAG_SELECTOR_policy_file])
            ret = set_policy_file(ret_file, &word, err);
        if (ret < 0)
            return ret;
    }
    return ret;
}

static int set_policy_value(struct policy *policy, const struct word *word, struct berm_error *err)
{
    char origin[ORIGIN_SIZE];
    AUTO_FREE char *absolute = NULL;
    const char *value = word->value ? word->value : "true";

    (void)snprintf(origin, sizeof(origin), "--%s", word->flag->word);
    if (word->flag->kind == FLAG_FIELD && host_path_is_wanted((enum field_id)word->flag->id)) {
        int ret = host_path_absolute((enum field_id)word->flag->id, value, &absolute, err);
        if (ret < 0)
            return ret;
        value = absolute;
    }
    return policy_set(policy, word->flag->key, value, origin, err);
}

/* The second walk. */
static int read_policy(struct cursor *cursor, struct policy *policy, struct berm_error *err)
{
    struct word word;
    int ret = 0;

    while ((ret = next_word(cursor, &word, err)) > 0) {
        if (word.flag->kind == FLAG_OPTION || word.flag == &option_flags[FLAG_SELECTOR_policy_file])
            continue;
        ret = set_policy_value(policy, &word, err);
        if (ret < 0)
            return ret;
    }
    return ret;
}

/* After a failure: the rest was not read, and yet the refusal must come in the form that was asked for. */
static void look_for_form(const struct cursor *cursor, struct run_options *options)
{
    for (int i = cursor->at; i < cursor->argc; i++) {
        if (strcmp(cursor->argv[i], "--") == 0)
            return;
        if (strcmp(cursor->argv[i], "--json") == 0)
            options->json = true;
        if (strncmp(cursor->argv[i], "--result=", 9) == 0)
            options->result = cursor->argv[i] + 9;
        if (strcmp(cursor->argv[i], "--result") == 0 && i + 1 < cursor->argc)
            options->result = cursor->argv[i + 1];
    }
}

int options_parse(int argc, char *const *argv, struct policy *policy,
                  struct run_options *ret_options, int *ret_command, struct berm_error *err)
{
    struct cursor first = {.argc = argc, .at = 1, .argv = argv};
    struct cursor second = first;
    const char *file = NULL;

    *ret_options = (struct run_options){0};
    int ret = read_options(&first, ret_options, &file, err);
    if (ret < 0)
        look_for_form(&first, ret_options);
    if (ret_options->result && strcmp(ret_options->result, "-") == 0)
        ret_options->result = "fd:1"; /* as elsewhere on the command line */
    if (ret == 0 && file && !ret_options->wants_help)
        ret = policy_file_apply(file, policy, err);
    if (ret == 0 && !ret_options->wants_help)
        ret = read_policy(&second, policy, err);
    if (ret < 0)
        return ret;
    *ret_command = first.at;
    return 0;
}
