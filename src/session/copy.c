/*
 * Copying bytes by read and write: the one way that works between files, pipes and sockets alike.
 *
 * In: a struct copy. Out: the same, counted. Must never: take more than one byte past the limit from the source.
 */
#include "session/copy.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/cleanup.h"

#define BUFFER_SIZE ((size_t)256 << 10)

/* After a failed call: may it be tried again? Waits when the descriptor is non-blocking and not ready. */
static bool may_retry(int fd, short events)
{
    struct pollfd waited = {.fd = fd, .events = events};

    if (errno == EAGAIN) {
        (void)poll(&waited, 1, -1); /* the next call says what is wrong */
        return true;
    }
    return errno == EINTR;
}

static int write_whole(struct copy *copy, const char *bytes, size_t size)
{
    while (size > 0) {
        ssize_t n = write(copy->to_fd, bytes, size);
        if (n < 0 && may_retry(copy->to_fd, POLLOUT))
            continue;
        if (n < 0) {
            copy->is_write_failure = true;
            return -errno;
        }
        bytes += n;
        size -= (size_t)n;
        copy->bytes += (uint64_t)n;
    }
    return 0;
}

int copy_bytes(struct copy *copy)
{
    AUTO_FREE char *buffer = malloc(BUFFER_SIZE);

    if (!buffer)
        return -ENOMEM;
    for (;;) {
        uint64_t left = copy->limit - copy->bytes;
        /* One more than is left shows whether there is more. */
        size_t wanted = left < BUFFER_SIZE ? (size_t)left + 1 : BUFFER_SIZE;
        ssize_t n = read(copy->from_fd, buffer, wanted);

        if (n < 0 && may_retry(copy->from_fd, POLLIN))
            continue;
        if (n < 0)
            return -errno;
        if (n == 0)
            return 0;
        copy->has_more = (uint64_t)n > left;
        int r = write_whole(copy, buffer, copy->has_more ? (size_t)left : (size_t)n);
        if (r < 0 || copy->has_more)
            return r;
    }
}
