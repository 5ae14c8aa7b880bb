/*
 * Small kernel files (/proc, /sys/fs/cgroup): whole reads and whole writes on descriptors.
 */
#ifndef BERM_LINUX_FILE_H
#define BERM_LINUX_FILE_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Read a whole small file below @dirfd (or AT_FDCWD) into @buffer, NUL-terminated, trailing newlines cut.
 * Returns the length or -errno; -E2BIG when it does not fit. */
ssize_t file_read_at(int dirfd, const char *name, char *buffer, size_t size);

/* Write a text in one write(2), as these files demand. Returns 0 or -errno. */
int file_write_at(int dirfd, const char *name, const char *text);

/* A file that holds one decimal number ("max" reads as UINT64_MAX). Returns 0 or -errno. */
int file_read_u64_at(int dirfd, const char *name, uint64_t *ret_value);

/* The number behind a key in a "key value" file (memory.events, cpu.stat). Returns 0, -ENOENT, -errno. */
int file_read_key_at(int dirfd, const char *name, const char *key, uint64_t *ret_value);

/* Give each number of a list (cgroup.procs, children) that is followed by a separator to @take; a number
 * cut off at the end of the file is left out: it could be another pid. Returns how many there were. */
typedef void (*file_take_u64)(uint64_t value, void *context);
size_t file_each_u64_at(int dirfd, const char *name, file_take_u64 take, void *context);

/* Read decimal digits; stops at the first other byte. Returns the number of digits used. */
size_t text_to_u64(const char *text, uint64_t *ret_value);

#endif
