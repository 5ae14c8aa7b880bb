/*
 * What a preset does not claim, attack by attack.
 *
 * A topic holds more than one thing, and a tool may speak of most of them and be silent on one.
 * Such an attack is no promise of the tool: it is shown, and not held against it. A row stands here
 * only with the manual's silence, or its own word, as the reason.
 */
#include <string.h>
#include <unistd.h>

#include "prove/peers_parts.h"

/* clang-format off */
static const struct {
    const char *peer, *attack;
    bool is_for_root; /* only where the caller is root */
    const char *why;
} exceptions[] = {
    {"bwrap", "fd-leak",  false, "bwrap(1) closes no descriptor, and does not say so"},
    {"bwrap", "keyring",  false, "bwrap(1) does not speak of keys"},
    {"bwrap", "root-uid", true,  "bwrap(1), --uid: the user id in the sandbox"},

    {"firejail", "env-key",            false, "firejail(1): --rmenv=NAME, one by one"},
    {"firejail", "others-environment", false, "firejail(1): --rmenv=NAME, one by one"},
    {"firejail", "tty-write",          false, "firejail(1) does not speak of a terminal"},
    {"firejail", "tty-push",           false, "firejail(1) does not speak of a terminal"},
    {"firejail", "io-uring",           false, "syscalls.txt of firejail: not in @default"},
    {"firejail", "root-uid",           true,  "firejail(1), --noroot: not for root"},
    {"firejail", "fork-many",          true,  "getrlimit(2), RLIMIT_NPROC: not enforced for root"},
    {"firejail", "fork-bomb",          true,  "getrlimit(2), RLIMIT_NPROC: not enforced for root"},
    {"firejail", "threads",            true,  "getrlimit(2), RLIMIT_NPROC: not enforced for root"},

    {"runc", "user-namespace", false, "config-linux.md: nothing on namespaces below"},
    {"runc", "mount-nested",   false, "config-linux.md: nothing on namespaces below"},

    {"crun", "user-namespace", false, "config-linux.md: nothing on namespaces below"},
    {"crun", "mount-nested",   false, "config-linux.md: nothing on namespaces below"},

    {"docker", "root-uid",       true,  "docker-run(1), --user: root, where it is not given"},
    {"docker", "set-user-id",    false, "docker-run(1), --user: root, where it is not given"},
    {"docker", "capabilities",   false, "docker-run(1), --cap-drop: some stay by default"},
    {"docker", "new-privileges", false, "docker-run(1), --security-opt: not by default"},
    {"docker", "device-node",    false, "the default capabilities of docker hold CAP_MKNOD"},
    {"docker", "io-uring",       false, "allowed by the default profile of docker 20.10"},

    {"docker-hardened", "cpus",        false, "docker-run(1), --cpus: a share of time"},
    {"docker-hardened", "root-uid",    true,  "docker-run(1), --user: root, where it is not given"},
    {"docker-hardened", "set-user-id", false, "docker-run(1), --user: root, where it is not given"},
    {"docker-hardened", "io-uring",    false, "allowed by the default profile of docker 20.10"},

    {"nspawn", "keyring",          false, "systemd-nspawn(1) does not speak of keys"},
    {"nspawn", "user-namespace",   false, "systemd-nspawn(1): nothing on namespaces below"},
    {"nspawn", "mount-nested",     false, "systemd-nspawn(1): nothing on namespaces below"},
    {"nspawn", "personality",      false, "on the tool's list of allowed system calls"},
    {"nspawn", "personality-i386", false, "on the tool's list of allowed system calls"},
    {"nspawn", "personality-high", false, "on the tool's list of allowed system calls"},
    {"nspawn", "userfaultfd",      false, "on the tool's list of allowed system calls"},
    {"nspawn", "io-uring",         false, "on the tool's list of allowed system calls"},

    {"unshare", "keyring",   false, "unshare(1) does not speak of keys"},
    {"unshare", "host-name", false, "uts_namespaces(7): begins with a copy of the names"},

    {"timeout", "fork-many", true,  "getrlimit(2), RLIMIT_NPROC: not enforced for root"},
    {"timeout", "fork-bomb", true,  "getrlimit(2), RLIMIT_NPROC: not enforced for root"},
    {"timeout", "threads",   true,  "getrlimit(2), RLIMIT_NPROC: not enforced for root"},
};

/* clang-format on */

const char *peer_exception(const char *peer, const char *attack, bool is_root)
{
    for (size_t i = 0; i < sizeof(exceptions) / sizeof(exceptions[0]); i++) {
        if (strcmp(exceptions[i].peer, peer) == 0 && strcmp(exceptions[i].attack, attack) == 0 &&
            (is_root || !exceptions[i].is_for_root))
            return exceptions[i].why;
    }
    return NULL;
}

bool peer_claims(const struct column *column, const struct attack *attack)
{
    /* The number that berm is told for this attack is its own; other tools keep the profile's, or none. */
    if (strcmp(attack->id, "inodes") == 0)
        return false;
    return (column->claims & (1u << attack->topic)) != 0 &&
           !peer_exception(column->name, attack->id, geteuid() == 0);
}

size_t peer_exception_count(void)
{
    return sizeof(exceptions) / sizeof(exceptions[0]);
}

void peer_exception_at(size_t index, const char **ret_peer, const char **ret_attack)
{
    *ret_peer = exceptions[index].peer;
    *ret_attack = exceptions[index].attack;
}
