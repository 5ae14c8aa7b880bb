/*
 * Behaviours that use things up: processes, threads, memory, CPU time, files, output.
 *
 * Each is bounded by its argument and by a timer of its own, so that a run without a sandbox ends.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "guest/guest.h"

/* No behaviour outlives this, whatever its argument. */
#define LONGEST_S    60
#define CHILDREN_MAX 4096
#define PATIENCE_MS  3000
#define MIB          (1L << 20)

static void *wait_for_ever(void *unused)
{
    for (;;)
        (void)pause();
    return unused;
}

static void *burn(void *until)
{
    const long *end = until;

    while (now_ms() < *end) {
        for (volatile int i = 0; i < 100000; i++)
            ;
    }
    return NULL;
}

static int forks(int argc, char **argv)
{
    static pid_t children[CHILDREN_MAX];
    long wanted = number_of(argv[0]);
    long started = 0;
    int error = 0;

    (void)argc;
    while (started < wanted && started < CHILDREN_MAX) {
        pid_t pid = fork();

        if (pid == 0) {
            (void)alarm(LONGEST_S);
            (void)wait_for_ever(NULL);
        }
        if (pid < 0) {
            error = errno;
            break;
        }
        children[started++] = pid;
    }
    hold_for_host();
    for (long i = 0; i < started; i++) {
        (void)kill(children[i], SIGKILL);
        (void)waitpid(children[i], NULL, 0);
    }
    fact("started %ld of %ld", started, wanted);
    return -error;
}

static int threads(int argc, char **argv)
{
    long wanted = number_of(argv[0]);
    long started = 0;
    pthread_attr_t attributes;
    int error = 0;

    (void)argc;
    (void)pthread_attr_init(&attributes);                /* cannot fail with musl */
    (void)pthread_attr_setstacksize(&attributes, 65536); /* as little memory as can be */
    while (error == 0 && started < wanted) {
        pthread_t thread;

        error = pthread_create(&thread, &attributes, wait_for_ever, NULL);
        if (error == 0)
            started++;
    }
    fact("started %ld of %ld", started, wanted);
    hold_for_host(); /* whatever came of it: those that were started are there */
    return -error;
}

/* Doubles as fast as it can, and each process ends by its own timer. Only for use inside a sandbox.
 * */
static int fork_bomb(int argc, char **argv)
{
    long seconds = number_of(argv[0]);
    long end = now_ms() + seconds * 1000;

    (void)argc;
    while (now_ms() < end) {
        (void)alarm((unsigned)seconds + 1); /* fork clears it, so each process sets its own */
        (void)fork();
    }
    return 0;
}

static int allocate(long mib)
{
    for (long i = 0; i < mib; i++) {
        char *piece =
            mmap(NULL, (size_t)MIB, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

        if (piece == MAP_FAILED) {
            fact("touched %ld MiB", i);
            return -errno;
        }
        memset(piece, 1, (size_t)MIB);
    }
    fact("touched %ld MiB", mib);
    return 0;
}

static int alloc(int argc, char **argv)
{
    (void)argc;
    return allocate(number_of(argv[0]));
}

static void allocate_in_child(long mib, int ready_fd)
{
    int r = allocate(mib);

    (void)alarm(LONGEST_S);
    (void)!write(ready_fd, "r", 1);
    hold_in_child();
    (void)sleep(2);
    _exit(r == 0 ? 0 : 1);
}

/* Until each child has its memory, or was ended for it. */
static void await_children(int ready_fd, long count)
{
    struct pollfd ready = {.fd = ready_fd, .events = POLLIN};
    long end = now_ms() + PATIENCE_MS;
    char byte;

    while (count > 0 && now_ms() < end) {
        if (poll(&ready, 1, 10) == 1 && read(ready_fd, &byte, 1) == 1)
            count--;
        while (waitpid(-1, NULL, WNOHANG) > 0)
            count--;
    }
}

/* N children that each touch M MiB and hold it until all have. */
static int alloc_children(int argc, char **argv)
{
    static pid_t children[CHILDREN_MAX];
    long count = number_of(argv[0]);
    long mib = number_of(argv[1]);
    long ended = 0;
    int ready[2];

    (void)argc;
    if (count > CHILDREN_MAX || pipe2(ready, O_CLOEXEC) != 0)
        return -errno;
    for (long i = 0; i < count; i++) {
        children[i] = fork();
        if (children[i] == 0)
            allocate_in_child(mib, ready[1]);
    }
    (void)close(ready[1]);
    await_children(ready[0], count);
    if (is_held()) {
        hold_for_host();
        for (long i = 0; i < count; i++) {
            if (children[i] > 0)
                (void)kill(children[i], SIGKILL);
        }
        return 0;
    }
    for (int status = 0; wait(&status) > 0;)
        ended += WIFEXITED(status) && WEXITSTATUS(status) == 0;
    fact("%ld of %ld children had their memory", ended, count);
    return ended == count ? 0 : -ENOMEM;
}

static int lock_memory(int argc, char **argv)
{
    long mib = number_of(argv[0]);
    void *memory =
        mmap(NULL, (size_t)(mib * MIB), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    (void)argc;
    if (memory == MAP_FAILED)
        return -errno;
    return outcome_of(mlock(memory, (size_t)(mib * MIB)));
}

static int spin(int argc, char **argv)
{
    long end = now_ms() + number_of(argv[0]) * 1000;

    (void)argc;
    (void)burn(&end);
    return 0;
}

static int spin_threads(int argc, char **argv)
{
    static pthread_t workers[64];
    long count = number_of(argv[0]);
    long end = now_ms() + number_of(argv[1]) * 1000;

    (void)argc;
    for (long i = 0; i < count && i < 64; i++) {
        int error = pthread_create(&workers[i], NULL, burn, &end);

        if (error != 0)
            return -error;
    }
    for (long i = 0; i < count && i < 64; i++)
        (void)pthread_join(workers[i], NULL);
    return 0;
}

/* A chain of children that each live for a millisecond and are waited for by nobody. */
static int spin_chain(int argc, char **argv)
{
    long end = now_ms() + number_of(argv[0]) * 1000;
    unsigned links = 0;

    (void)argc;
    (void)signal(SIGCHLD, SIG_IGN);
    while (now_ms() < end) {
        long until = now_ms() + 2;
        pid_t pid = fork();

        if (pid == 0) {
            (void)burn(&until);
            _exit(0);
        }
        if (pid < 0)
            return -errno;
        (void)waitpid(pid, NULL, 0); /* ECHILD: SIGCHLD is ignored, nothing is left to collect */
        links++;
    }
    fact("%u links", links);
    return 0;
}

static int open_files(int argc, char **argv)
{
    long wanted = number_of(argv[0]);
    long opened = 3; /* 0, 1, 2 */

    int r = 0;

    (void)argc;
    while (r == 0 && opened < wanted) {
        r = open("/dev/null", O_RDONLY | O_CLOEXEC) < 0 ? -errno : 0;
        opened += r == 0;
    }
    fact("%ld files are open", opened);
    hold_for_host();
    return r;
}

static int write_mib(int argc, char **argv)
{
    static char piece[1 << 20];
    int fd = open(argv[0], O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    long wanted = number_of(argv[1]);
    long written = 0;

    (void)argc;
    (void)signal(SIGXFSZ, SIG_IGN); /* then the limit is an error and not the end */
    memset(piece, 'x', sizeof(piece));
    if (fd < 0)
        return -errno;
    for (; written < wanted; written++) {
        ssize_t n = write(fd, piece, sizeof(piece));

        if (n != (ssize_t)sizeof(piece)) {
            fact("wrote %ld MiB", written);
            return n < 0 ? -errno : -EFBIG;
        }
    }
    fact("wrote %ld MiB", written);
    return 0;
}

static int many_files(int argc, char **argv)
{
    long wanted = number_of(argv[1]);
    long made = 0;

    (void)argc;
    for (; made < wanted; made++) {
        char path[PATH_MAX];
        int fd;

        (void)snprintf(path, sizeof(path), "%s/f%ld", argv[0], made);
        fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
        if (fd < 0) {
            fact("made %ld files", made);
            return -errno;
        }
        (void)close(fd); /* empty */
    }
    fact("made %ld files", made);
    return 0;
}

static int sparse(int argc, char **argv)
{
    int fd = open(argv[0], O_WRONLY | O_CREAT | O_CLOEXEC, 0600);

    (void)argc;
    (void)signal(SIGXFSZ, SIG_IGN); /* then the limit is an error and not the end */
    if (fd < 0)
        return -errno;
    return outcome_of(ftruncate(fd, number_of(argv[1]) * MIB));
}

static int flood(int argc, char **argv)
{
    static char piece[65536];
    long left = number_of(argv[1]);
    int fd = strcmp(argv[0], "stderr") == 0 ? 2 : 1;
    char end = argc > 2 ? 'x' : '\n';

    memset(piece, 'x', sizeof(piece));
    for (size_t i = 99; i < sizeof(piece); i += 100)
        piece[i] = end;
    for (; left > 0; left -= (long)sizeof(piece)) {
        if (write(fd, piece, sizeof(piece)) < 0)
            return -errno;
    }
    return 0;
}

/* last-line BYTES: as a traceback does, it names the problem at the end. */
static int last_line(int argc, char **argv)
{
    static char line[100];
    long left = number_of(argv[0]);

    (void)argc;
    memset(line, 'x', sizeof(line));
    line[sizeof(line) - 1] = '\n';
    for (; left > 0; left -= (long)sizeof(line))
        print_now(line, sizeof(line));
    print_now("the last line: what is wrong\n", 29);
    return 0;
}

/* What a run may end in: `end sleep 5`, `end signal 11`, `end exit 3`, ... */
static int end_as(int argc, char **argv)
{
    const char *how = argv[0];
    long number = argc > 1 ? number_of(argv[1]) : 0;

    (void)alarm(LONGEST_S);
    if (strcmp(how, "ignore-term") == 0) {
        (void)signal(SIGTERM, SIG_IGN);
        (void)signal(SIGINT, SIG_IGN);
        (void)signal(SIGHUP, SIG_IGN);
    } else if (strcmp(how, "stopped-child") == 0) {
        if (fork() == 0)
            (void)raise(SIGSTOP);
    } else if (strcmp(how, "close-output") == 0) {
        (void)close(1);
        (void)close(2);
    } else if (strcmp(how, "signal") == 0) {
        (void)raise((int)number);
    } else if (strcmp(how, "exit") == 0) {
        _exit((int)number);
    }
    (void)sleep((unsigned)number);
    return 0;
}

const struct attempt load_attempts[] = {
    {"fork",           "N",                         1, forks         },
    {"fork-bomb",      "SECONDS",                   1, fork_bomb     },
    {"threads",        "N",                         1, threads       },
    {"alloc",          "MIB",                       1, alloc         },
    {"alloc-children", "N MIB",                     2, alloc_children},
    {"lock-memory",    "MIB",                       1, lock_memory   },
    {"spin",           "SECONDS",                   1, spin          },
    {"spin-threads",   "N SECONDS",                 2, spin_threads  },
    {"spin-chain",     "SECONDS",                   1, spin_chain    },
    {"open-files",     "N",                         1, open_files    },
    {"write-mib",      "PATH MIB",                  2, write_mib     },
    {"many-files",     "DIRECTORY N",               2, many_files    },
    {"sparse",         "PATH MIB",                  2, sparse        },
    {"flood",          "STREAM BYTES [no-newline]", 2, flood         },
    {"last-line",      "BYTES",                     1, last_line     },
    {"end",            "HOW N",                     1, end_as        },
    {NULL,             NULL,                        0, NULL          },
};
