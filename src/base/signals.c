/*
 * The names of signals. musl has no sigabbrev_np(3), which is glibc's own.
 */
#include "base/signals.h"

#include <signal.h>
#include <stddef.h>

#define NAMED(name) [name] = #name

/* signal(7), "Standard signals", without the synonyms. */
static const char *const names[] = {
    NAMED(SIGHUP),  NAMED(SIGINT),    NAMED(SIGQUIT), NAMED(SIGILL),   NAMED(SIGTRAP),
    NAMED(SIGABRT), NAMED(SIGBUS),    NAMED(SIGFPE),  NAMED(SIGKILL),  NAMED(SIGUSR1),
    NAMED(SIGSEGV), NAMED(SIGUSR2),   NAMED(SIGPIPE), NAMED(SIGALRM),  NAMED(SIGTERM),
    NAMED(SIGCHLD), NAMED(SIGSTKFLT), NAMED(SIGCONT), NAMED(SIGSTOP),  NAMED(SIGTSTP),
    NAMED(SIGTTIN), NAMED(SIGTTOU),   NAMED(SIGURG),  NAMED(SIGXCPU),  NAMED(SIGXFSZ),
    NAMED(SIGPROF), NAMED(SIGVTALRM), NAMED(SIGPWR),  NAMED(SIGWINCH), NAMED(SIGIO),
    NAMED(SIGSYS),
};

const char *signal_name(int number)
{
    if (number < 0 || (size_t)number >= sizeof(names) / sizeof(names[0]))
        return NULL;
    return names[number];
}
