/*
 * THE order. Each row says why it stands where it stands.
 *
 * In: a context. Out: the program, or one ENTER_FAILED message and an exit. Must never: skip a row that
 * the plan asks for.
 */
#include "enter/sequence.h"

#include <linux/sched.h>
#include <signal.h>
#include <time.h>

#include "enter/raw.h"

/* clang-format off */
const struct step enter_steps[STEP_COUNT] = {
    [STEP_WAIT_GO] = {STEP_WAIT_GO, BERM_LAYER_PROCESS, STEP_IN_INIT, "wait-go",
        "wait until the supervisor has written the id maps",
        "before the ids are mapped no file can be made and no identity taken (user_namespaces(7))",
        step_wait_go},
    [STEP_SOURCES] = {STEP_SOURCES, BERM_LAYER_FILESYSTEM, STEP_IN_INIT, "sources",
        "take hold of the host paths that will be in the new root",
        "before the identity changes: the run's own uid may not enter the caller's directories",
        step_sources},
    [STEP_IDENTITY] = {STEP_IDENTITY, BERM_LAYER_PRIVILEGES, STEP_IN_INIT, "identity",
        "become the uid and gid of the run",
        "files of the new root must belong to the run, so this comes before mounts; the capabilities "
        "of the new user namespace are kept, because its uid 0 is not left",
        step_identity},
    [STEP_NO_NESTING] = {STEP_NO_NESTING, BERM_LAYER_PRIVILEGES, STEP_IN_INIT, "no-nesting",
        "allow no user namespace below this one: it would give its maker all capabilities anew",
        "needs CAP_SYS_RESOURCE here, and a /proc that can be written: the run's own is read-only",
        step_no_nesting},
    [STEP_MOUNTS] = {STEP_MOUNTS, BERM_LAYER_FILESYSTEM, STEP_IN_INIT, "mounts",
        "build the file tree and make it the root",
        "in init, so that init itself holds no path to the host when the program starts",
        step_mounts},
    [STEP_GROUPS] = {STEP_GROUPS, BERM_LAYER_LIMITS, STEP_IN_INIT, "groups",
        "take hold of the run's control groups, which the supervisor makes meanwhile (cgroup v1)",
        "after the mounts, unless these have waited for them already; in init, which hands them on to a "
        "second program",
        step_groups},
    [STEP_HAND_WORK] = {STEP_HAND_WORK, BERM_LAYER_FILESYSTEM, STEP_IN_INIT, "hand-work",
        "hand the supervisor a descriptor of the work directory, and wait for the files that it puts there",
        "after the mounts, before there is a program that could be in the way; after the groups, since both "
        "come by the same socket",
        step_hand_work},
    [STEP_LOOPBACK] = {STEP_LOOPBACK, BERM_LAYER_NETWORK, STEP_IN_INIT, "loopback",
        "bring up the run's own loopback interface when asked",
        "needs CAP_NET_ADMIN in the network namespace's owner, which is dropped later",
        step_loopback},
    [STEP_LOCK_MOUNTS] = {STEP_LOCK_MOUNTS, BERM_LAYER_PROCESS, STEP_IN_INIT, "lock-mounts",
        "hand the mounts on to a second user and mount namespace, where none can be taken away",
        "only where the program keeps capabilities (below L5): `umount /proc` would show the host's; "
        "mounts that come from a more privileged namespace are locked (mount_namespaces(7))",
        step_lock_mounts},
    [STEP_HOSTNAME] = {STEP_HOSTNAME, BERM_LAYER_PROCESS, STEP_IN_INIT, "hostname",
        "set the host name of the run's UTS namespace",
        "needs CAP_SYS_ADMIN, which is dropped later",
        step_hostname},
    [STEP_HIDE_INIT] = {STEP_HIDE_INIT, BERM_LAYER_PROCESS, STEP_IN_INIT, "hide-init",
        "wipe the caller's arguments and environment from this process, become unreadable",
        "before the program exists there is nobody to read them",
        step_hide_init},
    [STEP_FORK] = {STEP_FORK, BERM_LAYER_PROCESS, STEP_IN_INIT, "fork",
        "make the process that becomes the program; init stays PID 1 and waits until it is executed",
        "the last act of init: what follows concerns the program alone",
        step_fork},
    [STEP_NEW_SESSION] = {STEP_NEW_SESSION, BERM_LAYER_LIMITS, STEP_IN_PROGRAM, "new-session",
        "a process session of its own, without a controlling terminal",
        "first, so that a signal to the caller's terminal group no longer reaches it",
        step_new_session},
    [STEP_SIGNALS] = {STEP_SIGNALS, BERM_LAYER_ENV, STEP_IN_PROGRAM, "signals",
        "default dispositions, empty mask, fixed umask",
        "ignored and blocked signals survive exec (signal(7)); anywhere before exec",
        step_signals},
    [STEP_KEYRING] = {STEP_KEYRING, BERM_LAYER_ENV, STEP_IN_PROGRAM, "keyring",
        "a session keyring of its own: the caller's keys are inherited otherwise",
        "by the program itself: init needs no keys; before the filter, which refuses keyctl",
        step_keyring},
    [STEP_SCHEDULING] = {STEP_SCHEDULING, BERM_LAYER_LIMITS, STEP_IN_PROGRAM, "scheduling",
        "CPU affinity",
        "needs no right; before the group so that the first tick counts where it should",
        step_scheduling},
    [STEP_GROUP_JOIN] = {STEP_GROUP_JOIN, BERM_LAYER_LIMITS, STEP_IN_PROGRAM, "group-join",
        "enter the control groups of this run (cgroup v1)",
        "by the program itself and by the file `tasks`: that moves one task without the global lock "
        "(25 us, against 7.4 ms through cgroup.procs after 60 ms of idleness: bench/method.md); "
        "init stays outside so that it is never the OOM victim",
        step_group_join},
    [STEP_CGROUP_NAMESPACE] = {STEP_CGROUP_NAMESPACE, BERM_LAYER_PROCESS, STEP_IN_PROGRAM, "cgroup-namespace",
        "make the run's group the root of what /proc/self/cgroup shows",
        "after the group is entered: made earlier it would be rooted at the parent's group "
        "(cgroup_namespaces(7))",
        step_cgroup_namespace},
    [STEP_DESCRIPTORS] = {STEP_DESCRIPTORS, BERM_LAYER_ENV, STEP_IN_PROGRAM, "descriptors",
        "0, 1, 2 in place; from L2 every other descriptor closed at exec",
        "after the groups' files have been used; before the limit on open files",
        step_descriptors},
    [STEP_WORK_DIR] = {STEP_WORK_DIR, BERM_LAYER_ENV, STEP_IN_PROGRAM, "work-dir",
        "the directory in which the program starts",
        "after the root has changed: no working directory may point outside it (CVE-2024-21626)",
        step_work_dir},
    [STEP_RLIMITS] = {STEP_RLIMITS, BERM_LAYER_LIMITS, STEP_IN_PROGRAM, "rlimits",
        "set the resource limits",
        "inside the user namespace, where RLIMIT_NPROC counts this run alone (Linux 5.14); late, since "
        "the steps above need descriptors and memory of their own",
        step_rlimits},
    [STEP_CAPABILITIES] = {STEP_CAPABILITIES, BERM_LAYER_PRIVILEGES, STEP_IN_PROGRAM, "capabilities",
        "empty the bounding, ambient, inheritable, permitted and effective sets",
        "after every step that needs a capability",
        step_capabilities},
    [STEP_NO_NEW_PRIVS] = {STEP_NO_NEW_PRIVS, BERM_LAYER_PRIVILEGES, STEP_IN_PROGRAM, "no-new-privs",
        "no exec gains anything any more",
        "required by Landlock and the filter for a process without capabilities (prctl(2))",
        step_no_new_privs},
    [STEP_LANDLOCK] = {STEP_LANDLOCK, BERM_LAYER_FILESYSTEM, STEP_IN_PROGRAM, "landlock",
        "the second wall around the file tree",
        "after the last open of a path by berm; before the filter, which needs no Landlock calls",
        step_landlock},
    [STEP_FILTER] = {STEP_FILTER, BERM_LAYER_SYSCALLS, STEP_IN_PROGRAM, "filter",
        "install the system-call filter",
        "last of all restrictions: no step above may need a refused call after it",
        step_filter},
    [STEP_EVIDENCE] = {STEP_EVIDENCE, BERM_LAYER_NONE, STEP_IN_PROGRAM, "evidence",
        "read back from the kernel what is in force, compare it with the plan",
        "right before exec: nothing can change in between",
        step_evidence},
    [STEP_EXEC] = {STEP_EXEC, BERM_LAYER_NONE, STEP_IN_PROGRAM, "exec",
        "execute the program",
        "the end",
        step_exec},
};

/* clang-format on */

const char *enter_step_name(uint32_t step)
{
    return step > STEP_NONE && step < STEP_COUNT ? enter_steps[step].name : "unknown";
}

void enter_send(int status_fd, struct enter_message *message)
{
    struct timespec now = {0, 0};

    (void)RAW(SYS_clock_gettime, RAW_ARG(CLOCK_MONOTONIC), &now);
    message->sent_ns = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
    (void)RAW(SYS_write, RAW_ARG(status_fd), message, sizeof(*message));
}

static void fail(const struct enter_state *state, const struct step *step, int error)
    __attribute__((noreturn));

static void fail(const struct enter_state *state, const struct step *step, int error)
{
    struct enter_message message = {
        .kind = ENTER_FAILED,
        .step = step->id,
        .layer = state->layer != 0 ? state->layer : step->owner,
        .error = -error,
        .index = state->index,
    };

    message.evidence = state->evidence;
    enter_send(state->status_fd, &message);
    (void)RAW(SYS_exit_group, RAW_ARG(125));
    __builtin_unreachable();
}

static void run_step(struct enter_state *state, enum step_id id)
{
    const struct step *step = &enter_steps[id];

    state->index = 0;
    state->layer = 0;
#ifdef BERM_FAULT_INJECTION
    if (state->plan->fault_step == id)
        fail(state, step, -state->plan->fault_errno);
#endif
    int r = step->run(state);
    if (r < 0)
        fail(state, step, r);
}

static void run_steps(struct enter_state *state, enum step_place place)
{
    for (unsigned i = STEP_NONE + 1; i < STEP_COUNT; i++) {
        if (enter_steps[i].place == place)
            run_step(state, i);
    }
}

static void begin_state(struct enter_state *state, const struct enter_context *context)
{
    state->context = context;
    state->plan = context->plan;
    state->status_fd = context->status_fd;
    state->landlock_fd = -1;
    state->skeleton_fd = -1;
}

void enter_program(struct enter_state *state)
{
    run_steps(state, STEP_IN_PROGRAM);
    (void)RAW(SYS_exit_group, RAW_ARG(125)); /* not reached: the last row never returns 0 */
    __builtin_unreachable();
}

void enter_child(const struct enter_context *context)
{
    struct enter_state state = {.stash_fd = -1};

    begin_state(&state, context);
    run_steps(&state, STEP_IN_INIT);
    while (state.program_pid > 0) {
        init_main(&state);
        begin_state(&state, state.context->next);
        run_step(&state, STEP_FORK);
    }
    enter_program(&state); /* no init: this process becomes the program */
}
