/*
 * Moving bytes. Every descriptor of the program's is non-blocking on our side; the caller's descriptors are
 * left as they are (O_NONBLOCK would change them for every process that shares them) and are only touched
 * after poll(2) said that they are ready, in pieces that a ready pipe takes at once (PIPE_BUF, pipe(7)).
 */
#include "run/relay.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"

/* At the first byte: most runs of a sandbox print on one stream, many on none. */
static bool has_buffers(struct outlet *outlet)
{
    if (!outlet->buffer)
        outlet->buffer = malloc(RELAY_READ_SIZE);
    if (!outlet->pending && outlet->to >= 0)
        outlet->pending = malloc(RELAY_PENDING_SIZE);
    return outlet->buffer && (outlet->pending || outlet->to < 0);
}

void outlet_init(struct outlet *outlet, int *from, int to, struct capture *capture,
                 run_transform transform, void *transform_context)
{
    memset(outlet, 0, sizeof(*outlet));
    outlet->to = to;
    outlet->capture = capture;
    outlet->transform = transform;
    outlet->transform_context = transform_context;
    outlet->from = take_fd(from);
}

void outlet_done(struct outlet *outlet)
{
    close_fd(&outlet->from);
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
    return outlet->to >= 0 && outlet->pending_at < outlet->pending_end;
}

static void keep_pending(struct outlet *outlet, const char *bytes, size_t size)
{
    if (outlet->to < 0)
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

bool outlet_read(struct outlet *outlet)
{
    if (!has_buffers(outlet)) {
        close_fd(&outlet->from); /* the program sees a closed pipe; what it wrote so far is kept */
        return false;
    }
    ssize_t n = read(outlet->from, outlet->buffer, RELAY_READ_SIZE);
    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return false;
    if (n <= 0) {
        close_fd(&outlet->from);
        return false;
    }
    outlet->bytes += (uint64_t)n;
    if (outlet->capture)
        (void)capture_add(outlet->capture, outlet->buffer,
                          (size_t)n); /* counted even without memory */
    keep_pending(outlet, outlet->buffer, (size_t)n);
    return true;
}

void outlet_write(struct outlet *outlet)
{
    size_t size = outlet->pending_end - outlet->pending_at;

    if (size > PIPE_BUF)
        size = PIPE_BUF;
    ssize_t n = write(outlet->to, outlet->pending + outlet->pending_at, size);
    if (n >= 0) {
        outlet->pending_at += (size_t)n;
    } else if (errno != EAGAIN && errno != EINTR) {
        /* The reader is gone (EPIPE) or the disk is full: the program learns it the same way. */
        outlet->to = -1;
        outlet->to_is_gone = true;
        outlet->pending_at = outlet->pending_end;
        if (!outlet->capture)
            close_fd(&outlet->from);
    }
}

int inlet_init(struct inlet *inlet, int from, int *to)
{
    memset(inlet, 0, sizeof(*inlet));
    inlet->from = -1;
    inlet->to = -EBADF;
    if (*to < 0)
        return 0;
    inlet->pending = malloc(RELAY_READ_SIZE);
    if (!inlet->pending)
        return -ENOMEM;
    inlet->from = from;
    inlet->to = take_fd(to);
    return 0;
}

void inlet_done(struct inlet *inlet)
{
    close_fd(&inlet->to);
    free(inlet->pending);
    inlet->pending = NULL;
}

bool inlet_wants_read(const struct inlet *inlet)
{
    return inlet->from >= 0 && inlet->to >= 0 && inlet->pending_at == inlet->pending_end;
}

bool inlet_wants_write(const struct inlet *inlet)
{
    return inlet->to >= 0 && inlet->pending_at < inlet->pending_end;
}

void inlet_read(struct inlet *inlet)
{
    ssize_t n = read(inlet->from, inlet->pending, RELAY_READ_SIZE);

    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (n <= 0) {
        /* End of the caller's input: the program reads end of file after what it has. */
        inlet->from = -1;
        close_fd(&inlet->to);
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
    } else if (errno != EAGAIN && errno != EINTR) {
        inlet->from = -1; /* the program closed its input: what is left is not wanted */
        close_fd(&inlet->to);
    }
}
