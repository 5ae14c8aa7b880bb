/*
 * berm-guest: a static multi-call program that stands for the program nobody vouches for. Each word
 * is one attempt or one behaviour.
 *
 * Out: one line, "worked NAME: fact" and exit 0, or "failed NAME: EERRNO fact" and exit 1; exit 2
 * for a wrong word. `berm prove` and the tests run it. Must never: do lasting harm. An attempt that works is undone
 * or touches itself and what it was pointed at alone; the machine's own calls (reboot, kexec, swap, clocks) get
 * arguments that the kernel refuses after its permission check.
 */
#ifndef BERM_GUEST_GUEST_H
#define BERM_GUEST_GUEST_H

#include <stdbool.h>
#include <stddef.h>

struct attempt {
    const char *name;
    const char *arguments; /* for the list of words */
    int least;             /* how many arguments it needs */
    /* 0 = the attempt worked, negative errno = it failed. @argv holds the arguments alone. */
    int (*run)(int argc, char **argv);
};

/* One table a file; the last row has no name. */
extern const struct attempt calls_attempts[];
extern const struct attempt files_attempts[];
extern const struct attempt held_attempts[];
extern const struct attempt lessons_attempts[];
extern const struct attempt load_attempts[];
extern const struct attempt memory_attempts[];
extern const struct attempt namespaces_attempts[];
extern const struct attempt network_attempts[];
extern const struct attempt ordinary_attempts[];
extern const struct attempt processes_attempts[];
extern const struct attempt self_attempts[];
extern const struct attempt time_attempts[];

/* Add to the one line that is printed at the end. */
void fact(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* "EPERM"; never NULL. */
const char *errno_name(int number);

/* 0 or the negative errno of a call that says -1. */
int outcome_of(long ret);

/* A number among the arguments; ends the program with 2 when it is none. */
long number_of(const char *text);

/* The first bytes of a file as text, with NUL and newlines as blanks. Returns the length or -errno.
 * */
int read_text(const char *path, char *buffer, size_t size);

/* Run @act in a child. Returns what it returned, or -EINTR when a signal ended it. */
int in_child(int (*act)(void *), void *context);

/*
 * With the word `hold TAG WORD...` an attempt does not undo what it did before the host has looked: where its state
 * is highest it says "holding" and waits for one byte, or for the end of its input, or HOLD_MS. Without that word
 * nothing is waited for. TAG stands in the arguments of every process of the attempt: the host finds them by it.
 */
void hold_for_host(void);

/* Was that word said? */
bool is_held(void);

/* TAG, or "none". */
const char *hold_tag_of(void);

/* The same for a process that the attempt has begun and that cannot read the byte: until it is ended. */
void hold_in_child(void);

/* Print at once, past the one line and its bound. */
void print_now(const void *bytes, size_t size);

/* Milliseconds of the monotonic clock. */
long now_ms(void);

#endif
