/*
 * A sink that keeps everything, for the tests of writers.
 */
#ifndef BERM_TESTS_WIRE_COLLECT_H
#define BERM_TESTS_WIRE_COLLECT_H

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct collected {
    char *text; /* owned, NUL-terminated once something came */
    size_t size;
    unsigned calls;
    unsigned fail_at_call; /* 0 = never */
};

static inline int collect(void *context, const char *bytes, size_t size)
{
    struct collected *collected = context;
    if (++collected->calls == collected->fail_at_call)
        return -EPIPE;
    char *text = realloc(collected->text, collected->size + size + 1);
    if (!text)
        return -ENOMEM;
    memcpy(text + collected->size, bytes, size);
    collected->text = text;
    collected->size += size;
    text[collected->size] = '\0';
    return 0;
}

#endif
