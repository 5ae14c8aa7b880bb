/*
 * berm-policy: everything about policy files, for the executable that reads no JSON.
 *
 * In: a verb and a file. Out: the flat form of a policy (`read`), "ok" (`check`), a complete policy
 * (`show`), the JSON Schema (`schema`). Must never: run anything.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/quote.h"
#include "cli/complain.h"
#include "policyreader/reader.h"
#include "policyreader/schema.h"
#include "policyreader/show.h"
#include "policyreader/source.h"

static const char usage[] =
    "Usage: berm policy check FILE    say whether the policy file is valid\n"
    "       berm policy show [FILE]   print the complete policy that it gives\n"
    "       berm policy schema        print the JSON Schema of policy files\n"
    "\n"
    "FILE is a path with a slash or ending in .json, or the name of a shipped policy.\n";

static int finish(struct berm_error *err)
{
    if (fflush(stdout) == 0 && !ferror(stdout))
        return 0;
    return error_set(err, BERM_E_SYSTEM, BERM_LAYER_NONE, errno, NULL, "cannot write: %s",
                     strerror(errno));
}

/* One record of the flat form: three texts, each ended by a NUL. */
static int put_record(void *context, const char *key, const char *value, const char *origin)
{
    const char *const texts[] = {key, value, origin};
    FILE *out = context;

    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
        if (fwrite(texts[i], strlen(texts[i]) + 1, 1, out) != 1)
            return -EIO;
    return 0;
}

static int load(const char *file, struct policy *policy, const struct reader_sink *sink,
                struct berm_error *err)
{
    struct source source = {0};

    int ret = source_load(file, &source, err);
    if (ret < 0)
        return ret;
    ret = reader_read(source.bytes, source.size, source.name, policy, sink, err);
    source_done(&source);
    return ret;
}

/* Flags may still change the level, so that only the values are checked here. */
static int verb_read(const char *file, struct policy *policy, struct berm_error *err)
{
    const struct reader_sink sink = {.put = put_record, .context = stdout};

    return load(file, policy, &sink, err);
}

static int verb_check(const char *file, struct policy *policy, struct berm_error *err)
{
    int ret = load(file, policy, NULL, err);

    if (ret == 0)
        ret = policy_validate(policy, err);
    if (ret == 0)
        (void)puts("ok"); /* finish() checks the stream */
    return ret;
}

static int verb_show(const char *file, struct policy *policy, struct berm_error *err)
{
    int ret = file ? load(file, policy, NULL, err) : 0;

    if (ret == 0)
        ret = policy_validate(policy, err);
    if (ret == 0 && show_policy(policy, stdout) < 0)
        ret = error_set(err, BERM_E_SYSTEM, BERM_LAYER_NONE, ENOMEM, NULL,
                        "cannot write the policy as JSON");
    return ret;
}

static int verb_schema(const char *file, struct policy *policy, struct berm_error *err)
{
    (void)file;
    (void)policy;
    (void)err;
    for (const char *const *line = policy_schema; *line; line++)
        (void)fputs(*line, stdout); /* finish() checks the stream */
    return 0;
}

static const struct verb {
    const char *name;
    int least, most; /* files */
    int (*run)(const char *file, struct policy *policy, struct berm_error *err);
} verbs[] = {
    {"read",   1, 1, verb_read  },
    {"check",  1, 1, verb_check },
    {"show",   0, 1, verb_show  },
    {"schema", 0, 0, verb_schema},
};

static int run_verb(const struct verb *verb, const char *file, struct berm_error *err)
{
    struct policy *policy = policy_new();

    if (!policy)
        return error_set(err, BERM_E_SYSTEM, BERM_LAYER_NONE, ENOMEM, NULL,
                         "no memory for the policy");
    int ret = verb->run(file, policy, err);
    policy_free(policy);
    return ret < 0 ? ret : finish(err);
}

static int refuse_usage(const char *what, const char *word)
{
    struct berm_error err;
    struct quoted quoted;

    (void)error_set(&err, BERM_E_INVALID, BERM_LAYER_NONE, 0,
                    "write berm policy check FILE, show [FILE] or schema", "policy: %s %s", what,
                    quote_text(&quoted, word));
    return complain(&err);
}

int main(int argc, char **argv)
{
    struct berm_error err = {0};
    const char *name = argc > 1 ? argv[1] : "";
    int files = argc > 2 ? argc - 2 : 0;

    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0) {
        (void)fputs(usage, stdout); /* finish() checks the stream */
        return finish(&err) < 0 ? complain(&err) : 0;
    }
    for (size_t i = 0; i < sizeof(verbs) / sizeof(verbs[0]); i++) {
        if (strcmp(verbs[i].name, name) != 0)
            continue;
        if (files < verbs[i].least)
            return refuse_usage("a FILE must follow", name);
        if (files > verbs[i].most)
            return refuse_usage("there is a word too many:", argv[argc - 1]);
        return run_verb(&verbs[i], files ? argv[2] : NULL, &err) < 0 ? complain(&err) : 0;
    }
    if (argc < 2)
        return refuse_usage("a verb must follow", "policy");
    return refuse_usage("unknown verb", name);
}
