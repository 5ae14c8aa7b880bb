/*
 * PID 1 of the run: berm's own init. It reaps, tells the supervisor how the program ended, and ends
 * everything when berm is gone. The program cannot read it, trace it, signal it or stop it.
 *
 * In: the state after the fork. Out: one ENTER_ENDED message. Must never: touch what the program made.
 */
#include <fcntl.h>
#include <linux/prctl.h>
#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "enter/raw.h"
#include "enter/sequence.h"

#define INIT_NAME "berm-init"

/* The kernel's struct rusage begins with two timevals, then ru_maxrss in KiB (getrusage(2)). */
static uint64_t timeval_ns(struct timeval time)
{
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_usec * 1000u;
}

int step_hostname(struct enter_state *state)
{
    const char *name = plan_text_of(state->plan, state->plan->hostname);

    if (name[0] == '\0')
        return 0;
    return (int)RAW(SYS_sethostname, name, raw_length(name));
}

/* /proc/PID/cmdline and environ show the memory between arg_start and env_end (proc(5)): the caller's
 * texts are overwritten there. Being non-dumpable hides environ, but never cmdline. */
static void wipe_identity(const struct enter_context *context)
{
    volatile char *area = context->identity_start;
    const char *name = INIT_NAME;

    for (size_t i = 0; i < context->identity_size; i++)
        area[i] = '\0';
    for (size_t i = 0; i + 1 < context->identity_size && name[i] != '\0'; i++)
        area[i] = name[i];
}

int step_hide_init(struct enter_state *state)
{
    int r;

    if (!plan_has(state->plan, PLAN_INIT))
        return 0;
    wipe_identity(state->context);
    r = raw_prctl(PR_SET_NAME, (unsigned long)(uintptr_t)INIT_NAME, 0, 0, 0);
    if (r < 0)
        return r;
    /* Not readable, not traceable, /proc/1/fd and root closed to the program (ptrace(2), "Ptrace
     * access mode checking"). */
    r = raw_prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
    if (r < 0)
        return r;
    /* Beside the control pipe and the pidfd: berm is single-threaded, so the trap that this signal is
     * sent when the creating *thread* ends (prctl(2)) does not exist here. */
    return raw_prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
}

int step_fork(struct enter_state *state)
{
    if (!plan_has(state->plan, PLAN_INIT))
        return 0;
    /* Argument order differs between architectures only behind the stack pointer: all zero here. */
    long pid = RAW(SYS_clone, (unsigned long)SIGCHLD, 0UL, 0UL, 0UL, 0UL);
    if (pid < 0)
        return (int)pid;
    state->program_pid = pid;
    return 0;
}

/* Slots of init's own descriptors after keep_only(). */
enum init_fd { INIT_CONTROL, INIT_STATUS, INIT_SIGNALS, INIT_BERM, INIT_FD_COUNT };

/* Move what init needs to 0..3 and close all others: the program's pipes above all, or their end would
 * never be seen. A negative entry stays closed. */
static void keep_only(const int keep[INIT_FD_COUNT])
{
    int high[INIT_FD_COUNT];

    for (int i = 0; i < INIT_FD_COUNT; i++)
        high[i] = keep[i] < 0 ? -1 : (int)RAW(SYS_fcntl, RAW_ARG(keep[i]), RAW_ARG(F_DUPFD), 16L);
    for (int i = 0; i < INIT_FD_COUNT; i++) {
        (void)raw_close(i);
        if (high[i] >= 0)
            (void)RAW(SYS_dup3, RAW_ARG(high[i]), RAW_ARG(i), 0L);
    }
    if (RAW(SYS_close_range, (unsigned long)INIT_FD_COUNT, ~0UL, 0UL) == 0)
        return;
    /* An outer filter refuses close_range: what berm opens lies below this number, and what the caller
     * leaked above it stays unreadable in a process that runs no foreign code. */
    for (int fd = INIT_FD_COUNT; fd < 1024; fd++)
        (void)raw_close(fd);
}

static void send_end(int status_fd, int wait_status, const struct rusage *usage)
{
    struct enter_message message = {
        .kind = ENTER_ENDED,
        .wait_status = wait_status,
        .user_ns = timeval_ns(usage->ru_utime),
        .system_ns = timeval_ns(usage->ru_stime),
        .max_rss_bytes = (uint64_t)usage->ru_maxrss * 1024u,
    };
    enter_send(status_fd, &message);
}

/* Reap whatever ended. True when the program itself did. */
static bool reap(long program_pid, int status_fd)
{
    for (;;) {
        int status = 0;
        struct rusage usage = {0};
        long pid = RAW(SYS_wait4, -1L, &status, RAW_ARG(WNOHANG), &usage);

        if (pid <= 0)
            return pid == -ECHILD;
        if (pid == program_pid) {
            send_end(status_fd, status, &usage);
            return true;
        }
    }
}

/* True when init must end: the program ended, or berm is gone. */
static bool wait_once(const struct enter_state *state, struct pollfd wait_for[3])
{
    char info[128]; /* struct signalfd_siginfo: only its arrival matters */

    if (reap(state->program_pid, INIT_STATUS))
        return true;
    long n = RAW(SYS_ppoll, wait_for, 3UL, NULL, NULL, 0UL);
    if (n < 0)
        return n != -EINTR;
    if (wait_for[0].revents != 0 || wait_for[2].revents != 0)
        return true;
    if (wait_for[1].revents != 0)
        (void)RAW(SYS_read, RAW_ARG(INIT_SIGNALS), info, sizeof(info));
    return false;
}

void init_main(struct enter_state *state)
{
    const struct enter_context *context = state->context;
    uint64_t child_mask = 1ULL << (SIGCHLD - 1);

    /* SIGCHLD as a descriptor: a blocked signal is not lost, and PID 1 is deaf to all others that come
     * from inside (pid_namespaces(7)). */
    (void)RAW(SYS_rt_sigprocmask, RAW_ARG(SIG_BLOCK), &child_mask, NULL, sizeof(child_mask));
    long signal_fd = RAW(SYS_signalfd4, -1L, &child_mask, sizeof(child_mask), 0L);
    const int keep[INIT_FD_COUNT] = {context->control_fd, state->status_fd, (int)signal_fd,
                                     context->berm_pidfd};

    keep_only(keep);
    /* Both the control pipe and the pidfd: a fork of a threaded caller can keep the pipe's write end
     * open after berm's death. poll(2) ignores a negative descriptor. */
    struct pollfd wait_for[3] = {
        {.fd = INIT_CONTROL, .events = POLLIN},
        {.fd = INIT_SIGNALS, .events = POLLIN},
        {.fd = context->berm_pidfd < 0 ? -1 : INIT_BERM, .events = POLLIN},
    };
    while (signal_fd >= 0 && !wait_once(state, wait_for))
        ;
    (void)RAW(SYS_exit_group, 0L); /* the kernel kills and reaps the whole namespace */
    __builtin_unreachable();
}
