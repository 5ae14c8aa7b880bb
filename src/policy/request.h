/*
 * The request: what to run. Borrowed texts; the caller keeps them alive until the plan is built.
 */
#ifndef BERM_POLICY_REQUEST_H
#define BERM_POLICY_REQUEST_H

#include <stdbool.h>
#include <stddef.h>

/* A file that is in the work directory when the program starts. */
struct request_file {
    const char *name; /* one name, no slash */
    const char *text; /* no NUL byte inside */
};

struct request {
    char *const *argv;            /* NULL-terminated, at least one */
    char *const *caller_env;      /* NULL-terminated; given to the program at L0 and L1 only */
    const char *caller_cwd;       /* absolute; the program's directory at L0 and L1 */
    const char *const *env_extra; /* K=V from --env-file, already read; may be NULL */
    size_t env_extra_count;
    bool has_stdin; /* false: the program reads end of file */
    bool wants_tty;
    bool wants_capture; /* output is returned (JSON, API), not passed through */
    const struct request_file *files;
    size_t file_count;
    bool wants_work;  /* what is in the work directory at the end is asked for */
    bool awaits_puts; /* files are put into it before the program begins */
    /* Where the policy's --ro and --rw really lead, item by item; NULL: as they are written. */
    const char *const *ro_resolved;
    const char *const *rw_resolved;
    /* By layer: why a preferred layer could not be had when it was tried; NULL = it was not. */
    const char *const *absent;
    bool argv_has_work_mark; /* argv entries may begin with PLAN_WORK_MARK */
};

#endif
