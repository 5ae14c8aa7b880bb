/*
 * Reading variables from a file.
 */
#include "request/env_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "run/named_fd.h"

void env_file_free(char **list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        free(list[i]);
    free(list);
}

static int read_whole(int fd, const char *from, char **ret_text, struct berm_error *err)
{
    size_t used = 0;
    ssize_t n = 1;
    AUTO_FREE char *text = malloc(ENV_FILE_SIZE_MAX + 1);

    if (!text)
        return error_set(err, BERM_E_SYSTEM, BERM_LAYER_ENV, ENOMEM, NULL, "no memory");
    while (n > 0 && used <= ENV_FILE_SIZE_MAX) {
        n = read(fd, text + used, ENV_FILE_SIZE_MAX + 1 - used);
        if (n < 0)
            return error_set(err, BERM_E_INVALID, BERM_LAYER_ENV, errno, NULL, "--env-file %s: %s",
                             from, strerror(errno));
        used += (size_t)n;
    }
    if (used > ENV_FILE_SIZE_MAX)
        return error_set(err, BERM_E_INVALID, BERM_LAYER_ENV, E2BIG, "use a file of at most 1 MiB",
                         "--env-file %s is too large", from);
    text[used] = '\0';
    if (strlen(text) != used)
        return error_set(err, BERM_E_INVALID, BERM_LAYER_ENV, EINVAL,
                         "write plain text, K=V a line", "--env-file %s holds a NUL byte", from);
    *ret_text = take_text(&text);
    return 0;
}

static bool is_name(const char *line)
{
    size_t length = strcspn(line, "=");

    return length > 0 && line[length] == '=' && (line[0] < '0' || line[0] > '9') &&
           strspn(line, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_") ==
               length;
}

static int add_line(const char *line, char ***list, size_t *count)
{
    char **grown = realloc(*list, (*count + 1) * sizeof(**list));

    if (!grown)
        return -ENOMEM;
    *list = grown;
    grown[*count] = strdup(line);
    if (!grown[*count])
        return -ENOMEM;
    (*count)++;
    return 0;
}

int env_file_read(const char *from, char ***ret_list, size_t *ret_count, struct berm_error *err)
{
    AUTO_FREE char *text = NULL;
    char *rest = NULL;
    unsigned number = 0;

    AUTO_FD int fd = named_fd_open(from, O_RDONLY);
    if (fd < 0)
        return error_set(err, BERM_E_INVALID, BERM_LAYER_ENV, -fd, "name a readable file or fd:N",
                         "--env-file %s: %s", from, strerror(-fd));
    int r = read_whole(fd, from, &text, err);
    if (r < 0)
        return r;
    for (char *line = text; line; line = rest) {
        rest = strchr(line, '\n');
        if (rest)
            *rest++ = '\0';
        number++;
        if (line[0] == '\0' || line[0] == '#')
            continue;
        if (!is_name(line) || *ret_count >= ENV_FILE_COUNT_MAX)
            return error_set(err, BERM_E_INVALID, BERM_LAYER_ENV, EINVAL,
                             "write NAME=VALUE, one a line, at most 1024 of them",
                             "--env-file %s:%u: not a variable", from, number);
        if (add_line(line, ret_list, ret_count) < 0)
            return error_set(err, BERM_E_SYSTEM, BERM_LAYER_ENV, ENOMEM, NULL, "no memory");
    }
    return 0;
}
