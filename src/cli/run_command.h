/*
 * What `run`, `code` and `explain` share: from flags and a command to a plan, from a plan to a printed
 * result.
 */
#ifndef BERM_CLI_RUN_COMMAND_H
#define BERM_CLI_RUN_COMMAND_H

#include "cli/options.h"
#include "cli/run_files.h"
#include "linux/host.h"
#include "policy/request.h"
#include "request/binds.h"
#include "run/result.h"
#include "run/run.h"

/* One command line, understood. */
struct run_command {
    struct policy *policy; /* owned */
    struct run_options options;
    struct run_file_words *words; /* owned: --put, --get, the list of files */
    int command_index;            /* of argv */
    char **env_extra;             /* owned: the lines of --env-file */
    size_t env_extra_count;
    struct host host;
    struct cloner early;           /* makes the namespaces while the plan is made */
    struct plan *plan;             /* owned; NULL until run_command_plan() */
    struct policy *compile_policy; /* owned; NULL when nothing is compiled */
    char *const *compile_program;  /* borrowed */
    struct plan *compile_plan;     /* owned */
    int stdin_fd;                  /* owned when above 2; negative: the program reads end of file */
    int result_fd;                 /* owned: --result, open before anything runs */
    int patience_ms;               /* for the readers of what is printed; negative: no end of it */
    bool is_capturing;             /* output is returned, not passed through */
    const struct request_file *files; /* borrowed while the plan is built */
    size_t file_count;
    char *const
        *program; /* borrowed: what run_command_plan() was given, to plan again without a layer */
    struct bind_paths binds; /* where --ro and --rw really lead */
    /* Layers that were preferred and could not be had: why, by layer. */
    const char *absent[BERM_LAYER_COUNT];
    char why[BERM_LAYER_COUNT][BERM_MESSAGE_SIZE];
};

void run_command_init(struct run_command *command);
void run_command_done(struct run_command *command);

/* Read the flags, the policy file, the environment files. 0 or -errno with @err. */
int run_command_parse(struct run_command *command, int argc, char **argv, struct berm_error *err);

/* Begin with what the run will need whatever the plan says in detail: before run_command_plan(), where the plan
 * is going to be run. */
void run_command_begin_early(struct run_command *command);

/* Probe the host and build the plan for @program (NULL-terminated). 0 or -errno with @err. */
int run_command_plan(struct run_command *command, char *const *program, struct berm_error *err);

/* The program will see the small root of L6, where the work directory is /work. */
bool run_command_has_small_root(const struct run_command *command);

/* Run the plan, print the result as asked. Returns berm's exit status. */
int run_command_execute(struct run_command *command);

/* Print a refusal: on stderr, or as JSON on stdout with --json. Returns the exit status. */
int run_command_refuse(const struct run_command *command, const struct berm_error *err);

#ifdef BERM_FAULT_INJECTION
/* Every plan from now on makes this row of the step table fail. */
void run_command_set_fault(unsigned step, int number);
#endif

/* The area of argv and environ of this process, wiped in the run's init. Noted once, by main. */
struct identity_area {
    char *start;
    size_t size;
};

void run_command_note_identity(char **argv, char **environment);
struct identity_area run_command_identity(void);

#endif
