/*
 * Mounts with mapped ids: a directory of the caller's looks, inside, as if it belonged to the run, and what the
 * run makes there belongs to the directory's owner outside (mount_setattr(2), MOUNT_ATTR_IDMAP, Linux 5.12).
 */
#ifndef BERM_LINUX_IDMAP_H
#define BERM_LINUX_IDMAP_H

#include <stdint.h>

/**
 * A detached copy of the mount at @path whose owner's ids appear as @uid and @gid.
 *
 * @path   absolute, through no symbolic link.
 * @attributes  MOUNT_ATTR_* to set beside.
 * Needs CAP_SYS_ADMIN over the file system (root). Returns an owned descriptor or -errno: EINVAL and
 * EOPNOTSUPP mean that this file system cannot be mapped.
 * Source: mount_setattr(2).  Test: escape/test_identity.
 */
int idmap_open(const char *path, uint32_t uid, uint32_t gid, uint64_t attributes);

#endif
