/*
 * What the opaque handles of berm.h hold. Seen by src/api alone.
 */
#ifndef BERM_API_HANDLES_H
#define BERM_API_HANDLES_H

#include <stdbool.h>

#include <berm/berm.h>

#include "engine/message.h"
#include "run/result.h"

struct berm_request {
    char **argv;  /* owned, NULL-terminated, as are its texts */
    int stdin_fd; /* owned; negative: end of file */
    char *engine; /* owned; NULL: the installed one */
    berm_output_fn output;
    void *output_context;
};

struct berm_run {
    struct plan *plan;                      /* owned */
    int socket_fd;                          /* owned: to the engine */
    int output_fds[STREAM_COUNT];           /* owned; negative once ended */
    int epoll_fd;                           /* owned: what the caller polls */
    int pid;                                /* of the engine; 0 once it is reaped */
    struct capture *captures[STREAM_COUNT]; /* owned */
    berm_output_fn output;
    void *output_context;
    struct engine_reply reply;
    size_t reply_used; /* bytes of it that have come */
    bool has_ended;
};

struct berm_result {
    struct plan *plan; /* owned: names and promises */
    struct result result;
    char *texts[STREAM_COUNT]; /* owned: kept output as one run of bytes */
    size_t text_sizes[STREAM_COUNT];
    struct capture *captures[STREAM_COUNT]; /* owned */
};

#endif
