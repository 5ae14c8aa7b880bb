/*
 * Finding the executables that berm starts.
 */
#include "cli/companion.h"

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "berm-config.h"

/* A file that another user may have put there must not be started with this user's rights. */
static bool is_safe_place(const char *path)
{
    char directory[PATH_MAX];
    struct stat status;

    (void)snprintf(directory, sizeof(directory), "%s", path);
    char *slash = strrchr(directory, '/');
    if (!slash || access(path, X_OK) < 0)
        return false;
    *slash = '\0';
    if (stat(directory, &status) < 0)
        return false;
    return (status.st_uid == 0 || status.st_uid == geteuid()) && !(status.st_mode & S_IWOTH);
}

void companion_find(const char *name, const char *build_place, char *ret_path, size_t size)
{
    const char *const places[] = {name, build_place};
    char self[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", self, sizeof(self) - 1);

    for (size_t i = 0; length > 0 && i < sizeof(places) / sizeof(places[0]); i++) {
        self[length] = '\0';
        char *slash = strrchr(self, '/');
        int directory_size = slash ? (int)(slash - self) : 0;
        int wanted = snprintf(ret_path, size, "%.*s/%s", directory_size, self, places[i]);
        if (wanted > 0 && (size_t)wanted < size && is_safe_place(ret_path))
            return;
    }
    (void)snprintf(ret_path, size, "%s/%s", BERM_LIBEXEC_DIR, name);
}
