/*
 * Starts berm-policy and takes over what it hands out: records of key, value and origin, each ended by
 * a NUL. Owns the child and the two pipes.
 */
#include "cli/policy_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "cli/companion.h"

/* A file of at most 1 MiB grows by the origins of its values; this is far over what it can become. */
#define FLAT_MAX      (16u << 20)
#define COMPLAINT_MAX 4096

struct block {
    char *bytes; /* owned; ended by a NUL that is not counted */
    size_t size;
};

struct child {
    pid_t pid;
    int out_fd, err_fd;
};

void policy_file_reader(char *ret_path, size_t size)
{
    companion_find("berm-policy", "src/policyreader/berm-policy", ret_path, size);
}

static int no_memory(struct berm_error *err)
{
    return error_set(err, BERM_E_SYSTEM, BERM_LAYER_NONE, ENOMEM, NULL,
                     "no memory for the policy file");
}

/* Returns 0 or a positive error number, as posix_spawn does. */
static int spawn(const char *reader, const char *file, int out_fd, int err_fd, pid_t *ret_pid)
{
    char name[] = "berm-policy";
    char verb[] = "read";
    AUTO_FREE char *file_copy = strdup(file);
    char *argv[] = {name, verb, file_copy, NULL};
    /* No variable of the caller's can change what the reader does: it gets none. */
    char *envp[] = {NULL};
    posix_spawn_file_actions_t actions;

    if (!file_copy)
        return ENOMEM;
    int ret = posix_spawn_file_actions_init(&actions);
    if (ret != 0)
        return ret;
    ret = posix_spawn_file_actions_adddup2(&actions, out_fd, STDOUT_FILENO);
    if (ret == 0)
        ret = posix_spawn_file_actions_adddup2(&actions, err_fd, STDERR_FILENO);
    if (ret == 0)
        ret = posix_spawn(ret_pid, reader, &actions, NULL, argv, envp);
    (void)posix_spawn_file_actions_destroy(&actions); /* it has no failure to report */
    return ret;
}

static int start(const char *reader, const char *file, struct child *ret_child,
                 struct berm_error *err)
{
    int out[2] = {-EBADF, -EBADF};
    int complaints[2] = {-EBADF, -EBADF};

    /* Whichever standard descriptors were closed, the second pipe's write end is none that the first
     * duplication overwrites: pipes take the lowest free numbers. */
    int ret = pipe2(out, O_CLOEXEC) < 0 || pipe2(complaints, O_CLOEXEC) < 0 ? -errno : 0;
    if (ret == 0)
        ret = -spawn(reader, file, out[1], complaints[1], &ret_child->pid);
    close_fd(&out[1]);
    close_fd(&complaints[1]);
    if (ret == 0) {
        ret_child->out_fd = out[0];
        ret_child->err_fd = complaints[0];
        return 0;
    }
    close_fd(&out[0]);
    close_fd(&complaints[0]);
    return error_set(err, BERM_E_SYSTEM, BERM_LAYER_NONE, -ret,
                     "install all of berm, or give the options as flags", "cannot start %.300s: %s",
                     reader, strerror(-ret));
}

/* Read to the end of file. Returns 0, -EFBIG past @max, or -errno. */
static int read_all(int fd, size_t max, struct block *block)
{
    size_t room = 0;

    for (;;) {
        if (block->size + 1 >= room) {
            room = room ? 2 * room : COMPLAINT_MAX;
            char *bytes = realloc(block->bytes, room);
            if (!bytes)
                return -ENOMEM;
            block->bytes = bytes;
        }
        ssize_t got = read(fd, block->bytes + block->size, room - block->size - 1);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return -errno;
        block->size += (size_t)got;
        block->bytes[block->size] = '\0';
        if (got == 0)
            return 0;
        if (block->size > max)
            return -EFBIG;
    }
}

/* Returns the wait status, or -errno. */
static int wait_for(pid_t pid)
{
    int status = 0;

    while (waitpid(pid, &status, 0) < 0)
        if (errno != EINTR)
            return -errno;
    return status;
}

/* The line behind a prefix, ended in place; NULL when the text does not go on so. */
static char *take_line(char **at, const char *prefix)
{
    size_t size = strlen(prefix);

    if (strncmp(*at, prefix, size) != 0)
        return NULL;
    char *line = *at + size;
    char *end = strchrnul(line, '\n');
    *at = *end ? end + 1 : end;
    *end = '\0';
    return line;
}

/* What berm-policy said becomes this error. Anything else on its stderr is shown as it is. */
static int pass_complaint(char *text, int status, struct berm_error *err)
{
    char *at = text;
    const char *message = take_line(&at, "berm: ");
    const char *cure = take_line(&at, "  cure: ");

    if (WIFEXITED(status) && message)
        return error_set(err, BERM_E_INVALID, BERM_LAYER_NONE, 0, cure, "%s", message);
    return error_set(err, BERM_E_INTERNAL, BERM_LAYER_NONE, 0, NULL,
                     "berm-policy failed (wait status 0x%x): %.300s", (unsigned)status, text);
}

static int apply(struct block *flat, struct policy *policy, struct berm_error *err)
{
    const char *at = flat->bytes;
    const char *end = at + flat->size;

    while (at < end) {
        const char *key = at;
        const char *value = memchr(key, '\0', (size_t)(end - key));
        const char *origin = value ? memchr(value + 1, '\0', (size_t)(end - value - 1)) : NULL;
        const char *last = origin ? memchr(origin + 1, '\0', (size_t)(end - origin - 1)) : NULL;
        if (!last)
            return error_set(err, BERM_E_INTERNAL, BERM_LAYER_NONE, 0, NULL,
                             "berm-policy handed out half a record");
        int ret = policy_set(policy, key, value + 1, origin + 1, err);
        if (ret < 0)
            return ret;
        at = last + 1;
    }
    return 0;
}

int policy_file_apply_by(const char *reader, const char *file, struct policy *policy,
                         struct berm_error *err)
{
    struct child child = {.out_fd = -EBADF, .err_fd = -EBADF};
    struct block flat = {0};
    struct block complaint = {0};
    char nothing[] = "";

    int ret = start(reader, file, &child, err);
    if (ret < 0)
        return ret;
    /* One after the other: what it complains of fits the pipe, so that it cannot block there. */
    ret = read_all(child.out_fd, FLAT_MAX, &flat);
    if (ret == 0)
        ret = read_all(child.err_fd, COMPLAINT_MAX, &complaint);
    close_fd(&child.out_fd);
    close_fd(&child.err_fd);
    int status = wait_for(child.pid);
    if (ret == -ENOMEM)
        ret = no_memory(err);
    else if (ret < 0 || status < 0)
        ret = error_set(err, BERM_E_SYSTEM, BERM_LAYER_NONE, ret < 0 ? -ret : -status, NULL,
                        "cannot read what berm-policy hands out: %s",
                        strerror(ret < 0 ? -ret : -status));
    else if (status != 0)
        ret = pass_complaint(complaint.bytes ? complaint.bytes : nothing, status, err);
    else
        ret = apply(&flat, policy, err);
    free(flat.bytes);
    free(complaint.bytes);
    return ret;
}

int policy_file_apply(const char *file, struct policy *policy, struct berm_error *err)
{
    char reader[PATH_MAX];

    policy_file_reader(reader, sizeof(reader));
    return policy_file_apply_by(reader, file, policy, err);
}
