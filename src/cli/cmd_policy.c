/*
 * `berm policy check|show|schema`: hands over to berm-policy, which can read JSON.
 */
#include <errno.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "cli/complain.h"
#include "cli/policy_file.h"
#include "cli/verb.h"

int cmd_policy(int argc, char **argv)
{
    char reader[PATH_MAX];
    char *envp[] = {NULL}; /* as for --policy: no variable changes what is read */
    struct berm_error err;

    (void)argc;
    policy_file_reader(reader, sizeof(reader));
    (void)execve(reader, argv, envp);
    (void)error_set(&err, BERM_E_SYSTEM, BERM_LAYER_NONE, errno, "install all of berm",
                    "policy: cannot start %.300s: %s", reader, strerror(errno));
    return complain(&err);
}
