/*
 * What can only be known by trying: user namespaces, a fresh /proc. And the names of what stands in the
 * way, with the cure of each.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "linux/clone.h"
#include "linux/file.h"
#include "linux/probe_parts.h"

static bool sysctl_is(const char *path, uint64_t wanted)
{
    uint64_t value = 0;

    return file_read_u64_at(AT_FDCWD, path, &value) == 0 && value == wanted;
}

/* The root directory of PID 1 is another one: berm stands in a chroot, where the kernel refuses user
 * namespaces with EPERM (user_namespaces(7)). */
static bool is_in_chroot(void)
{
    struct stat own;
    struct stat init;

    if (stat("/", &own) < 0 || stat("/proc/1/root/.", &init) < 0)
        return false;
    return own.st_dev != init.st_dev || own.st_ino != init.st_ino;
}

static bool is_filtered(void)
{
    char text[4096];

    if (file_read_at(AT_FDCWD, "/proc/self/status", text, sizeof(text)) < 0)
        return false;
    return strstr(text, "\nSeccomp:\t2") != NULL;
}

enum host_block host_userns_block(int error)
{
    if (error == 0)
        return BLOCK_NONE;
    if (sysctl_is("/proc/sys/user/max_user_namespaces", 0))
        return BLOCK_USERNS_SYSCTL_MAX;
    if (sysctl_is("/proc/sys/kernel/unprivileged_userns_clone", 0) && geteuid() != 0)
        return BLOCK_USERNS_SYSCTL_CLONE;
    if (is_in_chroot())
        return BLOCK_CHROOT;
    if (sysctl_is("/proc/sys/kernel/apparmor_restrict_unprivileged_userns", 1) && geteuid() != 0)
        return BLOCK_USERNS_APPARMOR;
    if (is_filtered())
        return BLOCK_OUTER_FILTER;
    if (error == ENOSPC || error == EUSERS)
        return BLOCK_USERNS_SYSCTL_MAX;
    return error == EINVAL ? BLOCK_KERNEL_TOO_OLD : BLOCK_UNKNOWN;
}

/* In the child: private mounts and a fresh /proc. The exit status carries the errno. */
static void try_proc(int go_fd) __attribute__((noreturn));

static void try_proc(int go_fd)
{
    char go;

    if (read(go_fd, &go, 1) != 1)
        _exit(EIO);
    if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0)
        _exit(errno);
    if (mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL) < 0)
        _exit(errno == 0 ? EIO : 128 + (errno & 63));
    _exit(0);
}

static int write_maps(pid_t pid, uid_t uid, gid_t gid)
{
    char path[64];
    char text[64];

    (void)snprintf(path, sizeof(path), "/proc/%d/setgroups", (int)pid);
    int r = file_write_at(AT_FDCWD, path, "deny");
    if (r < 0)
        return r;
    (void)snprintf(path, sizeof(path), "/proc/%d/gid_map", (int)pid);
    (void)snprintf(text, sizeof(text), "0 %u 1", gid);
    r = file_write_at(AT_FDCWD, path, text);
    if (r < 0)
        return r;
    (void)snprintf(path, sizeof(path), "/proc/%d/uid_map", (int)pid);
    (void)snprintf(text, sizeof(text), "0 %u 1", uid);
    return file_write_at(AT_FDCWD, path, text);
}

void probe_by_trying(struct host *host)
{
    int go[2];
    int status = 0;
    AUTO_FD int pidfd = -EBADF;

    if (pipe2(go, O_CLOEXEC) < 0)
        return;
    pid_t pid = clone_child(CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID, -1, &pidfd);
    if (pid == 0)
        try_proc(go[0]);
    int error = pid < 0 ? -pid : -write_maps(pid, host->uid, host->gid);
    host->userns_errno = error;
    host->userns = host_userns_block(error);
    if (pid > 0 && error == 0 && write(go[1], "g", 1) != 1)
        host->proc_mount = BLOCK_UNKNOWN;
    (void)close(go[0]);
    (void)close(go[1]);
    if (pid < 0)
        return;
    if (waitpid(pid, &status, 0) != pid || error != 0)
        return;
    int end = WIFEXITED(status) ? WEXITSTATUS(status) : EIO;
    if (end > 128)
        host->proc_mount = end - 128 == EPERM ? BLOCK_PROC_MASKED : BLOCK_UNKNOWN;
    else if (end != 0) {
        /* The namespace is there and gives no power over mounts: Ubuntu's restriction looks so. */
        host->userns_errno = end;
        host->userns = host_userns_block(end);
    } else
        host->proc_mount = BLOCK_NONE;
}

/* A directory of this user's own that nobody else may enter. */
static bool is_private_dir(const char *path, uid_t uid)
{
    struct stat status;

    return path && path[0] == '/' && lstat(path, &status) == 0 && S_ISDIR(status.st_mode) &&
           status.st_uid == uid && (status.st_mode & 077) == 0;
}

/* The variable names only where locks lie; it changes no boundary. */
void probe_state_dir(struct host *host)
{
    char runtime[64];
    const char *variable = secure_getenv("XDG_RUNTIME_DIR");
    size_t size = sizeof(host->state_dir);

    (void)snprintf(runtime, sizeof(runtime), "/run/user/%u", host->uid);
    if (host->uid == 0)
        (void)snprintf(host->state_dir, size, "/run/berm");
    else if (is_private_dir(variable, host->uid) && strlen(variable) < size - sizeof("/berm"))
        (void)snprintf(host->state_dir, size, "%s/berm", variable);
    else if (is_private_dir(runtime, host->uid))
        (void)snprintf(host->state_dir, size, "%s/berm", runtime);
    else
        (void)snprintf(host->state_dir, size, "/tmp/berm-%u", host->uid);
}

struct block_text {
    const char *cause, *cure;
};

static const struct block_text block_texts[BLOCK_COUNT] = {
    [BLOCK_NONE] = {"",                                                                           ""                                                                              },
    [BLOCK_UNKNOWN] = {"the kernel refused it and gave no reason that berm knows",
                    "run `berm doctor`"                                                                                                                                           },
    [BLOCK_NOT_TRIED] = {"it has not been tried",                                                      "run `berm doctor`"                                                             },
    [BLOCK_KERNEL_TOO_OLD] = {"this kernel is too old or was built without it",
                    "use Linux 6.1 or newer, as in Debian 12"                                                                                                                     },
    [BLOCK_USERNS_SYSCTL_MAX] = {"user.max_user_namespaces is 0 or used up",
                    "set it: sysctl -w user.max_user_namespaces=10000"                                                                                                            },
    [BLOCK_USERNS_SYSCTL_CLONE] = {"kernel.unprivileged_userns_clone is 0",
                    "set it: sysctl -w kernel.unprivileged_userns_clone=1"                                                                                                        },
    [BLOCK_USERNS_APPARMOR] =
        {"kernel.apparmor_restrict_unprivileged_userns is 1 and no AppArmor "
         "profile allows berm",                                               "run berm as root, or load an AppArmor profile for berm with the rule `userns,`"},
    [BLOCK_OUTER_FILTER] = {"berm itself runs under a system-call filter that refuses it",
                    "allow clone, clone3 and unshare with namespace flags in the outer "
                            "sandbox (Docker: --security-opt seccomp=unconfined)"                                                                                                 },
    [BLOCK_CHROOT] = {"berm was started inside a chroot, where the kernel refuses user namespaces",
                    "enter the tree by a mount namespace and pivot_root, or systemd-nspawn"                                                                                       },
    [BLOCK_PROC_MASKED] =
        {"parts of /proc are covered by the outer container, so the kernel refuses "
         "a fresh one",                                                       "start the outer container with an unmasked /proc (Docker: --security-opt "
         "systempaths=unconfined)"                                                                                                     },
    [BLOCK_READ_ONLY] = {"the control group file system is mounted read-only",
                    "mount it writable, or delegate a group to berm"                                                                                                              },
    [BLOCK_NOT_DELEGATED] = {"this user may not make control groups below berm's own",
                    "start berm in a delegated group: systemd-run --user --scope -p "
                             "Delegate=yes berm ..."                                                                                                                              },
    [BLOCK_CONTROLLER_MISSING] = {"the controller is not there",                                                "enable it in the parent group"                                                 },
    [BLOCK_NOT_ENABLED] = {"the kernel has it, but it is not switched on",
                    "add landlock to the lsm= boot parameter"                                                                                                                     },
    [BLOCK_PERF_SYSCTL] = {"kernel.perf_event_paranoid is above 2",
                    "set it: sysctl -w kernel.perf_event_paranoid=2"                                                                                                              },
    [BLOCK_GROUP_SHARED] =
        {"other processes stand in berm's own control group",
                    "start berm alone in one: systemd-run --scope -p Delegate=yes berm ..."                                                                                       },
};

const char *host_block_cause(enum host_block block)
{
    return block < BLOCK_COUNT ? block_texts[block].cause : "";
}

const char *host_block_cure(enum host_block block)
{
    return block < BLOCK_COUNT ? block_texts[block].cure : "";
}
