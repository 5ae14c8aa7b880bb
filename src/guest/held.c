/*
 * Attempts that leave something for the host to look at: a file, a mount, a setting, a descriptor that is open.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <ifaddrs.h>
#include <limits.h>
#include <linux/if_packet.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/klog.h>
#include <sys/mount.h>
#include <sys/msg.h>
#include <sys/resource.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "guest/guest.h"

#define MIB              (1L << 20)
#define NO_RANDOM_LAYOUT 0x0040000L /* ADDR_NO_RANDOMIZE, personality(2) */

/* Random, or a file system that compresses would store next to nothing. */
static void fill_piece(char *piece, size_t size)
{
    for (size_t at = 0; at < size;) {
        long n = syscall(SYS_getrandom, piece + at, size - at, 0);

        if (n <= 0)
            return;
        at += (size_t)n;
    }
}

/* fill DIRECTORY FILES MIB: space, and names; gone again when the host has looked. */
static int fill(int argc, char **argv)
{
    static char piece[1 << 20];
    long files = number_of(argv[1]);
    long mib = number_of(argv[2]);
    char path[PATH_MAX];
    int r = 0;
    long made = 0;

    (void)argc;
    fill_piece(piece, sizeof(piece));
    for (; r == 0 && made < files; made++) {
        (void)snprintf(path, sizeof(path), "%s/berm-fill-%s-%ld", argv[0], hold_tag_of(), made);
        int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
        r = outcome_of(fd);
        for (long i = 0; r == 0 && i < mib; i++)
            r = write(fd, piece, sizeof(piece)) == (ssize_t)sizeof(piece) ? 0 : -ENOSPC;
        if (fd >= 0)
            (void)close(fd); /* the data is in the cache; nobody reads it again */
    }
    fact("%ld files", made);
    hold_for_host();
    for (long i = 0; i < made; i++) {
        (void)snprintf(path, sizeof(path), "%s/berm-fill-%s-%ld", argv[0], hold_tag_of(), i);
        (void)unlink(path);
    }
    return r;
}

/* The same for one large file; past a size limit the rest is not written. */
static int fill_one(int argc, char **argv)
{
    static char piece[1 << 20];
    long mib = number_of(argv[0]);
    char path[PATH_MAX];
    (void)snprintf(path, sizeof(path), "berm-fill-%s", hold_tag_of());
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    int r = outcome_of(fd);

    (void)argc;
    fill_piece(piece, sizeof(piece));
    (void)signal(SIGXFSZ, SIG_IGN); /* then the limit is an error and not the end */
    for (long i = 0; r == 0 && i < mib; i++)
        r = write(fd, piece, sizeof(piece)) == (ssize_t)sizeof(piece) ? 0 : -EFBIG;
    hold_for_host();
    if (fd >= 0)
        (void)unlink(path);
    return r;
}

/* A memory file: no path, no process that is seen to be large. */
static int fill_memory_file(int argc, char **argv)
{
    static char piece[1 << 20];
    long fd = syscall(SYS_memfd_create, "berm-fill", 1);
    int r = outcome_of(fd);

    (void)argc;
    fill_piece(piece, sizeof(piece));
    for (long i = 0; r == 0 && i < number_of(argv[0]); i++)
        r = write((int)fd, piece, sizeof(piece)) == (ssize_t)sizeof(piece) ? 0 : -ENOSPC;
    hold_for_host();
    return r;
}

static int make_directory(int argc, char **argv)
{
    (void)argc;
    return outcome_of(mkdir(argv[0], 0700));
}

/* The caller's terminal, which every process of its session can open by this name. */
static int terminal_write(int argc, char **argv)
{
    int fd = open("/dev/tty", O_RDWR | O_CLOEXEC);

    (void)argc;
    if (fd < 0)
        return -errno;
    return outcome_of(write(fd, argv[0], strlen(argv[0])));
}

/* CVE-2017-5226: characters that the shell reads as if they were typed. */
static int terminal_push(int argc, char **argv)
{
    int fd = open("/dev/tty", O_RDWR | O_CLOEXEC);

    (void)argc;
    if (fd < 0)
        return -errno;
    for (const char *c = argv[0]; *c != '\0'; c++) {
        if (ioctl(fd, TIOCSTI, c) != 0)
            return -errno;
    }
    return 0;
}

/* Is there a way to that address? Connecting a datagram socket asks the routes and sends nothing. */
static int reach(int argc, char **argv)
{
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(80)};
    int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

    (void)argc;
    if (fd < 0 || inet_pton(AF_INET, argv[0], &to.sin_addr) != 1)
        return -errno;
    return outcome_of(connect(fd, (struct sockaddr *)&to, sizeof(to)));
}

/* Everything that goes over the interfaces, ours or not. */
static int sniff(int argc, char **argv)
{
    char packet[2048];
    int fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, htons(0x0003));
    struct pollfd ready = {.fd = fd, .events = POLLIN};

    (void)argc;
    (void)argv;
    if (fd < 0)
        return -errno;
    hold_for_host(); /* which sends something meanwhile */
    for (int i = 0; i < 2000 && poll(&ready, 1, 100) == 1; i++) {
        ssize_t n = recv(fd, packet, sizeof(packet), 0);
        print_now(packet, n > 0 ? (size_t)n : 0);
    }
    return 0;
}

static int addresses(int argc, char **argv)
{
    struct ifaddrs *list = NULL;

    (void)argc;
    (void)argv;
    if (getifaddrs(&list) != 0)
        return -errno;
    for (struct ifaddrs *a = list; a; a = a->ifa_next) {
        char text[INET_ADDRSTRLEN];

        if (!a->ifa_addr || a->ifa_addr->sa_family != AF_INET)
            continue;
        const struct sockaddr_in *in = (const void *)a->ifa_addr;
        fact("[%s] ", inet_ntop(AF_INET, &in->sin_addr, text, sizeof(text)));
    }
    freeifaddrs(list);
    return 0;
}

/* Takes off whatever lies over a directory, as often as it can, and reads the file. */
static int unmask(int argc, char **argv)
{
    char text[256];

    (void)argc;
    for (int i = 0; i < 8 && umount2(argv[0], MNT_DETACH) == 0; i++)
        ;
    int r = read_text(argv[1], text, sizeof(text));
    if (r < 0)
        return r;
    fact("%s", text);
    return 0;
}

/* Makes a mount writable, if it can, and then a file on it. */
static int remount_create(int argc, char **argv)
{
    (void)argc;
    (void)mount(NULL, argv[0], NULL, MS_REMOUNT | MS_BIND, NULL);
    (void)mount(NULL, "/", NULL, MS_REMOUNT | MS_BIND, NULL);
    int fd = open(argv[1], O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    return outcome_of(fd);
}

/* The classic way out of a directory: a second root below the working directory, then up and up. */
static int chroot_read(int argc, char **argv)
{
    char text[256];

    (void)argc;
    if (mkdir("berm-second-root", 0700) != 0 && errno != EEXIST)
        return -errno;
    int r = outcome_of(chroot("berm-second-root"));
    for (int i = 0; r == 0 && i < 64; i++)
        r = outcome_of(chdir(".."));
    if (r == 0)
        r = outcome_of(chroot("."));
    if (r < 0)
        return r;
    r = read_text(argv[0], text, sizeof(text));
    if (r < 0)
        return r;
    fact("%s", text);
    return 0;
}

/* handle-read DIRECTORY TYPE HEX: a file that lies on the same file system, by its handle, past every root. */
static int handle_read(int argc, char **argv)
{
    union {
        unsigned char room[sizeof(struct file_handle) + 128];
        struct file_handle head;
    } file = {{0}};

    char text[256] = {0};
    size_t size = strlen(argv[2]) / 2;
    int directory = open(argv[0], O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    (void)argc;
    file.head.handle_bytes = (unsigned)size;
    file.head.handle_type = (int)number_of(argv[1]);
    for (size_t i = 0; i < size && i < 128; i++) {
        char digits[3] = {argv[2][2 * i], argv[2][2 * i + 1], '\0'};
        file.head.f_handle[i] = (unsigned char)strtoul(digits, NULL, 16);
    }
    int fd = open_by_handle_at(directory, &file.head, O_RDONLY | O_CLOEXEC);
    if (fd < 0 || read(fd, text, sizeof(text) - 1) < 0)
        return -errno;
    fact("%s", text);
    return 0;
}

/* A program beside this one, which the host finds as its child; it waits for input that does not come. */
static int run_beside(int argc, char **argv)
{
    int ends[2];

    if (pipe2(ends, O_CLOEXEC) != 0)
        return -errno;
    pid_t pid = fork();
    if (pid == 0) {
        (void)dup2(ends[0], STDIN_FILENO);
        (void)dup2(ends[1], STDERR_FILENO);
        (void)close(ends[0]);
        (void)close(ends[1]);
        argv[argc] = NULL;
        (void)execv(argv[0], argv);
        _exit(127);
    }
    (void)usleep(100000); /* it is executed meanwhile, or not */
    hold_for_host();
    (void)close(ends[0]);
    (void)close(ends[1]);
    if (pid > 0)
        (void)kill(pid, SIGKILL);
    return 0;
}

static int hostname_set(int argc, char **argv)
{
    (void)argc;
    return outcome_of(sethostname(argv[0], strlen(argv[0])));
}

static int kernel_log(int argc, char **argv)
{
    static char text[1 << 20];
    int n = klogctl(3, text, sizeof(text)); /* SYSLOG_ACTION_READ_ALL */

    (void)argc;
    (void)argv;
    if (n < 0)
        return -errno;
    print_now(text, (size_t)n);
    return 0;
}

/* Ends by a signal that leaves a core dump, as large as it may be. */
static int crash(int argc, char **argv)
{
    struct rlimit limit;

    (void)argc;
    (void)argv;
    if (getrlimit(RLIMIT_CORE, &limit) == 0) {
        limit.rlim_cur = limit.rlim_max;
        (void)setrlimit(RLIMIT_CORE, &limit);
    }
    abort();
}

/* A key of the caller's, by its description, from any of the rings that are looked through. */
static int key_read(int argc, char **argv)
{
    static const long rings[] = {-3, -4, -5};
    char text[128] = {0};
    int r = -ENOKEY;

    (void)argc;
    for (size_t i = 0; i < sizeof(rings) / sizeof(rings[0]); i++) {
        long key = syscall(SYS_keyctl, 10, rings[i], "user", argv[0], 0); /* KEYCTL_SEARCH */

        r = key < 0 ? -errno : outcome_of(syscall(SYS_keyctl, 11, key, text, sizeof(text) - 1));
        if (r == 0) /* KEYCTL_READ */
            break;
    }
    if (r == 0)
        fact("%s", text);
    return r;
}

static int semaphore_set(int argc, char **argv)
{
    union {
        int value;
        void *room;
    } argument = {.value = (int)number_of(argv[1])};

    int id = semget((key_t)number_of(argv[0]), 0, 0);

    (void)argc;
    if (id < 0)
        return -errno;
    return outcome_of(semctl(id, 0, SETVAL, argument));
}

static int message_take(int argc, char **argv)
{
    struct {
        long type;
        char text[128];
    } message = {0};

    int id = msgget((key_t)number_of(argv[0]), 0);

    (void)argc;
    if (id < 0 || msgrcv(id, &message, sizeof(message.text) - 1, 0, IPC_NOWAIT) < 0)
        return -errno;
    fact("%s", message.text);
    return 0;
}

/* By the table of system calls that is named: a filter that knows one alone lets the others through. */
static int personality_by(int argc, char **argv)
{
    (void)argc;
    if (strcmp(argv[0], "native") == 0)
        return outcome_of(syscall(SYS_personality, NO_RANDOM_LAYOUT));
    if (strcmp(argv[0], "high") == 0) /* the kernel takes the low 32 bits */
        return outcome_of(syscall(SYS_personality, (1L << 32) | NO_RANDOM_LAYOUT));
#ifdef __x86_64__
    if (strcmp(argv[0], "x32") == 0)
        return outcome_of(syscall(0x40000000L + SYS_personality, NO_RANDOM_LAYOUT));
    long ret = 136; /* personality, in the i386 table */
    __asm__ volatile("int $0x80"
                     : "+a"(ret)
                     : "b"(NO_RANDOM_LAYOUT)
                     : "memory", "r8", "r9", "r10", "r11");
    return ret < 0 ? (int)ret : 0;
#else
    return -ENOSYS;
#endif
}

const struct attempt held_attempts[] = {
    {"fill",             "DIRECTORY FILES MIB",  3, fill            },
    {"fill-one",         "MIB",                  1, fill_one        },
    {"fill-memory-file", "MIB",                  1, fill_memory_file},
    {"make-directory",   "PATH",                 1, make_directory  },
    {"terminal-write",   "TEXT",                 1, terminal_write  },
    {"terminal-push",    "TEXT",                 1, terminal_push   },
    {"reach",            "ADDRESS",              1, reach           },
    {"sniff",            "",                     0, sniff           },
    {"addresses",        "",                     0, addresses       },
    {"unmask",           "DIRECTORY FILE",       2, unmask          },
    {"remount-create",   "MOUNT PATH",           2, remount_create  },
    {"chroot-read",      "PATH",                 1, chroot_read     },
    {"handle-read",      "DIRECTORY TYPE HEX",   3, handle_read     },
    {"run-beside",       "PROGRAM ARGUMENT...",  1, run_beside      },
    {"hostname-set",     "NAME",                 1, hostname_set    },
    {"kernel-log",       "",                     0, kernel_log      },
    {"crash",            "",                     0, crash           },
    {"key-read",         "DESCRIPTION",          1, key_read        },
    {"semaphore-set",    "KEY N",                2, semaphore_set   },
    {"message-take",     "KEY",                  1, message_take    },
    {"personality",      "native|high|x32|i386", 1, personality_by  },
    {NULL,               NULL,                   0, NULL            },
};
