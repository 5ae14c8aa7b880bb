/*
 * Paths that are refused.
 */
#include "layers/host_loss.h"

#include <errno.h>
#include <string.h>

#include "base/error.h"

struct dangerous_path {
    const char *path;
    const char *what;
};

/* The path itself, and any path above it, is refused: it would contain it. */
static const struct dangerous_path dangerous[] = {
    {"/proc",               "the host's processes"                  },
    {"/sys",                "the kernel's own controls"             },
    {"/dev",                "the host's devices"                    },
    {"/etc/shadow",         "password hashes and host configuration"},
    {"/run",                "sockets that control the host"         },
    {"/var/run",            "sockets that control the host"         },
    {"/var/lib/docker",     "a container runtime's state"           },
    {"/var/lib/containerd", "a container runtime's state"           },
    {"/home",               "home directories"                      },
    {"/root",               "root's home directory"                 },
    {"/boot",               "the host's kernel"                     },
};

/* Is @inner the same path as @outer, or below it? */
static bool contains(const char *outer, const char *inner)
{
    size_t length = strlen(outer);

    if (strcmp(outer, "/") == 0)
        return true;
    return strncmp(outer, inner, length) == 0 && (inner[length] == '\0' || inner[length] == '/');
}

static const char *what_is_lost(const struct host *host, const char *path)
{
    for (size_t i = 0; i < sizeof(dangerous) / sizeof(dangerous[0]); i++) {
        if (contains(path, dangerous[i].path))
            return dangerous[i].what;
    }
    if (host->home[0] == '/' && host->home[1] != '\0' && contains(path, host->home))
        return "the caller's home directory";
    if (host->state_dir[0] == '/' &&
        (contains(path, host->state_dir) || contains(host->state_dir, path)))
        return "berm's own state, which other runs rely on";
    /* Sockets are below /run, and /proc and /sys are the kernel's throughout. */
    if (contains("/proc", path) || contains("/sys", path))
        return "the kernel's own controls";
    size_t length = strlen(path);
    if (length > 5 && strcmp(path + length - 5, ".sock") == 0)
        return "a control socket";
    if (strncmp(path, "/home/", 6) == 0 && !strchr(path + 6, '/'))
        return "a home directory";
    return NULL;
}

int refuse_host_loss(const struct host *host, const char *option, const char *path,
                     struct berm_error *err)
{
    const char *what = what_is_lost(host, path);

    if (!what)
        return 0;
    return error_set(err, BERM_E_INVALID, BERM_LAYER_FILESYSTEM, EPERM,
                     "name a directory below it, or add --i-accept-host-loss",
                     "%s %s would give the program %s", option, path, what);
}
