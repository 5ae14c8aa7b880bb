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
    BERM_E_INVALID,        /* the caller asked for something that is not well formed or not allowed */
    BERM_E_UNAVAILABLE,    /* this machine cannot give a layer that the policy requires */
    BERM_E_NOT_FOUND,      /* the program does not exist inside (exit 127) */
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

#ifdef __cplusplus
}
#endif

#endif
