/*
 * Any bytes as a policy file: what is taken can be shown, and what is shown reads back the same; the
 * values that are handed out give the same policy as the values that were read.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "policyreader/reader.h"
#include "policyreader/show.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct policy *fresh(void)
{
    struct policy *policy = policy_new();
    if (!policy)
        abort();
    return policy;
}

/* What berm does with the flat form. */
static int set_again(void *context, const char *key, const char *value, const char *origin)
{
    return policy_set(context, key, value, origin, NULL);
}

static void check_same(const struct policy *a, const struct policy *b)
{
    if (policy_tightens(a, b, NULL) != 0 || policy_tightens(b, a, NULL) != 0 ||
        a->profile != b->profile)
        abort();
}

static void check_show(const struct policy *policy)
{
    char *text = NULL;
    size_t size = 0;
    struct policy *again = fresh();
    FILE *out = open_memstream(&text, &size);

    if (!out || show_policy(policy, out) < 0 || fclose(out) != 0)
        abort();
    if (reader_read(text, size, "shown", again, NULL, NULL) < 0 || policy_validate(again, NULL) < 0)
        abort();
    check_same(policy, again);
    policy_free(again);
    free(text);
}

static void check_error(const struct berm_error *err)
{
    if (err->code == BERM_E_NONE || strncmp(err->message, "p.json:", strlen("p.json:")) != 0)
        abort();
    for (const char *at = err->message; *at; at++)
        if ((unsigned char)*at < 0x20 || *at == 0x7f)
            abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct policy *policy = fresh();
    struct policy *copy = fresh();
    const struct reader_sink sink = {.put = set_again, .context = copy};
    struct berm_error err = {0};

    if (reader_read((const char *)data, size, "p.json", policy, &sink, &err) < 0)
        check_error(&err);
    else
        check_same(policy, copy);
    if (err.code == BERM_E_NONE && policy_validate(policy, NULL) == 0)
        check_show(policy);
    policy_free(copy);
    policy_free(policy);
    return 0;
}
