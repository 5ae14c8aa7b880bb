/*
 * The tools that take all they need as flags: bubblewrap, firejail, unshare, timeout.
 *
 * Every flag stands in the tool's manual page: bwrap(1) 0.8.0, firejail(1) 0.9.72, unshare(1)
 * 2.38.1, timeout(1) 9.1, prlimit(1) 2.38.1.
 */
#include <unistd.h>

#include "prove/peers_parts.h"

int bwrap_prepare(const struct places *places, char *why, size_t why_size)
{
    return peer_try("bwrap", places, why, why_size);
}

/*
 * Namespaces are named one by one and not as --unshare-all: that one goes on without a user or
 * cgroup namespace where there is none. bwrap(1) has no limit but the size of a tmpfs; it says
 * nothing of how many files that holds, of descriptors (they are handed on), or of keys. The root
 * is a tmpfs of the tool's own: read-only in the end, as /dev, since neither has a size. Without
 * --as-pid-1 the tool's own process is PID 1 inside, and /proc/1/environ has the variables that
 * --clearenv took from the program (measured).
 */
void bwrap_wrap(const struct places *places, struct words *words)
{
    words_add_flags(
        words,
        "bwrap --unshare-user --unshare-ipc --unshare-pid --unshare-net --unshare-uts "
        "--unshare-cgroup --disable-userns --uid 65534 --gid 65534 --cap-drop ALL "
        "--as-pid-1 --die-with-parent --new-session --hostname sandbox --clearenv "
        "--setenv PATH /usr/bin "
        "--ro-bind /usr /usr --symlink usr/bin /bin --symlink usr/sbin /sbin "
        "--symlink usr/lib /lib --symlink usr/lib64 /lib64 --proc /proc --dev /dev --ro-bind");
    words_add(words, "%s", places->guest);
    words_add_flags(words, "/guest --size");
    words_add(words, "%llu", PEER_TMP_MIB * PEER_MIB);
    words_add_flags(words, "--perms 1777 --tmpfs /dev/shm --size");
    words_add(words, "%llu", PEER_TMP_MIB * PEER_MIB);
    words_add_flags(words, "--perms 1777 --tmpfs /tmp --size");
    words_add(words, "%llu", PEER_WORK_MIB * PEER_MIB);
    words_add_flags(
        words,
        "--perms 1777 --tmpfs /work --remount-ro /dev --remount-ro / --chdir /work -- /guest");
}

int firejail_prepare(const struct places *places, char *why, size_t why_size)
{
    int r = peer_root(places, "firejail", why, why_size);

    return r == 0 ? peer_try("firejail", places, why, why_size) : r;
}

/*
 * firejail has no root of its own making (--chroot is off as Debian ships it): top directories are
 * emptied one by one. A whitelisted path hides all else in its top directory, also when it is not
 * there: /var/empty, /run/empty. What lies in a top directory of the host's own making stays to be
 * seen, so FILES is not claimed. --rlimit-as and --rlimit-cpu are of each process, --rlimit-nproc
 * of the user (which does not hold root: getrlimit(2)); --noroot is not for root (firejail(1)). The
 * program's variables stay: there is only --rmenv=NAME.
 */
void firejail_wrap(const struct places *places, struct words *words)
{
    unsigned seconds = (peer_wall_ms(places) + 999) / 1000;

    words_add_flags(words,
                    "firejail --quiet --noprofile --private --private-dev --private-opt=none "
                    "--private-srv=none --disable-mnt --read-only=/ --whitelist=/var/empty "
                    "--whitelist=/run/empty --whitelist=/etc/passwd --whitelist=/etc/group");
    words_add(words, "--whitelist=%s", places->guest);
    words_add(words, "--whitelist=%s/firejail/work", places->directory);
    words_add(words, "--private-cwd=%s/firejail/work", places->directory);
    words_add_flags(words,
                    "--net=none --protocol=unix,inet,inet6 --ipc-namespace --hostname=sandbox");
    if (geteuid() != 0)
        words_add_flags(words, "--noroot");
    words_add_flags(
        words,
        "--caps.drop=all --nonewprivs --restrict-namespaces --seccomp --seccomp.block-secondary "
        "--deterministic-exit-code --deterministic-shutdown");
    words_add(words, "--timeout=%02u:%02u:%02u", seconds / 3600, seconds / 60 % 60, seconds % 60);
    words_add(words, "--rlimit-cpu=%u", peer_cpu_seconds(places));
    words_add(words, "--rlimit-as=%um", PEER_MEMORY_MIB);
    words_add(words, "--rlimit-fsize=%um", PEER_FILE_MIB);
    words_add(words, "--rlimit-nofile=%u", PEER_OPEN_FILES);
    words_add(words, "--rlimit-nproc=%u", PEER_PROCESSES);
    words_add(words, "--cpu=%u", peer_first_cpu());
    words_add(words, "--");
    words_add(words, "%s", places->guest);
}

int unshare_prepare(const struct places *places, char *why, size_t why_size)
{
    int r = peer_root(places, "unshare", why, why_size);

    return r == 0 ? peer_try("unshare", places, why, why_size) : r;
}

/*
 * --root is a chroot(2), "not intended to be used for any kind of security purpose": neither FILES
 * nor SECRETS is claimed. Mapped to a uid that is not 0 the program has no capability after
 * execve(2) (user_namespaces(7)). The program is PID 1 of its namespace, so that all ends with it
 * (pid_namespaces(7)).
 */
void unshare_wrap(const struct places *places, struct words *words)
{
    words_add_flags(
        words, "unshare --user --map-user=65534 --map-group=65534 --mount --pid --net --ipc --uts "
               "--cgroup --kill-child --mount-proc");
    words_add(words, "--root=%s/unshare/rootfs", places->directory);
    words_add_flags(words, "--wd=/work -- /guest");
}

int timeout_prepare(const struct places *places, char *why, size_t why_size)
{
    return peer_try("timeout", places, why, why_size);
}

/*
 * What everybody has at hand. KILL, since TERM can be ignored (timeout(1)). RLIMIT_CPU and
 * RLIMIT_AS are of each process, RLIMIT_NPROC of the user, and not of root (getrlimit(2)).
 */
void timeout_wrap(const struct places *places, struct words *words)
{
    unsigned wall_ms = peer_wall_ms(places);

    words_add_flags(words, "timeout --signal=KILL");
    words_add(words, "%u.%03u", wall_ms / 1000, wall_ms % 1000);
    words_add_flags(words, "prlimit --core=0");
    words_add(words, "--cpu=%u", peer_cpu_seconds(places));
    words_add(words, "--as=%llu", PEER_MEMORY_MIB * PEER_MIB);
    words_add(words, "--fsize=%llu", PEER_FILE_MIB * PEER_MIB);
    words_add(words, "--nofile=%u", PEER_OPEN_FILES);
    words_add(words, "--nproc=%u", PEER_PROCESSES);
    words_add(words, "--");
    words_add(words, "%s", places->guest);
}
