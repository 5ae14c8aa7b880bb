/*
 * One run: names, child, loop, sweep, counts, removal.
 */
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "linux/proc.h"
#include "run/run.h"
#include "run/supervisor.h"

/* A session that forks while it is swept is scanned again, this often at the most. */
#define SWEEP_ROUNDS_MAX 20
#define SWEEP_PAUSE_NS   1000000L

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

static void read_group(const struct cgroup *group, struct group_facts *facts)
{
    struct cgroup_counts counts;

    if (group->version == 0)
        return;
    cgroup_read(group, &counts);
    facts->version = group->version;
    facts->has_memory = counts.has_memory;
    facts->has_cpu = counts.has_cpu;
    facts->has_pids = counts.has_pids;
    facts->memory_peak_bytes = counts.memory_peak_bytes;
    facts->oom_kills = counts.oom_kills;
    facts->memory_refusals = counts.memory_refusals;
    facts->cpu_ns = counts.cpu_ns;
    facts->pids_peak = counts.pids_peak;
    facts->pids_refusals = counts.pids_refusals;
}

int run_plan(const struct plan *plan, const struct run_io *io, struct observation *ret_seen,
             struct berm_error *err)
{
    struct run_state run;
    bool has_init = plan_has(plan, PLAN_INIT);

    memset(ret_seen, 0, sizeof(*ret_seen));
    run_state_init(&run, plan, io, ret_seen);
    /* Without an init, what the program leaves behind is handed to this process, so that it can be counted
     * (prctl(2), PR_SET_CHILD_SUBREAPER). */
    if (!has_init)
        (void)prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
    int r = run_spawn(&run, err);
    pid_t first = run.pid;
    if (r == 0)
        r = supervise(&run, err);

    uint64_t ended_ns = clock_now_ns();
    if (r == 0 && plan_has(plan, PLAN_SWEEP_SESSION) && !has_init)
        sweep_session(first, ret_seen);
    if (r == 0 && !has_init)
        proc_visit_tree(getpid(), count_one, &ret_seen->orphans);
    read_group(&run.group, &ret_seen->group);
    int removed = run_state_done(&run);
    ret_seen->cleanup_ns = clock_now_ns() - ended_ns;
    if (r == 0 && removed < 0)
        return error_set(err, BERM_E_SYSTEM, BERM_LAYER_LIMITS, -removed,
                         "see what holds the group or the work directory of this run",
                         "the run ended, but what it used could not be removed: %s",
                         strerror(-removed));
    return r;
}
