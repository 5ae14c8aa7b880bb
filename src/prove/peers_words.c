/*
 * Command lines: made word by word, read from a person, shown to a person.
 */
#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "prove/peers_parts.h"

/* Takes @text; NULL is memory that ran out. */
static void take(struct words *words, char *text)
{
    /* A sandbox without one of its flags is another sandbox: better none. */
    if (!text)
        abort();
    assert(words->count + 1 < WRAPPER_WORDS_MAX);
    words->items[words->count++] = text;
    words->items[words->count] = NULL;
}

void words_add(struct words *words, const char *format, ...)
{
    va_list args;
    char *text = NULL;

    va_start(args, format);
    int n = vasprintf(&text, format, args);
    va_end(args);
    take(words, n < 0 ? NULL : text);
}

void words_done(struct words *words)
{
    for (size_t i = 0; i < words->count; i++)
        free(words->items[i]);
    words->count = 0;
    words->items[0] = NULL;
}

void words_add_flags(struct words *words, const char *flags)
{
    for (const char *at = flags + strspn(flags, " "); *at != '\0'; at += strspn(at, " ")) {
        size_t length = strcspn(at, " ");
        take(words, strndup(at, length));
        at += length;
    }
}

/* One word: @text is moved behind it. -EINVAL: a quote is open. */
static int read_word(const char **text, char *word)
{
    const char *at = *text;
    char quote = '\0';

    for (; *at != '\0' && (quote != '\0' || !isspace((unsigned char)*at)); at++) {
        bool is_escaped = *at == '\\' && quote != '\'' && at[1] != '\0' &&
                          (quote == '\0' || strchr("\"\\$`", at[1]));

        if (is_escaped)
            *word++ = *++at;
        else if (quote != '\0' ? *at == quote : *at == '\'' || *at == '"')
            quote = (char)(quote != '\0' ? '\0' : *at);
        else
            *word++ = *at;
    }
    *word = '\0';
    *text = at;
    return quote != '\0' ? -EINVAL : 0;
}

int words_of_command(const char *command, struct words *words)
{
    size_t first = words->count;
    char *word = malloc(strlen(command) + 1);
    const char *at = command + strspn(command, " \t\n\v\f\r");
    int r = word ? 0 : -ENOMEM;

    while (r == 0 && *at != '\0') {
        r = read_word(&at, word);
        /* Room for the guest and the words of the attack. */
        if (r == 0 && words->count + ATTACK_WORDS_MAX + 4 >= WRAPPER_WORDS_MAX)
            r = -E2BIG;
        if (r == 0)
            take(words, strdup(word));
        at += strspn(at, " \t\n\v\f\r");
    }
    free(word);
    while (r < 0 && words->count > first) {
        free(words->items[--words->count]);
        words->items[words->count] = NULL;
    }
    return r;
}

/* ---- For a person. ---- */

struct line {
    char *text;
    size_t size, used;
};

static void put(struct line *line, const char *bytes, size_t length)
{
    for (size_t i = 0; i < length && line->used + 1 < line->size; i++)
        line->text[line->used++] = bytes[i];
    line->text[line->used] = '\0';
}

static void put_text(struct line *line, const char *text)
{
    put(line, text, strlen(text));
}

/* A path is whole when no further name belongs to it. */
static bool ends_name(char c)
{
    return !isalnum((unsigned char)c) && c != '-' && c != '_' && c != '.';
}

struct short_name {
    const char *text, *name;
    bool is_prefix; /* a number of the run may follow: it goes as well */
};

/* How many bytes at @at the name stands for; 0: none. */
static size_t match(const struct short_name *name, const char *at)
{
    size_t length = name->text ? strlen(name->text) : 0;

    if (length == 0 || strncmp(at, name->text, length) != 0)
        return 0;
    if (name->is_prefix)
        length += strspn(at + length, "-0123456789abcdef");
    return ends_name(at[length]) ? length : 0;
}

static void put_short(struct line *line, const char *word, const struct short_name *names,
                      size_t count)
{
    while (*word != '\0') {
        size_t length = 0;
        size_t i = 0;

        for (; i < count && length == 0; i++)
            length = match(&names[i], word);
        if (length > 0)
            put_text(line, names[i - 1].name);
        else
            put(line, word, 1);
        word += length > 0 ? length : 1;
    }
}

void words_line(const struct words *words, const struct places *places, const char *id,
                char *ret_line, size_t size)
{
    static const char special[] = " \t\n'\"\\$`;&|<>()*?[]{}!#~";
    const struct short_name names[] = {
        {places->guest,     "GUEST", false},
        {places->work,      "WORK",  false},
        {places->directory, "DIR",   false},
        {id,                "NAME",  true },
    };
    struct line line = {.text = ret_line, .size = size};

    ret_line[0] = '\0';
    for (size_t i = 0; i < words->count; i++) {
        const char *word = words->items[i];
        bool is_quoted = word[0] == '\0' || strpbrk(word, special);

        put_text(&line, i > 0 ? " " : "");
        put_text(&line, is_quoted ? "'" : "");
        put_short(&line, word, names, sizeof(names) / sizeof(names[0]));
        put_text(&line, is_quoted ? "'" : "");
    }
    if (line.used + 1 >= size && size > 4)
        memcpy(ret_line + size - 4, "...", 4);
}
