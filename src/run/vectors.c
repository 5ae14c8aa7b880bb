/*
 * Pointer vectors for execve.
 */
#include "run/vectors.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Search path entries beyond this are not tried. */
#define CANDIDATES_MAX 64

/* Longest text that is put together: a candidate or a variable that names the work directory. */
static size_t extra_size(const struct plan *plan, size_t work_length)
{
    size_t program = strlen(plan_text_of(plan, plan->program)) + 2;
    size_t search = strlen(plan_text_of(plan, plan->search_path));

    return search + CANDIDATES_MAX * program + (plan->envc + plan->argc) * (work_length + 1) +
           plan->pool_used + 1;
}

static char *put(char **at, const char *text, size_t length)
{
    char *start = *at;

    memcpy(start, text, length);
    *at += length;
    return start;
}

/* A text of argv, with the work directory's path in place of the mark. */
static char *put_argument(char **at, const struct plan *plan, const char *text,
                          const char *work_path)
{
    char *start = *at;

    if (plan->argv_has_work_mark && text[0] == PLAN_WORK_MARK) {
        (void)put(at, work_path, strlen(work_path));
        text++;
    }
    (void)put(at, text, strlen(text) + 1);
    return start;
}

static void fill_candidates(struct vectors *vectors, const struct plan *plan, const char *work_path,
                            char **at)
{
    const char *program = plan_text_of(plan, plan->program);
    const char *path = plan_text_of(plan, plan->search_path);
    size_t count = 0;

    if (strchr(program, '/')) {
        vectors->candidates[count++] = put_argument(at, plan, program, work_path);
        vectors->candidates[count] = NULL;
        return;
    }
    while (*path != '\0' && count < CANDIDATES_MAX) {
        size_t length = strcspn(path, ":");
        char *start = *at;

        /* An empty entry would mean the working directory: a trap, not a feature; it is passed over. */
        if (length > 0) {
            (void)put(at, path, length);
            (void)put(at, "/", 1);
            (void)put(at, program, strlen(program) + 1);
            vectors->candidates[count++] = start;
        }
        path += length;
        if (*path == ':')
            path++;
    }
    vectors->candidates[count] = NULL;
}

static void fill_environment(struct vectors *vectors, const struct plan *plan,
                             const char *work_path, char **at)
{
    const char *text = plan_text_of(plan, plan->envp);

    for (uint32_t i = 0; i < plan->envc; i++) {
        const char *mark = strchr(text, PLAN_WORK_MARK);
        size_t length = strlen(text);

        vectors->envp[i] = *at;
        bool is_mark = mark && mark > text && mark[-1] == '=' && mark[1] == '\0';
        if (is_mark && plan_has(plan, PLAN_WORK_DIR)) {
            (void)put(at, text, (size_t)(mark - text));
            (void)put(at, work_path, strlen(work_path) + 1);
        } else {
            (void)put(at, text, length + 1);
        }
        text += length + 1;
    }
    vectors->envp[plan->envc] = NULL;
}

int vectors_make(struct vectors *vectors, const struct plan *plan, const char *work_path)
{
    memset(vectors, 0, sizeof(*vectors));
    vectors->argv = calloc((size_t)plan->argc + 1, sizeof(char *));
    vectors->envp = calloc((size_t)plan->envc + 1, sizeof(char *));
    vectors->candidates = calloc(CANDIDATES_MAX + 1, sizeof(char *));
    vectors->extra = malloc(extra_size(plan, strlen(work_path)) + plan->pool_used);
    if (!vectors->argv || !vectors->envp || !vectors->candidates || !vectors->extra) {
        vectors_done(vectors);
        return -ENOMEM;
    }
    char *at = vectors->extra;
    const char *text = plan_text_of(plan, plan->argv);
    for (uint32_t i = 0; i < plan->argc; i++) {
        vectors->argv[i] = put_argument(&at, plan, text, work_path);
        text += strlen(text) + 1;
    }
    fill_candidates(vectors, plan, work_path, &at);
    fill_environment(vectors, plan, work_path, &at);
    return 0;
}

void vectors_done(struct vectors *vectors)
{
    free(vectors->argv);
    free(vectors->envp);
    free(vectors->candidates);
    free(vectors->extra);
    memset(vectors, 0, sizeof(*vectors));
}
