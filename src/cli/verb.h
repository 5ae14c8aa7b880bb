/*
 * The verbs of the command line: one row each, in the order in which `berm help` lists them.
 */
#ifndef BERM_CLI_VERB_H
#define BERM_CLI_VERB_H

struct verb {
    const char *name;    /* "run"; NULL ends the table */
    const char *summary; /* one line for `berm help`, without a full stop */
    /* Takes argv with the verb as argv[0]. Returns the exit status. */
    int (*run)(int argc, char **argv);
};

/* The table stands in main.c. */
extern const struct verb cli_verbs[];

int cmd_run(int argc, char **argv);
int cmd_code(int argc, char **argv);
int cmd_explain(int argc, char **argv);
int cmd_doctor(int argc, char **argv);
int cmd_version(int argc, char **argv);
int cmd_policy(int argc, char **argv);
int cmd_prove(int argc, char **argv);
int cmd_help(int argc, char **argv);
int cmd_completion(int argc, char **argv);

#endif
