/*
 * What the library and the engine say to each other over one socket: the plan in, the facts out. Both are
 * built together; another version is refused by its magic number.
 *
 * In: a plan block of plan.size bytes. Out: one engine_reply. An end of the caller's side of the socket
 * cancels the run.
 */
#ifndef BERM_ENGINE_MESSAGE_H
#define BERM_ENGINE_MESSAGE_H

#include <berm/berm.h>

#include "plan/plan.h"
#include "run/observation.h"

/* The descriptor on which the engine finds the socket. */
#define ENGINE_SOCKET_FD 3
#define ENGINE_MAGIC     0x62657231u

struct engine_reply {
    uint32_t magic;
    uint32_t size;  /* of this struct */
    int32_t result; /* of run_parts: 0, or -errno with err filled */
    struct berm_error err;
    struct observation seen;
};

#endif
