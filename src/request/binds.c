/*
 * Resolving the caller's paths.
 */
#include "request/binds.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

#define PATH_ROOM 4096

static int resolve_list(const struct text_list *list, char ***ret_paths, size_t *ret_count,
                        struct berm_error *err)
{
    char path[PATH_ROOM] = "";
    char at[PATH_ROOM] = "";
    char **paths = calloc(list->count + 1, sizeof(*paths));

    *ret_paths = paths;
    *ret_count = paths ? list->count : 0;
    for (size_t i = 0; paths && i < list->count; i++) {
        int r = policy_split_bind(list->items[i], path, sizeof(path), at, sizeof(at), err);
        if (r < 0)
            return r;
        char *real = realpath(path, NULL);
        /* A path that is not there is refused when it is taken; here it stands for itself. */
        paths[i] = real ? real : strdup(path);
        if (!paths[i])
            return error_set(err, BERM_E_SYSTEM, BERM_LAYER_FILESYSTEM, ENOMEM, NULL, "no memory");
    }
    return paths ? 0
                 : error_set(err, BERM_E_SYSTEM, BERM_LAYER_FILESYSTEM, ENOMEM, NULL, "no memory");
}

int binds_resolve(const struct policy *policy, struct bind_paths *ret_paths, struct berm_error *err)
{
    struct bind_paths paths = {0};

    int r = resolve_list(&policy->ro, &paths.ro, &paths.ro_count, err);
    if (r == 0)
        r = resolve_list(&policy->rw, &paths.rw, &paths.rw_count, err);
    if (r < 0) {
        binds_done(&paths);
        return r;
    }
    *ret_paths = paths;
    return 0;
}

static void free_list(char **paths, size_t count)
{
    for (size_t i = 0; i < count; i++)
        free(paths[i]);
    free(paths);
}

void binds_done(struct bind_paths *paths)
{
    free_list(paths->ro, paths->ro_count);
    free_list(paths->rw, paths->rw_count);
    memset(paths, 0, sizeof(*paths));
}
