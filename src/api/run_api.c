/*
 * berm.h: a run, as the library sees it: one socket and two pipes of an engine process.
 *
 * The caller is never forked: posix_spawn shares its memory until exec (posix_spawn(3)). Nothing here
 * touches signal handlers, SIGCHLD or the caller's descriptors.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "api/handles.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/error.h"
#include "berm-config.h"
#include "layers/choices.h"
#include "layers/layer.h"
#include "layers/small_root.h"
#include "request/binds.h"
#include "request/env_file.h"

#define READ_SIZE 65536
/* Reads of one stream in one step: a program that never stops writing must not keep the caller in it. */
#define STEP_READS 64
/* Descriptors that the engine is born with: 0, 1, 2 and ENGINE_SOCKET_FD. */
#define ENGINE_FDS 4

extern char **environ;

struct engine_ends {
    int fds[ENGINE_FDS]; /* owned; become 0..3 of the engine */
};

static void close_ends(struct engine_ends *ends)
{
    for (int i = 0; i < ENGINE_FDS; i++)
        close_fd(&ends->fds[i]);
}

/* Above the numbers that they will become, so that no dup2 steps on another; close-on-exec. */
static int move_up(int *fd)
{
    int moved = fcntl(*fd, F_DUPFD_CLOEXEC, ENGINE_FDS);

    if (moved < 0)
        return -errno;
    (void)close(*fd);
    *fd = moved;
    return 0;
}

static int make_ends(struct berm_run *run, const struct berm_request *request,
                     struct engine_ends *ends)
{
    int pair[2];

    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0)
        return -errno;
    run->socket_fd = pair[0];
    ends->fds[ENGINE_SOCKET_FD] = pair[1];
    for (int i = 0; i < STREAM_COUNT; i++) {
        if (pipe2(pair, O_CLOEXEC) < 0)
            return -errno;
        run->output_fds[i] = pair[0];
        ends->fds[STDOUT_FILENO + i] = pair[1];
        if (fcntl(pair[0], F_SETFL, O_NONBLOCK) < 0)
            return -errno;
    }
    ends->fds[STDIN_FILENO] = request->stdin_fd >= 0
                                  ? fcntl(request->stdin_fd, F_DUPFD_CLOEXEC, ENGINE_FDS)
                                  : open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (ends->fds[STDIN_FILENO] < 0)
        return -errno;
    for (int i = 0; i < ENGINE_FDS; i++) {
        int r = move_up(&ends->fds[i]);
        if (r < 0)
            return r;
    }
    return 0;
}

/* Default signals and an empty mask whatever the caller has set; an empty environment. */
static int spawn_engine(struct berm_run *run, const char *path, const struct engine_ends *ends)
{
    char name[] = "berm-engine";
    char *const argv[] = {name, NULL};
    char *const no_environment[] = {NULL};
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t all;
    sigset_t none;
    pid_t pid = 0;

    (void)sigfillset(&all);
    (void)sigemptyset(&none);
    int r = posix_spawn_file_actions_init(&actions);
    if (r != 0)
        return -r;
    r = posix_spawnattr_init(&attributes);
    for (int i = 0; r == 0 && i < ENGINE_FDS; i++)
        r = posix_spawn_file_actions_adddup2(&actions, ends->fds[i], i);
    if (r == 0)
        r = posix_spawnattr_setsigdefault(&attributes, &all);
    if (r == 0)
        r = posix_spawnattr_setsigmask(&attributes, &none);
    if (r == 0)
        r = posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
    if (r == 0)
        r = posix_spawn(&pid, path, &actions, &attributes, argv, no_environment);
    (void)posix_spawnattr_destroy(&attributes);
    (void)posix_spawn_file_actions_destroy(&actions);
    run->pid = r == 0 ? pid : 0;
    return -r;
}

static int send_plan(const struct berm_run *run)
{
    const char *at = (const char *)run->plan;
    size_t size = run->plan->size;

    while (size > 0) {
        ssize_t n = send(run->socket_fd, at, size, MSG_NOSIGNAL);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return -errno;
        at += n;
        size -= (size_t)n;
    }
    return 0;
}

static int watch(struct berm_run *run)
{
    int fds[] = {run->socket_fd, run->output_fds[STREAM_STDOUT], run->output_fds[STREAM_STDERR]};

    run->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
    if (run->epoll_fd < 0)
        return -errno;
    for (size_t i = 0; i < sizeof(fds) / sizeof(fds[0]); i++) {
        struct epoll_event event = {.events = EPOLLIN, .data.fd = fds[i]};
        if (epoll_ctl(run->epoll_fd, EPOLL_CTL_ADD, fds[i], &event) < 0)
            return -errno;
    }
    return 0;
}

/* What a plan is made of beside the policy: gathered, used, freed. */
struct gathered {
    struct host host;
    struct bind_paths binds;
    char **env_extra;
    size_t env_extra_count;
};

static int gather(const struct policy *policy, struct gathered *gathered, struct berm_error *err)
{
    size_t path_count = 0;
    const char *const *paths = small_root_subtrees(&path_count);

    int r = policy_validate(policy, err);
    if (r == 0)
        r = binds_resolve(policy, &gathered->binds, err);
    for (size_t i = 0; r == 0 && i < policy->env_file.count; i++)
        r = env_file_read(policy->env_file.items[i], &gathered->env_extra,
                          &gathered->env_extra_count, err);
    if (r == 0) {
        host_probe(&gathered->host, PROBE_QUICK, paths, path_count);
        if (needs_home(policy))
            host_find_home(&gathered->host);
        host_stay_in_group(&gathered->host);
        if (needs_clock(policy, &gathered->host))
            host_try_clock(&gathered->host);
    }
    return r;
}

static int make_plan(const struct berm_policy *policy, const struct berm_request *request,
                     struct plan **ret_plan, struct berm_error *err)
{
    const struct policy *rules = (const struct policy *)policy;
    struct gathered *gathered = calloc(1, sizeof(*gathered));

    if (!gathered) {
        error_set(err, BERM_E_SYSTEM, BERM_LAYER_NONE, ENOMEM, NULL, "no memory");
        return -ENOMEM;
    }
    int r = gather(rules, gathered, err);
    if (r == 0) {
        struct request inside = {
            .argv = request->argv,
            .caller_env = environ,
            .env_extra = (const char *const *)gathered->env_extra,
            .env_extra_count = gathered->env_extra_count,
            .has_stdin = request->stdin_fd >= 0,
            .wants_capture = true,
            .ro_resolved = (const char *const *)gathered->binds.ro,
            .rw_resolved = (const char *const *)gathered->binds.rw,
        };
        r = layers_plan(rules, &inside, &gathered->host, ret_plan, err);
    }
    binds_done(&gathered->binds);
    env_file_free(gathered->env_extra, gathered->env_extra_count);
    free(gathered);
    return r;
}

static struct berm_run *run_new(void)
{
    struct berm_run *run = calloc(1, sizeof(*run));

    if (!run)
        return NULL;
    run->socket_fd = -EBADF;
    run->epoll_fd = -EBADF;
    for (int i = 0; i < STREAM_COUNT; i++)
        run->output_fds[i] = -EBADF;
    return run;
}

static int begin(struct berm_run *run, const struct berm_request *request, const char *engine)
{
    struct engine_ends ends = {
        {-EBADF, -EBADF, -EBADF, -EBADF}
    };

    int r = make_ends(run, request, &ends);
    for (int i = 0; r == 0 && i < STREAM_COUNT; i++) {
        run->captures[i] = capture_new(run->plan->output_chars);
        r = run->captures[i] ? 0 : -ENOMEM;
    }
    if (r == 0)
        r = watch(run);
    if (r == 0)
        r = spawn_engine(run, engine, &ends);
    close_ends(&ends);
    return r == 0 ? send_plan(run) : r;
}

int berm_run_start(const struct berm_policy *policy, const struct berm_request *request,
                   struct berm_run **ret_run, struct berm_error *err)
{
    const char *engine = request->engine ? request->engine : BERM_LIBEXEC_DIR "/berm-engine";
    struct berm_run *run = run_new();

    if (!run)
        return error_set(err, BERM_E_SYSTEM, BERM_LAYER_NONE, ENOMEM, NULL,
                         "no memory for the run");
    run->output = request->output;
    run->output_context = request->output_context;
    int r = make_plan(policy, request, &run->plan, err);
    if (r == 0 && run->plan) {
        r = begin(run, request, engine);
        if (r < 0)
            error_set(err, BERM_E_SYSTEM, BERM_LAYER_NONE, -r,
                      "install berm, or name the engine by berm_request_set_engine()",
                      "cannot start the engine %s: %s", engine, strerror(-r));
    }
    if (r < 0) {
        berm_run_free(run);
        return r;
    }
    *ret_run = run;
    return 0;
}

int berm_run_fd(const struct berm_run *run)
{
    return run->epoll_fd;
}

/* Read at most @reads times; an ended stream leaves the set that is polled. */
static void read_stream(struct berm_run *run, int stream, unsigned reads)
{
    char buffer[READ_SIZE / 8];
    ssize_t n;

    for (; reads > 0 && run->output_fds[stream] >= 0; reads--) {
        n = read(run->output_fds[stream], buffer, sizeof(buffer));
        if (n > 0) {
            (void)capture_add(run->captures[stream], buffer, (size_t)n); /* counted all the same */
            if (run->output)
                run->output(run->output_context, stream == STREAM_STDERR, buffer, (size_t)n);
            continue;
        }
        if (n < 0 && (errno == EAGAIN || errno == EINTR))
            return;
        close_fd(
            &run->output_fds[stream]); /* closing also takes it out of the epoll set (epoll(7)) */
    }
}

/* The reply, or the end of an engine that died without one. */
static int read_reply(struct berm_run *run)
{
    char *at = (char *)&run->reply + run->reply_used;
    ssize_t n = recv(run->socket_fd, at, sizeof(run->reply) - run->reply_used, MSG_DONTWAIT);

    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return 0;
    if (n > 0) {
        run->reply_used += (size_t)n;
        if (run->reply_used < sizeof(run->reply))
            return 0;
    }
    run->has_ended = true;
    return 1;
}

/* Nothing writes any more: what is left is at most what the pipes hold. */
static void finish(struct berm_run *run)
{
    for (int i = 0; i < STREAM_COUNT; i++)
        read_stream(run, i, UINT_MAX);
    /* ECHILD when the caller ignores SIGCHLD: the kernel has reaped it then (wait(2)). */
    while (run->pid > 0 && waitpid(run->pid, NULL, 0) < 0 && errno == EINTR)
        ;
    run->pid = 0;
}

static int step(struct berm_run *run, unsigned reads)
{
    if (run->has_ended)
        return 1;
    for (int i = 0; i < STREAM_COUNT; i++)
        read_stream(run, i, reads);
    if (read_reply(run) == 0)
        return 0;
    finish(run);
    return 1;
}

int berm_run_step(struct berm_run *run)
{
    return step(run, STEP_READS);
}

int berm_run_wait(struct berm_run *run, uint64_t timeout_ms)
{
    uint64_t began = clock_now_ns();

    for (;;) {
        /* Who has a limit has it looked at after every callback. */
        int r = step(run, timeout_ms == UINT64_MAX ? STEP_READS : 1);
        if (r != 0)
            return r < 0 ? r : 0;
        uint64_t gone_ms = (clock_now_ns() - began) / NS_PER_MS;
        if (timeout_ms != UINT64_MAX && gone_ms >= timeout_ms)
            return -ETIMEDOUT;
        uint64_t left = timeout_ms == UINT64_MAX ? 60000 : timeout_ms - gone_ms;
        struct pollfd slot = {.fd = run->epoll_fd, .events = POLLIN};
        if (poll(&slot, 1, left > 60000 ? 60000 : (int)left) < 0 && errno != EINTR)
            return -errno;
    }
}

void berm_run_cancel(struct berm_run *run)
{
    (void)shutdown(run->socket_fd, SHUT_WR); /* the engine reads end of file: that is the word */
}

void berm_run_free(struct berm_run *run)
{
    if (!run)
        return;
    if (run->pid > 0 && !run->has_ended) {
        berm_run_cancel(run);
        (void)berm_run_wait(run, UINT64_MAX);
    }
    free(run->plan);
    close_fd(&run->socket_fd);
    close_fd(&run->epoll_fd);
    for (int i = 0; i < STREAM_COUNT; i++) {
        close_fd(&run->output_fds[i]);
        capture_free(run->captures[i]);
    }
    free(run);
}
