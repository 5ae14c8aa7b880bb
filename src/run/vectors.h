/*
 * argv, envp and the paths to execute, as the pointer vectors that execve needs: made before the clone,
 * since the child has no heap.
 */
#ifndef BERM_RUN_VECTORS_H
#define BERM_RUN_VECTORS_H

#include "plan/plan.h"

struct vectors {
    char **argv; /* owned; texts borrowed from the plan or owned by `extra` */
    char **envp;
    char **candidates;
    char *extra; /* owned: texts that were put together here */
};

/* Returns 0 or -ENOMEM. @work_path replaces PLAN_WORK_MARK; "" when there is no work directory. */
int vectors_make(struct vectors *vectors, const struct plan *plan, const char *work_path);
void vectors_done(struct vectors *vectors);

#endif
