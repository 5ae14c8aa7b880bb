/*
 * Attacks on files: reading, writing, mounting, ways round a root.
 */
#include "prove/attacks.h"

/* clang-format off */
#define BY_SECRET .afterwards = look_secret, .harm = "the canary is in its output"
#define HIDDEN    .layer = BERM_LAYER_FILESYSTEM, .from = 5, .topic = TOPIC_SECRETS
#define ROOTED    .layer = BERM_LAYER_FILESYSTEM, .from = 6, .topic = TOPIC_FILES

const struct attack attacks_files[] = {
    {.id = "ssh-key", .tries = "reads a planted SSH key by its full path", .words = {"dump", "{key-file}"},
     HIDDEN, BY_SECRET},
    {.id = "home-write", .tries = "leaves a file below the caller's home directory",
     .words = {"write", "{drop-home}", "x"}, HIDDEN, .detail = DROP_HOME, .afterwards = look_drop,
     .harm = "the file is on the host"},
    {.id = "unmask", .tries = "takes off what hides the key, and reads it",
     .words = {"unmask", "{home}", "{key-file}"},
     HIDDEN, BY_SECRET},
    {.id = "tmp-read", .tries = "reads a file of the host's /tmp", .words = {"dump", "{tmp-file}"},
     ROOTED, BY_SECRET},
    {.id = "tmp-write", .tries = "leaves a file in the host's /tmp", .words = {"write", "{drop-tmp}", "x"}, ROOTED,
     .detail = DROP_TMP, .afterwards = look_drop, .harm = "the file is on the host"},
    {.id = "root-link", .tries = "reads the file through /proc/self/root and /proc/1/root",
     .words = {"root-read", "{tmp-file}"}, ROOTED, BY_SECRET},
    {.id = "hard-link", .tries = "gives a file of the host a second name",
     .words = {"link", "hard", "{tmp-file}", "."},
     ROOTED, .while_held = look_hard_link, .harm = "the host's file has two names"},
    {.id = "shadow", .tries = "reads the host's passwords", .words = {"dump", "/etc/shadow"}, ROOTED,
     .needs = NEEDS_ROOT,
     .afterwards = look_host_line, .harm = "a line of the file is in its output"},
    {.id = "usr-write", .tries = "leaves a file in /usr/local",
     .words = {"remount-create", "/usr", "{drop-usr}"}, ROOTED,
     .needs = NEEDS_ROOT, .detail = DROP_USR, .afterwards = look_drop, .harm = "the file is on the host"},
    {.id = "etc-write", .tries = "leaves a file in /etc", .words = {"remount-create", "/etc", "{drop-etc}"}, ROOTED,
     .needs = NEEDS_ROOT, .detail = DROP_ETC, .afterwards = look_drop, .harm = "the file is on the host"},
    {.id = "chroot-out", .tries = "leaves its root by a second one, and reads a file of the host",
     .words = {"chroot-read", "{tmp-file}"}, ROOTED, .needs = NEEDS_ROOT, BY_SECRET},
    {.id = "handle", .tries = "opens a file of the host by its handle, past every root",
     .words = {"handle-read", "/usr", "{handle-type}", "{handle}"}, .layer = BERM_LAYER_PRIVILEGES, .from = 5,
     .topic = TOPIC_PRIVILEGES, .needs = NEEDS_ROOT, BY_SECRET},
    {.id = "disk", .tries = "opens the disk of the host as a device", .words = {"open", "{disk}"}, ROOTED,
     .needs = NEEDS_ROOT | NEEDS_DISK, .detail = OPEN_DISK, .while_held = look_descriptor,
     .harm = "the device is among its descriptors"},
    {.id = "kvm", .tries = "opens /dev/kvm", .words = {"open", "/dev/kvm"}, ROOTED, .needs = NEEDS_KVM,
     .detail = OPEN_KVM, .while_held = look_descriptor, .harm = "the device is among its descriptors"},
    {.id = "device-node", .tries = "makes a device node of its own", .words = {"node", ".", "char", "1", "3"},
     .layer = BERM_LAYER_PROCESS, .from = 3, .topic = TOPIC_PRIVILEGES, .needs = NEEDS_ROOT,
     .while_held = look_node,
     .harm = "a device node lies in its directory"},
    {.id = "mount", .tries = "mounts a file system", .words = {"mount", "."}, .layer = BERM_LAYER_PRIVILEGES,
     .from = 5,
     .topic = TOPIC_PRIVILEGES, .needs = NEEDS_ROOT, .while_held = look_mounted,
     .harm = "the mount is in its list of mounts"},
    {.id = "mount-nested", .tries = "mounts a file system in a user namespace of its own",
     .words = {"mount-in-userns", "."}, .layer = BERM_LAYER_PRIVILEGES, .from = 5, .topic = TOPIC_PRIVILEGES,
     .needs = NEEDS_UNPRIVILEGED_USERNS, .while_held = look_mounted, .harm = "the mount is in its list of mounts"},
};

/* clang-format on */

const size_t attacks_files_count = sizeof(attacks_files) / sizeof(attacks_files[0]);
