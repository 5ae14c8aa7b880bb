/*
 * What the claims about printed texts share: a stream that keeps them, and verbs for the table.
 */
#ifndef BERM_TESTS_UNIT_CLI_PRINTED_H
#define BERM_TESTS_UNIT_CLI_PRINTED_H

/* cmocka.h needs the three before it. */
/* clang-format off */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
/* clang-format on */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/verb.h"

struct printed {
    char *text;
    size_t size;
    FILE *out;
};

static inline FILE *printed_open(struct printed *printed)
{
    *printed = (struct printed){0};
    printed->out = open_memstream(&printed->text, &printed->size);
    assert_non_null(printed->out);
    return printed->out;
}

static inline const char *printed_text(struct printed *printed)
{
    assert_int_equal(fflush(printed->out), 0);
    return printed->text;
}

static inline void printed_close(struct printed *printed)
{
    assert_int_equal(fclose(printed->out), 0);
    free(printed->text);
}

static inline void assert_has(const char *text, const char *part)
{
    if (!strstr(text, part))
        fail_msg("the text does not have: %s", part);
}

static int no_verb(int argc, char **argv)
{
    (void)argc;
    (void)argv;
    return 0;
}

/* The real table stands in main.c, which a unit test cannot link. */
const struct verb cli_verbs[] = {
    {"run",    "Run a program, and bound the damage", no_verb},
    {"help", "Say what the verbs and options are, in a line that is a little too long", cmd_help},
    {0  },
};

#endif
