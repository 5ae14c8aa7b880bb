/*
 * Attacks on privileges and on the kernel.
 */
#include "prove/attacks.h"

/* clang-format off */
#define PRIVILEGES .layer = BERM_LAYER_PRIVILEGES, .topic = TOPIC_PRIVILEGES
#define FILTERED   .layer = BERM_LAYER_SYSCALLS, .from = 6, .topic = TOPIC_KERNEL
#define OPENS(thing) .detail = (thing), .while_held = look_descriptor, .harm = "it is among its descriptors"

const struct attack attacks_kernel[] = {
    {.id = "root-uid", .tries = "is root of the host", .words = {"ids"}, PRIVILEGES, .from = 6, .needs = NEEDS_ROOT,
     .while_held = look_root_uid, .harm = "the host sees it with uid 0"},
    {.id = "capabilities", .tries = "has capabilities", .words = {"status", "CapEff"}, PRIVILEGES, .from = 5,
     .needs = NEEDS_ROOT, .while_held = look_capabilities, .harm = "the kernel names capabilities of it"},
    {.id = "new-privileges", .tries = "may gain rights by a program that has them",
     .words = {"status", "NoNewPrivs"},
     PRIVILEGES, .from = 5, .while_held = look_new_privileges, .harm = "the kernel says that it may"},
    {.id = "set-user-id", .tries = "gains root's rights by a set-user-id program",
     .words = {"run-beside", "/bin/su"},
     PRIVILEGES, .from = 5, .needs = NEEDS_USER | NEEDS_SETUID, .while_held = look_root_child,
     .harm = "the host sees its child with root's rights"},
    {.id = "user-namespace", .tries = "makes a user namespace, in which it has every capability",
     .words = {"unshare", "user"}, PRIVILEGES, .from = 5, .needs = NEEDS_UNPRIVILEGED_USERNS,
     .while_held = look_namespaces,
     .harm = "the host sees two user namespaces"},
    {.id = "oom-score", .tries = "makes the kernel end others before it when memory runs out",
     .words = {"oom-score-lower"},
     .layer = BERM_LAYER_SYSCALLS, .from = 6, .topic = TOPIC_KERNEL, .needs = NEEDS_OOM_SCORE,
     .while_held = look_oom_score,
     .harm = "its OOM score is adjusted below the caller's"},
    {.id = "no-filter", .tries = "has every system call of the kernel", .words = {"status", "Seccomp"}, FILTERED,
     .while_held = look_no_filter, .harm = "the kernel says that no filter is on it"},
    {.id = "personality", .tries = "switches off the random layout of memory",
     .words = {"personality", "native"}, FILTERED,
     .while_held = look_personality, .harm = "the kernel says that it is off"},
    {.id = "personality-high", .tries = "does so with bits set that the kernel drops (CVE-2019-10063's kind)",
     .words = {"personality", "high"}, FILTERED, .while_held = look_personality,
     .harm = "the kernel says that it is off"},
    {.id = "personality-i386", .tries = "does so by the system calls of another architecture",
     .words = {"personality", "i386"}, FILTERED, .needs = NEEDS_I386, .while_held = look_personality,
     .harm = "the kernel says that it is off"},
    {.id = "personality-x32", .tries = "does so by the x32 system calls", .words = {"personality", "x32"}, FILTERED,
     .needs = NEEDS_X32, .while_held = look_personality, .harm = "the kernel says that it is off"},
    {.id = "bpf", .tries = "loads something into the kernel's BPF machine", .words = {"bpf"}, FILTERED,
     .needs = NEEDS_ROOT,
     OPENS(OPEN_BPF)},
    {.id = "perf", .tries = "opens a performance counter", .words = {"perf"}, FILTERED, .needs = NEEDS_PERF,
     OPENS(OPEN_PERF)},
    {.id = "userfaultfd", .tries = "stops the kernel in the middle of an access (userfaultfd)",
     .words = {"call", "userfaultfd"}, FILTERED, OPENS(OPEN_USERFAULTFD)},
    {.id = "io-uring", .tries = "opens io_uring, whose operations pass the filter by", .words = {"io-uring"},
     FILTERED,
     .needs = NEEDS_IO_URING, OPENS(OPEN_IO_URING)},
    {.id = "kernel-log", .tries = "reads the kernel's log", .words = {"kernel-log"}, FILTERED, .needs = NEEDS_ROOT,
     .afterwards = look_kernel_log, .harm = "lines of the log are in its output"},
    {.id = "kernel-addresses", .tries = "reads addresses of the kernel", .words = {"read", "/proc/kallsyms"}, 
     .layer = BERM_LAYER_PRIVILEGES, .from = 6, .topic = TOPIC_KERNEL, .needs = NEEDS_ROOT,
     .afterwards = look_host_line,
     .harm = "an address is in its output"},
    {.id = "kernel-setting", .tries = "changes a kernel setting below /proc/sys",
     .words = {"write", "/proc/sys/kernel/hostname", "renamed"}, PRIVILEGES, .from = 5, .needs = NEEDS_ROOT,
     .afterwards = look_host_name_changed, .harm = "the setting of the host is another one"},
    {.id = "control-group", .tries = "makes a control group of the host's",
     .words = {"make-directory", "{drop-cgroup}"},
     .layer = BERM_LAYER_PROCESS, .from = 3, .topic = TOPIC_PRIVILEGES, .needs = NEEDS_ROOT, .detail = DROP_CGROUP,
     .afterwards = look_drop, .harm = "the group is there"},
};

/* clang-format on */

const size_t attacks_kernel_count = sizeof(attacks_kernel) / sizeof(attacks_kernel[0]);
