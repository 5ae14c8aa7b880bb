/*
 * Attacks on the caller and on other processes: variables, descriptors, memory, terminals, what is shared.
 */
#include "prove/attacks.h"

/* clang-format off */
#define BY_SECRET .afterwards = look_secret, .harm = "the canary is in its output"
#define ON_VICTIM .layer = BERM_LAYER_PROCESS, .from = 3, .topic = TOPIC_OTHERS
#define SHARED    .layer = BERM_LAYER_PROCESS, .from = 6, .topic = TOPIC_SHARED

const struct attack attacks_others[] = {
    {.id = "env-key", .tries = "prints its environment, in which the caller has an API key",
     .words = {"environment"},
     .layer = BERM_LAYER_ENV, .from = 2, .topic = TOPIC_ENVIRONMENT, BY_SECRET},
    {.id = "app-overwrite", .tries = "overwrites app.py in the directory from which it was started",
     .words = {"write", "app.py", "overwritten\n"}, .layer = BERM_LAYER_ENV, .from = 2, .topic = TOPIC_ENVIRONMENT,
     .afterwards = look_app, .harm = "the caller's app.py is another one"},
    {.id = "fd-leak", .tries = "reads every descriptor that the caller left open", .words = {"dump-descriptors"},
     .layer = BERM_LAYER_ENV, .from = 2, .topic = TOPIC_ENVIRONMENT, BY_SECRET},
    {.id = "tty-write", .tries = "writes onto the caller's terminal", .words = {"terminal-write", "{name}"},
     .layer = BERM_LAYER_LIMITS, .from = 1, .topic = TOPIC_ENVIRONMENT, .needs = GIVES_TERMINAL,
     .afterwards = look_terminal_output, .harm = "its words stand on the terminal"},
    {.id = "tty-push", .tries = "types a command into the caller's terminal (CVE-2017-5226)",
     .words = {"terminal-push", "touch harmed"}, .layer = BERM_LAYER_LIMITS, .from = 1, .topic = TOPIC_ENVIRONMENT,
     .needs = GIVES_TERMINAL | NEEDS_PUSH, .afterwards = look_terminal_input,
     .harm = "characters wait on the terminal as if typed"},
    {.id = "others-arguments", .tries = "reads the arguments of all processes", .words = {"dump-others", "cmdline"},
     ON_VICTIM, BY_SECRET},
    {.id = "others-environment", .tries = "reads the variables of all processes, the caller's among them",
     .words = {"dump-others", "environ"}, ON_VICTIM, BY_SECRET},
    {.id = "others-kill", .tries = "ends another process of the caller's",
     .words = {"kill", "{victim}", "9"}, ON_VICTIM,
     .detail = VICTIM_ENDED, .afterwards = look_victim, .harm = "the other process is ended"},
    {.id = "others-stop", .tries = "stops another process of the caller's",
     .words = {"kill", "{victim}", "19"}, ON_VICTIM,
     .detail = VICTIM_STOPPED, .afterwards = look_victim, .harm = "the other process is stopped"},
    {.id = "others-trace", .tries = "traces another process and reads its memory",
     .words = {"trace-read", "{victim}", "{victim-address}"}, ON_VICTIM, BY_SECRET},
    {.id = "others-read", .tries = "reads the memory of another process (process_vm_readv)",
     .words = {"memory-read", "{victim}", "{victim-address}"}, ON_VICTIM, BY_SECRET},
    {.id = "others-write", .tries = "overwrites the memory of another process through /proc/PID/mem",
     .words = {"memory-write", "{victim}", "{victim-address}", "overwritten"}, ON_VICTIM, .detail = VICTIM_WRITTEN,
     .afterwards = look_victim, .harm = "the memory of the other process is another one"},
    {.id = "others-descriptor", .tries = "takes an open file from another process (pidfd_getfd)",
     .words = {"steal-descriptor", "{victim}", "{victim-fd}"}, ON_VICTIM, BY_SECRET},
    {.id = "others-limit", .tries = "lowers a resource limit of another process",
     .words = {"limit-other", "{victim}", "16"}, ON_VICTIM, .detail = VICTIM_LIMITED, .afterwards = look_victim,
     .harm = "the other process may open 16 files"},
    {.id = "others-nice", .tries = "puts another process behind all others",
     .words = {"nice-other", "{victim}", "19"},
     ON_VICTIM, .detail = VICTIM_NICED, .afterwards = look_victim,
     .harm = "the nice value of the other process is higher"},
    {.id = "shm-read", .tries = "reads a shared memory segment of the host",
     .words = {"shared", "shm", "{shm-key}"},
     SHARED, BY_SECRET},
    {.id = "shm-file", .tries = "reads a file in the host's /dev/shm", .words = {"dump", "{shm-file}"},
     .layer = BERM_LAYER_FILESYSTEM, .from = 6, .topic = TOPIC_SHARED, BY_SECRET},
    {.id = "semaphore", .tries = "sets a semaphore of the host",
     .words = {"semaphore-set", "{sem-key}", "77"}, SHARED,
     .afterwards = look_semaphore, .harm = "the semaphore has another value"},
    {.id = "message", .tries = "takes a message from a queue of the host",
     .words = {"message-take", "{msg-key}"}, SHARED,
     BY_SECRET},
    {.id = "keyring", .tries = "reads a key of the caller's kernel keyring", .words = {"key-read", "{name}"},
     .layer = BERM_LAYER_ENV, .from = 2, .topic = TOPIC_SHARED, BY_SECRET},
    {.id = "host-name", .tries = "asks for the host's name", .words = {"host-name"}, SHARED,
     .afterwards = look_host_name_said, .harm = "the host's name is in its output"},
    {.id = "host-name-set", .tries = "renames the host", .words = {"hostname-set", "renamed"}, SHARED,
     .needs = NEEDS_ROOT, .afterwards = look_host_name_changed, .harm = "the host has another name"},
};

/* clang-format on */

const size_t attacks_others_count = sizeof(attacks_others) / sizeof(attacks_others[0]);
