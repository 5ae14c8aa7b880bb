/*
 * The two halves of --ro PATH[:AT] and --rw PATH[:AT].
 */
#include <stddef.h>
#include <string.h>

#include "base/error.h"
#include "base/quote.h"
#include "policy/members.h"

static int refuse(const char *item, const char *why, const char *cure, struct berm_error *err)
{
    struct quoted quoted;
    return error_set(err, BERM_E_INVALID, BERM_LAYER_NONE, 0, cure, "%s %s",
                     quote_text(&quoted, item), why);
}

/* Copy up to an unescaped colon or the end. Returns where it stopped; NULL when there is no room. */
static const char *copy_half(const char *at, char *ret_half, size_t size)
{
    size_t used = 0;

    for (; *at && *at != ':'; at++) {
        if (at[0] == '\\' && at[1] == ':')
            at++;
        if (used + 1 >= size)
            return NULL;
        ret_half[used++] = *at;
    }
    ret_half[used] = '\0';
    return at;
}

static bool is_dots(const char *component, size_t size)
{
    return size == 2 && component[0] == '.' && component[1] == '.';
}

/* ".." is refused: what it names depends on links, and AT would leave the new root by it. */
bool path_canonicalise(char *path)
{
    const char *in = path;
    char *out = path;

    while (*in) {
        in += strspn(in, "/");
        size_t size = strcspn(in, "/");
        if (is_dots(in, size))
            return false;
        if (size > 0 && !(size == 1 && in[0] == '.')) {
            *out++ = '/';
            memmove(out, in, size);
            out += size;
        }
        in += size;
    }
    if (out == path)
        *out++ = '/';
    *out = '\0';
    return true;
}

static int check_half(const char *item, char *half, struct berm_error *err)
{
    if (half[0] != '/')
        return refuse(item, "has a path that is not absolute",
                      "begin PATH and AT with /; write \\: for a colon in a path", err);
    if (!path_canonicalise(half))
        return refuse(item, "has .. in it", "write the path without ..", err);
    return 0;
}

int policy_split_bind(const char *item, char *ret_path, size_t path_size, char *ret_at,
                      size_t at_size, struct berm_error *err)
{
    const char *end = copy_half(item, ret_path, path_size);
    bool has_at = end && *end == ':';

    if (end)
        end = copy_half(has_at ? end + 1 : item, ret_at, at_size);
    if (!end)
        return refuse(item, "is longer than a path can be", "use shorter paths", err);
    if (has_at && *end)
        return refuse(item, "has more than one colon", "write \\: for a colon in a path", err);
    int ret = check_half(item, ret_path, err);
    if (ret == 0)
        ret = check_half(item, ret_at, err);
    if (ret < 0)
        return ret;
    if (strcmp(ret_at, "/") == 0)
        return refuse(item, "would stand at / inside", "name another place after a colon", err);
    return 0;
}
