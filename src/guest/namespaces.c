/*
 * Attempts on namespaces, mounts and roots. What works is undone, or happens in a child that ends.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "guest/guest.h"

static const struct {
    const char *name;
    unsigned long flag;
} flags[] = {
    {"mount",  0x00020000},
    {"cgroup", 0x02000000},
    {"uts",    0x04000000},
    {"ipc",    0x08000000},
    {"user",   0x10000000},
    {"pid",    0x20000000},
    {"net",    0x40000000},
    {"time",   0x00000080},
    {"files",  0x00000400}, /* none of them: what ordinary programs unshare */
};

static unsigned long flag_of(const char *name)
{
    for (size_t i = 0; i < sizeof(flags) / sizeof(flags[0]); i++) {
        if (strcmp(flags[i].name, name) == 0)
            return flags[i].flag;
    }
    return (unsigned long)number_of(name);
}

static int unshare_act(void *flag)
{
    return outcome_of(syscall(SYS_unshare, *(unsigned long *)flag));
}

static int unshare_one(int argc, char **argv)
{
    unsigned long flag = flag_of(argv[0]);

    (void)argc;
    return in_child(unshare_act, &flag);
}

static int wait_for_clone(long pid)
{
    if (pid == 0)
        _exit(0);
    if (pid < 0)
        return -errno;
    (void)waitpid((pid_t)pid, NULL, 0);
    return 0;
}

static int clone_one(int argc, char **argv)
{
    unsigned long flag = flag_of(argv[0]);

    (void)argc;
    return wait_for_clone(syscall(SYS_clone, flag | SIGCHLD, 0, 0, 0, 0));
}

static int clone3_one(int argc, char **argv)
{
    uint64_t arguments[8] = {flag_of(argv[0]), 0, 0, 0, SIGCHLD, 0, 0, 0}; /* struct clone_args */

    (void)argc;
    return wait_for_clone(syscall(435, arguments, sizeof(arguments)));
}

static int setns_act(void *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);

    if (fd < 0)
        return -errno;
    return outcome_of(syscall(SYS_setns, fd, 0));
}

static int setns_one(int argc, char **argv)
{
    (void)argc;
    return in_child(setns_act, argv[0]);
}

static int mount_tmpfs(int argc, char **argv)
{
    (void)argc;
    if (mount("berm-attack-mount", argv[0], "tmpfs", 0, NULL) != 0)
        return -errno;
    hold_for_host();
    return outcome_of(umount2(argv[0], MNT_DETACH));
}

/* What lies over a hidden path, taken off. */
static int umount_one(int argc, char **argv)
{
    (void)argc;
    return outcome_of(umount2(argv[0], MNT_DETACH));
}

static int remount_rw(int argc, char **argv)
{
    (void)argc;
    return outcome_of(mount(NULL, argv[0], NULL, MS_REMOUNT | MS_BIND, NULL));
}

static int bind(int argc, char **argv)
{
    (void)argc;
    if (mount(argv[0], argv[1], NULL, MS_BIND, NULL) != 0)
        return -errno;
    hold_for_host();
    return outcome_of(umount2(argv[1], MNT_DETACH));
}

/* A new user namespace would bring the capability to mount. */
static int mount_in_userns_act(void *directory)
{
    if (syscall(SYS_unshare, CLONE_NEWUSER | CLONE_NEWNS) != 0)
        return -errno;
    return outcome_of(mount("berm-attack-mount", directory, "tmpfs", 0, NULL));
}

static int mount_in_userns(int argc, char **argv)
{
    (void)argc;
    return in_child(mount_in_userns_act, argv[0]);
}

static int chroot_act(void *path)
{
    return outcome_of(chroot(path));
}

static int chroot_one(int argc, char **argv)
{
    (void)argc;
    return in_child(chroot_act, argv[0]);
}

/* The classic way out of a directory: a second root below the working directory, then up and up. */
static int chroot_out_act(void *directory)
{
    char path[PATH_MAX];

    (void)snprintf(path, sizeof(path), "%s/berm-guest-root", (char *)directory);
    if (mkdir(path, 0700) != 0)
        return -errno;
    int r = outcome_of(chroot(path));
    for (int i = 0; r == 0 && i < 64; i++)
        r = outcome_of(chdir(".."));
    if (r == 0)
        r = outcome_of(chroot("."));
    (void)rmdir(path); /* gone from sight when the attempt worked: the harness's directory goes */
    return r;
}

static int chroot_out(int argc, char **argv)
{
    (void)argc;
    return in_child(chroot_out_act, argv[0]);
}

static int pivot_act(void *directory)
{
    if (syscall(SYS_unshare, CLONE_NEWNS) != 0)
        return -errno;
    if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
        mount(directory, directory, NULL, MS_BIND, NULL) != 0 || chdir(directory) != 0)
        return -errno;
    return outcome_of(syscall(SYS_pivot_root, ".", "."));
}

static int pivot(int argc, char **argv)
{
    (void)argc;
    return in_child(pivot_act, argv[0]);
}

/* without-network-namespace PROGRAM ARGUMENT...: as under an outer filter that refuses that one namespace. clone3 takes
 * its flags from memory, which a filter cannot see: it is not there (as container runtimes have it). */
static int without_network_namespace(int argc, char **argv)
{
    struct sock_filter statements[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 435, 4, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone, 1, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_unshare, 0, 4),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args)),
        BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, 0x40000000, 1, 2), /* CLONE_NEWNET */
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {sizeof(statements) / sizeof(statements[0]), statements};

    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
        return -errno;
    argv[argc] = NULL;
    (void)execv(argv[0], argv);
    return -errno;
}

const struct attempt namespaces_attempts[] = {
    {"unshare",                   "WORD|NUMBER",         1, unshare_one              },
    {"clone",                     "WORD|NUMBER",         1, clone_one                },
    {"clone3",                    "WORD|NUMBER",         1, clone3_one               },
    {"setns",                     "PATH",                1, setns_one                },
    {"mount",                     "DIRECTORY",           1, mount_tmpfs              },
    {"mount-in-userns",           "DIRECTORY",           1, mount_in_userns          },
    {"umount",                    "PATH",                1, umount_one               },
    {"remount-rw",                "PATH",                1, remount_rw               },
    {"bind",                      "FROM TO",             2, bind                     },
    {"chroot",                    "DIRECTORY",           1, chroot_one               },
    {"chroot-out",                "DIRECTORY",           1, chroot_out               },
    {"pivot",                     "DIRECTORY",           1, pivot                    },
    {"without-network-namespace", "PROGRAM ARGUMENT...", 1, without_network_namespace},
    {NULL,                        NULL,                  0, NULL                     },
};
