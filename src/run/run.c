/*
 * One run: names, child, loop, sweep, counts, removal.
 */
#include "run/run.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/error.h"
#include "linux/clone.h"
#include "linux/proc.h"
#include "plan/defect.h"
#include "run/files.h"
#include "run/groups.h"
#include "run/spawn.h"
#include "run/supervisor.h"

/* A session that forks while it is swept is scanned again, this often at the most. */
#define SWEEP_ROUNDS_MAX 20
/* berm opens no descriptor above this; what the caller leaked there stays, where close_range is refused. */
#define WATCHDOG_FDS   1024
#define SWEEP_PAUSE_NS 1000000L

static bool kill_member(pid_t pid, void *context)
{
    uint32_t *count = context;

    if (pid > 1 && kill(pid, SIGKILL) == 0)
        (*count)++;
    return true;
}

/* Kill what is left of the program's session. It may leave the session by setsid: then it is an orphan,
 * which L1 and L2 let live (mission, "Leftovers"). */
static void sweep_session(pid_t session, struct observation *seen)
{
    struct timespec pause = {0, SWEEP_PAUSE_NS};

    for (int round = 0; round < SWEEP_ROUNDS_MAX; round++) {
        uint32_t killed = 0;

        proc_visit_session(session, kill_member, &killed);
        while (waitpid(-1, NULL, WNOHANG) > 0)
            ; /* what was handed to us as subreaper */
        if (killed == 0)
            return;
        if (round == 0)
            seen->survivors = killed;
        (void)nanosleep(&pause, NULL);
    }
}

static bool count_one(pid_t pid, void *context)
{
    uint32_t *count = context;
    struct proc_stat stat;

    if (proc_read_stat(pid, &stat) == 0 && stat.state != 'Z')
        (*count)++;
    return true;
}

/* With an init, all parts belong to one first process. */
static int run_guarded(struct run_state *run, struct berm_error *err)
{
    enum watch_end end = WATCH_NEXT;
    int r = run_spawn(run, 0, run->part_count, err);

    for (unsigned i = 0; r == 0 && i < run->part_count && end == WATCH_NEXT; i++) {
        bool has_next = i + 1 < run->part_count;

        if (i > 0) {
            run->began_ns = clock_now_ns();
            if (send(run->control_fd, "n", 1, MSG_NOSIGNAL) != 1)
                return error_set(err, BERM_E_SYSTEM, BERM_LAYER_NONE, errno, NULL,
                                 "init is gone before the next program: %s", strerror(errno));
        }
        r = supervise(run, &run->parts[i], has_next, &end, err);
        groups_count(&run->parts[i]);
    }
    if (r == 0)
        files_after(run);
    return r;
}

static bool exited_with_0(const struct observation *seen)
{
    return seen->has_status && !seen->has_failed && seen->kill_reason == KILL_NONE &&
           WIFEXITED(seen->wait_status) && WEXITSTATUS(seen->wait_status) == 0;
}

/* How long the supervisor has to act on its own timer before the watchdog does. */
#define WALL_GRACE_NS 100000000ULL

/* The watchdog's life: it ends with the program, and ends the program with berm or with the wall clock. */
static void watch_program(uint64_t wall_ns, pid_t session) __attribute__((noreturn));

enum watchdog_fd {
    WATCHDOG_PROGRAM = 3,
    WATCHDOG_BERM = 4
};

/* The whole session, and not the program alone: among a hundred busy processes an idle one never gets the CPU that
 * it needs to die (45 s past a wall clock of 2 s, when only it was killed). */
static void end_session(pid_t session)
{
    uint32_t killed = 0;

    (void)pidfd_signal(WATCHDOG_PROGRAM, SIGKILL);
    if (session > 0)
        proc_visit_session(session, kill_member, &killed);
}

static void watch_program(uint64_t wall_ns, pid_t session)
{
    uint64_t left = wall_ns + WALL_GRACE_NS;
    struct timespec timeout = {(time_t)(left / NS_PER_S), (long)(left % NS_PER_S)};
    struct pollfd slots[] = {
        {.fd = WATCHDOG_PROGRAM, .events = POLLIN},
        {.fd = WATCHDOG_BERM,    .events = POLLIN}
    };

    if (close_from(WATCHDOG_BERM + 1) < 0) {
        for (int fd = WATCHDOG_BERM + 1; fd < WATCHDOG_FDS; fd++)
            (void)close(fd);
    }
    for (int fd = 0; fd < WATCHDOG_PROGRAM; fd++)
        (void)close(fd);
    if (ppoll(slots, 2, &timeout, NULL) == 0 || slots[1].revents != 0)
        end_session(session);
    _exit(0);
}

/* Without an init nobody else keeps the wall clock, and the program can hold berm in a read of its output pipe,
 * beyond any timer (enter/init.c). A process of its own does; it holds nothing but two pidfds.
 * Returns its pid, 0 when there is no limit, or -errno. */
static pid_t start_watchdog(int pidfd, uint64_t wall_ns, pid_t session)
{
    bool is_watched = wall_ns != 0 && !IS_PLANTED(wall_unwatched);
    AUTO_FD int own = is_watched ? pidfd_of_self() : -EBADF;

    if (own < 0)
        return 0;
    pid_t pid = fork();
    if (pid != 0)
        return pid < 0 ? -errno : pid;
    /* Above the two numbers first, so that neither steps on the other. */
    int program = fcntl(pidfd, F_DUPFD, WATCHDOG_BERM + 1);
    int berm = fcntl(own, F_DUPFD, WATCHDOG_BERM + 1);
    if (program < 0 || berm < 0 || dup2(program, WATCHDOG_PROGRAM) < 0 ||
        dup2(berm, WATCHDOG_BERM) < 0)
        _exit(1);
    watch_program(wall_ns, session);
}

static void end_watchdog(pid_t pid)
{
    if (pid <= 0)
        return;
    (void)kill(pid, SIGKILL); /* our child, not reaped yet: the number is its own */
    while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
        ;
}

/* Without an init, each part is a first process of its own; what it leaves behind is handed to this process,
 * so that it can be counted (prctl(2), PR_SET_CHILD_SUBREAPER). */
static int run_bare(struct run_state *run, struct berm_error *err)
{
    int r = 0;

    (void)prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
    for (unsigned i = 0; r == 0 && i < run->part_count; i++) {
        struct part_state *part = &run->parts[i];
        enum watch_end end = WATCH_OVER;

        if (i > 0 && !exited_with_0(run->parts[i - 1].seen))
            break;
        run->began_ns = clock_now_ns();
        r = run_spawn(run, i, 1, err);
        pid_t first = run->pid;
        bool has_session = plan_has(part->plan, PLAN_SWEEP_SESSION);
        pid_t watchdog =
            r == 0 ? start_watchdog(run->pidfd, part->plan->wall_ns, has_session ? first : 0) : 0;
        if (r == 0)
            r = supervise(run, part, false, &end, err);
        end_watchdog(watchdog);
        bool is_swept = !IS_PLANTED(sweep_nothing) &&
                        !(IS_PLANTED(kill_child_only) && part->seen->kill_reason != KILL_NONE);
        if (r == 0 && is_swept && plan_has(part->plan, PLAN_SWEEP_SESSION))
            sweep_session(first, part->seen);
        if (r == 0)
            proc_visit_tree(getpid(), count_one, &part->seen->orphans);
        groups_count(part);
        if (r == 0 && (i + 1 == run->part_count || !exited_with_0(part->seen)))
            files_after(run);
        run_end_first(run);
    }
    return r;
}

void run_begin_early(struct cloner *cloner, uint64_t namespaces)
{
    cloner_begin(cloner, namespaces);
}

void run_end_early(struct cloner *cloner)
{
    cloner_end(cloner);
}

int run_parts(const struct run_part *parts, unsigned count, struct cloner *early,
              const struct run_files *files, struct berm_error *err)
{
    struct run_state run;
    struct cloner own = {.pid = 0};

    for (unsigned i = 0; i < count; i++)
        memset(parts[i].seen, 0, sizeof(*parts[i].seen));
    run_state_init(&run, parts, count);
    run.cloner = early ? early : &own;
    run.files = files;
    /* Not beside groups of v2: berm may have to step out of its group, which must be empty then. */
    if (!early && parts[0].plan->cgroup_version != 2)
        cloner_begin(&own, parts[0].plan->clone_flags);
    int r = run_take_names(&run, err);
    if (r == 0)
        r = plan_has(parts[0].plan, PLAN_INIT) ? run_guarded(&run, err) : run_bare(&run, err);

    cloner_end(run.cloner); /* one that was not needed, since something else failed */
    uint64_t ended_ns = clock_now_ns();
    int removed = run_state_done(&run);
    parts[count - 1].seen->cleanup_ns = clock_now_ns() - ended_ns;
    if (r == 0 && removed < 0)
        return error_set(err, BERM_E_SYSTEM, BERM_LAYER_LIMITS, -removed,
                         "see what holds the group or the work directory of this run",
                         "the run ended, but what it used could not be removed: %s",
                         strerror(-removed));
    return r;
}
