/*
 * `berm help [VERB]`, `berm help completion SHELL`, `berm completion SHELL`.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/quote.h"
#include "cli/complain.h"
#include "cli/completion.h"
#include "cli/help.h"
#include "cli/verb.h"
#include "policy/suggest.h"

/* What was printed must have arrived: a cut help or script is a failure. */
static int finish(void)
{
    struct berm_error err;

    if (fflush(stdout) == 0 && !ferror(stdout))
        return 0;
    (void)error_set(&err, BERM_E_SYSTEM, BERM_LAYER_NONE, errno, NULL, "cannot write: %s",
                    strerror(errno));
    return complain(&err);
}

static bool is_help(const char *word)
{
    return strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0;
}

static const struct verb *find_verb(const char *name)
{
    for (const struct verb *verb = cli_verbs; verb->name; verb++)
        if (strcmp(verb->name, name) == 0)
            return verb;
    return NULL;
}

static int refuse_verb(const char *name)
{
    struct berm_error err;
    struct quoted quoted;
    struct suggestion near = suggest_for(name);
    char cure[BERM_CURE_SIZE] = "`berm help` lists the verbs";

    for (const struct verb *verb = cli_verbs; verb->name; verb++)
        suggest_offer(&near, verb->name);
    if (near.best)
        (void)snprintf(cure, sizeof(cure), "did you mean %s?", near.best);
    (void)error_set(&err, BERM_E_INVALID, BERM_LAYER_NONE, 0, cure, "help: there is no verb %s",
                    quote_text(&quoted, name));
    return complain(&err);
}

static int refuse_extra(const char *word)
{
    struct berm_error err;
    struct quoted quoted;

    (void)error_set(&err, BERM_E_INVALID, BERM_LAYER_NONE, 0, "leave it out",
                    "there is a word too many: %s", quote_text(&quoted, word));
    return complain(&err);
}

static int help_of(const char *name)
{
    const struct verb *verb = find_verb(name);
    char help_flag[] = "--help";

    if (!verb)
        return refuse_verb(name);
    if (help_verb(name, stdout) == 0)
        return finish();
    /* The verb stands in another executable, which explains itself. */
    char verb_name[32];
    char *argv[] = {verb_name, help_flag, NULL};
    (void)snprintf(verb_name, sizeof(verb_name), "%s", verb->name);
    return verb->run(2, argv);
}

int cmd_completion(int argc, char **argv)
{
    struct berm_error err;

    if (argc > 2)
        return refuse_extra(argv[2]);
    if (argc > 1 && is_help(argv[1]))
        return help_exit("completion");
    if (completion_print(argc > 1 ? argv[1] : "", stdout, &err) < 0)
        return complain(&err);
    return finish();
}

int cmd_help(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "completion") == 0 && argc > 2)
        return cmd_completion(argc - 1, argv + 1);
    if (argc > 2)
        return refuse_extra(argv[2]);
    if (argc > 1 && !is_help(argv[1]))
        return help_of(argv[1]);
    help_overview(stdout);
    return finish();
}
