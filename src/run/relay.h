/*
 * Moves bytes without ever blocking: the program's output to capture and live descriptor, the caller's
 * input to the program.
 */
#ifndef BERM_RUN_RELAY_H
#define BERM_RUN_RELAY_H

#include <stdbool.h>
#include <stdint.h>

#include "run/run.h"

#define RELAY_READ_SIZE    ((size_t)65536)
#define RELAY_PENDING_SIZE (RELAY_READ_SIZE * RUN_TRANSFORM_GROWTH)

/* One output stream of the program. */
struct outlet {
    int from; /* our end of the pipe; negative once it has ended */
    int to;   /* live descriptor; negative: none, or its reader is gone */
    bool
        to_is_gone; /* the live reader closed: the program's pipe is closed too, as in a shell pipeline */
    struct capture *capture;
    run_transform transform;
    void *transform_context;
    uint64_t bytes;
    char *buffer;  /* owned: RELAY_READ_SIZE, for one read */
    char *pending; /* owned: transformed bytes that wait for the live descriptor */
    size_t pending_at, pending_end;
};

/* The program's input. */
struct inlet {
    int from;      /* the caller's descriptor; negative once it has ended */
    int to;        /* our end of the pipe; negative once closed */
    char *pending; /* owned */
    size_t pending_at, pending_end;
    uint64_t bytes;
};

void outlet_init(struct outlet *outlet, int *from, int to, struct capture *capture,
                 run_transform transform, void *transform_context);
void outlet_done(struct outlet *outlet);
/* May more be read now? Not while earlier bytes still wait for a slow reader. */
bool outlet_wants_read(const struct outlet *outlet);
bool outlet_wants_write(const struct outlet *outlet);
/* Read once. Returns true when something was read. */
bool outlet_read(struct outlet *outlet);
void outlet_write(struct outlet *outlet);

int inlet_init(struct inlet *inlet, int from, int *to);
void inlet_done(struct inlet *inlet);
bool inlet_wants_read(const struct inlet *inlet);
bool inlet_wants_write(const struct inlet *inlet);
void inlet_read(struct inlet *inlet);
void inlet_write(struct inlet *inlet);

#endif
