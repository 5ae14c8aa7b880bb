/*
 * What `berm help` and --help print, made from fields.def and the table of verbs.
 *
 * In: a stream. Out: text of at most 80 columns. Must never: name an option that does not exist.
 */
#ifndef BERM_CLI_HELP_H
#define BERM_CLI_HELP_H

#include <stdio.h>

#define HELP_WIDTH 80

/* Every verb with its summary. The caller checks the stream. */
void help_overview(FILE *out);

/**
 * The usage of a verb and, where it takes them, the options of a run.
 *
 * @verb  borrows.
 * @out   borrows; the caller checks it for write errors.
 * Returns 0, or -ENOENT for a verb that explains itself (policy): nothing is printed then.
 * Threads: yes.  Async-signal-safe: no.  Since: 0.1.
 * Source: fields.def.  Test: unit/cli/help.
 */
int help_verb(const char *verb, FILE *out);

/* As help_verb() on stdout, with the exit status as the answer: what a verb does on --help. */
int help_exit(const char *verb);

#endif
