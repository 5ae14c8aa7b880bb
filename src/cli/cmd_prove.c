/*
 * `berm prove`: hands over to berm-prove, which runs the attacks.
 */
#include <errno.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "cli/companion.h"
#include "cli/complain.h"
#include "cli/verb.h"

extern char **environ;

int cmd_prove(int argc, char **argv)
{
    char prover[PATH_MAX];
    struct berm_error err;

    (void)argc;
    companion_find("berm-prove", "src/prove/berm-prove", prover, sizeof(prover));
    (void)execve(prover, argv, environ);
    (void)error_set(&err, BERM_E_SYSTEM, BERM_LAYER_NONE, errno, "install all of berm",
                    "prove: cannot start %.300s: %s", prover, strerror(errno));
    return complain(&err);
}
