/*
 * Landlock's rights by ABI. Debian 12's header knows ABI 2; the numbers are the kernel's and never change
 * (include/uapi/linux/landlock.h).
 */
#ifndef BERM_LAYERS_LANDLOCK_RIGHTS_H
#define BERM_LAYERS_LANDLOCK_RIGHTS_H

#include <stdint.h>

#define RIGHT_EXECUTE     (1ULL << 0)
#define RIGHT_WRITE_FILE  (1ULL << 1)
#define RIGHT_READ_FILE   (1ULL << 2)
#define RIGHT_READ_DIR    (1ULL << 3)
#define RIGHT_REMOVE_DIR  (1ULL << 4)
#define RIGHT_REMOVE_FILE (1ULL << 5)
#define RIGHT_MAKE_CHAR   (1ULL << 6)
#define RIGHT_MAKE_DIR    (1ULL << 7)
#define RIGHT_MAKE_REG    (1ULL << 8)
#define RIGHT_MAKE_SOCK   (1ULL << 9)
#define RIGHT_MAKE_FIFO   (1ULL << 10)
#define RIGHT_MAKE_BLOCK  (1ULL << 11)
#define RIGHT_MAKE_SYM    (1ULL << 12)
#define RIGHT_REFER       (1ULL << 13) /* ABI 2, Linux 5.19 */
#define RIGHT_TRUNCATE    (1ULL << 14) /* ABI 3, Linux 6.2 */
#define RIGHT_IOCTL_DEV   (1ULL << 15) /* ABI 5, Linux 6.10 */

#define SCOPE_ABSTRACT_UNIX (1ULL << 0) /* ABI 6, Linux 6.12 */
#define SCOPE_SIGNAL        (1ULL << 1)

/* All file rights that this ABI can refuse. */
static inline uint64_t landlock_rights(int abi)
{
    uint64_t rights = (RIGHT_MAKE_SYM << 1) - 1;

    if (abi >= 2)
        rights |= RIGHT_REFER;
    if (abi >= 3)
        rights |= RIGHT_TRUNCATE;
    if (abi >= 5)
        rights |= RIGHT_IOCTL_DEV;
    return rights;
}

#endif
