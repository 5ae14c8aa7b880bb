/*
 * berm doctor: what this machine can give, layer by layer, tried and not guessed.
 *
 * Each row is one mechanism: what it is for, whether it works here, and if not the true cause and the cure.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "cli/complain.h"
#include "cli/help.h"
#include "cli/verb.h"
#include "layers/small_root.h"
#include "linux/host.h"
#include "wire/json.h"

#define FINDINGS_MAX 24
#define FINDING_TEXT 160

enum finding_state {
    FINDING_OK,
    FINDING_WEAKER,
    FINDING_MISSING
};

struct finding {
    enum berm_layer layer;
    enum finding_state state;
    char what[FINDING_TEXT];
    const char *cause, *cure;
};

struct findings {
    struct finding rows[FINDINGS_MAX];
    unsigned count;
};

static void add(struct findings *list, enum berm_layer layer, enum finding_state state,
                const char *what, enum host_block block)
{
    if (list->count == FINDINGS_MAX)
        return;
    struct finding *row = &list->rows[list->count++];
    row->layer = layer;
    row->state = block == BLOCK_NONE ? FINDING_OK : state;
    (void)snprintf(row->what, sizeof(row->what), "%s", what);
    row->cause = host_block_cause(block);
    row->cure = host_block_cure(block);
}

static void examine_groups(const struct host *host, struct findings *list)
{
    static const struct {
        enum cgroup_controller controller;
        enum berm_layer layer;
        const char *what;
    } rows[] = {
        {CG_MEMORY,  BERM_LAYER_LIMITS,  "memory of the whole tree: control group"  },
        {CG_CPU,     BERM_LAYER_LIMITS,  "CPUs used at a time: control group"       },
        {CG_CPUACCT, BERM_LAYER_LIMITS,  "CPU time of the whole tree: control group"},
        {CG_PIDS,    BERM_LAYER_PROCESS, "number of processes: control group"       },
    };

    char what[FINDING_TEXT];

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        (void)snprintf(what, sizeof(what), "%s%s", rows[i].what,
                       host->cgroup.version == 1   ? " (v1)"
                       : host->cgroup.version == 2 ? " (v2)"
                                                   : "");
        add(list, rows[i].layer, FINDING_WEAKER, what,
            host->cgroup.controllers[rows[i].controller].block);
    }
    if (host->cgroup.version == 1 && host->cgroup.controllers[CG_MEMORY].block == BLOCK_NONE)
        add(list, BERM_LAYER_LIMITS, FINDING_WEAKER, "swap counts into the memory limit",
            host->cgroup.has_swap_limit ? BLOCK_NONE : BLOCK_NOT_ENABLED);
}

static void examine(const struct host *host, struct findings *list)
{
    char what[FINDING_TEXT];

    examine_groups(host, list);
    if (host->cgroup.controllers[CG_CPUACCT].block != BLOCK_NONE)
        add(list, BERM_LAYER_LIMITS, FINDING_WEAKER, "CPU time of the whole tree: perf task clock",
            host->perf);
    add(list, BERM_LAYER_PROCESS, FINDING_MISSING, "user, PID and mount namespaces", host->userns);
    add(list, BERM_LAYER_PROCESS, FINDING_MISSING, "a fresh /proc", host->proc_mount);
    add(list, BERM_LAYER_NETWORK, FINDING_MISSING, "network namespace", host->userns);
    add(list, BERM_LAYER_FILESYSTEM, FINDING_MISSING, "a root of its own (mount namespace)",
        host->userns);
    (void)snprintf(what, sizeof(what), "second wall: Landlock ABI %d", host->landlock_abi);
    add(list, BERM_LAYER_FILESYSTEM, FINDING_WEAKER,
        host->landlock_abi > 0 ? what : "second wall: Landlock", host->landlock);
    add(list, BERM_LAYER_PRIVILEGES, FINDING_MISSING, "capabilities dropped, no_new_privs",
        BLOCK_NONE);
    add(list, BERM_LAYER_PRIVILEGES, FINDING_WEAKER,
        host->is_root
            ? "a host uid of its own for each run"
            : "the caller's host uid inside a user namespace (root gives each run its own)",
        BLOCK_NONE);
    add(list, BERM_LAYER_SYSCALLS, FINDING_MISSING, "system-call filter (seccomp)",
        host->has_seccomp_filter ? BLOCK_NONE : BLOCK_KERNEL_TOO_OLD);
}

static const char *state_name(enum finding_state state)
{
    switch (state) {
    case FINDING_OK:
        return "ok";
    case FINDING_WEAKER:
        return "weaker";
    case FINDING_MISSING:
        return "missing";
    }
    return "unknown";
}

static void print_text(const struct host *host, const struct findings *list)
{
    enum berm_layer layer = BERM_LAYER_NONE;

    (void)printf("Linux %u.%u, uid %u (%s), state in %s\n", host->kernel_major, host->kernel_minor,
                 host->uid, host->is_root ? "root" : "ordinary user", host->state_dir);
    for (unsigned i = 0; i < list->count; i++) {
        const struct finding *row = &list->rows[i];

        (void)printf("%-11s %-8s %s\n", row->layer == layer ? "" : layer_name(row->layer),
                     state_name(row->state), row->what);
        if (row->state != FINDING_OK)
            (void)printf("%20s cause: %s\n%20s cure:  %s\n", "", row->cause, "", row->cure);
        layer = row->layer;
    }
    if (host->extra_group_count > 0 && !host->is_root)
        (void)printf("note: your %u supplementary groups stay with every program that you run\n",
                     host->extra_group_count);
}

static int stdout_sink(void *context, const char *bytes, size_t size)
{
    (void)context;
    return fwrite(bytes, 1, size, stdout) == size ? 0 : -EIO;
}

static void print_json(const struct host *host, const struct findings *list)
{
    struct json_writer json;

    json_begin(&json, stdout_sink, NULL, true);
    json_object(&json);
    json_key(&json, "schema");
    json_u64(&json, 1);
    json_key(&json, "uid");
    json_u64(&json, host->uid);
    json_key(&json, "is_root");
    json_bool(&json, host->is_root);
    json_key(&json, "findings");
    json_array(&json);
    for (unsigned i = 0; i < list->count; i++) {
        const struct finding *row = &list->rows[i];

        json_object(&json);
        json_key(&json, "layer");
        json_text(&json, layer_name(row->layer));
        json_key(&json, "state");
        json_text(&json, state_name(row->state));
        json_key(&json, "what");
        json_text(&json, row->what);
        json_key(&json, "cause");
        json_text(&json, row->state == FINDING_OK ? "" : row->cause);
        json_key(&json, "cure");
        json_text(&json, row->state == FINDING_OK ? "" : row->cure);
        json_object_end(&json);
    }
    json_array_end(&json);
    json_object_end(&json);
    (void)json_end(&json); /* stdout is checked by the caller */
    (void)putchar('\n');
}

static int refuse(const char *word)
{
    struct berm_error err;

    error_set(&err, BERM_E_INVALID, BERM_LAYER_NONE, EINVAL, "berm doctor [--json]",
              "doctor takes no \"%.60s\"", word);
    return complain(&err);
}

/* Exit status: 0 when every layer can be had by some listed mechanism, 1 when one is missing. */
int cmd_doctor(int argc, char **argv)
{
    size_t path_count = 0;
    const char *const *paths = small_root_subtrees(&path_count);
    struct findings list = {.count = 0};
    struct host host;
    bool is_json = false;
    int status = 0;

    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0)
            return help_exit("doctor");
        if (strcmp(argv[i], "--json") != 0)
            return refuse(argv[i]);
        is_json = true;
    }
    host_probe(&host, PROBE_DEEP, paths, path_count);
    examine(&host, &list);
    if (is_json)
        print_json(&host, &list);
    else
        print_text(&host, &list);
    for (unsigned i = 0; i < list.count; i++) {
        if (list.rows[i].state == FINDING_MISSING)
            status = 1;
    }
    return fflush(stdout) == 0 ? status : EXIT_REFUSED;
}
