/*
 * Starting a tool and reading what it says: its version, its daemon, whether it can start anything
 * here.
 *
 * Output goes into memory files and not through pipes: nothing has to be read while the tool runs,
 * and none blocks.
 */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "prove/peers_parts.h"

/* The slowest is a daemon that takes an image. */
#define TOOL_MS 60000

static int spawn(char *const *argv, int out, int err, pid_t *ret_pid)
{
    posix_spawn_file_actions_t actions;
    int r = posix_spawn_file_actions_init(&actions);

    if (r != 0)
        return -r;
    r = posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    if (r == 0)
        r = posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
    if (r == 0)
        r = posix_spawn_file_actions_adddup2(&actions, err, STDERR_FILENO);
    if (r == 0)
        r = posix_spawnp(ret_pid, argv[0], &actions, NULL, argv, environ);
    (void)posix_spawn_file_actions_destroy(&actions);
    return -r;
}

static int await(pid_t pid)
{
    AUTO_FD int pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
    struct pollfd end = {.fd = pidfd, .events = POLLIN};
    int status = 0;

    if (pidfd >= 0 && poll(&end, 1, TOOL_MS) == 0)
        (void)kill(pid, SIGKILL); /* not reaped yet: still this process */
    while (waitpid(pid, &status, 0) < 0) {
        if (errno != EINTR)
            return -errno;
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static void read_beginning(int fd, char *ret_text, size_t size)
{
    ssize_t n = pread(fd, ret_text, size - 1, 0);

    ret_text[n > 0 ? n : 0] = '\0';
}

int tool_run(const struct words *words, struct tool_said *ret_said)
{
    AUTO_FD int out = memfd_create("tool-out", MFD_CLOEXEC);
    AUTO_FD int err = memfd_create("tool-err", MFD_CLOEXEC);
    pid_t pid = -1;

    if (out < 0 || err < 0)
        return -errno;
    int r = spawn(words->items, out, err, &pid);
    if (r == 0)
        r = await(pid);
    if (r < 0)
        return r;
    ret_said->status = r;
    read_beginning(out, ret_said->out, sizeof(ret_said->out));
    read_beginning(err, ret_said->err, sizeof(ret_said->err));
    return 0;
}

static bool is_executable(const char *path)
{
    struct stat status;

    return stat(path, &status) == 0 && S_ISREG(status.st_mode) && access(path, X_OK) == 0;
}

bool tool_is_there(const char *program)
{
    const char *at = getenv("PATH");
    char path[PEER_PATH_SIZE];

    if (strchr(program, '/'))
        return is_executable(program);
    while (at && *at != '\0') {
        size_t length = strcspn(at, ":");
        int n = snprintf(path, sizeof(path), "%.*s/%s", (int)length, at, program);

        if (n > 0 && (size_t)n < sizeof(path) && is_executable(path))
            return true;
        at += length + (at[length] == ':');
    }
    return false;
}

void tool_version(const char *program, char *ret_version, size_t size)
{
    struct words words = {0};
    struct tool_said said = {0};

    words_add(&words, "%s", program);
    words_add_flags(&words, "--version");
    ret_version[0] = '\0';
    if (tool_run(&words, &said) == 0) {
        const char *at = said.out;

        /* "bubblewrap 0.8.0", "Docker version 28.2.2, build ...", "timeout (GNU coreutils) 9.1" */
        while (*at != '\0' && !(isdigit((unsigned char)*at) && at > said.out && at[-1] == ' '))
            at++;
        (void)snprintf(ret_version, size, "%.*s", (int)strcspn(at, " ,)\n"), at);
    }
    words_done(&words);
}

void tool_line(const char *text, char *ret_line, size_t size)
{
    size_t used = 0;

    while (*text != '\0' && !isgraph((unsigned char)*text))
        text++;
    for (; *text != '\0' && *text != '\n' && used + 1 < size; text++) {
        if (!iscntrl((unsigned char)*text))
            ret_line[used++] = *text;
    }
    ret_line[used] = '\0';
}

int peer_try(const char *name, const struct places *places, char *why, size_t why_size)
{
    const struct peer *peer = peer_find(name);
    char verb[] = "exists";
    char path[] = "/";
    char *const guest_words[] = {verb, path, NULL};
    struct words words = {0};
    struct tool_said said = {0};
    char line[96];

    int r = peer->write_words ? peer->write_words(places, guest_words) : 0;
    if (r == 0) {
        peer->wrap(places, &words);
        if (!peer->write_words)
            words_add_flags(&words, "exists /");
        r = tool_run(&words, &said);
    }
    words_done(&words);
    tool_line(said.err, line, sizeof(line));
    if (r < 0)
        (void)snprintf(why, why_size, "cannot be started: %s", strerror(-r));
    else if (said.out[0] == '\0' && line[0] != '\0')
        (void)snprintf(why, why_size, "starts nothing here: %s", line);
    else if (said.out[0] == '\0')
        (void)snprintf(why, why_size, "starts nothing here: exit status %d", said.status);
    else
        return 0;
    return -ENOTSUP;
}
