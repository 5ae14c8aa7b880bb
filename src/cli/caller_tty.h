/*
 * The caller's terminal while a program with a terminal of its own runs: every key goes to the program, and
 * the modes are put back whatever happens to berm.
 */
#ifndef BERM_CLI_CALLER_TTY_H
#define BERM_CLI_CALLER_TTY_H

#include <sys/ioctl.h>
#include <termios.h>

struct caller_tty {
    int fd;       /* owned: the caller's terminal; negative when its input is none */
    int guard_fd; /* owned: its end tells the guard to put the modes back */
    struct termios before;
};

/**
 * Make the caller's terminal raw, if its input is one.
 *
 * A small process is left on guard: it puts the modes back when berm ends, by kill -9 too.
 * @ret_window  the size of the terminal, all 0 when there is none.
 */
void caller_tty_make_raw(struct caller_tty *tty, struct winsize *ret_window);

/* Put the modes back and dismiss the guard. Does nothing when nothing was changed. */
void caller_tty_restore(struct caller_tty *tty);

#endif
