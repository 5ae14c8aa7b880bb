/*
 * Moves bytes without ever blocking: the program's output to capture and live descriptor, the caller's
 * input to the program.
 */
#ifndef BERM_RUN_RELAY_H
#define BERM_RUN_RELAY_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "run/run.h"

#define RELAY_READ_SIZE    ((size_t)65536)
#define RELAY_PENDING_SIZE (RELAY_READ_SIZE * RUN_TRANSFORM_GROWTH)

/* How a descriptor of the caller's is kept from making this process wait. */
enum caller_end_kind {
    CALLER_END_PLAIN,  /* a file, a device that has no reader: never waits for somebody */
    CALLER_END_OWN,    /* a pipe or terminal, opened again without blocking; owned */
    CALLER_END_SOCKET, /* asked for each call not to block */
    CALLER_END_TIMED   /* could not be opened again: a call that blocks is interrupted */
};

/* A descriptor of the caller's. O_NONBLOCK is never set on it: every process that shares it would see that. */
struct caller_end {
    int fd; /* negative: none, or it has ended */
    enum caller_end_kind kind;
};

/**
 * Take a descriptor of the caller's into use; -1 is none.
 *
 * @mode  O_RDONLY or O_WRONLY.
 * Test: truth/test_descriptors.
 */
void caller_end_open(struct caller_end *end, int fd, int mode);
void caller_end_close(struct caller_end *end);

/* As read(2) and write(2), with -1 and EAGAIN or EINTR where those would wait. */
ssize_t caller_end_read(const struct caller_end *end, void *bytes, size_t size);
ssize_t caller_end_write(const struct caller_end *end, const void *bytes, size_t size);

/* Write all of it. @patience_ms: so long without any progress is waited for; negative: for ever.
 * Returns 0, -ETIMEDOUT or -errno. */
int caller_end_write_all(const struct caller_end *end, const char *bytes, size_t size,
                         int patience_ms);

/* One output stream of the program. */
struct outlet {
    int from;             /* our end of the pipe; negative once it has ended */
    struct caller_end to; /* live descriptor: none, or its reader is gone, when negative */
    bool
        to_is_gone; /* the live reader closed: the program's pipe is closed too, as in a shell pipeline */
    struct capture *capture;
    run_transform transform;
    run_transform_end transform_end; /* NULL once it was called */
    void *transform_context;
    uint64_t bytes;
    char *buffer;  /* owned: RELAY_READ_SIZE, for one read */
    char *pending; /* owned: transformed bytes that wait for the live descriptor */
    size_t pending_at, pending_end;
    int error; /* errno of writing to the live descriptor, when that was not its reader's end (EPIPE); 0 = none */
    uint64_t dropped_bytes; /* given up: the caller wanted to wait no longer for its reader */
};

/* The program's input. */
struct inlet {
    struct caller_end from; /* negative once it has ended */
    int to;                 /* our end of the pipe; negative once closed */
    char *pending;          /* owned */
    size_t pending_at, pending_end;
    uint64_t bytes;
    bool is_terminal; /* `to` is one: its end of input is a character */
    bool is_in_line;  /* the last byte written was no newline */
};

void outlet_init(struct outlet *outlet, int *from, const struct run_io *io, unsigned stream);
void outlet_done(struct outlet *outlet);
/* May more be read now? Not while earlier bytes still wait for a slow reader. */
bool outlet_wants_read(const struct outlet *outlet);
bool outlet_wants_write(const struct outlet *outlet);
/* Read once. Returns true when something was read. */
bool outlet_read(struct outlet *outlet);
void outlet_write(struct outlet *outlet);
/* No more is read. What the transform held back is pending now. */
void outlet_end(struct outlet *outlet);
/* What is pending is dropped; nothing more is passed on. */
void outlet_give_up(struct outlet *outlet);

int inlet_init(struct inlet *inlet, int from, int *to);
void inlet_done(struct inlet *inlet);
bool inlet_wants_read(const struct inlet *inlet);
bool inlet_wants_write(const struct inlet *inlet);
void inlet_read(struct inlet *inlet);
void inlet_write(struct inlet *inlet);
/* The program reads no more, or nothing more comes. */
void inlet_end(struct inlet *inlet);

#endif
