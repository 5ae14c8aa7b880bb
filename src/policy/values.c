/*
 * Single values: what a field takes, and what an error says when it does not. The origin of the value
 * is put before the text by policy_set.
 */
#include <assert.h>
#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "base/quote.h"
#include "base/units.h"
#include "policy/members.h"

/* Room for both halves of a bind while it is checked: PATH_MAX, linux/limits.h. */
#define PATH_SIZE 4096

static int refuse(struct berm_error *err, const char *value, const char *why, const char *cure)
{
    struct quoted quoted;
    return error_set(err, BERM_E_INVALID, BERM_LAYER_NONE, 0, cure, "%s %s",
                     quote_text(&quoted, value), why);
}

static int parse_number(enum field_type type, const char *text, uint64_t *ret_number,
                        struct berm_error *err)
{
    switch (type) {
    case TYPE_DURATION:
        return units_parse_duration(text, ret_number, err);
    case TYPE_SIZE:
        return units_parse_size(text, ret_number, err);
    case TYPE_COUNT:
        return units_parse_count(text, ret_number, err);
    case TYPE_CPUS:
        return units_parse_cpus(text, ret_number, err);
    case TYPE_SWITCH:
    case TYPE_TEXT:
    case TYPE_LIST:
        break;
    }
    assert(false); /* not a number */
    return -EINVAL;
}

int value_number(const struct field_info *field, const char *text, uint64_t *ret_number,
                 struct berm_error *err)
{
    uint64_t number = 0;
    char least[UNITS_TEXT_SIZE];
    char most[UNITS_TEXT_SIZE];
    struct quoted quoted;

    int ret = parse_number(field->type, text, &number, err);
    if (ret < 0)
        return ret;
    if (number >= field->min && number <= field->max) {
        *ret_number = number;
        return 0;
    }
    policy_format(field, field->min, least, sizeof(least));
    policy_format(field, field->max, most, sizeof(most));
    return error_set(err, BERM_E_INVALID, BERM_LAYER_NONE, 0,
                     "choose a value between the two bounds", "%s is too %s: from %s to %s",
                     quote_text(&quoted, text), number < field->min ? "small" : "large", least,
                     most);
}

int value_switch(const char *text, bool *ret_value, struct berm_error *err)
{
    bool is_true = strcmp(text, "true") == 0;

    if (!is_true && strcmp(text, "false") != 0)
        return refuse(err, text, "is neither true nor false", "write true or false");
    *ret_value = is_true;
    return 0;
}

static bool is_name_start(char c)
{
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_';
}

static bool is_name_part(char c)
{
    return is_name_start(c) || (c >= '0' && c <= '9');
}

size_t value_name_size(const char *variable)
{
    return strcspn(variable, "=");
}

static int check_variable(const char *value, struct berm_error *err)
{
    size_t size = value_name_size(value);

    if (value[size] != '=')
        return refuse(err, value, "has no =", "write NAME=VALUE, as in LANG=C.UTF-8");
    for (size_t i = 0; i < size; i++)
        if (i == 0 ? !is_name_start(value[i]) : !is_name_part(value[i]))
            return refuse(err, value, "has a name that is not a variable's name",
                          "a name has letters, digits and _, and begins with no digit");
    if (size == 0)
        return refuse(err, value, "has no name before the =", "write NAME=VALUE");
    return 0;
}

/* "..", as a component: what it names depends on links, so that two readers could disagree. */
static bool has_dot_dot(const char *path)
{
    for (const char *at = path; *at;) {
        size_t size = strcspn(at, "/");
        if (size == 2 && at[0] == '.' && at[1] == '.')
            return true;
        at += size;
        at += strspn(at, "/");
    }
    return false;
}

static int check_path(const char *value, struct berm_error *err)
{
    if (value[0] != '/')
        return refuse(err, value, "is not an absolute path", "begin the path with /");
    if (has_dot_dot(value))
        return refuse(err, value, "has .. in it", "write the path without ..");
    if (strlen(value) >= PATH_SIZE)
        return refuse(err, value, "is longer than a path can be", "use a path below 4096 bytes");
    return 0;
}

static int check_bind(const char *value, struct berm_error *err)
{
    char path[PATH_SIZE];
    char at[PATH_SIZE];
    return policy_split_bind(value, path, sizeof(path), at, sizeof(at), err);
}

static int check_env_file(const char *value, struct berm_error *err)
{
    uint64_t fd = 0;

    if (strncmp(value, "fd:", 3) != 0)
        return check_path(value, err);
    /* A descriptor is an int; the kernel's own bound is far below (fs.nr_open). */
    if (units_parse_count(value + 3, &fd, NULL) < 0 || fd > INT32_MAX)
        return refuse(err, value, "names no descriptor", "write it as in fd:5");
    return 0;
}

static int check_network(const char *value, struct berm_error *err)
{
    if (strcmp(value, "none") == 0)
        return 0;
    return refuse(err, value, "is not possible: only none exists yet",
                  "write none, or leave the option out");
}

static int (*const checks[FIELD_COUNT])(const char *value, struct berm_error *err) = {
    [FIELD_env] = check_variable,    [FIELD_env_file] = check_env_file, [FIELD_cwd] = check_path,
    [FIELD_hide] = check_path,       [FIELD_ro] = check_bind,           [FIELD_rw] = check_bind,
    [FIELD_network] = check_network,
};

int value_check_text(const struct field_info *field, const char *text, struct berm_error *err)
{
    if (!*text)
        return refuse(err, text, "is empty", "give a value, or leave the option out");
    return checks[field->id] ? checks[field->id](text, err) : 0;
}
