/*
 * The two ends of what joins berm and the run: pipes or a terminal for each program, and the socket of control.
 */
#ifndef BERM_RUN_ENDS_H
#define BERM_RUN_ENDS_H

#include "run/state.h"

/* The child's ends of the pipes, for each part. */
struct child_ends {
    int control, berm_pidfd;

    struct part_ends {
        int status, stdio[3];
    } parts[RUN_PARTS_MAX];
};

void child_ends_init(struct child_ends *child);

void child_ends_close(struct child_ends *child);

/* The pipes of one program, or its terminal: our ends into @part, the child's into @child. 0 or -errno. */
int ends_make(const struct run_state *run, struct part_state *part, struct part_ends *child);

/* One byte to the first process, on the socket of control. Returns 0, or -errno with @err filled: it is gone. */
int ends_say(const struct run_state *run, const char *word, struct berm_error *err);

#endif
