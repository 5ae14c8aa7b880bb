/*
 * The order of everything that happens between clone and exec, as data.
 *
 * The rows run top to bottom. Rows of STEP_IN_INIT run in the first process of the run (PID 1 where the
 * process layer is on); rows of STEP_IN_PROGRAM run in the process that becomes the program. Without
 * an init both are the same process.
 */
#ifndef BERM_ENTER_SEQUENCE_H
#define BERM_ENTER_SEQUENCE_H

#include "enter/enter.h"

enum step_id {
    STEP_NONE = 0,
    STEP_WAIT_GO,
    STEP_SOURCES,
    STEP_IDENTITY,
    STEP_NO_NESTING,
    STEP_MOUNTS,
    STEP_GROUPS,
    STEP_HAND_WORK,
    STEP_LOOPBACK,
    STEP_LOCK_MOUNTS,
    STEP_HOSTNAME,
    STEP_HIDE_INIT,
    STEP_FORK,
    STEP_NEW_SESSION,
    STEP_SIGNALS,
    STEP_KEYRING,
    STEP_SCHEDULING,
    STEP_GROUP_JOIN,
    STEP_CGROUP_NAMESPACE,
    STEP_DESCRIPTORS,
    STEP_WORK_DIR,
    STEP_RLIMITS,
    STEP_CAPABILITIES,
    STEP_NO_NEW_PRIVS,
    STEP_LANDLOCK,
    STEP_FILTER,
    STEP_EVIDENCE,
    STEP_EXEC,
    STEP_COUNT
};

enum step_place {
    STEP_IN_INIT,
    STEP_IN_PROGRAM
};

/* What steps hand to each other. Lives on the child's stack. */
struct enter_state {
    const struct enter_context *context;
    const struct plan *plan;
    uint32_t index; /* the row of the plan's table at which a step stands; sent when it fails */
    uint32_t layer; /* the layer to blame when it is not the step's owner; 0 = the owner */
    int status_fd;  /* moves when the descriptors are sorted */
    int stash_fd;   /* of the row MOUNT_STASH; owned by source_fds */
    int source_fds[PLAN_MOUNTS_MAX]; /* by row: detached copies of what is bound; negative = none */
    int landlock_fd;
    int skeleton_fd;  /* a detached copy of the mount; negative = the root is built here */
    long program_pid; /* in init, after STEP_FORK; 0 where there is no init */
    struct evidence evidence;
};

struct step {
    enum step_id id;
    enum berm_layer owner;
    enum step_place place;
    const char *name;
    const char *what;
    const char *why_here;
    int (*run)(struct enter_state *state); /* 0 or -errno */
};

extern const struct step enter_steps[STEP_COUNT]; /* by id; row 0 is empty */

/* "mounts", "evidence", ...; "unknown" when out of range. Never NULL. */
const char *enter_step_name(uint32_t step);

/* What contradicts the plan, by the index that the step "evidence" sent: "seccomp mode". Never NULL. */
const char *evidence_name(uint32_t index);

/* The steps, one file a mechanism. */
int step_wait_go(struct enter_state *state);
int step_sources(struct enter_state *state);
int step_identity(struct enter_state *state);
int step_no_nesting(struct enter_state *state);
int step_mounts(struct enter_state *state);
int step_groups(struct enter_state *state);
int step_hand_work(struct enter_state *state);
int step_loopback(struct enter_state *state);
int step_lock_mounts(struct enter_state *state);
int step_hostname(struct enter_state *state);
int step_hide_init(struct enter_state *state);
int step_fork(struct enter_state *state);
int step_new_session(struct enter_state *state);
int step_signals(struct enter_state *state);
int step_keyring(struct enter_state *state);
int step_scheduling(struct enter_state *state);
int step_group_join(struct enter_state *state);
int step_cgroup_namespace(struct enter_state *state);
int step_descriptors(struct enter_state *state);
int step_work_dir(struct enter_state *state);
int step_rlimits(struct enter_state *state);
int step_capabilities(struct enter_state *state);
int step_no_new_privs(struct enter_state *state);
int step_landlock(struct enter_state *state);
int step_filter(struct enter_state *state);
int step_evidence(struct enter_state *state);
int step_exec(struct enter_state *state);

/* PID 1 after the fork: reaps, reports the program's end, dies with berm. Returns only to begin the next
 * program: the state then speaks of that one. */
void init_main(struct enter_state *state);

/* The rows of the program, up to exec. */
void enter_program(struct enter_state *state) __attribute__((noreturn));

/* One message on the status pipe, stamped with the time; a failing write cannot be told to anybody. */
void enter_send(int status_fd, struct enter_message *message);

#endif
