/*
 * Completion scripts for shells, made from fields.def and the table of verbs.
 *
 * In: a shell's name. Out: a script on a stream. Must never: offer a word that the parser refuses.
 */
#ifndef BERM_CLI_COMPLETION_H
#define BERM_CLI_COMPLETION_H

#include <stdio.h>

#include <berm/berm.h>

/**
 * Print the completion script of a shell.
 *
 * @shell  "bash", "zsh" or "fish"; borrows.
 * @out    borrows; the caller checks it for write errors.
 * Returns 0, or -EINVAL with @err filled for any other shell: nothing is printed then.
 * Threads: yes.  Async-signal-safe: no.  Since: 0.1.
 * Source: bash(1) "Programmable Completion"; zshcompsys(1); fish complete(1).
 * Test: unit/cli/completion, cli/test_options.
 */
int completion_print(const char *shell, FILE *out, struct berm_error *err);

#endif
