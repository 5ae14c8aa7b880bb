/*
 * A failed step becomes an error: see failure.h.
 */
#include "run/failure.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/quote.h"
#include "enter/sequence.h"
#include "plan/dump.h"

/* What execve(2) answers, and what it means for the person who gave the program's name. */
struct exec_cause {
    int number;
    enum berm_error_code code;
    const char *cause, *cure;
};

static const struct exec_cause exec_causes[] = {
    {ENOENT,       BERM_E_NOT_FOUND,      "it does not exist inside",
     "give a program that exists inside; at L6 that is what the system and --ro, --rw bring in"                                   },
    {ENOTDIR,      BERM_E_NOT_FOUND,      "a part of its path is no directory",                          "correct the path"       },
    {EACCES,       BERM_E_NOT_EXECUTABLE, "permission denied",
     "make it a file that the run's user may execute (chmod +x)"                                                                  },
    {ENOEXEC,      BERM_E_NOT_EXECUTABLE, "it is neither a binary of this machine nor a script with #!",
     "check the file's format and architecture, or name its interpreter"                                                          },
    {ELIBBAD,      BERM_E_NOT_EXECUTABLE, "its interpreter or loader does not exist inside",
     "check the #! line, or bring the interpreter in with --ro"                                                                   },
    {ELOOP,        BERM_E_NOT_EXECUTABLE, "too many symbolic links or interpreters",                     "correct the path"       },
    {ENAMETOOLONG, BERM_E_NOT_EXECUTABLE, "its path is too long",                                        "shorten the path"       },
    {ETXTBSY,      BERM_E_NOT_EXECUTABLE, "it is open for writing",                                      "close it first"         },
    {EISDIR,       BERM_E_NOT_EXECUTABLE, "its interpreter is a directory",                              "check the file's format"},
    {EPERM,        BERM_E_NOT_EXECUTABLE, "the kernel does not permit it",
     "a set-user-id program cannot be run here"                                                                                   },
    {EINVAL,       BERM_E_NOT_EXECUTABLE, "the kernel does not accept its format",
     "check the file's format"                                                                                                    },
    {E2BIG,        BERM_E_INVALID,        "its arguments and variables are too long together",
     "give long input by stdin or a file"                                                                                         },
};

static int explain_exec(const struct plan *plan, int number, struct berm_error *err)
{
    struct quoted program;
    (void)quote_text(&program, plan_text_of(plan, plan->program));

    for (size_t i = 0; i < sizeof(exec_causes) / sizeof(exec_causes[0]); i++) {
        const struct exec_cause *row = &exec_causes[i];
        if (row->number == number)
            return error_set(err, row->code, BERM_LAYER_NONE, number, row->cure,
                             "cannot execute %s: %s", program.text, row->cause);
    }
    return error_set(err, BERM_E_SYSTEM, BERM_LAYER_NONE, number, NULL, "cannot execute %s: %s",
                     program.text, strerror(number));
}

/* The row of the plan's table at which a step stood; "" where the step walks none. */
static void describe_row(const struct plan *plan, uint32_t step, uint32_t index, char *text,
                         size_t size)
{
    struct quoted target;
    struct quoted source;

    text[0] = '\0';
    if ((step == STEP_MOUNTS || step == STEP_SOURCES) && index < plan->mount_count) {
        const struct plan_mount *mount = &plan->mounts[index];
        const char *from = plan_shown_text(plan, mount->source);
        (void)snprintf(text, size, " at %s %s%s%s", mount_op_name(mount->op),
                       quote_text(&target, plan_shown_text(plan, mount->target)),
                       from[0] ? " from " : "", from[0] ? quote_text(&source, from) : "");
    } else if (step == STEP_RLIMITS && index < plan->rlimit_count) {
        (void)snprintf(text, size, " at %s", rlimit_name(plan->rlimits[index].resource));
    } else if (step == STEP_LANDLOCK && index < plan->rule_count) {
        (void)snprintf(text, size, " at %s",
                       quote_text(&target, plan_text_of(plan, plan->rules[index].path)));
    }
}

/* The answers by which a kernel, or a filter around berm, says that it does not give something. */
static bool is_refusal(int number)
{
    return number == EPERM || number == EACCES || number == ENOSYS || number == EINVAL ||
           number == EOPNOTSUPP || number == ENODEV || number == ENOSPC || number == EUSERS ||
           number == EROFS;
}

/* A path that the caller named and that is not there, or that he may not enter himself. */
static int explain_source(const struct plan *plan, const struct enter_message *failure,
                          struct berm_error *err)
{
    struct quoted path;

    return error_set(err, BERM_E_INVALID, (enum berm_layer)failure->layer, failure->error,
                     "name a path that exists and that you may read", "cannot bring in %s: %s",
                     quote_text(&path, plan_shown_text(plan, plan->mounts[failure->index].source)),
                     strerror(failure->error));
}

static int explain_step(const struct plan *plan, const struct enter_message *failure,
                        struct berm_error *err)
{
    char row[256];
    enum berm_layer layer = (enum berm_layer)failure->layer;
    enum berm_error_code code =
        layer != BERM_LAYER_NONE && is_refusal(failure->error) ? BERM_E_UNAVAILABLE : BERM_E_SYSTEM;

    describe_row(plan, failure->step, failure->index, row, sizeof(row));
    return error_set(err, code, layer, failure->error,
                     code == BERM_E_UNAVAILABLE
                         ? "`berm doctor` shows what this machine gives; --prefer LAYER goes on "
                           "without the layer, and the result says so"
                         : NULL,
                     "step \"%s\" failed%s: %s", enter_step_name(failure->step), row,
                     strerror(failure->error));
}

int failure_explain(const struct plan *plan, const struct observation *seen, struct berm_error *err)
{
    const struct enter_message *failure = &seen->failure;
    int ret;

    if (failure->step == STEP_EXEC)
        ret = explain_exec(plan, failure->error, err);
    else if (failure->step == STEP_EVIDENCE && failure->error == EBADE)
        ret =
            error_set(err, BERM_E_UNAVAILABLE, (enum berm_layer)failure->layer, failure->error,
                      "`berm doctor` shows what this machine gives; nothing was executed",
                      "what the kernel reports before the program starts contradicts the plan: %s",
                      evidence_name(failure->index));
    else if (failure->step == STEP_SOURCES && failure->index < plan->mount_count &&
             (failure->error == ENOENT || failure->error == EACCES || failure->error == ENOTDIR ||
              failure->error == ELOOP))
        ret = explain_source(plan, failure, err);
    else
        ret = explain_step(plan, failure, err);
    error_at_step(err, enter_step_name(failure->step));
    return ret;
}
