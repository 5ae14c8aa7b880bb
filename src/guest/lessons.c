/*
 * Behaviours of the experiments: what a model's program does where a lesson is to be seen.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "guest/guest.h"

#define CHILDREN_MAX 256
#define FRAMES_MAX   10000
#define MIB          (1L << 20)

/* traceback CHARS: about so many, as an interpreter writes them. The last line alone names the problem, and nothing
 * comes behind it: the end is that of the interpreter. */
static int traceback(int argc, char **argv)
{
    long wanted = number_of(argv[0]);
    long used = printf("Traceback (most recent call last):\n");

    (void)argc;
    for (int i = 1; used > 0 && used < wanted && i < FRAMES_MAX; i++)
        used += printf("  File \"report.py\", line %d, in step_%d\n    return step_%d(rows)\n",
                       10 * i, i, i + 1);
    (void)printf("KeyError: 'price'\n");
    (void)fflush(stdout);
    _exit(1);
}

/* memory-error MIB: takes so much and ends as an interpreter does that was refused memory, whether it was or not. */
static int memory_error(int argc, char **argv)
{
    static const char complaint[] = "MemoryError\n";
    long wanted = number_of(argv[0]);

    (void)argc;
    for (long i = 0; i < wanted; i++) {
        char *piece =
            mmap(NULL, (size_t)MIB, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

        if (piece == MAP_FAILED)
            break;
        memset(piece, 1, (size_t)MIB);
        (void)usleep(2000); /* so that a host that looks now and then sees about how much */
        (void)usleep(2000); /* so that a host that looks now and then sees about how much */
    }
    (void)!write(STDERR_FILENO, complaint, sizeof(complaint) - 1);
    _exit(1);
}

/* fork-slowly N MS: one child each MS milliseconds, and each is told of, so that the host can look in between. */
static int fork_slowly(int argc, char **argv)
{
    static pid_t children[CHILDREN_MAX];
    long wanted = number_of(argv[0]);
    unsigned pause_us = (unsigned)number_of(argv[1]) * 1000;
    long started = 0;
    int error = 0;

    (void)argc;
    while (error == 0 && started < wanted && started < CHILDREN_MAX) {
        pid_t pid = fork();

        if (pid == 0) {
            hold_in_child();
            _exit(0);
        }
        if (pid < 0) {
            error = errno;
        } else {
            children[started++] = pid;
            print_now("started\n", 8);
            (void)usleep(pause_us);
        }
    }
    fact("started %ld of %ld", started, wanted);
    hold_for_host(); /* whatever came of it: those that were started are there */
    for (long i = 0; i < started; i++) {
        (void)kill(children[i], SIGKILL);
        (void)waitpid(children[i], NULL, 0);
    }
    return -error;
}

const struct attempt lessons_attempts[] = {
    {"traceback",    "CHARS", 1, traceback   },
    {"memory-error", "MIB",   1, memory_error},
    {"fork-slowly",  "N MS",  2, fork_slowly },
    {NULL,           NULL,    0, NULL        },
};
