/*
 * Options that name a file or a descriptor: FILE or fd:N.
 */
#ifndef BERM_RUN_NAMED_FD_H
#define BERM_RUN_NAMED_FD_H

/* Open a file, or duplicate the descriptor that "fd:N" names. Owned, close-on-exec; -errno on failure:
 * -EBADF when there is no such descriptor, or it is open for the other direction only. */
int named_fd_open(const char *name, int flags);

#endif
