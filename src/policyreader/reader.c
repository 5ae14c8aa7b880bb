/*
 * The walk through a policy's JSON. Owns the library's tree while it walks.
 */
#include "policyreader/reader.h"

#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/quote.h"
#include "policy/suggest.h"
#include "policyreader/place.h"

/* The end of a long path is what tells files apart. */
#define NAME_SHOWN  120
#define KEY_SIZE    64
#define ORIGIN_SIZE 200

struct reading {
    char name[NAME_SHOWN + 1];
    struct place place;
    struct policy *policy;
    const struct reader_sink *sink;
    struct berm_error *err;
    char origin[ORIGIN_SIZE]; /* of the value that is read now */
};

static void put_plain(char *text)
{
    for (; *text; text++)
        if ((unsigned char)*text < 0x20 || *text == 0x7f)
            *text = '?';
}

static int refuse(struct reading *reading, const char *what, const char *cure)
{
    return error_set(reading->err, BERM_E_INVALID, BERM_LAYER_NONE, 0, cure, "%s: %s",
                     reading->origin, what);
}

/* "policy.json:3: limits.memory"; the key may be anybody's text. */
static void set_origin(struct reading *reading, const char *group, const char *key)
{
    char shown[KEY_SIZE];

    (void)snprintf(shown, sizeof(shown), "%s%s%s", group, *group ? "." : "", key);
    put_plain(shown);
    (void)snprintf(reading->origin, sizeof(reading->origin), "%s:%u: %s", reading->name,
                   reading->place.line, shown);
}

static const char *type_name(const json_t *value)
{
    switch (json_typeof(value)) {
    case JSON_OBJECT:
        return "an object";
    case JSON_ARRAY:
        return "an array";
    case JSON_STRING:
        return "a string";
    case JSON_INTEGER:
    case JSON_REAL:
        return "a number";
    case JSON_TRUE:
    case JSON_FALSE:
        return "true or false";
    case JSON_NULL:
        return "null";
    }
    return "unknown";
}

static int refuse_type(struct reading *reading, const json_t *value, const char *wanted)
{
    char what[128];

    (void)snprintf(what, sizeof(what), "is %s, and must be %s", type_name(value), wanted);
    return refuse(reading, what, json_is_null(value) ? "leave the key out for the default" : NULL);
}

static int hand_on(struct reading *reading, const char *key, const char *value)
{
    int ret = policy_set(reading->policy, key, value, reading->origin, reading->err);

    if (ret < 0 || !reading->sink)
        return ret;
    ret = reading->sink->put(reading->sink->context, key, value, reading->origin);
    if (ret < 0)
        return error_set(reading->err, BERM_E_SYSTEM, BERM_LAYER_NONE, -ret, NULL,
                         "cannot hand out the policy: %s", strerror(-ret));
    return 0;
}

static int read_string(struct reading *reading, const char *key, const json_t *value)
{
    char raw[PLACE_NUMBER_SIZE];

    if (!json_is_string(value))
        return refuse_type(reading, value, "a string");
    place_scalar(&reading->place, raw);
    return hand_on(reading, key, json_string_value(value));
}

static int read_switch(struct reading *reading, const char *key, const json_t *value)
{
    char raw[PLACE_NUMBER_SIZE];

    if (!json_is_boolean(value))
        return refuse_type(reading, value, "true or false");
    place_scalar(&reading->place, raw);
    return hand_on(reading, key, json_is_true(value) ? "true" : "false");
}

/* The file's own digits go on: a double would round them. A missing unit is refused by policy_set. */
static int read_number(struct reading *reading, const char *key)
{
    char raw[PLACE_NUMBER_SIZE];

    place_scalar(&reading->place, raw);
    return hand_on(reading, key, raw);
}

static int read_list(struct reading *reading, const char *group, const struct field_info *field,
                     const char *key, const json_t *value)
{
    size_t i = 0;
    json_t *item = NULL;

    if (!json_is_array(value))
        return refuse_type(reading, value, "an array of strings");
    place_open(&reading->place);
    json_array_foreach(value, i, item)
    {
        place_item(&reading->place);
        set_origin(reading, group, field->name);
        int ret = read_string(reading, key, item);
        if (ret < 0)
            return ret;
    }
    place_close(&reading->place);
    return 0;
}

static int read_field(struct reading *reading, const struct field_info *field, const json_t *value)
{
    char key[KEY_SIZE];

    (void)snprintf(key, sizeof(key), "%s.%s", field->group, field->name);
    switch (field->type) {
    case TYPE_DURATION:
    case TYPE_SIZE:
        if (json_is_number(value))
            return read_number(reading, key);
        return read_string(reading, key, value);
    case TYPE_CPUS:
        if (json_is_number(value))
            return read_number(reading, key);
        return json_is_string(value) ? read_string(reading, key, value)
                                     : refuse_type(reading, value, "a number");
    case TYPE_COUNT:
        return json_is_number(value) ? read_number(reading, key)
                                     : refuse_type(reading, value, "a number without quotes");
    case TYPE_SWITCH:
        return read_switch(reading, key, value);
    case TYPE_TEXT:
        return read_string(reading, key, value);
    case TYPE_LIST:
        break;
    }
    return read_list(reading, field->group, field, key, value);
}

static int refuse_key(struct reading *reading, const char *best, const struct field_info *elsewhere)
{
    char cure[BERM_CURE_SIZE];

    if (elsewhere)
        (void)snprintf(cure, sizeof(cure), "write %s in the object \"%s\"", elsewhere->name,
                       elsewhere->group);
    else if (best)
        (void)snprintf(cure, sizeof(cure), "did you mean %s?", best);
    else
        (void)snprintf(cure, sizeof(cure), "`berm policy schema` lists the keys");
    return refuse(reading, "there is no such key here", cure);
}

/* The field whose id is exactly the key, wherever it stands. A flag's spelling is no key of a file. */
static const struct field_info *field_of(const char *key)
{
    for (size_t i = 0; i < FIELD_COUNT; i++)
        if (strcmp(policy_fields[i].name, key) == 0)
            return &policy_fields[i];
    return NULL;
}

static int refuse_field(struct reading *reading, const char *group, const char *key)
{
    struct suggestion near = suggest_for(key);

    for (size_t i = 0; i < FIELD_COUNT; i++)
        if (strcmp(policy_fields[i].group, group) == 0)
            suggest_offer(&near, policy_fields[i].name);
    if (strcmp(group, "limits") == 0)
        suggest_offer(&near, "profile");
    return refuse_key(reading, near.best, field_of(key));
}

static int read_group(struct reading *reading, const char *group, json_t *object)
{
    const char *key = NULL;
    json_t *value = NULL;
    int ret = 0;

    place_open(&reading->place);
    json_object_foreach(object, key, value)
    {
        const struct field_info *field = field_of(key);
        place_key(&reading->place);
        set_origin(reading, group, key);
        if (strcmp(group, "limits") == 0 && strcmp(key, "profile") == 0)
            ret = read_string(reading, "profile", value);
        else if (field && strcmp(field->group, group) == 0)
            ret = read_field(reading, field, value);
        else
            ret = refuse_field(reading, group, key);
        if (ret < 0)
            return ret;
    }
    place_close(&reading->place);
    return 0;
}

static int read_mode(struct reading *reading, const char *layer, const json_t *value)
{
    static const char *const modes[] = {"require", "prefer", "off"};
    char raw[PLACE_NUMBER_SIZE];

    if (!json_is_string(value))
        return refuse_type(reading, value, "a string");
    place_scalar(&reading->place, raw);
    for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++)
        if (strcmp(json_string_value(value), modes[i]) == 0)
            return hand_on(reading, modes[i], layer);
    struct quoted quoted;
    char what[128];
    (void)snprintf(what, sizeof(what), "%s is no mode of a layer",
                   quote_text(&quoted, json_string_value(value)));
    return refuse(reading, what, "write require, prefer or off");
}

static int read_layers(struct reading *reading, json_t *object)
{
    const char *key = NULL;
    json_t *value = NULL;

    place_open(&reading->place);
    json_object_foreach(object, key, value)
    {
        place_key(&reading->place);
        set_origin(reading, "layers", key);
        int ret = read_mode(reading, key, value);
        if (ret < 0)
            return ret;
    }
    place_close(&reading->place);
    return 0;
}

static bool is_group(const char *key)
{
    for (size_t i = 0; i < FIELD_COUNT; i++)
        if (strcmp(policy_fields[i].group, key) == 0)
            return true;
    return false;
}

static int refuse_root_key(struct reading *reading, const char *key)
{
    struct suggestion near = suggest_for(key);

    suggest_offer(&near, "level");
    suggest_offer(&near, "strict");
    suggest_offer(&near, "layers");
    for (size_t i = 0; i < FIELD_COUNT; i++)
        suggest_offer(&near, policy_fields[i].group);
    return refuse_key(reading, near.best, field_of(key));
}

static int read_member(struct reading *reading, const char *key, json_t *value)
{
    bool is_layers = strcmp(key, "layers") == 0;
    char raw[PLACE_NUMBER_SIZE];

    if (strcmp(key, "level") == 0)
        return read_string(reading, key, value);
    if (strcmp(key, "strict") == 0)
        return read_switch(reading, key, value);
    if (strcmp(key, "$schema") == 0) { /* for editors; it says nothing about the run */
        if (!json_is_string(value))
            return refuse_type(reading, value, "a string");
        place_scalar(&reading->place, raw);
        return 0;
    }
    if (!is_layers && !is_group(key))
        return refuse_root_key(reading, key);
    if (!json_is_object(value))
        return refuse_type(reading, value, "an object");
    return is_layers ? read_layers(reading, value) : read_group(reading, key, value);
}

static int read_root(struct reading *reading, json_t *root)
{
    const char *key = NULL;
    json_t *value = NULL;

    place_open(&reading->place);
    json_object_foreach(root, key, value)
    {
        place_key(&reading->place);
        set_origin(reading, "", key);
        int ret = read_member(reading, key, value);
        if (ret < 0)
            return ret;
    }
    return 0;
}

static int refuse_json(struct reading *reading, json_error_t *error)
{
    put_plain(error->text);
    return error_set(reading->err, BERM_E_INVALID, BERM_LAYER_NONE, 0,
                     "a policy is one JSON object; `berm policy show` prints a complete one",
                     "%s:%d: %s", reading->name, error->line > 0 ? error->line : 1, error->text);
}

int reader_read(const char *text, size_t size, const char *name, struct policy *policy,
                const struct reader_sink *sink, struct berm_error *err)
{
    struct reading reading = {
        .place = place_start(text, size),
        .policy = policy,
        .sink = sink,
        .err = err,
    };
    size_t name_size = strlen(name);
    size_t cut = name_size > NAME_SHOWN ? name_size - NAME_SHOWN : 0;
    json_error_t error;
    int ret = 0;

    (void)snprintf(reading.name, sizeof(reading.name), "%s", name + cut);
    put_plain(reading.name);
    /* Every number becomes a double that nobody looks at: an integer past 64 bits must reach the
     * field's own bounds, for only they can name the key. */
    json_t *root = json_loadb(text, size, JSON_REJECT_DUPLICATES | JSON_DECODE_INT_AS_REAL, &error);
    if (!root)
        return refuse_json(&reading, &error);
    (void)snprintf(reading.origin, sizeof(reading.origin), "%s:1", reading.name);
    if (json_is_object(root))
        ret = read_root(&reading, root);
    else
        ret = refuse_type(&reading, root, "an object");
    json_decref(root);
    return ret;
}
