/*
 * PID 1 of the run: berm's own init. It reaps, tells the supervisor how the program ended, and ends
 * everything when berm is gone. The program cannot read it, trace it, signal it or stop it.
 *
 * In: the state after the fork. Out: one ENTER_ENDED message. Must never: touch what the program made.
 */
#include <fcntl.h>
#include <linux/prctl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>

#include "enter/raw.h"
#include "enter/sequence.h"
#include "plan/defect.h"

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
    if (IS_PLANTED(pid1_readable))
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
    /* Beside the control socket and the pidfd: berm is single-threaded, so the trap that this signal is
     * sent when the creating *thread* ends (prctl(2)) does not exist here. */
    return raw_prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
}

/* The program's stack until exec: it shares the memory of init, which stands still meanwhile. */
#define PROGRAM_STACK_SIZE 65536

static _Alignas(16) char program_stack[PROGRAM_STACK_SIZE];

static int program_main(void *argument)
{
    enter_program(argument);
}

int step_fork(struct enter_state *state)
{
    if (!plan_has(state->plan, PLAN_INIT))
        return 0;
    /* As vfork(2) does, and for its reason: copying the memory of init for a process that executes something
     * else at once costs a tenth of a cold run. Init goes on when the program has been executed or is gone. */
    int pid = clone(program_main, program_stack + PROGRAM_STACK_SIZE,
                    CLONE_VM | CLONE_VFORK | SIGCHLD, state);
    if (pid < 0)
        return -errno;
    state->program_pid = pid;
    return 0;
}

/* What init may have to keep: its own four, and what the next program will be given. */
#define KEEP_MAX 16

static void sort_fds(int *fds, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        for (size_t k = i; k > 0 && fds[k - 1] > fds[k]; k--) {
            int lower = fds[k];
            fds[k] = fds[k - 1];
            fds[k - 1] = lower;
        }
    }
}

static void close_between(int first, int end)
{
    if (first >= end)
        return;
    if (RAW(SYS_close_range, (unsigned long)first, (unsigned long)end - 1, 0UL) == 0)
        return;
    /* An outer filter refuses close_range. What berm opens lies below this number; what the caller leaked
     * above it stays in a process that runs no foreign code and cannot be read. */
    for (int fd = first; fd < end && fd < 1024; fd++)
        (void)raw_close(fd);
}

/* Close everything but what is listed: the program's pipes above all, or their end would never be seen. */
static void keep_only(int *fds, size_t count)
{
    int next = 0;

    sort_fds(fds, count);
    for (size_t i = 0; i < count; i++) {
        if (fds[i] < 0)
            continue;
        close_between(next, fds[i]);
        next = fds[i] + 1;
    }
    close_between(next, INT32_MAX);
}

static void keep_own(const struct enter_context *context, int status_fd, int signal_fd)
{
    int fds[KEEP_MAX] = {context->control_fd, status_fd, signal_fd, context->berm_pidfd};
    size_t count = 4;

    if (context->next) {
        fds[count++] = context->next->status_fd;
        for (size_t i = 0; i < 3; i++)
            fds[count++] = context->next->stdio[i];
        for (size_t i = 0; i < ENTER_GROUPS; i++)
            fds[count++] = context->groups->fds[context->next->part][i];
    }
    keep_only(fds, count);
}

/* Every orphan is init's child: without children it is the last process inside (pid_namespaces(7)). */
static bool is_alone(void)
{
    long pid;

    do
        pid = RAW(SYS_wait4, -1, NULL, WNOHANG, NULL);
    while (pid > 0);
    return pid == -ECHILD;
}

static void send_end(int status_fd, int wait_status, const struct rusage *usage)
{
    struct enter_message message = {
        .kind = ENTER_ENDED,
        .wait_status = wait_status,
        .is_alone = is_alone(),
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

/* What init waits for; poll(2) ignores a negative descriptor. Both the control socket and the pidfd: a fork of
 * a threaded caller can keep its other end open after berm's death. */
enum init_wait {
    WAIT_CONTROL,
    WAIT_SIGNALS,
    WAIT_BERM,
    WAIT_COUNT
};

static void end_everything(void) __attribute__((noreturn));

static void end_everything(void)
{
    (void)RAW(SYS_exit_group, 0L); /* the kernel kills and reaps the whole namespace */
    __builtin_unreachable();
}

/* How long the supervisor has to act on its own timer before init does. */
#define WALL_GRACE_NS 100000000ULL

static uint64_t now_ns(void)
{
    struct timespec now = {0, 0};

    (void)RAW(SYS_clock_gettime, RAW_ARG(CLOCK_MONOTONIC), &now);
    return (uint64_t)now.tv_sec * 1000000000U + (uint64_t)now.tv_nsec;
}

/* @deadline_ns  0 = none. Init keeps the wall clock too: the program can hold the mutex of its output pipe with a
 * thread that never runs, and berm's read of that pipe, poll(2) or not, then sleeps beyond any signal. */
static void wait_for_event(struct pollfd slots[WAIT_COUNT], uint64_t deadline_ns)
{
    char info[128]; /* struct signalfd_siginfo: only its arrival matters */
    uint64_t now = now_ns();
    uint64_t left = deadline_ns > now ? deadline_ns - now : 0;
    struct timespec timeout = {(time_t)(left / 1000000000U), (long)(left % 1000000000U)};

    if (deadline_ns != 0 && left == 0)
        end_everything();
    long n = RAW(SYS_ppoll, slots, (unsigned long)WAIT_COUNT, deadline_ns != 0 ? &timeout : NULL,
                 NULL, 0UL);
    if (n < 0 && n != -EINTR)
        end_everything();
    if (n > 0 && slots[WAIT_BERM].revents != 0)
        end_everything();
    if (n > 0 && slots[WAIT_SIGNALS].revents != 0)
        (void)RAW(SYS_read, RAW_ARG(slots[WAIT_SIGNALS].fd), info, sizeof(info));
}

/* The first program has ended: what it left is killed, and the supervisor's word awaited. */
static void wait_for_next(struct pollfd slots[WAIT_COUNT])
{
    char word = 0;

    (void)RAW(SYS_kill, -1L, RAW_ARG(SIGKILL)); /* everything in the namespace but init (kill(2)) */
    if (RAW(SYS_read, RAW_ARG(slots[WAIT_CONTROL].fd), &word, 1UL) != 1)
        end_everything();
    while (RAW(SYS_wait4, -1L, NULL, 0L, NULL) > 0)
        ; /* ECHILD: nobody is left */
}

void init_main(struct enter_state *state)
{
    const struct enter_context *context = state->context;
    uint64_t child_mask = 1ULL << (SIGCHLD - 1);

    /* SIGCHLD as a descriptor: a blocked signal is not lost, and PID 1 is deaf to all others that come
     * from inside (pid_namespaces(7)). */
    (void)RAW(SYS_rt_sigprocmask, RAW_ARG(SIG_BLOCK), &child_mask, NULL, sizeof(child_mask));
    int signal_fd = (int)RAW(SYS_signalfd4, -1L, &child_mask, sizeof(child_mask), 0L);
    if (signal_fd < 0)
        end_everything();
    keep_own(context, state->status_fd, signal_fd);

    struct pollfd slots[WAIT_COUNT] = {
        [WAIT_CONTROL] = {.fd = context->control_fd, .events = POLLIN},
        [WAIT_SIGNALS] = {.fd = signal_fd,           .events = POLLIN},
        [WAIT_BERM] = {.fd = context->berm_pidfd, .events = POLLIN},
    };
    uint64_t wall_ns = state->plan->wall_ns;
    uint64_t deadline_ns =
        wall_ns != 0 && !IS_PLANTED(wall_unwatched) ? now_ns() + wall_ns + WALL_GRACE_NS : 0;
    while (!reap(state->program_pid, state->status_fd)) {
        wait_for_event(slots, deadline_ns);
        if (slots[WAIT_CONTROL].revents != 0)
            end_everything(); /* end of file: berm is gone, or has had enough */
    }
    if (!context->next)
        end_everything();
    wait_for_next(slots);
    (void)raw_close(signal_fd);
}
