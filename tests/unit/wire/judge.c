/*
 * jansson's opinion: see judge.h.
 */
#include "judge.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static json_t *load(const char *json)
{
    return json_loads(json, JSON_REJECT_DUPLICATES | JSON_DECODE_ANY | JSON_ALLOW_NUL, NULL);
}

bool judge_is_json(const char *json)
{
    json_t *root = load(json);
    bool is_json = root != NULL;
    json_decref(root);
    return is_json;
}

bool judge_is_text(const char *json, const char *text, size_t size)
{
    json_t *root = load(json);
    bool is_text = root && json_is_string(root) && json_string_length(root) == size &&
                   memcmp(json_string_value(root), text, size) == 0;
    json_decref(root);
    return is_text;
}

/* One step down: a key, or an index. */
static json_t *step(json_t *value, const char *word)
{
    if (json_is_array(value))
        return json_array_get(value, strtoul(word, NULL, 10));
    return json_object_get(value, word);
}

char *judge_at(const char *json, const char *path)
{
    json_t *root = load(json);
    json_t *value = root;
    char *words = strdup(path);
    char *rest = words;
    char *word;

    while (value && (word = strsep(&rest, ".")) != NULL)
        value = step(value, word);
    char *ret = value ? json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY | JSON_REAL_PRECISION(9))
                      : strdup("absent");
    free(words);
    json_decref(root);
    return ret;
}
