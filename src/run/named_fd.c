/*
 * FILE or fd:N.
 */
#include "run/named_fd.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include "linux/file.h"

int named_fd_open(const char *name, int flags)
{
    uint64_t number = 0;
    int fd;

    if (strncmp(name, "fd:", 3) != 0) {
        fd = open(name, flags | O_CLOEXEC | O_NOCTTY, 0644);
        return fd < 0 ? -errno : fd;
    }
    size_t digits = text_to_u64(name + 3, &number);
    if (digits == 0 || name[3 + digits] != '\0' || number > 1048576)
        return -EBADF;
    int mode = fcntl((int)number, F_GETFL);
    if (mode < 0 || (mode & O_PATH) ||
        ((mode & O_ACCMODE) != O_RDWR && (mode & O_ACCMODE) != (flags & O_ACCMODE)))
        return -EBADF;
    fd = fcntl((int)number, F_DUPFD_CLOEXEC, 3);
    /* It is berm's, and no program's: at L0 and L1 what is left open is inherited. */
    if (fd >= 0 && number > STDERR_FILENO)
        (void)fcntl((int)number, F_SETFD, FD_CLOEXEC);
    return fd < 0 ? -errno : fd;
}
