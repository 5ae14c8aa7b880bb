/*
 * Replays a corpus through one fuzzer, without libFuzzer: the normal suite's share of the fuzzing.
 *
 * Usage: replay-NAME FILE|DIRECTORY...   Exit status 0 when every file held; a claim that breaks aborts.
 */
#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define INPUT_MAX (4u << 20)

/* Returns the bytes read, or -1. */
static ssize_t read_input(const char *path, uint8_t *ret_bytes)
{
    size_t size = 0;
    ssize_t got = 0;
    int fd = open(path, O_RDONLY | O_CLOEXEC);

    if (fd < 0)
        return -1;
    while (size < INPUT_MAX && (got = read(fd, ret_bytes + size, INPUT_MAX - size)) > 0)
        size += (size_t)got;
    (void)close(fd); /* only read from */
    return got < 0 ? -1 : (ssize_t)size;
}

/* A block of exactly the input's size, so that a sanitizer sees the byte behind it. */
static int replay_file(const char *path)
{
    static uint8_t input[INPUT_MAX];
    ssize_t size = read_input(path, input);
    uint8_t *exact = size < 0 ? NULL : malloc(size > 0 ? (size_t)size : 1);

    if (!exact) {
        perror(path);
        return -1;
    }
    for (ssize_t i = 0; i < size; i++)
        exact[i] = input[i];
    (void)LLVMFuzzerTestOneInput(exact, (size_t)size); /* libFuzzer's contract: it returns 0 */
    free(exact);
    return 1;
}

/* Returns how many files were replayed, or -1. */
static int replay_directory(const char *directory)
{
    char path[PATH_MAX];
    int count = 0;
    DIR *entries = opendir(directory);

    if (!entries) {
        perror(directory);
        return -1;
    }
    for (struct dirent *entry = readdir(entries); entry && count >= 0; entry = readdir(entries)) {
        if (entry->d_name[0] == '.')
            continue;
        (void)snprintf(path, sizeof(path), "%s/%s", directory, entry->d_name);
        count = replay_file(path) < 0 ? -1 : count + 1;
    }
    (void)closedir(entries); /* only read from */
    return count;
}

int main(int argc, char **argv)
{
    int total = 0;

    for (int i = 1; i < argc; i++) {
        struct stat status;
        if (stat(argv[i], &status) < 0) {
            perror(argv[i]);
            return 1;
        }
        int count = S_ISDIR(status.st_mode) ? replay_directory(argv[i]) : replay_file(argv[i]);
        if (count < 0)
            return 1;
        total += count;
    }
    (void)printf("%d inputs\n", total);
    return total > 0 ? 0 : 1; /* an empty corpus proves nothing */
}
