/*
 * The poll loop.
 *
 * Two shapes. With an init, the program's end comes as a message and the first process is init, whose end
 * means that the kernel has killed all that was left. Without one, the first process is the program.
 */
#include "run/supervisor.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/error.h"
#include "linux/clone.h"
#include "run/groups.h"
#include "run/limits.h"

/* The loop never sleeps longer than this, so that a lost event costs time and not the run. */
#define POLL_MAX_NS NS_PER_S
/* How long bytes that are already in the pipes are collected after the end, when a survivor holds them. */
#define DRAIN_ROUNDS_MAX 1024

/* How long a live reader still has when the caller has cancelled. */
#define GIVE_UP_NS (NS_PER_S / 5)

enum poll_slot {
    POLL_PROCESS,
    POLL_STATUS,
    POLL_CANCEL,
    POLL_CALLER,
    POLL_OUT_READ, /* + stream */
    POLL_OUT_WRITE = POLL_OUT_READ + STREAM_COUNT,
    POLL_IN_READ = POLL_OUT_WRITE + STREAM_COUNT,
    POLL_IN_WRITE,
    POLL_COUNT
};

struct supervisor {
    struct run_state *run;
    struct part_state *part;
    const struct plan *plan;
    struct observation *seen;
    struct outlet outlets[STREAM_COUNT];
    struct inlet inlet;
    struct pollfd slots[POLL_COUNT];
    struct limit_watch limits; /* begins when the evidence came */
    uint64_t gives_up_ns;      /* 0: the live reader is waited for as long as it takes */
    bool main_has_ended;       /* the program's end is known */
    bool is_over;              /* the first process is reaped */
};

static void end_everything(struct supervisor *self)
{
    (void)pidfd_signal(self->run->pidfd, SIGKILL); /* gone already is as good */
}

/* First cause wins: a later reason is not recorded. */
static void stop_for(struct supervisor *self, enum kill_reason reason)
{
    if (self->seen->kill_reason == KILL_NONE && !self->main_has_ended) {
        self->seen->kill_reason = reason;
        self->seen->main_killed_by_us = true;
    }
    end_everything(self);
}

/* @ended_ns by the clock of whoever saw the end first: scheduling of this process is not on the program's
 * clock. */
static void note_main_end(struct supervisor *self, int wait_status, uint64_t ended_ns)
{
    if (self->main_has_ended)
        return;
    self->main_has_ended = true;
    self->seen->has_status = true;
    self->seen->wait_status = wait_status;
    if (self->limits.started_ns != 0 && ended_ns > self->limits.started_ns)
        self->seen->wall_ns = ended_ns - self->limits.started_ns;
}

static void take_message(struct supervisor *self, const struct enter_message *message)
{
    struct observation *seen = self->seen;

    switch ((enum enter_message_kind)message->kind) {
    case ENTER_FAILED:
        seen->has_failed = true;
        seen->failure = *message;
        end_everything(self);
        break;
    case ENTER_READY:
        seen->has_started = true;
        seen->evidence = message->evidence;
        limit_watch_begin(&self->limits, message->sent_ns);
        seen->setup_ns = message->sent_ns - self->run->began_ns;
        break;
    case ENTER_ENDED:
        seen->user_ns = message->user_ns;
        seen->system_ns = message->system_ns;
        seen->max_rss_bytes = message->max_rss_bytes;
        note_main_end(self, message->wait_status, message->sent_ns);
        if (message->is_alone != 0)
            groups_finish(self->part);
        break;
    }
}

static void read_messages(struct supervisor *self)
{
    struct enter_message message;

    while (self->part->status_fd >= 0) {
        ssize_t n = read(self->part->status_fd, &message, sizeof(message));
        if (n == (ssize_t)sizeof(message)) {
            take_message(self, &message);
            continue;
        }
        if (n < 0 && (errno == EAGAIN || errno == EINTR))
            return;
        close_fd(&self->part->status_fd); /* end of file: nobody inside can speak any more */
    }
}

static uint64_t timeval_ns(struct timeval time)
{
    return (uint64_t)time.tv_sec * NS_PER_S + (uint64_t)time.tv_usec * 1000U;
}

/* Init, or the watchdog where there is none, kept the wall clock because this process could not. */
static void note_foreign_clock(struct supervisor *self)
{
    struct observation *seen = self->seen;
    bool was_killed = !seen->has_status ||
                      (WIFSIGNALED(seen->wait_status) && WTERMSIG(seen->wait_status) == SIGKILL);

    if (was_killed && seen->kill_reason == KILL_NONE && self->plan->wall_ns != 0 &&
        seen->wall_ns >= self->plan->wall_ns)
        seen->kill_reason = KILL_WALL;
}

static void reap_first(struct supervisor *self)
{
    struct rusage usage;
    int status = 0;

    pid_t pid = wait4(self->run->pid, &status, WNOHANG, &usage);
    if (pid != self->run->pid)
        return;
    self->is_over = true;
    self->run->pid = 0;
    close_fd(&self->run->pidfd);
    read_messages(self); /* what was sent before the end is still in the pipe */
    if (plan_has(self->plan, PLAN_INIT)) {
        /* Killed with its init, the program cannot report: its end is init's end. */
        if (!self->main_has_ended && self->limits.started_ns != 0)
            self->seen->wall_ns = clock_now_ns() - self->limits.started_ns;
        note_foreign_clock(self);
        return;
    }
    self->seen->user_ns = timeval_ns(usage.ru_utime);
    self->seen->system_ns = timeval_ns(usage.ru_stime);
    self->seen->max_rss_bytes = (uint64_t)usage.ru_maxrss * 1024U;
    note_main_end(self, status, clock_now_ns());
    note_foreign_clock(self);
}

/* The caller's terminal has another size: so has the program's, which is told by SIGWINCH. */
static void follow_window(const struct supervisor *self)
{
    struct winsize size;

    if (ioctl(STDIN_FILENO, TIOCGWINSZ, &size) == 0)
        (void)ioctl(self->outlets[STREAM_STDOUT].from, TIOCSWINSZ, &size);
}

/* The next one ends berm itself, as the caller means it (settled.md, "Result and exit"). */
static void let_signals_through(void)
{
    sigset_t set;

    (void)sigemptyset(&set);
    (void)sigaddset(&set, SIGINT);
    (void)sigaddset(&set, SIGTERM);
    (void)sigaddset(&set, SIGHUP);
    (void)sigprocmask(SIG_UNBLOCK, &set, NULL);
}

static void read_cancel(struct supervisor *self)
{
    struct signalfd_siginfo info;

    if (!self->part->io->cancel_is_signalfd) {
        stop_for(self, KILL_CANCELLED);
        return;
    }
    if (read(self->part->io->cancel_fd, &info, sizeof(info)) != (ssize_t)sizeof(info))
        return;
    if (info.ssi_signo == SIGWINCH) {
        follow_window(self);
        return;
    }
    self->seen->cancel_signal = (int32_t)info.ssi_signo;
    let_signals_through();
    stop_for(self, KILL_CANCELLED);
}

static void check_limits(struct supervisor *self)
{
    uint64_t bytes = self->outlets[STREAM_STDOUT].bytes + self->outlets[STREAM_STDERR].bytes;

    if (self->main_has_ended)
        return;
    enum kill_reason reason = limit_watch_look(&self->limits, bytes);
    if (reason != KILL_NONE)
        stop_for(self, reason);
}

/* Until the next limit can be reached. */
static uint64_t next_pause_ns(const struct supervisor *self)
{
    uint64_t now = clock_now_ns();
    uint64_t next = self->main_has_ended ? UINT64_MAX : limit_watch_next_ns(&self->limits);

    if (next > now + POLL_MAX_NS)
        next = now + POLL_MAX_NS;
    return next > now ? next - now : 0;
}

static void set_slot(struct supervisor *self, unsigned slot, int fd, bool is_wanted, short events)
{
    self->slots[slot] = (struct pollfd){.fd = is_wanted ? fd : -1, .events = events};
}

static void fill_slots(struct supervisor *self)
{
    const struct run_state *run = self->run;

    set_slot(self, POLL_PROCESS, run->pidfd, true, POLLIN);
    set_slot(self, POLL_STATUS, self->part->status_fd, true, POLLIN);
    set_slot(self, POLL_CANCEL, self->part->io->cancel_fd,
             self->seen->kill_reason != KILL_CANCELLED, POLLIN);
    set_slot(self, POLL_CALLER, self->part->io->caller_pidfd,
             self->seen->kill_reason != KILL_CANCELLED, POLLIN);
    for (unsigned i = 0; i < STREAM_COUNT; i++) {
        const struct outlet *outlet = &self->outlets[i];
        set_slot(self, POLL_OUT_READ + i, outlet->from, outlet_wants_read(outlet), POLLIN);
        set_slot(self, POLL_OUT_WRITE + i, outlet->to.fd, outlet_wants_write(outlet), POLLOUT);
    }
    set_slot(self, POLL_IN_READ, self->inlet.from.fd, inlet_wants_read(&self->inlet), POLLIN);
    /* Without bytes to write it is still watched: POLLERR says that the program closed its input. */
    set_slot(self, POLL_IN_WRITE, self->inlet.to, self->inlet.to >= 0,
             inlet_wants_write(&self->inlet) ? POLLOUT : 0);
}

static void move_bytes(struct supervisor *self)
{
    for (unsigned i = 0; i < STREAM_COUNT; i++) {
        if (self->slots[POLL_OUT_WRITE + i].revents != 0)
            outlet_write(&self->outlets[i]);
        if (self->slots[POLL_OUT_READ + i].revents != 0)
            (void)outlet_read(&self->outlets[i]);
    }
    if (self->slots[POLL_IN_READ].revents != 0 && inlet_wants_read(&self->inlet))
        inlet_read(&self->inlet);
    if (self->slots[POLL_IN_WRITE].revents & (POLLERR | POLLHUP)) {
        inlet_end(&self->inlet);
    } else if (self->slots[POLL_IN_WRITE].revents != 0 && inlet_wants_write(&self->inlet)) {
        inlet_write(&self->inlet);
    }
}

static int poll_once(struct supervisor *self, struct berm_error *err)
{
    fill_slots(self);
    uint64_t pause = next_pause_ns(self);
    struct timespec timeout = {(time_t)(pause / NS_PER_S), (long)(pause % NS_PER_S)};
    if (ppoll(self->slots, POLL_COUNT, &timeout, NULL) < 0 && errno != EINTR)
        return error_set(err, BERM_E_SYSTEM, BERM_LAYER_NONE, errno, NULL, "poll failed: %s",
                         strerror(errno));
    if (self->slots[POLL_STATUS].revents != 0)
        read_messages(self);
    if (self->slots[POLL_CANCEL].revents != 0)
        read_cancel(self);
    if (self->slots[POLL_CALLER].revents != 0)
        stop_for(self, KILL_CANCELLED);
    move_bytes(self);
    check_limits(self);
    if (self->slots[POLL_PROCESS].revents != 0)
        reap_first(self);
    return 0;
}

/* Has the caller said, while its reader is waited for, that it wants to wait no longer? */
static void look_for_cancel(struct supervisor *self, const struct pollfd *cancel)
{
    struct signalfd_siginfo info;

    if (cancel->revents == 0 || read(cancel->fd, &info, sizeof(info)) != (ssize_t)sizeof(info) ||
        info.ssi_signo == SIGWINCH)
        return;
    self->seen->cancel_signal = (int32_t)info.ssi_signo;
    let_signals_through();
    self->gives_up_ns = clock_now_ns() + GIVE_UP_NS;
}

/* False: the caller is gone, or it has cancelled and had its time. */
static bool wait_for_reader(struct supervisor *self, const struct outlet *outlet)
{
    const struct run_io *io = self->part->io;
    bool has_cancelled = self->gives_up_ns != 0;
    uint64_t now = clock_now_ns();
    struct pollfd slots[] = {
        {.fd = outlet->to.fd,                                                 .events = POLLOUT},
        {.fd = io->cancel_is_signalfd && !has_cancelled ? io->cancel_fd : -1, .events = POLLIN },
        {.fd = io->caller_pidfd,                                              .events = POLLIN },
    };

    if (has_cancelled && now >= self->gives_up_ns)
        return false;
    int timeout_ms = has_cancelled ? (int)((self->gives_up_ns - now) / NS_PER_MS) + 1 : -1;
    if (poll(slots, sizeof(slots) / sizeof(slots[0]), timeout_ms) < 0)
        return errno == EINTR;
    look_for_cancel(self, &slots[1]);
    return slots[2].revents == 0;
}

/* Pass on what is pending, waiting for the live reader. */
static void flush(struct supervisor *self, struct outlet *outlet)
{
    while (outlet_wants_write(outlet)) {
        if (!wait_for_reader(self, outlet)) {
            outlet_give_up(outlet);
            return;
        }
        outlet_write(outlet);
    }
}

/* The run is over: what is still in the pipes is collected, without waiting for survivors that hold them
 * open, and passed on to the live reader. */
static void drain(struct supervisor *self)
{
    if (self->part->io->cancel_is_signalfd && self->seen->kill_reason == KILL_CANCELLED)
        self->gives_up_ns = clock_now_ns() + GIVE_UP_NS;
    for (unsigned i = 0; i < STREAM_COUNT; i++) {
        struct outlet *outlet = &self->outlets[i];

        flush(self, outlet);
        for (int round = 0; round < DRAIN_ROUNDS_MAX && outlet->from >= 0; round++) {
            if (!outlet_read(outlet))
                break;
            flush(self, outlet);
        }
        outlet_end(outlet);
        flush(self, outlet);
        self->seen->streams[i].bytes = outlet->bytes;
        self->seen->live_errors[i] = outlet->error;
        self->seen->streams[i].omitted_bytes = outlet->dropped_bytes;
        if (outlet->capture && self->part->io->live_fds[i] < 0)
            self->seen->streams[i].omitted_bytes = capture_omitted_bytes(outlet->capture);
    }
}

static int begin(struct supervisor *self)
{
    struct part_state *part = self->part;
    const struct run_io *io = part->io;
    int r = inlet_init(&self->inlet, io->stdin_fd, &part->input_fd);
    self->inlet.is_terminal = plan_has(part->plan, PLAN_TTY);

    for (unsigned i = 0; i < STREAM_COUNT; i++)
        outlet_init(&self->outlets[i], &part->output_fds[i], io, i);
    return r;
}

/* A first program that has exited with 0 hands over to the next; any other end is the end of the run. */
static bool can_begin_next(const struct supervisor *self)
{
    const struct observation *seen = self->seen;

    return self->main_has_ended && seen->kill_reason == KILL_NONE && !seen->has_failed &&
           WIFEXITED(seen->wait_status) && WEXITSTATUS(seen->wait_status) == 0;
}

int supervise(struct run_state *run, struct part_state *part, bool has_next,
              enum watch_end *ret_end, struct berm_error *err)
{
    struct supervisor self = {
        .run = run,
        .part = part,
        .plan = part->plan,
        .seen = part->seen,
        .limits = {.run = run, .part = part, .seen = part->seen}
    };
    bool is_handing_over = false;

    self.inlet.to = -EBADF;
    self.inlet.from.fd = -1;
    for (unsigned i = 0; i < STREAM_COUNT; i++) {
        self.outlets[i].from = -EBADF;
        self.outlets[i].to.fd = -1;
    }
    int r = begin(&self);
    if (r < 0)
        error_set(err, BERM_E_SYSTEM, BERM_LAYER_NONE, -r, NULL,
                  "cannot begin to watch the run: %s", strerror(-r));
    while (r == 0 && !self.is_over && !is_handing_over) {
        r = poll_once(&self, err);
        is_handing_over = has_next && !self.is_over && can_begin_next(&self);
        if (has_next && self.main_has_ended && !is_handing_over)
            end_everything(&self); /* init waits for a word that will not come */
    }
    if (r == 0)
        drain(&self);
    part->seen->stdin_bytes = self.inlet.bytes;
    inlet_done(&self.inlet);
    for (unsigned i = 0; i < STREAM_COUNT; i++)
        outlet_done(&self.outlets[i]);
    *ret_end = is_handing_over ? WATCH_NEXT : WATCH_OVER;
    return r;
}
