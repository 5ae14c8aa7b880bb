/*
 * Reading and writing small kernel files.
 */
#include "linux/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"

#define SMALL_FILE_MAX 4096
#define KERNEL_PAGE    4096

ssize_t file_read_at(int dirfd, const char *name, char *buffer, size_t size)
{
    AUTO_FD int fd = openat(dirfd, name, O_RDONLY | O_CLOEXEC);
    size_t used = 0;

    if (fd < 0)
        return -errno;
    for (;;) {
        ssize_t n = read(fd, buffer + used, size - used);
        if (n < 0)
            return -errno;
        used += (size_t)n;
        /* These files give all they have, or a page, in one read (seq_file.rst): less is the end. */
        if (n == 0 || (used < size && used < KERNEL_PAGE))
            break;
        if (used == size)
            return -E2BIG;
    }
    while (used > 0 && buffer[used - 1] == '\n')
        used--;
    buffer[used] = '\0';
    return (ssize_t)used;
}

int file_write_at(int dirfd, const char *name, const char *text)
{
    AUTO_FD int fd = openat(dirfd, name, O_WRONLY | O_CLOEXEC);
    size_t length = strlen(text);

    if (fd < 0)
        return -errno;
    ssize_t n = write(fd, text, length);
    if (n < 0)
        return -errno;
    return (size_t)n == length ? 0 : -EIO;
}

size_t text_to_u64(const char *text, uint64_t *ret_value)
{
    uint64_t value = 0;
    size_t digits = 0;

    while (text[digits] >= '0' && text[digits] <= '9') {
        uint64_t digit = (uint64_t)(text[digits] - '0');
        if (value > (UINT64_MAX - digit) / 10)
            break;
        value = value * 10 + digit;
        digits++;
    }
    *ret_value = value;
    return digits;
}

int file_read_u64_at(int dirfd, const char *name, uint64_t *ret_value)
{
    char text[64] = "";
    ssize_t n = file_read_at(dirfd, name, text, sizeof(text));

    if (n < 0)
        return (int)n;
    if (strcmp(text, "max") == 0) {
        *ret_value = UINT64_MAX;
        return 0;
    }
    return text_to_u64(text, ret_value) == (size_t)n ? 0 : -EBADMSG;
}

int file_read_key_at(int dirfd, const char *name, const char *key, uint64_t *ret_value)
{
    char text[SMALL_FILE_MAX] = "";
    size_t key_length = strlen(key);
    ssize_t n = file_read_at(dirfd, name, text, sizeof(text));

    if (n < 0)
        return (int)n;
    for (const char *line = text; *line != '\0';) {
        if (strncmp(line, key, key_length) == 0 && line[key_length] == ' ')
            return text_to_u64(line + key_length + 1, ret_value) > 0 ? 0 : -EBADMSG;
        const char *end = strchr(line, '\n');
        if (!end)
            break;
        line = end + 1;
    }
    return -ENOENT;
}

size_t file_each_u64_at(int dirfd, const char *name, file_take_u64 take, void *context)
{
    AUTO_FD int fd = openat(dirfd, name, O_RDONLY | O_CLOEXEC);
    char text[SMALL_FILE_MAX];
    uint64_t value = 0;
    size_t count = 0;
    bool has_digits = false;
    ssize_t n;

    if (fd < 0)
        return 0;
    while ((n = read(fd, text, sizeof(text))) > 0) {
        for (ssize_t i = 0; i < n; i++) {
            if (text[i] >= '0' && text[i] <= '9') {
                value = value * 10 + (uint64_t)(text[i] - '0');
                has_digits = true;
            } else if (has_digits) {
                take(value, context);
                count++;
                value = 0;
                has_digits = false;
            }
        }
    }
    return count;
}
