/*
 * One run, from a finished plan to raw facts.
 *
 * In: a plan, descriptors for input and output. Out: an observation, captured output. Must never: judge
 * (run/outcome.c does), or leave a process, mount, group, file or descriptor behind.
 *
 * Blocking, for a single-threaded process: the berm executable itself. The library talks to such a
 * process over a socket (src/api).
 */
#ifndef BERM_RUN_RUN_H
#define BERM_RUN_RUN_H

#include <sys/ioctl.h>

#include "enter/cloner.h"
#include "plan/plan.h"
#include "run/capture.h"
#include "run/observation.h"

/* Changes output on its way to a live descriptor; at most @out_size bytes come out. Returns their number. */
typedef size_t (*run_transform)(void *context, const char *in, size_t in_size, char *out,
                                size_t out_size);

/* The stream has ended: what the transform held back comes out. Returns the number of bytes. */
typedef size_t (*run_transform_end)(void *context, char *out, size_t out_size);

/* What one byte of output may grow to in a transform. */
#define RUN_TRANSFORM_GROWTH 5

struct run_io {
    int stdin_fd;               /* read and fed to the program; negative: it reads end of file */
    int live_fds[STREAM_COUNT]; /* output is passed on there; negative: not */
    run_transform transforms[STREAM_COUNT];         /* may be NULL */
    run_transform_end transform_ends[STREAM_COUNT]; /* called once; may be NULL */
    void *transform_contexts[STREAM_COUNT];
    struct capture *captures[STREAM_COUNT]; /* output is kept there; may be NULL */
    int cancel_fd; /* a signalfd: a signal there cancels the run; or a socket: its end does. Negative: none */
    bool cancel_is_signalfd;
    int caller_pidfd; /* of the process for which this one works: its end cancels. Negative: none */
    struct winsize window; /* of the program's terminal; all 0 = the kernel's default */
    char *
        identity_start; /* argv and environ area of this process, wiped in init; NULL = nothing to wipe */
    size_t identity_size;
};

/* Most programs that one run executes after each other: a compiler, then what it made. */
#define RUN_PARTS_MAX 2

/* The work directory of a run, as the caller of run_parts() may use it. */
struct run_place {
    int work_fd;       /* borrowed */
    uint32_t uid, gid; /* of the host, as whom the program acts there */
};

/* What is done with the work directory before the first program begins and after everything inside is dead. */
struct run_files {
    void *context;
    /* Called when the plan has PLAN_AWAIT_FILES. Returns 0, or -errno with @err filled: nothing is executed. */
    int (*before)(void *context, const struct run_place *place, struct berm_error *err);
    /* Called once when a program was begun, and there is a work directory. May be NULL. */
    void (*after)(void *context, const struct run_place *place);
};

/* One program of a run. */
struct run_part {
    const struct plan *plan;
    const struct run_io *io;
    struct observation *seen; /* written completely; has_started is false when it was not begun */
};

/**
 * Begin to make the namespaces of a run before there is a plan for it: what is planned meanwhile costs no time.
 *
 * @cloner      given to run_parts(), or to run_end_early(); stays at its place until then.
 * @namespaces  CLONE_NEW*, as the plan will most likely have them: another set is made anew.
 */
void run_begin_early(struct cloner *cloner, uint64_t namespaces);
void run_end_early(struct cloner *cloner);

/**
 * Run the parts after each other in one file tree: the second is begun only when the first has exited with
 * 0. All plans are made from one policy but for its limits.
 *
 * @early     of run_begin_early(), used up; NULL: none.
 * @files     borrows; NULL: nobody asks for the work directory.
 * @err       filled when berm could not even begin: no program was executed.
 * Returns 0 when there is an observation to judge (a failed step inside is one), or -errno.
 * Threads: the process must have one thread.  Async-signal-safe: no.  Since: 0.1.
 * Test: fault, escape, cli.
 */
int run_parts(const struct run_part *parts, unsigned count, struct cloner *early,
              const struct run_files *files, struct berm_error *err);

#endif
