/*
 * What this caller and this machine lack, by trying: an attack that could harm nobody here proves nothing.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <netinet/in.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "linux/file.h"
#include "prove/attack.h"
#include "prove/world.h"

#define X32_BIT 0x40000000L

const char *attack_disk(void)
{
    static const char *const names[] = {"/dev/vda", "/dev/sda", "/dev/nvme0n1", "/dev/xvda",
                                        "/dev/mmcblk0"};

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        AUTO_FD int fd = open(names[i], O_RDONLY | O_CLOEXEC | O_NONBLOCK);
        if (fd >= 0)
            return names[i];
    }
    return NULL;
}

/* Connecting a datagram socket asks the routes and sends nothing. */
static bool can_connect(int family, const char *address)
{
    union {
        struct sockaddr any;
        struct sockaddr_in v4;
        struct sockaddr_in6 v6;
    } to = {.any.sa_family = (sa_family_t)family};

    void *where = family == AF_INET ? (void *)&to.v4.sin_addr : (void *)&to.v6.sin6_addr;
    AUTO_FD int fd = socket(family, SOCK_DGRAM | SOCK_CLOEXEC, 0);

    to.v4.sin_port = htons(80);
    return fd >= 0 && inet_pton(family, address, where) == 1 &&
           connect(fd, &to.any, family == AF_INET ? sizeof(to.v4) : sizeof(to.v6)) == 0;
}

/* In a child: the trial must change nothing in this process. 0: it worked. */
static bool works_in_child(bool (*act)(void))
{
    int status = 1;
    pid_t pid = fork();

    if (pid == 0)
        _exit(act() ? 0 : 1);
    return pid > 0 && waitpid(pid, &status, 0) == pid && WIFEXITED(status) &&
           WEXITSTATUS(status) == 0;
}

static bool try_user_namespace(void)
{
    return unshare(CLONE_NEWUSER) == 0;
}

/* getpid by the i386 table is 20; where the kernel has no such table, the call is a fault (SIGSEGV). */
static bool try_i386(void)
{
#ifdef __x86_64__
    long ret = 20;

    __asm__ volatile("int $0x80" : "+a"(ret) : : "memory", "r8", "r9", "r10", "r11");
    return ret == getpid();
#else
    return false;
#endif
}

static bool try_x32(void)
{
#ifdef __x86_64__
    return syscall(X32_BIT + SYS_getpid) == getpid();
#else
    return false;
#endif
}

static bool try_perf(void)
{
    struct perf_event_attr attr = {.type = PERF_TYPE_SOFTWARE,
                                   .size = sizeof(attr),
                                   .config = PERF_COUNT_SW_TASK_CLOCK,
                                   .exclude_kernel = 1,
                                   .exclude_hv = 1};
    AUTO_FD int fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0);

    return fd >= 0;
}

static bool try_io_uring(void)
{
    char parameters[256] = {0};
    AUTO_FD int fd = (int)syscall(SYS_io_uring_setup, 1, parameters);

    return fd >= 0;
}

static bool has_core_files(void)
{
    char pattern[256] = "";

    return file_read_at(AT_FDCWD, "/proc/sys/kernel/core_pattern", pattern, sizeof(pattern)) > 0 &&
           strncmp(pattern, "core", 4) == 0;
}

/* Root may; others where the setting of Linux 6.2 and later says so (dev.tty.legacy_tiocsti). */
static bool can_push(void)
{
    uint64_t setting = 1;

    (void)file_read_u64_at(AT_FDCWD, "/proc/sys/dev/tty/legacy_tiocsti", &setting);
    return setting == 1 || geteuid() == 0;
}

static bool has_setuid(void)
{
    struct stat status;

    return stat("/bin/su", &status) == 0 && (status.st_mode & S_ISUID) && status.st_uid == 0;
}

static bool has_kvm(void)
{
    AUTO_FD int fd = open("/dev/kvm", O_RDONLY | O_CLOEXEC);

    return fd >= 0;
}

static bool is_root(void)
{
    return geteuid() == 0 && world_is_stand_in();
}

static bool is_user(void)
{
    return geteuid() != 0;
}

static bool has_route(void)
{
    return can_connect(AF_INET, "192.0.2.80") && can_connect(AF_INET, "10.11.12.13");
}

static bool has_ipv6(void)
{
    return can_connect(AF_INET6, "::1");
}

static bool has_two_cpus(void)
{
    cpu_set_t set;

    return sched_getaffinity(0, sizeof(set), &set) == 0 && CPU_COUNT(&set) > 1;
}

/* Root's own runs get one wherever this stands; others only where theirs was given to them. */
static bool has_group(void)
{
    return geteuid() == 0 && (access("/sys/fs/cgroup/memory/tasks", W_OK) == 0 ||
                              access("/sys/fs/cgroup/cgroup.subtree_control", W_OK) == 0);
}

static bool try_oom_score(void)
{
    char text[32] = "0";

    return file_read_at(AT_FDCWD, "/proc/self/oom_score_adj", text, sizeof(text)) > 0 &&
           snprintf(text, sizeof(text), "%d", (int)strtol(text, NULL, 10) - 1) > 0 &&
           file_write_at(AT_FDCWD, "/proc/self/oom_score_adj", text) == 0;
}

static bool try_in_child_oom_score(void)
{
    return works_in_child(try_oom_score);
}

static bool try_in_child_user(void)
{
    return works_in_child(try_user_namespace);
}

static bool try_in_child_i386(void)
{
    return works_in_child(try_i386);
}

static bool has_disk(void)
{
    return attack_disk() != NULL;
}

const char *attack_lacks(const struct attack *attack)
{
    /* clang-format off */
    static const struct {
        unsigned need;
        bool (*is_there)(void);
        const char *lack;
    } needs[] = {
        {NEEDS_ROOT,                is_root,           "only root of a machine that can be told apart from it could do this"},
        {NEEDS_USER,                is_user,           "root has these rights already"                  },
        {NEEDS_ROUTE,               has_route,         "this machine has no route out"                  },
        {NEEDS_GROUP,               has_group,         "promised only where a control group counts, which this caller cannot have"},
        {NEEDS_TWO_CPUS,            has_two_cpus,      "there is one CPU"                               },
        {NEEDS_CORE_FILES,          has_core_files,    "the kernel gives core dumps to a helper"        },
        {NEEDS_I386,                try_in_child_i386, "this kernel has no i386 system calls"           },
        {NEEDS_X32,                 try_x32,           "this kernel has no x32 system calls"            },
        {NEEDS_DISK,                has_disk,          "there is no block device that the caller can open"},
        {NEEDS_KVM,                 has_kvm,           "there is no /dev/kvm that the caller can open"  },
        {NEEDS_IPV6,                has_ipv6,          "there is no IPv6 loopback"                      },
        {NEEDS_PUSH,                can_push,          "this kernel lets nobody push characters (dev.tty.legacy_tiocsti)"},
        {NEEDS_UNPRIVILEGED_USERNS, try_in_child_user, "this caller may make no user namespace anyway"  },
        {NEEDS_PERF,                try_perf,          "this caller may open no performance counter anyway"},
        {NEEDS_IO_URING,            try_io_uring,      "io_uring is switched off on this machine"       },
        {NEEDS_OOM_SCORE,           try_in_child_oom_score, "this caller may not lower its OOM score anyway"},
        {NEEDS_SETUID,              has_setuid,        "there is no set-user-id /bin/su"                },
    };

    /* clang-format on */

    for (size_t i = 0; i < sizeof(needs) / sizeof(needs[0]); i++) {
        if ((attack->needs & needs[i].need) && !needs[i].is_there())
            return needs[i].lack;
    }
    return NULL;
}
