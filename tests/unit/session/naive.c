/*
 * Copying by path, as no part of berm may do it: kept to show that what the tests plant does trick such code.
 *
 * In: two paths. Out: a copy of whatever they lead to. Must never: be linked into anything but a test.
 */
#include "naive.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

long naive_copy(const char *from, const char *to)
{
    char buffer[4096];
    long total = 0;
    ssize_t n;
    int fd = open(from, O_RDONLY | O_CLOEXEC);
    FILE *out = fd < 0 ? NULL : fopen(to, "we");

    while (out && (n = read(fd, buffer, sizeof(buffer))) > 0)
        total += (long)fwrite(buffer, 1, (size_t)n, out);
    if (fd >= 0)
        (void)close(fd);
    return out && fclose(out) == 0 ? total : -1;
}
