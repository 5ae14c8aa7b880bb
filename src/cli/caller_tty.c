/*
 * Raw mode with a guard. Modes are set at once: to let the output drain first could last for ever on a
 * terminal that nobody reads (TCSADRAIN, tcsetattr(3)).
 */
#include "cli/caller_tty.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"

/* Ends with berm: the read returns when the last writer is gone. A background process may set modes only
 * while it ignores SIGTTOU (tcsetattr(3)). */
static void guard(int word_fd, const struct caller_tty *tty) __attribute__((noreturn));

static void guard(int word_fd, const struct caller_tty *tty)
{
    char word = 0;

    (void)signal(SIGTTOU, SIG_IGN);
    (void)signal(SIGINT, SIG_IGN);
    (void)signal(SIGTERM, SIG_IGN);
    (void)signal(SIGHUP, SIG_IGN);
    if (read(word_fd, &word, 1) <= 0)
        (void)tcsetattr(tty->fd, TCSANOW, &tty->before); /* nobody is left to be told */
    _exit(0);
}

/* Twice forked: the guard is nobody's child that waits to be reaped. */
static int start_guard(struct caller_tty *tty)
{
    int pair[2];

    if (pipe2(pair, O_CLOEXEC) < 0)
        return -errno;
    pid_t pid = fork();
    if (pid == 0) {
        (void)close(pair[1]);
        if (fork() == 0)
            guard(pair[0], tty);
        _exit(0);
    }
    (void)close(pair[0]);
    if (pid < 0) {
        (void)close(pair[1]);
        return -EAGAIN;
    }
    (void)waitpid(pid, NULL, 0);
    tty->guard_fd = pair[1];
    return 0;
}

void caller_tty_make_raw(struct caller_tty *tty, struct winsize *ret_window)
{
    struct termios raw;

    memset(ret_window, 0, sizeof(*ret_window));
    if (tcgetattr(STDIN_FILENO, &tty->before) < 0)
        return;
    tty->fd = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3);
    (void)ioctl(STDIN_FILENO, TIOCGWINSZ, ret_window);
    if (tty->fd < 0 || start_guard(tty) < 0) {
        close_fd(
            &tty->fd); /* without a guard the modes are not touched: the program works, keys are cooked */
        return;
    }
    raw = tty->before;
    cfmakeraw(&raw);
    (void)tcsetattr(tty->fd, TCSANOW, &raw);
}

void caller_tty_restore(struct caller_tty *tty)
{
    if (tty->fd < 0)
        return;
    (void)tcsetattr(tty->fd, TCSANOW, &tty->before);
    (void)!write(tty->guard_fd, "x", 1); /* the guard would put back the same modes */
    close_fd(&tty->guard_fd);
    close_fd(&tty->fd);
}
