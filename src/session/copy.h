/*
 * Bytes from one descriptor to another, up to a limit.
 *
 * In: two open descriptors. Out: how many bytes went over. Must never: write more than the limit, or open, close
 * or rename anything.
 */
#ifndef BERM_SESSION_COPY_H
#define BERM_SESSION_COPY_H

#include <stdbool.h>
#include <stdint.h>

struct copy {
    int from_fd, to_fd; /* borrowed; may be non-blocking: then it is waited for them */
    uint64_t limit;     /* bytes at most */

    uint64_t bytes;        /* written */
    bool has_more;         /* the source went on past the limit */
    bool is_write_failure; /* of a failure: it was the destination */
};

/* Copy to the end or to the limit. Returns 0 or -errno. The caller's SIGPIPE is the caller's affair. */
int copy_bytes(struct copy *copy);

#endif
