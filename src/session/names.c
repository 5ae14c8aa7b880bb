/*
 * Names that a program chose, made fit to be shown, and back. Owns no data.
 *
 * In: bytes of any kind. Out: text for a terminal, a message or a JSON document. Must never: touch the file
 * system, or depend on the locale for what is escaped.
 */
#include "session/names.h"

#include <errno.h>
#include <fnmatch.h>
#include <limits.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"

/* "%XX" */
#define ESCAPE_SIZE 3

/* The value of a hexadecimal digit, or -1. */
static int hex_value(char digit)
{
    if (digit >= '0' && digit <= '9')
        return digit - '0';
    if (digit >= 'A' && digit <= 'F')
        return digit - 'A' + 10;
    if (digit >= 'a' && digit <= 'f')
        return digit - 'a' + 10;
    return -1;
}

static bool is_escape(const char *at)
{
    return at[0] == '%' && hex_value(at[1]) >= 0 && hex_value(at[2]) >= 0;
}

/* How many bytes at @at may stand as they are; 0 when the first must be escaped. */
static size_t plain_size(const char *path, const char *at, size_t left)
{
    /* A name that begins with a dash would be read as an option by the next command of a pipeline. */
    bool is_first = at == path || at[-1] == '/';
    int size = text_char_size(at, left);

    if (size <= 0 || (is_first && *at == '-') || is_escape(at))
        return 0;
    return text_is_control(text_char_code(at, size)) ? 0 : (size_t)size;
}

static void write_escapes(char *ret_escapes, const char *at, size_t count)
{
    static const char digits[] = "0123456789ABCDEF";

    for (size_t i = 0; i < count; i++) {
        unsigned char byte = (unsigned char)at[i];

        ret_escapes[ESCAPE_SIZE * i] = '%';
        ret_escapes[ESCAPE_SIZE * i + 1] = digits[byte >> 4];
        ret_escapes[ESCAPE_SIZE * i + 2] = digits[byte & 0xf];
    }
}

int name_show(const char *path, char *ret_shown, size_t size)
{
    size_t left = strlen(path);
    size_t used = 0;

    for (const char *at = path; left > 0;) {
        size_t plain = plain_size(path, at, left);
        /* Of a control character every byte is escaped: the rest of it alone is no character. */
        int whole = text_char_size(at, left);
        size_t taken = plain > 0 ? plain : whole > 0 ? (size_t)whole : 1;
        size_t written = plain > 0 ? plain : ESCAPE_SIZE * taken;

        if (written >= size - used)
            return -ENAMETOOLONG;
        if (plain > 0)
            memcpy(ret_shown + used, at, plain);
        else
            write_escapes(ret_shown + used, at, taken);
        used += written;
        at += taken;
        left -= taken;
    }
    if (used >= size)
        return -ENAMETOOLONG;
    ret_shown[used] = '\0';
    return 0;
}

const char *name_quote(struct quoted *ret_quoted, const char *path)
{
    char shown[NAME_SHOWN_SIZE];

    if (name_show(path, shown, sizeof(shown)) < 0)
        return quote_text(ret_quoted, "(a name longer than any path)");
    return quote_text(ret_quoted, shown);
}

int name_read(const char *shown, char *ret_path, size_t size)
{
    size_t used = 0;

    for (const char *at = shown; *at != '\0'; at++) {
        char byte = *at;

        if (is_escape(at)) {
            byte = (char)(hex_value(at[1]) * 16 + hex_value(at[2]));
            /* Neither can be in a name: the one would end the path, the other add a directory to it. */
            if (byte == '\0' || byte == '/')
                return -EINVAL;
            at += ESCAPE_SIZE - 1;
        }
        if (used + 1 >= size)
            return -ENAMETOOLONG;
        ret_path[used++] = byte;
    }
    if (used >= size)
        return -ENAMETOOLONG;
    ret_path[used] = '\0';
    return 0;
}

/* What is wrong with one name of a path, or NULL. */
static const char *name_fault(const char *name, size_t size)
{
    if (size == 0)
        return "it holds an empty name (a slash at the end, or two in a row)";
    if (size <= 2 && strspn(name, ".") >= size)
        return "it holds \".\" or \"..\"";
    return size > NAME_MAX ? "one of its names is longer than 255 bytes" : NULL;
}

static const char *path_fault(const char *path)
{
    const char *fault = NULL;

    if (*path == '\0')
        return "it is empty";
    if (*path == '/')
        return "it begins with a slash";
    if (strlen(path) >= NAME_PATH_SIZE)
        return "it is longer than 4095 bytes";
    for (const char *name = path; name && !fault;) {
        const char *end = strchrnul(name, '/');

        fault = name_fault(name, (size_t)(end - name));
        name = *end == '/' ? end + 1 : NULL;
    }
    return fault;
}

bool name_is_inside(const char *path, const char *what, struct berm_error *err)
{
    struct quoted quoted;
    const char *fault = path_fault(path);

    if (!fault)
        return true;
    (void)error_set(err, BERM_E_INVALID, BERM_LAYER_NONE, EINVAL,
                    "write it from the work directory on, as in data/in.txt",
                    "%s: %s is no path in a work directory: %s", what, name_quote(&quoted, path),
                    fault);
    return false;
}

bool name_is_glob(const char *shown)
{
    for (const char *at = shown; *at != '\0'; at++) {
        if (*at == '\\' && at[1] != '\0')
            at++;
        else if (strchr("*?[", *at))
            return true;
    }
    return false;
}

bool name_matches(const char *glob, const char *shown)
{
    return fnmatch(glob, shown, FNM_PATHNAME | FNM_PERIOD) == 0;
}
