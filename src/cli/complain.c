/*
 * Errors on stderr.
 */
#include "cli/complain.h"

#include <stdio.h>

int complain(const struct berm_error *err)
{
    /* Nobody is left to tell when stderr itself fails. */
    (void)fprintf(stderr, "berm: %s\n", err->message);
    if (*err->cure)
        (void)fprintf(stderr, "  cure: %s\n", err->cure);
    return EXIT_REFUSED;
}
