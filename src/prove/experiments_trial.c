/*
 * One run of an experiment, and what the host reads off it.
 */
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include "prove/berm_column.h"
#include "prove/experiment_parts.h"

#define GROUPS "/sys/fs/cgroup"

/* ---- The run. ---- */

/* Without berm the column has no title: then the guest is executed by itself. */
static void fill_column(const struct trial_plan *plan, struct column *column)
{
    memset(column, 0, sizeof(*column));
    column->level = WITHOUT_BERM;
    if (plan->level >= 0)
        column_of_level(plan->level, column);
    (void)snprintf(column->off, sizeof(column->off), "%s", plan->off ? plan->off : "");
}

static void note_problem(struct trial *trial)
{
    const struct scene *scene = &trial->scene;
    const char *refusal =
        json_string_value(json_object_get(json_object_get(trial->result, "error"), "message"));

    if (refusal)
        (void)snprintf(trial->problem, sizeof(trial->problem), "berm refused: %s", refusal);
    else if (scene->has_hung)
        (void)snprintf(trial->problem, sizeof(trial->problem), "it did not end");
    else if (!scene->has_begun)
        (void)snprintf(trial->problem, sizeof(trial->problem), "%.*s",
                       (int)strcspn(scene->complaint, "\n"),
                       scene->complaint[0] != '\0' ? scene->complaint : "it was not begun");
}

int trial_run(struct cell_runner *runner, const struct trial_plan *plan, struct trial *trial)
{
    int r = experiment_is_stopped() ? -EINTR : 0;

    memset(trial, 0, sizeof(*trial));
    fill_column(plan, &trial->column);
    trial->scene.attack = &plan->attack;
    trial->scene.column = &trial->column;
    trial->scene.before_exec = plan->before_exec;
    trial->is_set_up = true;
    if (r == 0)
        r = cell_runner_play(runner, &trial->scene, trial->column.missing, &trial->cell);
    if (r < 0) {
        (void)snprintf(trial->problem, sizeof(trial->problem), "it could not be started: %s",
                       strerror(-r));
        return r;
    }
    int status = trial->scene.wait_status;
    trial->is_set_up = trial->scene.has_begun || !plan->before_exec || !WIFEXITED(status) ||
                       WEXITSTATUS(status) != SCENE_NOT_SET_UP;
    if (trial->scene.result)
        trial->result = json_loads(trial->scene.result, 0, NULL);
    note_problem(trial);
    return trial->problem[0] == '\0' ? 0 : -ECHILD;
}

void trial_done(struct trial *trial)
{
    json_decref(trial->result);
    trial->result = NULL;
    scene_done(&trial->scene);
}

bool trial_run_for(struct cell_runner *runner, const struct trial_plan *plan, struct trial *trial,
                   struct figure_row *row)
{
    if (trial_run(runner, plan, trial) == 0)
        return true;
    if (trial->is_set_up)
        row_fails(row, trial->problem);
    else
        row_lacks(row, trial->problem);
    trial_done(trial);
    return false;
}

/* ---- Of berm's result. ---- */

const char *trial_text(const struct trial *trial, const char *key)
{
    const char *text = json_string_value(json_object_get(trial->result, key));

    return text ? text : "";
}

bool trial_is(const struct trial *trial, const char *key)
{
    return json_is_true(json_object_get(trial->result, key));
}

long long trial_number(const struct trial *trial, const char *key)
{
    return json_integer_value(json_object_get(trial->result, key));
}

long long trial_usage(const struct trial *trial, const char *key)
{
    return json_integer_value(json_object_get(json_object_get(trial->result, "usage"), key));
}

static const char *member(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));

    return text ? text : "";
}

/* NULL: it is off. */
static const json_t *find_layer(const struct trial *trial, const char *name)
{
    const json_t *layer;
    size_t index;

    json_array_foreach(json_object_get(trial->result, "layers"), index, layer)
    {
        if (strcmp(member(layer, "layer"), name) == 0 && strcmp(member(layer, "state"), "off") != 0)
            return layer;
    }
    return NULL;
}

bool trial_has_layer(const struct trial *trial, const char *layer)
{
    return find_layer(trial, layer) != NULL;
}

static bool is_kept_by_group(const json_t *layer)
{
    const json_t *promise;
    size_t index;

    json_array_foreach(json_object_get(layer, "promises"), index, promise)
    {
        if (strstr(member(promise, "mechanism"), "cgroup v"))
            return true;
    }
    return false;
}

bool trial_has_group(const struct trial *trial)
{
    const json_t *layer;
    size_t index;

    json_array_foreach(json_object_get(trial->result, "layers"), index, layer)
    {
        if (is_kept_by_group(layer))
            return true;
    }
    return false;
}

const char *trial_mechanism(const struct trial *trial, const char *layer, const char *what)
{
    const json_t *promise;
    size_t index;

    json_array_foreach(json_object_get(find_layer(trial, layer), "promises"), index, promise)
    {
        if (strstr(member(promise, "what"), what))
            return member(promise, "mechanism");
    }
    return "";
}

void trial_end_of(const struct trial *trial, char *text, size_t size)
{
    int status = trial->scene.wait_status;
    const char *name = WIFSIGNALED(status) ? sigabbrev_np(WTERMSIG(status)) : NULL;

    if (WIFEXITED(status))
        (void)snprintf(text, size, "exit %d", WEXITSTATUS(status));
    else
        (void)snprintf(text, size, "SIG%s", name ? name : "?");
}

/* ---- What is done to a run before it. ---- */

int cover_control_groups(void)
{
    if (geteuid() != 0)
        return 0;
    if (unshare(CLONE_NEWNS) < 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0)
        return -errno;
    if (access(GROUPS, F_OK) < 0)
        return 0; /* nothing is there to be covered */
    return mount("none", GROUPS, "tmpfs", MS_NOSUID | MS_NODEV | MS_NOEXEC, "size=64k") < 0 ? -errno
                                                                                            : 0;
}
