/*
 * Paths through which the host can be lost: refused as --ro and --rw unless the caller says in so many
 * words that it may be.
 */
#ifndef BERM_LAYERS_HOST_LOSS_H
#define BERM_LAYERS_HOST_LOSS_H

#include <berm/berm.h>

#include "linux/host.h"

/* Returns 0, or -EPERM with @err saying what is behind the path. @path is absolute, links resolved. */
int refuse_host_loss(const struct host *host, const char *option, const char *path,
                     struct berm_error *err);

#endif
