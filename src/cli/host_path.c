/*
 * Relative paths of the command line, made absolute.
 */
#include "cli/host_path.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/quote.h"

bool host_path_is_wanted(enum field_id field)
{
    return field == FIELD_hide || field == FIELD_ro || field == FIELD_rw || field == FIELD_env_file;
}

/* In these a colon ends the path, so that one in the working directory's name is escaped. */
static bool is_bind(enum field_id field)
{
    return field == FIELD_ro || field == FIELD_rw;
}

static bool needs_nothing(enum field_id field, const char *value)
{
    if (value[0] == '/' || value[0] == '\0')
        return true;
    if (field == FIELD_env_file && strncmp(value, "fd:", 3) == 0)
        return true;
    return is_bind(field) && value[0] == ':'; /* no path at all: policy_set says so */
}

/* Take "." and ".." off the front of the path, and off the end of the directory what ".." leaves. */
static const char *resolve_front(const char *path, char *directory, const char *ends)
{
    for (;;) {
        size_t size = strcspn(path, ends);
        bool is_dot = size == 1 && path[0] == '.';
        bool is_dots = size == 2 && path[0] == '.' && path[1] == '.';
        if (!is_dot && !is_dots)
            return path;
        char *slash = is_dots ? strrchr(directory, '/') : NULL;
        if (slash)
            *slash = '\0'; /* "/" becomes "": its parent is itself */
        path += size;
        path += strspn(path, "/");
    }
}

static char *append_directory(char *out, const char *directory, bool is_escaped)
{
    for (; *directory; directory++) {
        if (is_escaped && *directory == ':')
            *out++ = '\\';
        *out++ = *directory;
    }
    *out++ = '/';
    return out;
}

int host_path_absolute(enum field_id field, const char *value, char **ret_text,
                       struct berm_error *err)
{
    char directory[PATH_MAX];
    struct quoted quoted;
    const char *rest = value;

    /* Twice the directory: every byte of it may be a colon. */
    AUTO_FREE char *text = malloc(2 * sizeof(directory) + strlen(value) + 2);
    if (!text)
        return error_set(err, BERM_E_SYSTEM, BERM_LAYER_NONE, ENOMEM, NULL, "no memory for a path");
    char *out = text;
    if (!needs_nothing(field, value)) {
        if (!getcwd(directory, sizeof(directory)))
            return error_set(err, BERM_E_SYSTEM, BERM_LAYER_NONE, errno, "write the whole path",
                             "--%s: %s is relative, and the working directory has no name: %s",
                             policy_fields[field].flag, quote_text(&quoted, value),
                             strerror(errno));
        if (strcmp(directory, "/") == 0)
            directory[0] = '\0';
        rest = resolve_front(value, directory, is_bind(field) ? "/:" : "/");
        out = append_directory(out, directory, is_bind(field));
    }
    memcpy(out, rest, strlen(rest) + 1);
    *ret_text = take_text(&text);
    return 0;
}
