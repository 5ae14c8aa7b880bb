/*
 * When the caller of a run gets at its work directory: before the first program begins, and after all are dead.
 */
#ifndef BERM_RUN_FILES_H
#define BERM_RUN_FILES_H

#include "run/state.h"

/**
 * Let files be put into the work directory, where the plan asks for it.
 *
 * @plan  borrows: of the part that is being started.
 * Waits until the child has built its file tree. Returns 0, or -errno with @err filled: EPIPE when the child is
 * gone, which has said why.
 * Source: unix(7), SCM_RIGHTS.  Test: truth/test_files.
 */
int files_before(struct run_state *run, const struct plan *plan, struct berm_error *err);

/* Show the work directory as the run left it. The first process is ended first, and all of it with an init. */
void files_after(struct run_state *run);

#endif
