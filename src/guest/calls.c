/*
 * System calls by name, each with harmless arguments.
 *
 * "Worked" means that the kernel's own code was reached: it did what was asked, or found fault with
 * the arguments. EPERM, EACCES and ENOSYS mean that it was not.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <linux/perf_event.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "guest/guest.h"

#define ARG(value) ((long)(intptr_t)(value))

/* Numbers that musl's table may lack; equal on all architectures from 424 on. */
enum later_call {
    CALL_OPEN_TREE = 428,
    CALL_MOVE_MOUNT = 429,
    CALL_FSOPEN = 430,
    CALL_FSCONFIG = 431,
    CALL_FSMOUNT = 432,
    CALL_FSPICK = 433,
    CALL_PIDFD_OPEN = 434,
    CALL_PIDFD_GETFD = 438,
    CALL_PROCESS_MADVISE = 440,
    CALL_MOUNT_SETATTR = 442,
    CALL_QUOTACTL_FD = 443,
    CALL_IO_URING_SETUP = 425,
    CALL_IO_URING_ENTER = 426,
    CALL_IO_URING_REGISTER = 427,
    CALL_MEMFD_SECRET = 447
};

struct probe {
    const char *name;
    long number;
    long arguments[6];
};

static char zeros[256]; /* a structure of zeros for calls that fill or refuse it */
static struct iovec vector = {zeros, sizeof(zeros)};
static int pipe_ends[2];

static const struct probe probes[] = {
  /* Mounts and roots: a bad descriptor or a name that does not exist. */
    {"mount",             SYS_mount,              {ARG("none"), ARG("/no/such"), ARG("tmpfs")}},
    {"umount2",           SYS_umount2,            {ARG("/no/such"), 0}                        },
    {"pivot_root",        SYS_pivot_root,         {ARG("/no/such"), ARG("/no/such")}          },
    {"open_tree",         CALL_OPEN_TREE,         {-100, ARG("/"), 0}                         },
    {"move_mount",        CALL_MOVE_MOUNT,        {-1, ARG(""), -1, ARG(""), 4}               },
    {"fsopen",            CALL_FSOPEN,            {ARG("tmpfs"), 0}                           },
    {"fsconfig",          CALL_FSCONFIG,          {-1, 6, 0, 0, 0}                            },
    {"fsmount",           CALL_FSMOUNT,           {-1, 0, 0}                                  },
    {"fspick",            CALL_FSPICK,            {-100, ARG("/"), 0}                         },
    {"mount_setattr",     CALL_MOUNT_SETATTR,     {-100, ARG("/no/such"), 0, ARG(zeros), 32}  },
    {"setns",             SYS_setns,              {-1, 0}                                     },
    {"name_to_handle_at", SYS_name_to_handle_at,  {-100, ARG("/"), ARG(zeros), ARG(zeros)}    },
    {"open_by_handle_at", SYS_open_by_handle_at,  {-1, ARG(zeros), 0}                         },
    {"fanotify_init",     SYS_fanotify_init,      {0, 0}                                      },

 /* Other processes. */
    {"kcmp",              SYS_kcmp,               {1, 1, 1, 0, 0}                             },
    {"pidfd_getfd",       CALL_PIDFD_GETFD,       {-1, 0, 0}                                  },
    {"process_madvise",   CALL_PROCESS_MADVISE,   {-1, ARG(&vector), 1, 4, 0}                 },
    {"move_pages",        SYS_move_pages,         {0, 0, 0, 0, 0, 0}                          },
    {"migrate_pages",     SYS_migrate_pages,      {0, 0, 0, 0}                                },
    {"mbind",             SYS_mbind,              {0, 0, 0, 0, 0, 0}                          },
    {"set_mempolicy",     SYS_set_mempolicy,      {0, 0, 0}                                   },

 /* Kernel interfaces. */
    {"io_uring_enter",    CALL_IO_URING_ENTER,    {-1, 0, 0, 0, 0, 0}                         },
    {"io_uring_register", CALL_IO_URING_REGISTER, {-1, 0, 0, 0}                               },
    {"userfaultfd",       SYS_userfaultfd,        {1}                                         },
    {"memfd_secret",      CALL_MEMFD_SECRET,      {0}                                         },
    {"keyctl",            SYS_keyctl,             {0, -3, 0}                                  },
    {"request_key",       SYS_request_key,        {ARG("user"), ARG("berm-none"), 0, 0}       },
    {"vmsplice",          SYS_vmsplice,           {-1, ARG(&vector), 1, 0}                    },
    {"io_setup",          SYS_io_setup,           {0, ARG(zeros)}                             },
    {"personality",       SYS_personality,        {8}                                         },

 /* The machine: refused by the kernel itself after its permission check. Magic numbers are wrong,
     * files do not exist, segments are too many, names are too long, pointers are bad. */
    {"reboot",            SYS_reboot,             {0x1234, 0x5678, 0, 0}                      },
    {"kexec_load",        SYS_kexec_load,         {0, 1000000, 0, 0}                          },
    {"kexec_file_load",   SYS_kexec_file_load,    {-1, -1, 0, 0, ~0L}                         },
    {"init_module",       SYS_init_module,        {ARG(zeros), 1, ARG("")}                    },
    {"finit_module",      SYS_finit_module,       {-1, ARG(""), 0}                            },
    {"delete_module",     SYS_delete_module,      {ARG("berm-no-such"), 04000}                },
    {"swapon",            SYS_swapon,             {ARG("/no/such"), 0}                        },
    {"swapoff",           SYS_swapoff,            {ARG("/no/such")}                           },
    {"acct",              SYS_acct,               {ARG("/no/such")}                           },
    {"quotactl",          SYS_quotactl,           {0x80000500, ARG("/no/such"), 0, ARG(zeros)}},
    {"quotactl_fd",       CALL_QUOTACTL_FD,       {-1, 0x80000500, 0, ARG(zeros)}             },
    {"sethostname",       SYS_sethostname,        {ARG(zeros), 1000}                          },
    {"setdomainname",     SYS_setdomainname,      {ARG(zeros), 1000}                          },
    {"settimeofday",      SYS_settimeofday,       {1, 0}                                      },
    {"clock_settime",     SYS_clock_settime,      {0, 1}                                      },
    {"adjtimex",          SYS_adjtimex,           {ARG(zeros)}                                },
    {"syslog",            SYS_syslog,             {10, 0, 0}                                  },
#ifdef __x86_64__
    {"modify_ldt",        SYS_modify_ldt,         {0, ARG(zeros), sizeof(zeros)}              },
    {"iopl",              SYS_iopl,               {0}                                         },
    {"ioperm",            SYS_ioperm,             {0x10000, 1, 0}                             },
#endif
  /* No table has this number; a filter that does not know it must say ENOSYS. */
    {"future",            9999,                   {0}                                         },
};

static int judge(long ret)
{
    int error = ret < 0 ? errno : 0;

    if (ret >= 0)
        fact("returned %ld", ret);
    else
        fact("%s", errno_name(error));
    return error == EPERM || error == EACCES || error == ENOSYS ? -error : 0;
}

static long make(const struct probe *probe)
{
    const long *a = probe->arguments;

    return syscall(probe->number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

static int call(int argc, char **argv)
{
    (void)argc;
    for (size_t i = 0; i < sizeof(probes) / sizeof(probes[0]); i++) {
        if (strcmp(probes[i].name, argv[0]) == 0)
            return judge(make(&probes[i]));
    }
    fact("no probe of that name");
    return -EDOM;
}

/* All of them, for a look at once: the names of those that were reached. */
static int call_all(int argc, char **argv)
{
    int reached = 0;

    (void)argc;
    (void)argv;
    for (size_t i = 0; i < sizeof(probes) / sizeof(probes[0]); i++) {
        long ret = make(&probes[i]);
        int error = ret < 0 ? errno : 0;

        if (error == EPERM || error == EACCES || error == ENOSYS)
            continue;
        fact("%s ", probes[i].name);
        reached++;
    }
    return reached > 0 ? 0 : -EPERM;
}

static int bpf_map(int argc, char **argv)
{
    union bpf_attr attr;

    (void)argc;
    (void)argv;
    memset(&attr, 0, sizeof(attr));
    attr.map_type = BPF_MAP_TYPE_ARRAY;
    attr.key_size = 4;
    attr.value_size = 4;
    attr.max_entries = 1;
    return judge(syscall(SYS_bpf, BPF_MAP_CREATE, &attr, sizeof(attr)));
}

/* Of this process and of user mode alone, so that an ordinary user's attempt works as well. */
static int perf(int argc, char **argv)
{
    struct perf_event_attr attr;

    (void)argc;
    (void)argv;
    memset(&attr, 0, sizeof(attr));
    attr.type = PERF_TYPE_SOFTWARE;
    attr.size = sizeof(attr);
    attr.config = PERF_COUNT_SW_TASK_CLOCK;
    attr.exclude_kernel = 1;
    attr.exclude_hv = 1;
    return judge(syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0));
}

static int io_uring(int argc, char **argv)
{
    (void)argc;
    (void)argv;
    memset(zeros, 0, sizeof(zeros)); /* struct io_uring_params */
    return judge(syscall(CALL_IO_URING_SETUP, 1, zeros));
}

static int splice_pages(int argc, char **argv)
{
    (void)argc;
    (void)argv;
    if (pipe2(pipe_ends, O_CLOEXEC) != 0)
        return -errno;
    return judge(syscall(SYS_vmsplice, pipe_ends[1], &vector, 1, 0));
}

/* A key of this process's own keyring, which ends with the process. */
static int key_add(int argc, char **argv)
{
    (void)argc;
    (void)argv;
    return judge(syscall(SYS_add_key, "user", "berm-guest", "x", 1, -2));
}

/* A key that the caller put into the keyring of its user (-4) or its session (-3). */
static int key_find(int argc, char **argv)
{
    static const long rings[] = {-3, -4, -5};
    int r = -ENOKEY;

    (void)argc;
    for (size_t i = 0; i < sizeof(rings) / sizeof(rings[0]); i++) {
        long key = syscall(SYS_keyctl, 10, rings[i], "user", argv[0], 0);

        if (key > 0)
            return 0;
        r = -errno;
    }
    return r;
}

/* The caller's side of key-find: a key in the keyring of its user, and its removal. */
static int key_plant(int argc, char **argv)
{
    (void)argc;
    return judge(syscall(SYS_add_key, "user", argv[0], "x", 1, -4));
}

static int key_drop(int argc, char **argv)
{
    long key = syscall(SYS_keyctl, 10, -4, "user", argv[0], 0); /* KEYCTL_SEARCH */

    (void)argc;
    if (key < 0)
        return -errno;
    return outcome_of(syscall(SYS_keyctl, 9, key, -4)); /* KEYCTL_UNLINK */
}

/* getpid by the i386 table: 20 there, writev on x86-64. */
static int int80(int argc, char **argv)
{
    (void)argc;
    (void)argv;
#ifdef __x86_64__
    long ret = 20;

    __asm__ volatile("int $0x80" : "+a"(ret) : : "memory", "r8", "r9", "r10", "r11");
    fact("getpid by int 0x80 said %ld", ret);
    return ret == getpid() ? 0 : (int)ret;
#else
    return -ENOSYS;
#endif
}

/* getpid by the x32 table. */
static int x32(int argc, char **argv)
{
    (void)argc;
    (void)argv;
#ifdef __x86_64__
    return judge(syscall(0x40000000L + SYS_getpid));
#else
    return -ENOSYS;
#endif
}

/* What berm's own evidence asks; 56 is EBADRQC (src/linux/filter.h). */
static int probe_filter(int argc, char **argv)
{
    (void)argc;
    (void)argv;
    return judge(syscall(SYS_prctl, 0x6265726d, 0, 0, 0, 0));
}

/* A command for the terminal on descriptor 0, or for /dev/tty when asked. High bits come along:
 * CVE-2019-10063. */
static int terminal(int argc, char **argv)
{
    char letter = (char)(argc > 1 ? number_of(argv[1]) : '\n');
    unsigned long high = argc > 2 ? (unsigned long)number_of(argv[2]) << 32 : 0;
    unsigned long command = 0x5412; /* TIOCSTI */

    if (strcmp(argv[0], "TIOCLINUX") == 0)
        command = 0x541c;
    else if (strcmp(argv[0], "TIOCSETD") == 0)
        command = 0x5423;
    else if (strcmp(argv[0], "TIOCCONS") == 0)
        command = 0x541d;
    if (command == 0x5423)
        letter = 0; /* N_TTY: what is set already */
    return outcome_of(syscall(SYS_ioctl, 0, high | command, &letter));
}

const struct attempt calls_attempts[] = {
    {"call",         "NAME",                                     1, call        },
    {"call-all",     "",                                         0, call_all    },
    {"bpf",          "",                                         0, bpf_map     },
    {"perf",         "",                                         0, perf        },
    {"io-uring",     "",                                         0, io_uring    },
    {"vmsplice",     "",                                         0, splice_pages},
    {"key-add",      "",                                         0, key_add     },
    {"key-find",     "DESCRIPTION",                              1, key_find    },
    {"key-plant",    "DESCRIPTION",                              1, key_plant   },
    {"key-drop",     "DESCRIPTION",                              1, key_drop    },
    {"int80",        "",                                         0, int80       },
    {"x32",          "",                                         0, x32         },
    {"filter-probe", "",                                         0, probe_filter},
    {"terminal",     "TIOCSTI|TIOCLINUX|TIOCSETD [CHAR [HIGH]]", 1, terminal    },
    {NULL,           NULL,                                       0, NULL        },
};
