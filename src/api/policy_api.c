/*
 * berm.h: names, policy, request.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "api/handles.h"
#include "base/cleanup.h"
#include "base/error.h"
#include "berm-config.h"
#include "policy/policy.h"

const char *berm_version(void)
{
    return BERM_VERSION;
}

const char *berm_layer_name(enum berm_layer layer)
{
    return layer_name(layer);
}

const char *berm_verdict_name(enum berm_verdict verdict)
{
    return verdict_name(verdict);
}

const char *berm_error_code_name(enum berm_error_code code)
{
    return error_code_name(code);
}

/* The public handle is the room's own struct under another name. */
struct berm_policy *berm_policy_new(void)
{
    return (struct berm_policy *)policy_new();
}

void berm_policy_free(struct berm_policy *policy)
{
    policy_free((struct policy *)policy);
}

int berm_policy_set(struct berm_policy *policy, const char *key, const char *value,
                    struct berm_error *err)
{
    if (!policy || !key || !value)
        return error_set(err, BERM_E_INVALID, BERM_LAYER_NONE, EINVAL, NULL,
                         "berm_policy_set needs a policy, a key and a value");
    return policy_set((struct policy *)policy, key, value, key, err);
}

static char **copy_vector(const char *const *texts)
{
    size_t count = 0;

    while (texts[count])
        count++;
    char **copy = calloc(count + 1, sizeof(*copy));
    for (size_t i = 0; copy && i < count; i++) {
        copy[i] = strdup(texts[i]);
        if (copy[i])
            continue;
        while (i > 0)
            free(copy[--i]);
        free(copy);
        return NULL;
    }
    return copy;
}

struct berm_request *berm_request_new(const char *const *argv)
{
    if (!argv || !argv[0])
        return NULL;
    struct berm_request *request = calloc(1, sizeof(*request));
    if (!request)
        return NULL;
    request->stdin_fd = -EBADF;
    request->argv = copy_vector(argv);
    if (!request->argv) {
        free(request);
        return NULL;
    }
    return request;
}

void berm_request_free(struct berm_request *request)
{
    if (!request)
        return;
    for (size_t i = 0; request->argv[i]; i++)
        free(request->argv[i]);
    free(request->argv);
    free(request->engine);
    close_fd(&request->stdin_fd);
    free(request);
}

int berm_request_set_stdin_fd(struct berm_request *request, int fd)
{
    int copy = fcntl(fd, F_DUPFD_CLOEXEC, 3);

    if (copy < 0)
        return -errno;
    close_fd(&request->stdin_fd);
    request->stdin_fd = copy;
    return 0;
}

/* A file in memory: the engine reads it like any other, and nobody waits for a pipe. */
int berm_request_set_stdin_bytes(struct berm_request *request, const void *bytes, size_t size)
{
    const char *at = bytes;
    AUTO_FD int fd = memfd_create("berm-stdin", MFD_CLOEXEC);

    if (fd < 0)
        return -errno;
    while (size > 0) {
        ssize_t n = write(fd, at, size);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return -errno;
        at += n;
        size -= (size_t)n;
    }
    if (lseek(fd, 0, SEEK_SET) < 0)
        return -errno;
    close_fd(&request->stdin_fd);
    request->stdin_fd = take_fd(&fd);
    return 0;
}

void berm_request_set_output(struct berm_request *request, berm_output_fn output, void *context)
{
    request->output = output;
    request->output_context = context;
}

int berm_request_set_engine(struct berm_request *request, const char *path)
{
    char *copy = strdup(path);

    if (!copy)
        return -ENOMEM;
    free(request->engine);
    request->engine = copy;
    return 0;
}
