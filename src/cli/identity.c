/*
 * Where this process's own arguments and environment lie in memory.
 *
 * The kernel lays them out in one run: argv texts, then environment texts (execve(2), fs/exec.c). That run
 * is what /proc/PID/cmdline and environ show.
 */
#include <string.h>

#include "cli/run_command.h"

/* Written once by main before anything else runs; read when a run begins. */
static struct identity_area area;

void run_command_note_identity(char **argv, char **environment)
{
    char *end = argv[0];

    if (!argv[0])
        return;
    for (char **lists[] = {argv, environment}, ***list = lists; list < lists + 2; list++) {
        for (char **item = *list; item && *item; item++) {
            /* Only while the texts follow each other: a moved environment is not the kernel's. */
            if (*item == end)
                end = *item + strlen(*item) + 1;
        }
    }
    area.start = argv[0];
    area.size = (size_t)(end - argv[0]);
}

struct identity_area run_command_identity(void)
{
    return area;
}
