/*
 * What the program is and has: identity, limits, descriptors, signals; and attempts to have more.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <limits.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "guest/guest.h"

/* The named lines of /proc/self/status. */
static int status(int argc, char **argv)
{
    FILE *file = fopen("/proc/self/status", "re");
    char text[512];

    if (!file)
        return -errno;
    while (fgets(text, sizeof(text), file)) {
        for (int i = 0; i < argc; i++) {
            size_t length = strlen(argv[i]);
            char *value = text + length + 1;

            if (strncmp(text, argv[i], length) != 0 || text[length] != ':')
                continue;
            value[strcspn(value, "\n")] = '\0';
            fact("%s=%s ", argv[i], value + strspn(value, "\t "));
        }
    }
    (void)fclose(file); /* only read */
    return 0;
}

static int ids(int argc, char **argv)
{
    gid_t groups[64];
    int count = getgroups(64, groups);

    (void)argc;
    (void)argv;
    fact("uid %u euid %u gid %u egid %u groups", getuid(), geteuid(), getgid(), getegid());
    for (int i = 0; i < count; i++)
        fact(" %u", groups[i]);
    return 0;
}

/* Every way to another uid that the process has without help. */
static int become_root(int argc, char **argv)
{
    (void)argc;
    (void)argv;
    if (setuid(0) != 0 && setreuid(0, 0) != 0 && setresuid(0, 0, 0) != 0)
        return -errno;
    fact("uid %u", getuid());
    return 0;
}

static int descriptors(int argc, char **argv)
{
    DIR *dir = opendir("/proc/self/fd");
    struct dirent *entry;

    (void)argc;
    (void)argv;
    if (!dir)
        return -errno;
    while ((entry = readdir(dir)) != NULL) {
        char target[PATH_MAX];
        ssize_t n;

        if (entry->d_name[0] == '.' || strtol(entry->d_name, NULL, 10) == dirfd(dir))
            continue;
        n = readlinkat(dirfd(dir), entry->d_name, target, sizeof(target) - 1);
        target[n > 0 ? n : 0] = '\0';
        fact("%s->%s ", entry->d_name, target);
    }
    (void)closedir(dir); /* only read */
    return 0;
}

/* Open a descriptor that points at a directory, and look up from it: CVE-2024-21626. */
static int descriptor_up(int argc, char **argv)
{
    char path[PATH_MAX];

    (void)argc;
    for (int fd = 0; fd < 1024; fd++) {
        (void)snprintf(path, sizeof(path), "/proc/self/fd/%d/../../../../../../%s", fd, argv[0]);
        if (open(path, O_RDONLY | O_CLOEXEC) >= 0) {
            fact("descriptor %d", fd);
            return 0;
        }
    }
    (void)snprintf(path, sizeof(path), "../../../../../../../../%s", argv[0]);
    return outcome_of(open(path, O_RDONLY | O_CLOEXEC));
}

static int environment(int argc, char **argv)
{
    (void)argc;
    (void)argv;
    for (char **e = environ; *e; e++)
        fact("%s ", *e);
    return 0;
}

static int directory(int argc, char **argv)
{
    char path[PATH_MAX];

    (void)argc;
    (void)argv;
    if (!getcwd(path, sizeof(path)))
        return -errno;
    fact("%s", path);
    return path[0] == '/' ? 0 : -ENOENT; /* "(unreachable)/..." */
}

/* Try each limit that is not infinite; the names of those that could be raised. */
static int raise_limits(int argc, char **argv)
{
    static const struct {
        const char *name;
        int number;
    } limits[] = {
        {"cpu",     RLIMIT_CPU    },
        {"fsize",   RLIMIT_FSIZE  },
        {"data",    RLIMIT_DATA   },
        {"core",    RLIMIT_CORE   },
        {"nproc",   RLIMIT_NPROC  },
        {"nofile",  RLIMIT_NOFILE },
        {"memlock", RLIMIT_MEMLOCK},
        {"as",      RLIMIT_AS     },
    };

    unsigned raised = 0;

    (void)argc;
    (void)argv;
    for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++) {
        struct rlimit limit;

        if (getrlimit(limits[i].number, &limit) != 0 || limit.rlim_max == RLIM_INFINITY)
            continue;
        limit.rlim_max++;
        if (setrlimit(limits[i].number, &limit) == 0) {
            fact("%s ", limits[i].name);
            raised++;
        }
    }
    return raised > 0 ? 0 : -EPERM;
}

static int show_limit(int argc, char **argv)
{
    struct rlimit limit;

    (void)argc;
    if (getrlimit((int)number_of(argv[0]), &limit) != 0)
        return -errno;
    fact("soft %lld hard %lld", (long long)limit.rlim_cur, (long long)limit.rlim_max);
    return 0;
}

static int nice_lower(int argc, char **argv)
{
    (void)argc;
    (void)argv;
    return outcome_of(setpriority(PRIO_PROCESS, 0, getpriority(PRIO_PROCESS, 0) - 1));
}

static int io_priority(int argc, char **argv)
{
    (void)argc;
    (void)argv;
    return outcome_of(syscall(SYS_ioprio_set, 1, 0, 2 << 13)); /* best effort, first of eight */
}

static int oom_score_lower(int argc, char **argv)
{
    char text[32];
    int fd = open("/proc/self/oom_score_adj", O_RDWR | O_CLOEXEC);
    ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);

    (void)argc;
    (void)argv;
    if (n < 0)
        return -errno;
    text[n] = '\0';
    n = snprintf(text, sizeof(text), "%ld", strtol(text, NULL, 10) - 1);
    return outcome_of(pwrite(fd, text, (size_t)n, 0));
}

static int real_time(int argc, char **argv)
{
    struct sched_param one = {.sched_priority = 1};

    (void)argc;
    (void)argv;
    return outcome_of(syscall(SYS_sched_setscheduler, 0, SCHED_FIFO, &one));
}

/* Ask for every CPU; worked when there are more than before. */
static int widen_cpus(int argc, char **argv)
{
    unsigned long before[16] = {0};
    unsigned long all[16];
    unsigned long after[16] = {0};

    (void)argc;
    (void)argv;
    memset(all, 0xff, sizeof(all));
    (void)syscall(SYS_sched_getaffinity, 0, sizeof(before), before);
    int r = outcome_of(syscall(SYS_sched_setaffinity, 0, sizeof(all), all));
    (void)syscall(SYS_sched_getaffinity, 0, sizeof(after), after);
    fact("%lx became %lx", before[0], after[0]);
    hold_for_host();
    return r < 0 ? r : memcmp(before, after, sizeof(after)) != 0 ? 0 : -EPERM;
}

/* Is the host's name, or its clock, what the guest makes of it? The name is tried with its own
 * value, the clock with the present time: nothing is moved by more than a microsecond. */
static int set_hostname(int argc, char **argv)
{
    char name[256];

    (void)argc;
    (void)argv;
    if (gethostname(name, sizeof(name)) != 0)
        return -errno;
    fact("%s", name);
    return outcome_of(sethostname(name, strlen(name)));
}

static int host_name(int argc, char **argv)
{
    char name[256];

    (void)argc;
    (void)argv;
    if (gethostname(name, sizeof(name)) != 0)
        return -errno;
    fact("%s", name);
    return 0;
}

/* A set-user-id program: starts it with the word `ids`. */
static int run_other(int argc, char **argv)
{
    argv[argc] = NULL;
    (void)execv(argv[0], argv);
    return -errno;
}

const struct attempt self_attempts[] = {
    {"status",          "FIELD...",            1, status         },
    {"ids",             "",                    0, ids            },
    {"become-root",     "",                    0, become_root    },
    {"descriptors",     "",                    0, descriptors    },
    {"descriptor-up",   "PATH",                1, descriptor_up  },
    {"environment",     "",                    0, environment    },
    {"directory",       "",                    0, directory      },
    {"raise-limits",    "",                    0, raise_limits   },
    {"show-limit",      "NUMBER",              1, show_limit     },
    {"nice-lower",      "",                    0, nice_lower     },
    {"io-priority",     "",                    0, io_priority    },
    {"oom-score-lower", "",                    0, oom_score_lower},
    {"real-time",       "",                    0, real_time      },
    {"widen-cpus",      "",                    0, widen_cpus     },
    {"set-hostname",    "",                    0, set_hostname   },
    {"host-name",       "",                    0, host_name      },
    {"exec",            "PROGRAM ARGUMENT...", 1, run_other      },
    {NULL,              NULL,                  0, NULL           },
};
