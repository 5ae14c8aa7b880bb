/*
 * Hashes and types of files.
 *
 * In: paths on stdin. Out: for each path in order `hash INDEX HEX` or `error INDEX ERRNO`, and then, for each that
 * has a hash, `type INDEX MIME`. Must never: let libmagic see a byte before the last hash has left this process. A
 * file that takes libmagic over can write what it likes from then on, so that the caller believes the first line
 * for each index alone, and lets a type decide nothing.
 */
#include <errno.h>
#include <fcntl.h>
#include <magic.h>
#include <sha256.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "files/paths.h"
#include "files/verbs.h"

#define BLOCK_BYTES   65536
#define UNKNOWN_TYPE  "application/octet-stream"
#define MIME_SIZE_MAX 128

/* A FIFO is opened without waiting for its other end, and then refused (fifo(7)). */
static int open_regular(const char *path)
{
    AUTO_FD int fd = path_open(path, O_RDONLY | O_NONBLOCK);
    struct stat status;

    if (fd < 0)
        return fd;
    if (fstat(fd, &status) < 0)
        return -errno;
    if (S_ISDIR(status.st_mode))
        return -EISDIR;
    return S_ISREG(status.st_mode) ? take_fd(&fd) : -EINVAL;
}

static int hash_file(const char *path, unsigned char *block, char *ret_hex)
{
    AUTO_FD int fd = open_regular(path);
    SHA2_CTX context;

    if (fd < 0)
        return fd;
    SHA256Init(&context);
    for (;;) {
        ssize_t size = read(fd, block, BLOCK_BYTES);
        if (size == 0)
            break;
        if (size < 0 && errno == EINTR)
            continue;
        if (size < 0)
            return -errno;
        SHA256Update(&context, block, (size_t)size);
    }
    return SHA256End(&context, ret_hex) ? 0 : -EIO;
}

/* Which files have a hash is written to @ret_known. Returns 0 or -errno. */
static int print_hashes(const struct path_list *list, bool *ret_known)
{
    char hex[SHA256_DIGEST_STRING_LENGTH];
    AUTO_FREE unsigned char *block = malloc(BLOCK_BYTES);

    if (!block)
        return -ENOMEM;
    for (size_t i = 0; i < list->count; i++) {
        int ret = hash_file(list->paths[i], block, hex);
        ret_known[i] = ret == 0;
        /* fflush below says whether all was written */
        if (ret == 0)
            (void)printf("hash %zu %s\n", i, hex);
        else
            (void)printf("error %zu %d\n", i, -ret);
    }
    return fflush(stdout) == 0 && !ferror(stdout) ? 0 : -EIO;
}

static size_t mime_part(const char *text)
{
    return strspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789.+-");
}

/* Is it two words with a slash between them and nothing else? */
static bool is_mime(const char *text)
{
    size_t first = mime_part(text);

    if (first == 0 || text[first] != '/')
        return false;
    size_t second = mime_part(text + first + 1);
    return second > 0 && text[first + 1 + second] == '\0' && first + second < MIME_SIZE_MAX;
}

static const char *type_of(magic_t magic, const char *path)
{
    AUTO_FD int fd = open_regular(path);
    const char *text = fd < 0 ? NULL : magic_descriptor(magic, fd);

    return text && is_mime(text) ? text : UNKNOWN_TYPE;
}

static int print_types(const struct path_list *list, const bool *known)
{
    /* Nothing is unpacked on the way: that would run decompressors, some of them as programs (libmagic(3)). */
    magic_t magic = magic_open(MAGIC_MIME_TYPE | MAGIC_NO_CHECK_COMPRESS);

    if (!magic)
        return verb_failed("cannot open libmagic", -errno);
    if (magic_load(magic, NULL) != 0) {
        magic_close(magic);
        return verb_failed("cannot load the rules of libmagic", 0);
    }
    for (size_t i = 0; i < list->count; i++)
        if (known[i])
            (void)printf("type %zu %s\n", i, type_of(magic, list->paths[i])); /* fflush below */
    magic_close(magic);
    return fflush(stdout) == 0 && !ferror(stdout) ? 0 : verb_failed("cannot write", -EIO);
}

static int inspect_list(const struct path_list *list)
{
    AUTO_FREE bool *known = calloc(list->count ? list->count : 1, sizeof(*known));

    if (!known)
        return verb_failed("no memory", 0);
    int ret = print_hashes(list, known);
    return ret < 0 ? verb_failed("cannot print the hashes", ret) : print_types(list, known);
}

int verb_inspect(void)
{
    struct path_list list = {0};
    int ret = path_list_read(&list, stdin);
    int status = ret < 0 ? verb_failed("cannot read the paths", ret) : inspect_list(&list);

    path_list_done(&list);
    return status;
}
