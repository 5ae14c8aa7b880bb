/*
 * Behaviours that go on: for a number of milliseconds, or in the background.
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "guest/guest.h"

#define BOMB_MAX      8192
#define CHAIN_LINK_MS 5

static void *burn_until(void *end)
{
    while (now_ms() < *(const long *)end) {
        for (volatile int i = 0; i < 20000; i++)
            ;
    }
    return NULL;
}

static void ignore_requests(void)
{
    static const int signals[] = {SIGTERM, SIGINT, SIGHUP, SIGALRM, SIGXCPU, SIGUSR1, SIGUSR2};

    for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
        (void)signal(signals[i], SIG_IGN);
}

static void sleep_until(long end)
{
    while (now_ms() < end)
        (void)usleep(10000);
}

/* linger HOW MS: says when its time is over, which a limit is to prevent. */
static int linger(int argc, char **argv)
{
    const char *how = argv[0];
    long end = now_ms() + number_of(argv[1]);

    (void)argc;
    if (strcmp(how, "deaf") == 0)
        ignore_requests();
    if (strcmp(how, "silent") == 0) {
        (void)close(STDOUT_FILENO);
        (void)close(STDERR_FILENO);
    }
    for (int i = 0; i < 8 && strcmp(how, "family") == 0; i++) {
        if (fork() == 0) {
            sleep_until(end);
            _exit(0);
        }
    }
    if (strcmp(how, "busy") == 0)
        (void)burn_until(&end);
    else
        sleep_until(end);
    return 0;
}

/* Milliseconds of CPU time that this process has used. */
static long used_ms(void)
{
    struct timespec now;

    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now); /* cannot fail for this clock */
    return (long)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static void *burn_used(void *wanted)
{
    while (used_ms() < *(const long *)wanted) {
        for (volatile int i = 0; i < 20000; i++)
            ;
    }
    return NULL;
}

/* A limit of each process sees none of it. They are waited for, so that the host can count them. */
static void burn_chain(long wanted)
{
    for (long used = 0; used < wanted; used += CHAIN_LINK_MS) {
        long link = CHAIN_LINK_MS;
        pid_t pid = fork();

        if (pid == 0) {
            (void)burn_used(&link);
            _exit(0);
        }
        if (pid > 0)
            (void)waitpid(pid, NULL, 0);
    }
}

/* burn HOW MS: so much CPU time of one thread, of four threads, of a chain of children. */
static int burn(int argc, char **argv)
{
    static pthread_t threads[4];
    long wanted = number_of(argv[1]);
    size_t count = strcmp(argv[0], "threads") == 0 ? 4 : 0;

    (void)argc;
    if (strcmp(argv[0], "deaf") == 0)
        ignore_requests();
    if (strcmp(argv[0], "chain") == 0) {
        burn_chain(wanted);
        return 0;
    }
    for (size_t i = 0; i < count; i++) {
        int error = pthread_create(&threads[i], NULL, burn_used, &wanted);

        if (error != 0)
            return -error;
    }
    (void)burn_used(&wanted);
    for (size_t i = 0; i < count; i++)
        (void)pthread_join(threads[i], NULL);
    return 0;
}

struct bomb {
    atomic_long count;
    pid_t pids[BOMB_MAX];
};

/* Every process doubles itself at once, until all together are as many as asked for. */
static void explode(struct bomb *bomb, long wanted)
{
    for (;;) {
        long number = atomic_fetch_add(&bomb->count, 1);

        if (number >= wanted || number >= BOMB_MAX)
            hold_in_child();
        pid_t pid = fork();
        if (pid < 0)
            hold_in_child();
        if (pid == 0)
            bomb->pids[number] = getpid();
    }
}

/* bomb N. Only the first process looks after the others: it ends them. */
static int bomb_one(int argc, char **argv)
{
    long wanted = number_of(argv[0]);
    struct bomb *bomb =
        mmap(NULL, sizeof(*bomb), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

    (void)argc;
    if (bomb == MAP_FAILED)
        return -errno;
    pid_t first = fork();
    if (first == 0)
        explode(bomb, wanted);
    for (int i = 0; i < 50 && atomic_load(&bomb->count) < wanted; i++)
        (void)usleep(10000);
    fact("%ld processes", atomic_load(&bomb->count));
    hold_for_host();
    for (size_t i = 0; i < BOMB_MAX; i++) {
        if (bomb->pids[i] > 0)
            (void)kill(bomb->pids[i], SIGKILL);
    }
    (void)kill(first, SIGKILL);
    return 0;
}

/* A child in the same session that goes on when this process has ended. */
static int background(int argc, char **argv)
{
    (void)argc;
    if (fork() == 0) {
        for (int fd = 0; fd < 3; fd++)
            (void)close(fd);
        sleep_until(now_ms() + number_of(argv[0]));
        _exit(0);
    }
    return 0;
}

/* victim MS SECRET: what others are to leave alone. Any process of its user may trace it, as where no security module
 * forbids it. */
static int victim(int argc, char **argv)
{
    (void)argc;
    (void)prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY); /* EINVAL without Yama: nothing to allow */
    sleep_until(now_ms() + number_of(argv[0]));
    return 0;
}

/* exit-with STATUS: its last word first, which the frame would print only for 0 and 1. */
static int exit_with(int argc, char **argv)
{
    (void)argc;
    print_now("worked exit-with:\n", 18);
    _exit((int)number_of(argv[0]));
}

const struct attempt time_attempts[] = {
    {"linger",     "busy|sleep|deaf|silent|family MS", 2, linger    },
    {"burn",       "one|threads|chain|deaf MS",        2, burn      },
    {"bomb",       "N",                                1, bomb_one  },
    {"background", "MS",                               1, background},
    {"victim",     "MS SECRET",                        2, victim    },
    {"exit-with",  "STATUS",                           1, exit_with },
    {NULL,         NULL,                               0, NULL      },
};
