/*
 * berm: run a program that nobody vouches for, and bound the damage.
 *
 * This header is the whole public API. It is clean C99 and C++; nothing else of berm is installed.
 *
 * Life cycle:  berm_policy_new -> berm_policy_set* -> berm_request_new -> berm_run_start
 *              -> { poll(berm_run_fd), berm_run_step }* -> berm_run_result -> *_free
 *
 * The library never prints, never exits, installs no signal handler, keeps no global state, and never
 * forks the process that calls it: it spawns a small executable that does the work.
 */
#ifndef BERM_BERM_H
#define BERM_BERM_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define BERM_API __attribute__((visibility("default")))

/* Layers are promises; the number is stable. BERM_LAYER_NONE stands in errors that belong to no layer. */
enum berm_layer {
    BERM_LAYER_NONE = 0,
    BERM_LAYER_LIMITS,
    BERM_LAYER_ENV,
    BERM_LAYER_PROCESS,
    BERM_LAYER_NETWORK,
    BERM_LAYER_FILESYSTEM,
    BERM_LAYER_PRIVILEGES,
    BERM_LAYER_SYSCALLS,
    BERM_LAYER_COUNT
};

/* What ended the run. Zero is the unset value: no result carries it. */
enum berm_verdict {
    BERM_VERDICT_NONE = 0,
    BERM_VERDICT_EXITED,
    BERM_VERDICT_SIGNALED,
    BERM_VERDICT_WALL_TIMEOUT,
    BERM_VERDICT_CPU_TIMEOUT,
    BERM_VERDICT_MEMORY,
    BERM_VERDICT_PROCESSES,
    BERM_VERDICT_OUTPUT,
    BERM_VERDICT_DISK,
    BERM_VERDICT_SYSCALL,
    BERM_VERDICT_CANCELLED,
    BERM_VERDICT_COUNT
};

/* Why berm itself refused or failed. A run that failed so has an error and no result. */
enum berm_error_code {
    BERM_E_NONE = 0,
    BERM_E_INVALID,     /* the caller asked for something that is not well formed or not allowed */
    BERM_E_UNAVAILABLE, /* this machine cannot give a layer that the policy requires */
    BERM_E_NOT_FOUND,   /* the program does not exist inside (exit 127) */
    BERM_E_NOT_EXECUTABLE, /* the program exists and cannot be executed (exit 126) */
    BERM_E_SYSTEM,         /* a system call that should work did not */
    BERM_E_INTERNAL,       /* a defect of berm */
    BERM_E_COUNT
};

#define BERM_STEP_SIZE    32
#define BERM_MESSAGE_SIZE 512
#define BERM_CURE_SIZE    384

/*
 * An error record: owned by the caller, never allocates, small enough for one pipe write.
 * @code is BERM_E_NONE while nothing has failed; all texts are NUL-terminated UTF-8, possibly empty.
 */
struct berm_error {
    enum berm_error_code code;
    enum berm_layer layer;
    int system_errno;
    char step[BERM_STEP_SIZE];
    char message[BERM_MESSAGE_SIZE];
    char cure[BERM_CURE_SIZE];
};

/* Opaque handles. None is shared between threads without the caller's own lock. */
struct berm_policy;
struct berm_request;
struct berm_run;
struct berm_result;

/* "0.1.0". Never NULL. */
BERM_API const char *berm_version(void);
/* "limits", "wall_timeout", "unavailable": the words of the JSON result. Never NULL. */
BERM_API const char *berm_layer_name(enum berm_layer layer);
BERM_API const char *berm_verdict_name(enum berm_verdict verdict);
BERM_API const char *berm_error_code_name(enum berm_error_code code);

/* ---- policy: what a run may see, reach and use up ---- */

/**
 * A policy with the defaults of L6 and the standard limits.
 *
 * Returns owned (berm_policy_free), or NULL when out of memory.
 * Threads: yes.  Async-signal-safe: no.  Since: 0.1.  Source: —.  Test: api/test_embed.
 */
BERM_API struct berm_policy *berm_policy_new(void);
BERM_API void berm_policy_free(struct berm_policy *policy);

/**
 * Set one value by the name that it has everywhere (docs/reference/options.md): "level", "memory", ...
 *
 * @policy  borrows.
 * @key     the option's word; "cpu_time" and "cpu-time" are the same.
 * @value   the text that the flag would take, with its unit: "512MiB", "1.5s". Lists grow by one item.
 * @err     may be NULL.
 * Returns 0, -EINVAL or -ENOMEM; the policy is unchanged on failure.
 * Threads: one writer.  Async-signal-safe: no.  Since: 0.1.  Source: —.  Test: api/test_embed.
 */
BERM_API int berm_policy_set(struct berm_policy *policy, const char *key, const char *value,
                             struct berm_error *err);

/* ---- request: what to run ---- */

/* Takes one piece of output as it comes; called from berm_run_step() and berm_run_wait() alone. */
typedef void (*berm_output_fn)(void *context, int is_stderr, const char *bytes, size_t size);

/**
 * A request for one command.
 *
 * @argv  borrows and copies; NULL-terminated, at least one text.
 * Returns owned (berm_request_free), or NULL when out of memory or without a command.
 * Threads: yes.  Async-signal-safe: no.  Since: 0.1.  Source: —.  Test: api/test_embed.
 */
BERM_API struct berm_request *berm_request_new(const char *const *argv);
BERM_API void berm_request_free(struct berm_request *request);

/* The program's input: a descriptor (borrowed, duplicated at the start), or bytes (copied). The default is
 * end of file. Returns 0, -EBADF, -ENOMEM. */
BERM_API int berm_request_set_stdin_fd(struct berm_request *request, int fd);
BERM_API int berm_request_set_stdin_bytes(struct berm_request *request, const void *bytes,
                                          size_t size);

/* Be told of output as it comes, beside what the result keeps. @context is borrowed. */
BERM_API void berm_request_set_output(struct berm_request *request, berm_output_fn output,
                                      void *context);

/* Where the engine executable is, when it is not where it was installed: borrows and copies. Returns 0 or
 * -ENOMEM. */
BERM_API int berm_request_set_engine(struct berm_request *request, const char *path);

/* ---- run ---- */

/**
 * Begin a run. The caller is not forked: a small executable is spawned, which makes the sandbox.
 *
 * @policy, @request  borrow; may be freed right after.
 * @ret_run           returns owned (berm_run_free). Untouched on failure.
 * @err               may be NULL; says which layer cannot be had, why, and the cure.
 * Returns 0; -EINVAL (the policy contradicts itself); or another -errno.
 * Threads: yes.  Async-signal-safe: no.  Since: 0.1.  Source: posix_spawn(3).  Test: api/test_embed.
 */
BERM_API int berm_run_start(const struct berm_policy *policy, const struct berm_request *request,
                            struct berm_run **ret_run, struct berm_error *err);

/* A descriptor that is readable (poll, epoll) whenever berm_run_step() has something to do. Borrowed. */
BERM_API int berm_run_fd(const struct berm_run *run);

/**
 * Take what is there, without waiting.
 *
 * Returns 1 when the run has ended and everything of it is gone, 0 while it goes on, or -errno.
 * Threads: one.  Async-signal-safe: no.  Since: 0.1.  Source: —.  Test: api/test_embed.
 */
BERM_API int berm_run_step(struct berm_run *run);

/**
 * Step until the run has ended.
 *
 * @timeout_ms  milliseconds, monotonic; 0 = one step, UINT64_MAX = no limit. Does not stop the run.
 * Returns 0, -ETIMEDOUT (still running) or another -errno.
 * Threads: one.  Async-signal-safe: no.  Since: 0.1.  Source: poll(2).  Test: api/test_embed.
 */
BERM_API int berm_run_wait(struct berm_run *run, uint64_t timeout_ms);

/* Ask the run to end now: its verdict becomes cancelled. Go on stepping. Safe from another thread. */
BERM_API void berm_run_cancel(struct berm_run *run);

/**
 * The result of a run that has ended.
 *
 * @ret_result  returns owned (berm_result_free). Untouched on failure.
 * @err         filled when berm itself refused or failed: then there is no result and nothing was executed,
 *              or berm says that it does not know.
 * Returns 0, -EBUSY (not ended), or another -errno.
 * Threads: one.  Async-signal-safe: no.  Since: 0.1.  Source: —.  Test: api/test_embed.
 */
BERM_API int berm_run_result(struct berm_run *run, struct berm_result **ret_result,
                             struct berm_error *err);

/* A run that still goes on is cancelled and waited for. NULL is fine. */
BERM_API void berm_run_free(struct berm_run *run);

/* ---- result ---- */

BERM_API void berm_result_free(struct berm_result *result);
BERM_API enum berm_verdict berm_result_verdict(const struct berm_result *result);
/* The program's own exit code; -1 when it did not exit. */
BERM_API int berm_result_exit_code(const struct berm_result *result);
/* The signal that ended it; 0 when it exited. */
BERM_API int berm_result_signal(const struct berm_result *result);
/* What `berm run` would have exited with. */
BERM_API int berm_result_status(const struct berm_result *result);
/* 1 when the wall clock ended the run. */
BERM_API int berm_result_timed_out(const struct berm_result *result);
/* 1 when memory ran out; and who says so: "kernel", "monitor", "guess", or NULL. */
BERM_API int berm_result_oom(const struct berm_result *result);
BERM_API const char *berm_result_oom_source(const struct berm_result *result);
/* The kept output: head, marker, tail; raw bytes. Borrowed. */
BERM_API const char *berm_result_stdout(const struct berm_result *result, size_t *ret_size);
BERM_API const char *berm_result_stderr(const struct berm_result *result, size_t *ret_size);
/* Everything that was written, and what of it was left out. Bytes. */
BERM_API uint64_t berm_result_stdout_bytes(const struct berm_result *result);
BERM_API uint64_t berm_result_stderr_bytes(const struct berm_result *result);
BERM_API uint64_t berm_result_stdout_omitted_bytes(const struct berm_result *result);
BERM_API uint64_t berm_result_stderr_omitted_bytes(const struct berm_result *result);
/* Nanoseconds; bytes, 0 when not known. */
BERM_API uint64_t berm_result_wall_ns(const struct berm_result *result);
BERM_API uint64_t berm_result_cpu_ns(const struct berm_result *result);
BERM_API uint64_t berm_result_memory_peak_bytes(const struct berm_result *result);
/* "on", "weaker", "off", "absent". Never NULL. */
BERM_API const char *berm_result_layer_state(const struct berm_result *result,
                                             enum berm_layer layer);
/* Remarks; NULL past the last. Borrowed. */
BERM_API const char *berm_result_note(const struct berm_result *result, size_t index);
/* The JSON of `berm run --json`. Returns owned (free), or NULL when out of memory. */
BERM_API char *berm_result_json(const struct berm_result *result);

#ifdef __cplusplus
}
#endif

#endif
