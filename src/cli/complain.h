/*
 * How an error is shown to a person: one line that says what is wrong, one that says what to change.
 *
 * In: an error record. Out: at most two lines on stderr. Must never: print on stdout, or exit.
 */
#ifndef BERM_CLI_COMPLAIN_H
#define BERM_CLI_COMPLAIN_H

#include <berm/berm.h>

/* The exit status when berm itself refused or failed (settled.md, "Result and exit"). */
#define EXIT_REFUSED 125

/**
 * Print "berm: MESSAGE" and, when there is one, "  cure: CURE".
 *
 * @err  borrows; set.
 * Returns EXIT_REFUSED, so that a verb can end with it.
 * Threads: yes.  Async-signal-safe: no.  Since: 0.1.  Test: cli/test_output.
 */
int complain(const struct berm_error *err);

#endif
