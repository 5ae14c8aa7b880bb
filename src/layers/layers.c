/*
 * The seven layers, and the plan made of them.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "layers/choices.h"
#include "layers/plans.h"

/* clang-format off */
const struct layer layers[BERM_LAYER_COUNT] = {
    [BERM_LAYER_LIMITS] = {BERM_LAYER_LIMITS,
        "The run ends in time and takes no more than its share of the machine.", plan_limits},
    [BERM_LAYER_ENV] = {BERM_LAYER_ENV,
        "The program inherits nothing of the caller: no variable, descriptor, signal or directory.", plan_env},
    [BERM_LAYER_PROCESS] = {BERM_LAYER_PROCESS,
        "The program sees and reaches only its own processes, and none outlives the run.", plan_process},
    [BERM_LAYER_NETWORK] = {BERM_LAYER_NETWORK,
        "There is no way out to any network.", plan_network},
    [BERM_LAYER_FILESYSTEM] = {BERM_LAYER_FILESYSTEM,
        "The program sees only the files that the policy lists, or not those that it hides.", plan_filesystem},
    [BERM_LAYER_PRIVILEGES] = {BERM_LAYER_PRIVILEGES,
        "The program has no capability and cannot gain any.", plan_privileges},
    [BERM_LAYER_SYSCALLS] = {BERM_LAYER_SYSCALLS,
        "The program can make only the system calls that ordinary programs need.", plan_syscalls},
};

/* clang-format on */

/* Files of the request lie in the work directory: on the host, unless the small root makes one. At L0 and L1
 * the directory exists for them alone. */
static void put_request_files(const struct policy *policy, const struct request *request,
                              struct plan_builder *builder)
{
    char path[512];

    if (has_small_root(policy) || request->file_count == 0)
        return;
    builder->plan->features |= PLAN_WORK_DIR;
    for (size_t i = 0; i < request->file_count; i++) {
        (void)snprintf(path, sizeof(path), "%c/%s", PLAN_WORK_MARK, request->files[i].name);
        plan_add_mount(builder, &(struct mount_row){.layer = BERM_LAYER_ENV,
                                                    .op = MOUNT_FILE,
                                                    .target = path,
                                                    .data = request->files[i].text,
                                                    .mode = 0644});
    }
}

/* At L6 the work directory exists inside alone, below it on the host, where src/run finds it by itself. */
static void hand_work_dir(const struct policy *policy, const struct request *request,
                          struct plan_builder *builder)
{
    uint32_t features = request->awaits_puts ? (uint32_t)PLAN_AWAIT_FILES : 0;

    if (has_small_root(policy) && (request->awaits_puts || request->wants_work)) {
        plan_text work = plan_add_text(builder, INSIDE_WORK);
        builder->plan->work_dir = work;
        features |= PLAN_HAND_WORK;
    }
    builder->plan->features |= features;
}

/* A descriptor leads round every layer but limits: a directory round the hidden paths, a socket round the network
 * namespace. At L0 and L1 the program inherits what the caller left open, as it inherits the environment. */
static bool inherits_nothing(const struct policy *policy)
{
    for (int layer = BERM_LAYER_ENV; layer < BERM_LAYER_COUNT; layer++) {
        if (layer_is_on(policy, (enum berm_layer)layer))
            return true;
    }
    return false;
}

/* What is the same at every level: the program, and what berm itself must undo (its own signal settings). */
static void plan_base(const struct policy *policy, const struct request *request,
                      const struct host *host, struct plan_builder *builder)
{
    uint32_t argc = 0;
    uint32_t envc = 0;

    while (request->argv[argc])
        argc++;
    while (request->caller_env && request->caller_env[envc])
        envc++;
    plan_text program = plan_add_text(builder, request->argv[0]);
    plan_text argv = plan_add_vector(builder, (const char *const *)request->argv, argc);
    plan_text state_dir = plan_add_text(builder, host->state_dir);
    builder->plan->program = program;
    builder->plan->argv = argv;
    builder->plan->argc = argc;
    builder->plan->argv_has_work_mark = request->argv_has_work_mark;
    builder->plan->state_dir = state_dir;
    builder->plan->features |= PLAN_RESET_SIGNALS;
    if (inherits_nothing(policy))
        builder->plan->features |= PLAN_CLOSE_DESCRIPTORS;
    /* A terminal is given by the session that owns it. */
    if (request->wants_tty)
        builder->plan->features |= PLAN_TTY | PLAN_NEW_SESSION;
    builder->plan->umask = 022;
    builder->plan->has_stdin = request->has_stdin;
    builder->plan->output_chars = policy->output;
    if (policy->level == L0) {
        builder->plan->wall_ns = L0_WATCHDOG_NS;
        builder->plan->is_watchdog = true;
    }
    put_request_files(policy, request, builder);
    hand_work_dir(policy, request, builder);
    if (layer_is_on(policy, BERM_LAYER_ENV))
        return;
    /* Without the env layer the program inherits the caller's environment, keys and all. */
    plan_text envp = plan_add_vector(builder, (const char *const *)request->caller_env, envc);
    const char *path = "/usr/local/bin:/usr/bin:/bin";
    for (uint32_t i = 0; i < envc; i++) {
        if (strncmp(request->caller_env[i], "PATH=", 5) == 0)
            path = request->caller_env[i] + 5;
    }
    plan_text search_path = plan_add_text(builder, path);
    builder->plan->envp = envp;
    builder->plan->envc = envc;
    builder->plan->search_path = search_path;
    if (layer_is_on(policy, BERM_LAYER_FILESYSTEM)) {
        /* The caller's directory is hidden or does not exist; a process that stands in it still sees it
         * (CVE-2024-21626). */
        plan_text root = plan_add_text(builder, "/");
        builder->plan->cwd = root;
    }
}

/* The layer that is blamed when there is no user namespace to be had: the first that needs it. */
static enum berm_layer user_namespace_owner(const struct policy *policy)
{
    static const enum berm_layer users[] = {BERM_LAYER_PRIVILEGES, BERM_LAYER_PROCESS,
                                            BERM_LAYER_FILESYSTEM, BERM_LAYER_NETWORK};

    for (size_t i = 0; i < sizeof(users) / sizeof(users[0]); i++) {
        if (layer_is_on(policy, users[i]))
            return users[i];
    }
    return BERM_LAYER_NONE;
}

/* settled.md, "Inner and outer identity": uid 1000 at L6, "root" inside below it. */
static void plan_identity(const struct policy *policy, const struct host *host,
                          struct plan_builder *builder)
{
    bool is_hardened = policy->level >= L6 && layer_is_on(policy, BERM_LAYER_PRIVILEGES);

    if (!has_user_namespace(policy))
        return;
    builder->plan->features |= PLAN_USER_NAMESPACE;
    use_namespace(builder, CLONE_ROW_USER, user_namespace_owner(policy));
    builder->plan->inside_uid = is_hardened ? INSIDE_UID : 0;
    builder->plan->inside_gid = is_hardened ? INSIDE_UID : 0;
    builder->plan->drop_groups = host->is_root;
}

/* The plan as it was before a layer wrote to it; the pool may keep texts that nobody points at. */
static struct plan *snapshot(const struct plan_builder *builder)
{
    struct plan *copy = malloc(sizeof(*copy));

    if (copy)
        memcpy(copy, builder->plan, sizeof(*copy));
    return copy;
}

static void say_absent(const struct layer *layer, const char *why, struct plan_builder *builder)
{
    plan_add_claim(builder, layer->id, CLAIM_ABSENT, layer->promise, why);
    plan_add_note(builder, layer->id, "preferred and not to be had: %s", why);
}

static int ask_layer(const struct layer *layer, const struct policy *policy,
                     const struct request *request, const struct host *host,
                     struct plan_builder *builder, struct berm_error *err)
{
    struct berm_error why = {0};

    if (policy->modes[layer->id] != MODE_PREFER)
        return layer->plan(policy, request, host, builder, err);
    AUTO_FREE struct plan *before = snapshot(builder);
    if (!before)
        return -ENOMEM;
    int r = layer->plan(policy, request, host, builder, &why);
    if (r == 0 || why.code != BERM_E_UNAVAILABLE) {
        if (r < 0 && err)
            *err = why;
        return r;
    }
    uint32_t pool_used = builder->plan->pool_used;
    memcpy(builder->plan, before, sizeof(*before));
    builder->plan->pool_used = pool_used;
    say_absent(layer, why.message, builder);
    return 0;
}

static int check_strict(const struct policy *policy, const struct plan *plan,
                        struct berm_error *err)
{
    for (uint32_t i = 0; policy->is_strict && i < plan->claim_count; i++) {
        const struct plan_claim *claim = &plan->claims[i];

        if (claim->strength != CLAIM_EXACT)
            return error_set(err, BERM_E_UNAVAILABLE, claim->layer, 0,
                             "make the kernel's own mechanism available (see `berm doctor`), or "
                             "leave --strict out",
                             "--strict: %s would be kept only by: %s",
                             plan_text_of(plan, claim->what), plan_text_of(plan, claim->mechanism));
    }
    return 0;
}

int layers_plan(const struct policy *policy, const struct request *request, const struct host *host,
                struct plan **ret_plan, struct berm_error *err)
{
    struct plan_builder builder;
    AUTO_FREE struct plan *plan = NULL;

    int r = plan_builder_init(&builder);
    if (r < 0)
        return error_set(err, BERM_E_SYSTEM, BERM_LAYER_NONE, -r, NULL, "no memory for the plan");
    plan_base(policy, request, host, &builder);
    plan_identity(policy, host, &builder);
    for (unsigned i = BERM_LAYER_NONE + 1; r == 0 && i < BERM_LAYER_COUNT; i++) {
        if (layer_is_on(policy, i))
            r = ask_layer(&layers[i], policy, request, host, &builder, err);
        else if (request->absent && request->absent[i])
            say_absent(&layers[i], request->absent[i], &builder);
    }
    if (r == 0)
        r = plan_builder_finish(&builder, &plan, err);
    plan_builder_done(&builder);
    if (r == 0)
        r = check_strict(policy, plan, err);
    if (r < 0)
        return r;
    *ret_plan = plan;
    plan = NULL;
    return 0;
}
