/*
 * berm: the verb table.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "berm-config.h"
#include "cli/complain.h"
#include "cli/run_command.h"
#include "cli/verb.h"
#ifdef BERM_FAULT_INJECTION
#    include <stdbool.h>

#    include "enter/sequence.h"
#endif

#ifdef BERM_PLANTED_DEFECTS
#    include <stdbool.h>

#    include "plan/defect.h"
#endif

extern char **environ;

/* clang-format off */
const struct verb cli_verbs[] = {
    {"run",        "run a command, contained",                          cmd_run},
    {"code",       "run a program text, contained",                     cmd_code},
    {"explain",    "what would be promised, and how; nothing runs",     cmd_explain},
    {"doctor",     "what this machine can give, tried and not guessed", cmd_doctor},
    {"policy",     "show or check a policy file",                       cmd_policy},
    {"prove",      "run the attacks, and show what each level stops",   cmd_prove},
    {"version",    "print the version",                                 cmd_version},
    {"help",       "print help",                                        cmd_help},
    {"completion", "print a completion script for bash, zsh or fish",   cmd_completion},
    {NULL, NULL, NULL},
};

/* clang-format on */

int cmd_version(int argc, char **argv)
{
    (void)argc;
    (void)argv;
    (void)printf("berm %s\n", BERM_VERSION);
    return fflush(stdout) == 0 ? 0 : EXIT_REFUSED;
}

/* berm may be started with 0, 1 or 2 closed: a file that it opens must not take their place and be handed
 * to the program as its output. */
static int fill_standard_descriptors(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
        /* The lowest free number is this one: those below it are open. */
        if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", O_RDWR | O_CLOEXEC) < 0)
            return -1;
    }
    return 0;
}

static int run_verb(int argc, char **argv)
{
    struct berm_error err;

    for (const struct verb *verb = cli_verbs; verb->name; verb++) {
        if (strcmp(argv[1], verb->name) == 0)
            return verb->run(argc - 1, argv + 1);
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)
        return cmd_help(1, argv + 1);
    if (strcmp(argv[1], "--version") == 0)
        return cmd_version(1, argv + 1);
    error_set(&err, BERM_E_INVALID, BERM_LAYER_NONE, 0, "`berm help` lists the verbs",
              "there is no verb \"%.100s\"", argv[1]);
    return complain(&err);
}

#ifdef BERM_FAULT_INJECTION
/* Only in the executable that tests/fault runs: "--steps" lists the rows, "--fault STEP:ERRNO" makes one fail. */
static bool take_fault(int *argc, char ***argv)
{
    unsigned step = 0;
    int number = 0;

    if (*argc >= 2 && strcmp((*argv)[1], "--steps") == 0) {
        for (uint32_t i = STEP_NONE + 1; i < STEP_COUNT; i++)
            (void)printf("%u %s %s\n", i, enter_step_name(i), layer_name(enter_steps[i].owner));
        return false;
    }
    if (*argc >= 3 && strcmp((*argv)[1], "--fault") == 0 &&
        sscanf((*argv)[2], "%u:%d", &step, &number) == 2) { /* NOLINT(cert-err34-c): test input */
        run_command_set_fault(step, number);
        (*argv)[2] = (*argv)[0];
        *argc -= 2;
        *argv += 2;
    }
    return true;
}
#endif

#ifdef BERM_PLANTED_DEFECTS
static bool plant(const char *name, size_t length)
{
#    define PLANT_ONE(defect, place)                                                               \
        if (strlen(#defect) == length && strncmp(name, #defect, length) == 0) {                    \
            planted_defects |= 1ULL << DEFECT_##defect;                                            \
            return true;                                                                           \
        }
    PLANTED_DEFECTS(PLANT_ONE)
#    undef PLANT_ONE
    return false;
}

/* Only in berm-defective: "--defects" lists them, "--plant NAME[,NAME]" plants. False: main ends with @ret_status. */
static bool take_plants(int *argc, char ***argv, int *ret_status)
{
#    define PRINT_ONE(defect, place) (void)printf("%s %s\n", #    defect, place);
    *ret_status = 0;
    if (*argc == 2 && strcmp((*argv)[1], "--defects") == 0) {
        PLANTED_DEFECTS(PRINT_ONE)
        return false;
    }
#    undef PRINT_ONE
    if (*argc < 3 || strcmp((*argv)[1], "--plant") != 0)
        return true;
    for (const char *at = (*argv)[2]; *at != '\0'; at += strspn(at, ",")) {
        size_t length = strcspn(at, ",");
        if (length > 0 && !plant(at, length)) {
            (void)fprintf(stderr, "berm: there is no defect \"%.*s\"\n", (int)length, at);
            *ret_status = EXIT_REFUSED;
            return false;
        }
        at += length;
    }
    (*argv)[2] = (*argv)[0];
    *argc -= 2;
    *argv += 2;
    return true;
}
#endif

int main(int argc, char **argv)
{
    struct berm_error err;

    if (fill_standard_descriptors() < 0)
        return EXIT_REFUSED;
    /* A program that closes its input must not end berm; the program itself gets the default back. */
    (void)signal(SIGPIPE, SIG_IGN);
    /* Ignored by the caller and inherited, it would leave no child to wait for (wait(2)). */
    (void)signal(SIGCHLD, SIG_DFL);
    (void)umask(
        022); /* what berm makes has the modes that it names, whatever the caller's umask is */
    run_command_note_identity(argv, environ);
#ifdef BERM_FAULT_INJECTION
    if (!take_fault(&argc, &argv))
        return 0;
#endif
#ifdef BERM_PLANTED_DEFECTS
    int status = 0;
    if (!take_plants(&argc, &argv, &status))
        return status;
#endif
    if (argc < 2) {
        error_set(&err, BERM_E_INVALID, BERM_LAYER_NONE, 0, "`berm help` shows how to begin",
                  "what shall be done? there is no verb");
        return complain(&err);
    }
    return run_verb(argc, argv);
}
