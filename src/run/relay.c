/*
 * Moving bytes. Every descriptor of the program's is non-blocking on our side. The caller's are left as they
 * are, and used through a struct caller_end: that poll(2) said ready is not enough, since another process
 * that shares the descriptor may be quicker, and a terminal may take less than what is written.
 */
#include "run/relay.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"

/* How long a call on a descriptor that could not be opened again may block. */
#define TIMED_CALL_US 20000
/* After a terminal that is ready has taken nothing: a newline may need two places and find one. */
#define NOTHING_TAKEN_NS 1000000L
/* The first read of a stream, before there is a buffer. */
#define FIRST_READ_SIZE 1024

/* Opening it again gives another description of the same thing. Of /dev/ptmx (5:2) it would be another
 * terminal, and of other devices whatever their driver makes of it (pts(4), proc(5)). */
static bool can_open_again(int fd, const struct stat *status)
{
    if (S_ISFIFO(status->st_mode))
        return true;
    return S_ISCHR(status->st_mode) && isatty(fd) && status->st_rdev != makedev(5, 2);
}

void caller_end_open(struct caller_end *end, int fd, int mode)
{
    struct stat status;
    char path[32];

    *end = (struct caller_end){fd, CALLER_END_PLAIN};
    if (fd < 0 || fstat(fd, &status) < 0 || S_ISREG(status.st_mode))
        return;
    if (S_ISSOCK(status.st_mode)) {
        end->kind = CALLER_END_SOCKET;
        return;
    }
    if (!S_ISFIFO(status.st_mode) && !isatty(fd))
        return;
    end->kind = CALLER_END_TIMED;
    if (!can_open_again(fd, &status))
        return;
    (void)snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    int own = open(path, mode | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (own >= 0)
        *end = (struct caller_end){own, CALLER_END_OWN};
}

void caller_end_close(struct caller_end *end)
{
    if (end->kind == CALLER_END_OWN)
        close_fd(&end->fd);
    end->fd = -1;
    end->kind = CALLER_END_PLAIN;
}

static void only_interrupt(int number)
{
    (void)number;
}

/* From now on each call that blocks ends with EINTR, again and again until the timer is stopped. */
static void start_timer(struct sigaction *ret_before)
{
    struct sigaction action = {.sa_handler = only_interrupt}; /* without SA_RESTART */
    struct itimerval timer = {
        {0, TIMED_CALL_US},
        {0, TIMED_CALL_US}
    };
    sigset_t set;

    (void)sigaction(SIGALRM, &action, ret_before);
    (void)sigemptyset(&set);
    (void)sigaddset(&set, SIGALRM);
    (void)sigprocmask(SIG_UNBLOCK, &set, NULL);
    (void)setitimer(ITIMER_REAL, &timer, NULL);
}

static void stop_timer(const struct sigaction *before)
{
    struct itimerval none = {0};
    int saved = errno;

    (void)setitimer(ITIMER_REAL, &none, NULL);
    (void)sigaction(SIGALRM, before, NULL);
    errno = saved;
}

ssize_t caller_end_read(const struct caller_end *end, void *bytes, size_t size)
{
    struct sigaction before;

    if (end->kind == CALLER_END_SOCKET)
        return recv(end->fd, bytes, size, MSG_DONTWAIT);
    if (end->kind != CALLER_END_TIMED)
        return read(end->fd, bytes, size);
    start_timer(&before);
    ssize_t n = read(end->fd, bytes, size);
    stop_timer(&before);
    return n;
}

ssize_t caller_end_write(const struct caller_end *end, const void *bytes, size_t size)
{
    struct timespec pause = {0, NOTHING_TAKEN_NS};
    struct sigaction before;

    if (end->kind == CALLER_END_SOCKET)
        return send(end->fd, bytes, size, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (end->kind == CALLER_END_TIMED) {
        /* In pieces that a ready pipe takes at once (PIPE_BUF, pipe(7)). */
        start_timer(&before);
        ssize_t taken = write(end->fd, bytes, size < PIPE_BUF ? size : PIPE_BUF);
        stop_timer(&before);
        return taken;
    }
    ssize_t n = write(end->fd, bytes, size);
    if (n < 0 && errno == EAGAIN) {
        (void)nanosleep(&pause, NULL);
        errno = EAGAIN;
    }
    return n;
}

/* Milliseconds that are left of the patience; negative: no end of it. */
static int patience_left(uint64_t began_ns, int patience_ms)
{
    uint64_t gone_ms = (clock_now_ns() - began_ns) / NS_PER_MS;

    if (patience_ms < 0)
        return -1;
    return gone_ms < (uint64_t)patience_ms ? patience_ms - (int)gone_ms : 0;
}

int caller_end_write_all(const struct caller_end *end, const char *bytes, size_t size,
                         int patience_ms)
{
    uint64_t began_ns = clock_now_ns();

    while (size > 0) {
        struct pollfd slot = {.fd = end->fd, .events = POLLOUT};
        int left_ms = patience_left(began_ns, patience_ms);

        if (poll(&slot, 1, left_ms) < 0 && errno != EINTR)
            return -errno;
        ssize_t n = slot.revents != 0 ? caller_end_write(end, bytes, size) : 0;
        if (n < 0 && errno != EAGAIN && errno != EINTR)
            return -errno;
        if (n > 0) {
            bytes += n;
            size -= (size_t)n;
            began_ns = clock_now_ns();
        } else if (left_ms == 0) {
            return -ETIMEDOUT;
        }
    }
    return 0;
}

/* After the first byte: most runs of a sandbox print on one stream, many on none. */
static bool has_buffers(struct outlet *outlet)
{
    if (!outlet->buffer)
        outlet->buffer = malloc(RELAY_READ_SIZE);
    if (!outlet->pending && outlet->to.fd >= 0)
        outlet->pending = malloc(RELAY_PENDING_SIZE);
    return outlet->buffer && (outlet->pending || outlet->to.fd < 0);
}

void outlet_init(struct outlet *outlet, int *from, const struct run_io *io, unsigned stream)
{
    memset(outlet, 0, sizeof(*outlet));
    caller_end_open(&outlet->to, io->live_fds[stream], O_WRONLY);
    outlet->capture = io->captures[stream];
    outlet->transform = io->transforms[stream];
    outlet->transform_end = io->transform_ends[stream];
    outlet->transform_context = io->transform_contexts[stream];
    outlet->from = take_fd(from);
}

void outlet_done(struct outlet *outlet)
{
    close_fd(&outlet->from);
    caller_end_close(&outlet->to);
    free(outlet->buffer);
    free(outlet->pending);
    outlet->buffer = NULL;
    outlet->pending = NULL;
}

bool outlet_wants_read(const struct outlet *outlet)
{
    return outlet->from >= 0 && outlet->pending_at == outlet->pending_end;
}

bool outlet_wants_write(const struct outlet *outlet)
{
    return outlet->to.fd >= 0 && outlet->pending_at < outlet->pending_end;
}

static void keep_pending(struct outlet *outlet, const char *bytes, size_t size)
{
    if (outlet->to.fd < 0)
        return;
    if (outlet->transform) {
        outlet->pending_end = outlet->transform(outlet->transform_context, bytes, size,
                                                outlet->pending, RELAY_PENDING_SIZE);
    } else {
        memcpy(outlet->pending, bytes, size);
        outlet->pending_end = size;
    }
    outlet->pending_at = 0;
}

static void take_bytes(struct outlet *outlet, const char *bytes, size_t size)
{
    bool has_room = has_buffers(outlet);

    outlet->bytes += size;
    if (outlet->dropped_bytes > 0 || !has_room)
        outlet->dropped_bytes += size;
    if (outlet->capture)
        (void)capture_add(outlet->capture, bytes, size); /* counted even without memory */
    if (has_room)
        keep_pending(outlet, bytes, size);
    else
        close_fd(&outlet->from); /* the program sees a closed pipe; what it wrote so far is kept */
}

bool outlet_read(struct outlet *outlet)
{
    char first[FIRST_READ_SIZE];
    char *bytes = outlet->buffer ? outlet->buffer : first;
    ssize_t n = read(outlet->from, bytes, outlet->buffer ? RELAY_READ_SIZE : sizeof(first));

    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return false;
    if (n <= 0) {
        outlet_end(outlet);
        return false;
    }
    take_bytes(outlet, bytes, (size_t)n);
    return true;
}

void outlet_end(struct outlet *outlet)
{
    close_fd(&outlet->from);
    if (!outlet->transform_end || !outlet->pending || outlet_wants_write(outlet))
        return;
    outlet->pending_at = 0;
    outlet->pending_end =
        outlet->transform_end(outlet->transform_context, outlet->pending, RELAY_PENDING_SIZE);
    outlet->transform_end = NULL;
}

void outlet_write(struct outlet *outlet)
{
    ssize_t n = caller_end_write(&outlet->to, outlet->pending + outlet->pending_at,
                                 outlet->pending_end - outlet->pending_at);

    if (n >= 0) {
        outlet->pending_at += (size_t)n;
    } else if (errno != EAGAIN && errno != EINTR) {
        /* The reader is gone (EPIPE) or the disk is full: the program learns it the same way. */
        outlet->error = errno == EPIPE ? 0 : errno;
        caller_end_close(&outlet->to);
        outlet->to_is_gone = true;
        outlet->pending_at = outlet->pending_end;
        if (!outlet->capture)
            close_fd(&outlet->from);
    }
}

void outlet_give_up(struct outlet *outlet)
{
    caller_end_close(&outlet->to);
    outlet->dropped_bytes += outlet->pending_end - outlet->pending_at;
    outlet->pending_at = outlet->pending_end;
}

int inlet_init(struct inlet *inlet, int from, int *to)
{
    memset(inlet, 0, sizeof(*inlet));
    inlet->from.fd = -1;
    inlet->to = -EBADF;
    if (*to < 0)
        return 0;
    inlet->pending = malloc(RELAY_READ_SIZE);
    if (!inlet->pending)
        return -ENOMEM;
    caller_end_open(&inlet->from, from, O_RDONLY);
    inlet->to = take_fd(to);
    return 0;
}

void inlet_done(struct inlet *inlet)
{
    inlet_end(inlet);
    free(inlet->pending);
    inlet->pending = NULL;
}

bool inlet_wants_read(const struct inlet *inlet)
{
    return inlet->from.fd >= 0 && inlet->to >= 0 && inlet->pending_at == inlet->pending_end;
}

bool inlet_wants_write(const struct inlet *inlet)
{
    return inlet->to >= 0 && inlet->pending_at < inlet->pending_end;
}

/* A terminal is not closed for its reader: VEOF says it, in a line that has begun only the second one does
 * (termios(3)). What does not fit now is lost, and the program waits as it would at a silent terminal. */
static void end_terminal_input(const struct inlet *inlet)
{
    static const char twice[] = {4, 4};

    (void)!write(inlet->to, twice, inlet->is_in_line ? 2 : 1);
}

void inlet_read(struct inlet *inlet)
{
    ssize_t n = caller_end_read(&inlet->from, inlet->pending, RELAY_READ_SIZE);

    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (n <= 0) {
        /* End of the caller's input: the program reads end of file after what it has. */
        if (n == 0 && inlet->is_terminal)
            end_terminal_input(inlet);
        inlet_end(inlet);
        return;
    }
    inlet->pending_at = 0;
    inlet->pending_end = (size_t)n;
}

void inlet_write(struct inlet *inlet)
{
    ssize_t n = write(inlet->to, inlet->pending + inlet->pending_at,
                      inlet->pending_end - inlet->pending_at);

    if (n >= 0) {
        inlet->pending_at += (size_t)n;
        inlet->bytes += (uint64_t)n;
        if (n > 0)
            inlet->is_in_line = inlet->pending[inlet->pending_at - 1] != '\n';
    } else if (errno != EAGAIN && errno != EINTR) {
        inlet_end(inlet); /* the program closed its input: what is left is not wanted */
    }
}

void inlet_end(struct inlet *inlet)
{
    caller_end_close(&inlet->from);
    close_fd(&inlet->to);
}
