/*
 * Levels of berm as columns.
 */
#include "prove/berm_column.h"

#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "prove/programs.h"

/* What each level adds, in a word (mission, "Levels"). */
static const char *const titles[] = {"bare",    "limits",     "env",     "process",
                                     "network", "filesystem", "hardened"};

void column_of_level(int level, struct column *ret_column)
{
    memset(ret_column, 0, sizeof(*ret_column));
    ret_column->level = level;
    (void)snprintf(ret_column->name, sizeof(ret_column->name), "L%d", level);
    (void)snprintf(ret_column->title, sizeof(ret_column->title), "%s", titles[level]);
    (void)snprintf(ret_column->command, sizeof(ret_column->command),
                   "berm run --level L%d -- GUEST", level);
}

static void add_options(struct words *words, const char *options)
{
    char copy[256];
    char *rest = copy;
    char *word;

    (void)snprintf(copy, sizeof(copy), "%s", options);
    while ((word = strsep(&rest, " ")) != NULL)
        words_add(words, "%s", word);
}

bool column_is_off(const struct column *column, enum berm_layer layer)
{
    const char *name = layer_name(layer);

    for (const char *at = column->off; *at != '\0'; at += strspn(at, ",")) {
        size_t length = strcspn(at, ",");
        if (length == strlen(name) && strncmp(at, name, length) == 0)
            return true;
        at += length;
    }
    return false;
}

/* An option whose layer is off is an error: it is left out with its layer. */
static void add_limits(const struct attack *attack, const struct world *world,
                       const struct column *column, const struct places *places,
                       struct words *words)
{
    if (column->level >= 1 && !column_is_off(column, BERM_LAYER_LIMITS)) {
        words_add(words, "--wall");
        words_add(words, "%ums", places->wall_ms);
        if (places->cpu_ms > 0) {
            words_add(words, "--cpu-time");
            words_add(words, "%ums", places->cpu_ms);
        }
    }
    if (column->level >= 5 && world->is_home_elsewhere &&
        !column_is_off(column, BERM_LAYER_FILESYSTEM)) {
        words_add(words, "--hide");
        words_add(words, "%s", world->home);
    }
    if (attack->options && column->level >= attack->from && !column_is_off(column, attack->layer))
        add_options(words, attack->options);
}

static void add_layers_off(const struct column *column, struct words *words)
{
    for (int layer = BERM_LAYER_LIMITS; layer < BERM_LAYER_COUNT; layer++) {
        if (!column_is_off(column, (enum berm_layer)layer))
            continue;
        words_add(words, "--off");
        words_add(words, "%s", layer_name((enum berm_layer)layer));
    }
}

void wrap_by_berm(const struct attack *attack, const struct world *world,
                  const struct column *column, const struct places *places, struct words *words)
{
    bool is_rooted = column->level >= 6 && !column_is_off(column, BERM_LAYER_FILESYSTEM);
    bool is_defective = column->plant[0] != '\0';

    if (attack->must_refuse) {
        words_add(words, "%s", places->guest);
        words_add(words, "without-network-namespace");
    }
    words_add(words, "%s", is_defective ? prove_programs.defective : places->berm);
    if (is_defective) {
        words_add(words, "--plant");
        words_add(words, "%s", column->plant);
    }
    words_add(words, "run");
    words_add(words, "--level");
    words_add(words, "L%d", column->level);
    words_add(words, "--result");
    words_add(words, "fd:%d", places->result_fd);
    add_layers_off(column, words);
    add_limits(attack, world, column, places, words);
    if (is_rooted) {
        words_add(words, "--ro");
        words_add(words, "%s:/berm-guest", places->guest);
    }
    words_add(words, "--");
    words_add(words, "%s", is_rooted ? "/berm-guest" : places->guest);
}

/* A part of the promise's words, by topic; NULL: the first promise of the layer. */
static const char *const promise_parts[TOPIC_COUNT] = {
    [TOPIC_TIME] = "wall clock",
    [TOPIC_CPU_TIME] = "CPU time",
    [TOPIC_CPUS] = "CPUs",
    [TOPIC_MEMORY] = "memory of",
    [TOPIC_FILE_SIZE] = "size of each file",
    [TOPIC_OPEN_FILES] = "open files",
    [TOPIC_PROCESSES] = "number of processes",
    [TOPIC_OUTPUT] = "output",
    [TOPIC_LEFTOVERS] = "leftovers",
    [TOPIC_SHARED] = "nothing shared",
};

static const char *text_at(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));

    return text ? text : "";
}

static void take_mechanism(const json_t *layer, const struct attack *attack, struct cell *cell)
{
    const char *part = promise_parts[attack->topic];
    const json_t *promises = json_object_get(layer, "promises");
    const json_t *chosen = json_array_get(promises, 0);
    const json_t *promise;
    size_t index;

    json_array_foreach(promises, index, promise)
    {
        if (part && strstr(text_at(promise, "what"), part)) {
            chosen = promise;
            break;
        }
    }
    (void)snprintf(cell->layer, sizeof(cell->layer), "%s", text_at(layer, "layer"));
    (void)snprintf(cell->mechanism, sizeof(cell->mechanism), "%s", text_at(chosen, "mechanism"));
}

bool read_berm_result(const struct scene *scene, struct cell *cell)
{
    json_t *result = scene->result ? json_loads(scene->result, 0, NULL) : NULL;
    const json_t *error = json_object_get(result, "error");
    const json_t *layer;
    size_t index;
    bool is_run = result != NULL && !error;

    cell->is_refused = error != NULL;
    if (error)
        (void)snprintf(cell->seen, sizeof(cell->seen), "berm refused: %s",
                       text_at(error, "message"));
    (void)snprintf(cell->verdict, sizeof(cell->verdict), "%s", text_at(result, "verdict"));
    json_array_foreach(json_object_get(result, "layers"), index, layer)
    {
        if (strcmp(text_at(layer, "layer"), layer_name(scene->attack->layer)) == 0 &&
            strcmp(text_at(layer, "state"), "off") != 0)
            take_mechanism(layer, scene->attack, cell);
    }
    json_decref(result);
    return is_run;
}
