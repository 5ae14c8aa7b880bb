/*
 * Env: everything that is inherited. From L2 the program starts with four variables, in a directory of its
 * own.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "layers/choices.h"
#include "layers/plans.h"
#include "plan/defect.h"

#define INSIDE_PATH "/usr/local/bin:/usr/bin:/bin"
/* PATH, LANG, HOME, TMPDIR; TERM for a program with a terminal. */
#define FIXED_COUNT 5

static const char mark_home[] = {'H', 'O', 'M', 'E', '=', PLAN_WORK_MARK, '\0'};
static const char mark_tmp[] = {'T', 'M', 'P', 'D', 'I', 'R', '=', PLAN_WORK_MARK, '\0'};
static const char mark[] = {PLAN_WORK_MARK, '\0'};

/* Do two "K=V" name the same variable? */
static bool same_name(const char *a, const char *b)
{
    size_t length = strcspn(a, "=");

    return strncmp(a, b, length + 1) == 0;
}

/* Append, or replace a variable of that name: the last one wins, and no name stands twice. */
static void put_variable(const char **list, uint32_t *count, const char *text)
{
    for (uint32_t i = 0; i < *count; i++) {
        if (same_name(list[i], text)) {
            list[i] = text;
            return;
        }
    }
    list[(*count)++] = text;
}

static void set_search_path(struct plan_builder *builder, const char *const *list, uint32_t count)
{
    const char *path = INSIDE_PATH;

    for (uint32_t i = 0; i < count; i++) {
        if (strncmp(list[i], "PATH=", 5) == 0)
            path = list[i] + 5;
    }
    plan_text text = plan_add_text(builder, path);
    builder->plan->search_path = text;
}

int plan_env(const struct policy *policy, const struct request *request, const struct host *host,
             struct plan_builder *builder, struct berm_error *err)
{
    bool is_small_root = has_small_root(policy);
    size_t room = FIXED_COUNT + policy->env.count + request->env_extra_count;
    uint32_t count = 0;
    AUTO_FREE const char **list = calloc(room, sizeof(*list));

    (void)host;
    if (!list)
        return error_set(err, BERM_E_SYSTEM, BERM_LAYER_ENV, ENOMEM, NULL,
                         "no memory for the plan");
    put_variable(list, &count, "PATH=" INSIDE_PATH);
    put_variable(list, &count, "LANG=C.UTF-8");
    put_variable(list, &count, is_small_root ? "HOME=" INSIDE_WORK : mark_home);
    put_variable(list, &count, is_small_root ? "TMPDIR=/tmp" : mark_tmp);
    if (request->wants_tty)
        put_variable(list, &count, "TERM=xterm");
    for (size_t i = 0; i < request->env_extra_count; i++)
        put_variable(list, &count, request->env_extra[i]);
    for (size_t i = 0; i < policy->env.count; i++)
        put_variable(list, &count, policy->env.items[i]);

    const char *const *chosen = list;
    if (IS_PLANTED(inherit_env)) {
        chosen = (const char *const *)request->caller_env;
        for (count = 0; chosen[count];)
            count++;
    }
    plan_text envp = plan_add_vector(builder, chosen, count);
    builder->plan->envp = envp;
    builder->plan->envc = count;
    set_search_path(builder, chosen, count);

    const char *cwd = policy->cwd ? policy->cwd : is_small_root ? INSIDE_WORK : mark;
    plan_text text = plan_add_text(builder, cwd);
    builder->plan->cwd = text;
    builder->plan->features |= PLAN_NEW_KEYRING;
    if (!is_small_root)
        builder->plan->features |= PLAN_WORK_DIR;
    plan_add_claim(builder, BERM_LAYER_ENV, CLAIM_EXACT, "environment",
                   "built from nothing: PATH, LANG, HOME, TMPDIR and what the policy names");
    plan_add_claim(builder, BERM_LAYER_ENV, CLAIM_EXACT, "directory of its own",
                   is_small_root ? "a tmpfs at " INSIDE_WORK " that dies with the run"
                                 : "a fresh directory with mode 0700, removed at the end");
    return 0;
}
