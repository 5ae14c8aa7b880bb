/*
 * Attempts on other processes: signals, memory, /proc, what is shared between processes.
 */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <mqueue.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "guest/guest.h"

#define TEXT_MAX 65536

static int kill_one(int argc, char **argv)
{
    return outcome_of(kill((pid_t)number_of(argv[0]), argc > 1 ? (int)number_of(argv[1]) : 0));
}

static int state_of(pid_t pid)
{
    char path[64];
    char text[512];

    (void)snprintf(path, sizeof(path), "/proc/%d/stat", pid);
    if (read_text(path, text, sizeof(text)) < 0)
        return -1;
    const char *behind = strrchr(text, ')');
    return behind ? behind[2] : -1;
}

/* Refuses to touch any other PID 1 than a sandbox's: the argument is its name. */
static bool is_named_init(const char *wanted)
{
    char name[64];

    return read_text("/proc/1/comm", name, sizeof(name)) >= 0 &&
           strncmp(name, wanted, strlen(wanted)) == 0;
}

/* Every signal that could stop or end PID 1 of a sandbox. */
static int attack_init(int argc, char **argv)
{
    static const int signals[] = {SIGSTOP, SIGTSTP, SIGKILL, SIGTERM, SIGCHLD, SIGSEGV};

    (void)argc;
    if (!is_named_init(argv[0]))
        return -ESRCH;
    for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
        (void)kill(1, signals[i]); /* returns 0 even where the signal is thrown away */
    (void)usleep(100000);          /* time for a signal to act; nothing tells that none will */
    fact("its state is %c", state_of(1));
    return strchr("Tt", state_of(1)) ? 0 : -EPERM;
}

/* Equal uids are all that prlimit(2) asks for. The limit is one that init does not meet. */
static int limit_init(int argc, char **argv)
{
    struct rlimit few = {64, 64};

    (void)argc;
    if (!is_named_init(argv[0]))
        return -ESRCH;
    return outcome_of(syscall(SYS_prlimit64, 1, RLIMIT_NOFILE, &few, NULL));
}

static int trace(int argc, char **argv)
{
    (void)argc;
    /* Seizing does not stop it, and the end of this process lets it go. */
    return outcome_of(ptrace(PTRACE_SEIZE, (pid_t)number_of(argv[0]), NULL, NULL));
}

/* EFAULT means that permission was given and nothing lies at that address. */
static int vm_read(int argc, char **argv)
{
    char buffer[16];
    struct iovec here = {buffer, sizeof(buffer)};
    struct iovec there = {(void *)(uintptr_t)(argc > 1 ? number_of(argv[1]) : 0x400000), 16};
    int r = outcome_of(process_vm_readv((pid_t)number_of(argv[0]), &here, 1, &there, 1, 0));

    return r == -EFAULT ? 0 : r;
}

static int take_fd(int argc, char **argv)
{
    long pidfd = syscall(434, number_of(argv[0]), 0);

    (void)argc;
    if (pidfd < 0)
        return -errno;
    return outcome_of(syscall(438, pidfd, 0, 0));
}

/* Files of /proc/PID that tell about a process. Those that open and hold something are named. */
static int proc_files(int argc, char **argv)
{
    static const char *const names[] = {"environ", "maps", "auxv", "stack", "syscall", "io"};
    char path[PATH_MAX];
    char text[TEXT_MAX];
    unsigned found = 0;

    (void)argc;
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        (void)snprintf(path, sizeof(path), "/proc/%s/%s", argv[0], names[i]);
        if (read_text(path, text, sizeof(text)) > 0) {
            fact("%s ", names[i]);
            found++;
        }
    }
    (void)snprintf(path, sizeof(path), "/proc/%s/mem", argv[0]);
    if (open(path, O_RDWR | O_CLOEXEC) >= 0) {
        fact("mem ");
        found++;
    }
    return found > 0 ? 0 : -EACCES;
}

/* The links of /proc/PID that lead to files: root, cwd, exe, descriptors. */
static int proc_links(int argc, char **argv)
{
    static const char *const names[] = {"root/", "cwd/", "exe", "fd/0", "fd/1", "fd/3", "ns/net"};
    char path[PATH_MAX];
    unsigned found = 0;

    (void)argc;
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        (void)snprintf(path, sizeof(path), "/proc/%s/%s", argv[0], names[i]);
        if (open(path, O_PATH | O_CLOEXEC) >= 0) {
            fact("%s ", names[i]);
            found++;
        }
    }
    return found > 0 ? 0 : -EACCES;
}

/* CVE-2019-5736: a handle on another process's program through which it can be written later. */
static int exe_handle(int argc, char **argv)
{
    char path[PATH_MAX];
    int fd;

    (void)argc;
    (void)snprintf(path, sizeof(path), "/proc/%s/exe", argv[0]);
    fd = open(path, O_PATH | O_CLOEXEC);
    if (fd < 0)
        return -errno;
    (void)snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    return outcome_of(access(path, W_OK));
}

static bool contains(const char *text, size_t size, const char *what)
{
    return memmem(text, size, what, strlen(what)) != NULL;
}

/* Is a text to be found in what /proc tells of any other process? The argument itself is passed
 * over by reading it from a variable's name: GREP holds the text, so this process is passed over
 * too. */
static int proc_search(int argc, char **argv)
{
    static const char *const names[] = {"cmdline", "environ", "comm", "cwd", "exe"};
    static char text[TEXT_MAX];
    DIR *dir = opendir("/proc");
    struct dirent *entry;
    unsigned seen = 0;
    unsigned found = 0;

    (void)argc;
    while (dir && (entry = readdir(dir)) != NULL) {
        if (!isdigit((unsigned char)entry->d_name[0]) ||
            strtol(entry->d_name, NULL, 10) == getpid())
            continue;
        seen++;
        for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
            char path[PATH_MAX];
            int r;

            (void)snprintf(path, sizeof(path), "/proc/%s/%s", entry->d_name, names[i]);
            r = i < 3 ? read_text(path, text, sizeof(text))
                      : (int)readlink(path, text, sizeof(text));
            if (r > 0 && contains(text, (size_t)r, argv[0])) {
                fact("%s ", path);
                found++;
            }
        }
    }
    fact("(%u other processes)", seen);
    return found > 0 ? 0 : -ENOENT;
}

/* Every process that is there, by name. */
static int proc_list(int argc, char **argv)
{
    DIR *dir = opendir("/proc");
    struct dirent *entry;
    unsigned count = 0;

    (void)argc;
    (void)argv;
    if (!dir)
        return -errno;
    while ((entry = readdir(dir)) != NULL) {
        char path[PATH_MAX];
        char name[64];

        if (!isdigit((unsigned char)entry->d_name[0]))
            continue;
        (void)snprintf(path, sizeof(path), "/proc/%s/comm", entry->d_name);
        if (read_text(path, name, sizeof(name)) >= 0 && count++ < 100)
            fact("%s:%s", entry->d_name, name);
    }
    fact("(%u)", count);
    return 0;
}

/* shared KIND KEY: what another process left under that key. */
static int shared(int argc, char **argv)
{
    const char *kind = argv[0];
    const char *key = argv[1];

    (void)argc;
    if (strcmp(kind, "sem") == 0)
        return outcome_of(semget((key_t)number_of(key), 0, 0));
    if (strcmp(kind, "msg") == 0)
        return outcome_of(msgget((key_t)number_of(key), 0));
    if (strcmp(kind, "posix") == 0)
        return outcome_of(shm_open(key, O_RDONLY, 0));
    if (strcmp(kind, "mqueue") == 0)
        return outcome_of(mq_open(key, O_RDONLY));
    int id = shmget((key_t)number_of(key), 0, 0);
    if (id < 0)
        return -errno;
    const char *memory = shmat(id, NULL, SHM_RDONLY);
    if (memory == (const char *)-1)
        return -errno;
    fact("%.64s", memory);
    return 0;
}

/* Leaves something under that key for the next run to find. */
static int leave(int argc, char **argv)
{
    int id = shmget((key_t)number_of(argv[0]), 4096, IPC_CREAT | 0666);
    char *memory = id < 0 ? (char *)-1 : shmat(id, NULL, 0);

    (void)argc;
    if (memory == (char *)-1)
        return -errno;
    (void)snprintf(memory, 4096, "left by the guest");
    return 0;
}

/* A process that leaves the session and goes on; its name is in what it was started with. */
static int daemonize(int argc, char **argv)
{
    pid_t pid = fork();

    (void)argc;
    if (pid == 0) {
        (void)setsid();
        if (fork() == 0) {
            for (int fd = 0; fd < 3; fd++)
                (void)close(fd);
            (void)sleep((unsigned)number_of(argv[0]));
        }
        _exit(0);
    }
    (void)waitpid(pid, NULL, 0); /* it has left: before, a sweep of the session finds it */
    return 0;
}

const struct attempt processes_attempts[] = {
    {"kill",        "PID [SIGNAL]",                 1, kill_one   },
    {"attack-init", "NAME",                         1, attack_init},
    {"limit-init",  "NAME",                         1, limit_init },
    {"trace",       "PID",                          1, trace      },
    {"vm-read",     "PID [ADDRESS]",                1, vm_read    },
    {"take-fd",     "PID",                          1, take_fd    },
    {"proc-files",  "PID",                          1, proc_files },
    {"proc-links",  "PID",                          1, proc_links },
    {"exe-handle",  "PID",                          1, exe_handle },
    {"proc-search", "TEXT",                         1, proc_search},
    {"proc-list",   "",                             0, proc_list  },
    {"shared",      "shm|sem|msg|posix|mqueue KEY", 2, shared     },
    {"leave",       "KEY",                          1, leave      },
    {"daemon",      "SECONDS",                      1, daemonize  },
    {NULL,          NULL,                           0, NULL       },
};
