/*
 * Checks of what berm itself says and holds: judged by its result and by the host's counters.
 */
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "prove/attacks.h"
#include "prove/scene.h"

#define SAY(...) (void)snprintf(seen, size, __VA_ARGS__)

/* Owned by the caller; NULL: berm gave none. */
static json_t *result_of(const struct scene *scene)
{
    return scene->result ? json_loads(scene->result, 0, NULL) : NULL;
}

static bool look_last_line(struct scene *scene, char *seen, size_t size)
{
    json_t *result = result_of(scene);
    const char *text = json_string_value(json_object_get(result, "stdout"));
    bool is_lost = text && !strstr(text, "the last line: ");

    scene->is_blind = !text; /* a berm that fell over has cut nothing off */

    SAY(is_lost ? "the last line is not in the output that was returned"
                : "the last line is in the output that was returned");
    json_decref(result);
    return is_lost;
}

/* Exit status 137 is the program's own: 128 + SIGKILL by convention, and no sign of anything. */
static bool look_own_exit(struct scene *scene, char *seen, size_t size)
{
    json_t *result = result_of(scene);
    const char *verdict = json_string_value(json_object_get(result, "verdict"));
    bool is_wrong =
        verdict && (strcmp(verdict, "exited") != 0 || json_is_true(json_object_get(result, "oom")));

    scene->is_blind = !verdict;

    SAY("it exited with 137 by itself; the verdict is %s", verdict ? verdict : "missing");
    json_decref(result);
    return is_wrong;
}

static bool look_stale_oom(struct scene *scene, char *seen, size_t size)
{
    json_t *result = result_of(scene);
    bool is_stale = json_is_true(json_object_get(result, "oom"));

    SAY(is_stale ? "a clean run after one out of memory says that it was out of memory"
                 : "a clean run after one out of memory is clean");
    json_decref(result);
    return is_stale;
}

static bool look_berms_memory(struct scene *scene, char *seen, size_t size)
{
    SAY("berm held at most %llu MiB", (unsigned long long)(scene->rusage_rss_kib >> 10));
    return scene->rusage_rss_kib > (uint64_t)scene->attack->detail << 10;
}

static bool look_begun(struct scene *scene, char *seen, size_t size)
{
    SAY(scene->has_begun ? "the program was executed without the layer" : "nothing was executed");
    return scene->has_begun;
}

/* clang-format off */
const struct attack prove_checks[] = {
    {.id = "check-last-line", .tries = "prints 300,000 bytes, of which the last line names the problem",
     .harm = "the last line is not in what is returned", .words = {"last-line", "300000"}, .layer = BERM_LAYER_LIMITS,
     .from = 1, .topic = TOPIC_OUTPUT, .options = "--output 8000", .afterwards = look_last_line},
    {.id = "check-own-exit", .tries = "exits with 137", .harm = "the verdict says anything but exited",
     .words = {"exit-with", "137"}, .layer = BERM_LAYER_LIMITS, .from = 1, .topic = TOPIC_MEMORY,
     .afterwards = look_own_exit},
    {.id = "check-stale-oom", .tries = "runs out of memory, and then runs again without",
     .harm = "the second run says that it was out of memory", .before = {"alloc", "800"}, .words = {"exit-with", "0"},
     .layer = BERM_LAYER_LIMITS, .from = 3, .topic = TOPIC_MEMORY, .needs = NEEDS_ROOT | NEEDS_GROUP,
     .afterwards = look_stale_oom},
    {.id = "check-berms-memory", .tries = "prints 200 MB, of which 1,000 characters are asked for",
     .harm = "berm holds more than 48 MiB", .words = {"flood", "stdout", "200000000"}, .layer = BERM_LAYER_LIMITS,
     .from = 1, .topic = TOPIC_OUTPUT, .options = "--output 1000", .detail = 48, .afterwards = look_berms_memory},
    {.id = "check-refusal", .tries = "is started where no network namespace can be made",
     .harm = "the program is executed all the same", .words = {"ids"}, .must_refuse = true, .layer = BERM_LAYER_NETWORK,
     .from = 4, .topic = TOPIC_NETWORK, .afterwards = look_begun},
    {.id = "check-usr-create", .tries = "makes a file in /usr/local and asks for nothing else",
     .harm = "the file is on the host", .words = {"write", "{drop-usr}", "x"}, .layer = BERM_LAYER_FILESYSTEM, .from = 6,
     .topic = TOPIC_FILES, .needs = NEEDS_ROOT, .detail = DROP_USR, .afterwards = look_drop},
    {.id = "check-family-left", .tries = "goes on in eight children when its time is over",
     .harm = "a process of it goes on after the run", .words = {"linger", "family", "4000"}, .wall_ms = 500,
     .layer = BERM_LAYER_LIMITS, .from = 1, .topic = TOPIC_LEFTOVERS, .afterwards = look_survivors},
};
/* clang-format on */

const size_t prove_check_count = sizeof(prove_checks) / sizeof(prove_checks[0]);
