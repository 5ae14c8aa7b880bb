/*
 * Policy files on disk. Owns the descriptor while it reads.
 */
#include "policyreader/source.h"

#include <berm-config.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/quote.h"

static bool is_path(const char *file)
{
    static const char suffix[] = ".json";
    size_t size = strlen(file);

    return strchr(file, '/') ||
           (size >= sizeof(suffix) - 1 && strcmp(file + size - (sizeof(suffix) - 1), suffix) == 0);
}

/* In a build directory the shipped policies stand at its top, two levels above this executable. */
static bool find_beside(const char *file, char ret_path[static PATH_MAX])
{
    char self[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", self, sizeof(self) - 1);

    if (length <= 0)
        return false;
    self[length] = '\0';
    char *slash = strrchr(self, '/');
    if (!slash)
        return false;
    *slash = '\0';
    if (strcmp(self, BERM_LIBEXEC_DIR) == 0)
        return false; /* installed: the installed policies, and no others */
    int wanted = snprintf(ret_path, PATH_MAX, "%s/../../policies/%s.json", self, file);
    return wanted < PATH_MAX && access(ret_path, R_OK) == 0;
}

static int find(const char *file, char ret_path[static PATH_MAX], struct berm_error *err)
{
    struct quoted quoted;
    int wanted = 0;

    if (is_path(file))
        wanted = snprintf(ret_path, PATH_MAX, "%s", file);
    else if (!find_beside(file, ret_path))
        wanted = snprintf(ret_path, PATH_MAX, "%s/%s.json", BERM_POLICY_DIR, file);
    if (wanted >= PATH_MAX || !*file)
        return error_set(err, BERM_E_INVALID, BERM_LAYER_NONE, 0, "name a policy file",
                         "%s names no policy", quote_text(&quoted, file));
    return 0;
}

static int refuse_open(const char *file, const char *path, int number, struct berm_error *err)
{
    struct quoted quoted;

    if (number == ENOENT && !is_path(file))
        return error_set(err, BERM_E_INVALID, BERM_LAYER_NONE, number,
                         "a file of your own is named with a slash, as in ./policy.json",
                         "there is no shipped policy %s", quote_text(&quoted, file));
    return error_set(err, BERM_E_INVALID, BERM_LAYER_NONE, number, NULL, "cannot read %s: %s",
                     quote_text(&quoted, path), strerror(number));
}

/* Returns the bytes read: at most SOURCE_SIZE_MAX + 1, which is too many; or -errno. */
static ssize_t read_bounded(int fd, char *ret_bytes)
{
    size_t size = 0;

    while (size <= SOURCE_SIZE_MAX) {
        ssize_t got = read(fd, ret_bytes + size, SOURCE_SIZE_MAX + 1 - size);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return -errno;
        if (got == 0)
            break;
        size += (size_t)got;
    }
    return (ssize_t)size;
}

int source_load(const char *file, struct source *ret_source, struct berm_error *err)
{
    char path[PATH_MAX];
    AUTO_FD int fd = -EBADF;
    AUTO_FREE char *bytes = malloc(SOURCE_SIZE_MAX + 2);

    if (!bytes)
        return error_set(err, BERM_E_SYSTEM, BERM_LAYER_NONE, ENOMEM, NULL,
                         "no memory for a policy file");
    int ret = find(file, path, err);
    if (ret < 0)
        return ret;
    fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    if (fd < 0)
        return refuse_open(file, path, errno, err);
    ssize_t size = read_bounded(fd, bytes);
    if (size < 0)
        return refuse_open(file, path, (int)-size, err);
    if (size > (ssize_t)SOURCE_SIZE_MAX)
        return error_set(err, BERM_E_INVALID, BERM_LAYER_NONE, 0, "name a policy file",
                         "%.200s: is larger than a policy can be (1 MiB)", path);
    bytes[size] = '\0';
    (void)snprintf(ret_source->name, sizeof(ret_source->name), "%s%s", file,
                   is_path(file) ? "" : ".json");
    ret_source->size = (size_t)size;
    ret_source->bytes = take_text(&bytes);
    return 0;
}

void source_done(struct source *source)
{
    free(source->bytes);
    source->bytes = NULL;
}
