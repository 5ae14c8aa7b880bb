/*
 * The result: what a user is told. Made by outcome() from plan and observation, pure.
 *
 * Must never: hold a fact that the observation does not bear out.
 */
#ifndef BERM_RUN_RESULT_H
#define BERM_RUN_RESULT_H

#include "plan/plan.h"
#include "run/capture.h"
#include "run/observation.h"

#define RESULT_NOTES_MAX 96
#define RESULT_NOTE_SIZE 256

enum oom_source {
    OOM_NONE,
    OOM_KERNEL,
    OOM_MONITOR,
    OOM_GUESS
};

struct result_note {
    enum berm_layer layer;
    char text[RESULT_NOTE_SIZE];
};

struct result_usage {
    uint64_t wall_ns, setup_ns, cleanup_ns;
    uint64_t cpu_ns; /* of the tree, or of the main program: see cpu_source */
    uint64_t user_ns, system_ns;
    uint64_t memory_peak_bytes; /* 0 = not known */
    uint64_t processes_peak;    /* 0 = not known */
    uint64_t processes_refused;
    uint64_t stdin_bytes;
    const char *cpu_source;    /* "cgroup", "perf", "monitor", "rusage" */
    const char *memory_source; /* "cgroup", "monitor", "rusage" */
};

struct result {
    enum berm_verdict verdict;
    int exit_code;  /* the program's own; -1 when it did not exit */
    int signal;     /* that ended it; 0 when it exited */
    int status;     /* berm's own exit status by the table of settled.md */
    bool timed_out; /* wall clock only */
    bool oom;
    enum oom_source oom_source;
    struct result_usage usage;
    struct stream_facts streams[STREAM_COUNT];
    uint32_t note_count;
    struct result_note notes[RESULT_NOTES_MAX]; /* last; beyond note_count unwritten */
};

/**
 * Judge a run.
 *
 * @plan, @seen  borrow.
 * @stderr_tail  the last bytes of stderr, for the guess of out-of-memory where no count exists; may be NULL.
 * @ret_result   written on success.
 * @err          filled when the run failed inside berm (a step, the evidence, exec): not a verdict.
 * Returns 0; or -errno: berm failed, @err says where; the exit status is error_exit_status(err).
 * First cause wins: berm's own decision > the kernel's fatal act on the main program > its own exit.
 * Threads: yes.  Since: 0.1.  Source: settled.md "Result and exit".  Test: unit/run/outcome.
 */
int outcome(const struct plan *plan, const struct observation *seen, const char *stderr_tail,
            struct result *ret_result, struct berm_error *err);

/* 125, 126 or 127. */
int error_exit_status(const struct berm_error *err);

#endif
