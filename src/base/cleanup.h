/*
 * Cleanup attributes for code outside the clone. `AUTO_FD int fd = -EBADF;` closes at the end of the
 * scope; ownership leaves through take_fd(&fd) or take_ptr(&p). Never used in src/enter.
 */
#ifndef BERM_BASE_CLEANUP_H
#define BERM_BASE_CLEANUP_H

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

static inline void cleanup_close(int *fd)
{
    int saved = errno;
    if (*fd >= 0)
        (void)close(
            *fd); /* nothing can be done about a failing close of a descriptor we only read */
    errno = saved;
}

static inline void cleanup_free(void *ptr)
{
    void **slot = (void **)ptr;
    free(*slot);
}

#define AUTO_FD   __attribute__((cleanup(cleanup_close)))
#define AUTO_FREE __attribute__((cleanup(cleanup_free)))

static inline int take_fd(int *fd)
{
    int ret = *fd;
    *fd = -EBADF;
    return ret;
}

static inline char *take_text(char **text)
{
    char *ret = *text;
    *text = NULL;
    return ret;
}

/* Close and mark as closed. A negative descriptor is fine. */
static inline void close_fd(int *fd)
{
    cleanup_close(fd);
    *fd = -EBADF;
}

#endif
