/*
 * systemd-nspawn, as in systemd-nspawn(1) of systemd 252.
 *
 * Limits of memory, CPUs and time are properties of the scope that systemd makes for the machine.
 * Where systemd is not PID 1 there is no scope: the machine then stays in the control group of the
 * caller (--keep-unit), and those topics are not claimed.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "prove/peers_parts.h"

/* sd_booted(3): "checks whether the directory /run/systemd/system/ exists". */
static bool has_systemd(void)
{
    return access("/run/systemd/system", F_OK) == 0;
}

uint32_t nspawn_unclaimed(void)
{
    return has_systemd() ? 0 : CLAIM(TIME) | CLAIM(CPUS) | CLAIM(MEMORY);
}

void nspawn_lacks(char *ret_why, size_t size)
{
    if (geteuid() != 0)
        (void)snprintf(ret_why, size, "needs root (systemd-nspawn: \"Need to be root.\")");
}

int nspawn_prepare(const struct places *places, char *why, size_t why_size)
{
    int r = peer_root(places, "nspawn", why, why_size);

    return r == 0 ? peer_try("nspawn", places, why, why_size) : r;
}

static void add_machine(const struct places *places, struct words *words)
{
    char id[PEER_ID_SIZE];

    peer_id(places, "nspawn", id);
    /* A new name for each run: the scope of the last one goes away some time after its end. */
    words_add(words, "--machine=%s-%llx", id, (unsigned long long)clock_now_ns());
    words_add_flags(words, "--register=no");
    if (!has_systemd()) {
        words_add_flags(words, "--keep-unit");
        return;
    }
    words_add(words, "--property=RuntimeMaxSec=%ums", peer_wall_ms(places));
    words_add(words, "--property=MemoryMax=%uM", PEER_MEMORY_MIB);
    words_add_flags(words, "--property=MemorySwapMax=0 --property=CPUQuota=100% "
                           "--property=CollectMode=inactive-or-failed");
    words_add(words, "--property=AllowedCPUs=%u", peer_first_cpu());
    words_add(words, "--property=TasksMax=%u", PEER_PROCESSES);
}

static void add_tmpfs(struct words *words, const char *where, unsigned mib, unsigned files)
{
    words_add(words, "--tmpfs=%s:mode=1777,size=%um,nr_inodes=%u", where, mib, files);
}

/*
 * "Untrusted code must always be run in a user namespace" (systemd-nspawn(1)): a range of host uids
 * of its own. As `nobody` it can write neither to /run nor to /dev, which have sizes of the tool's
 * own; /usr/bin/getent of the bound /usr finds that user. RLIMIT_NPROC counts in the user namespace
 * (getrlimit(2); Linux 5.14). The pipe mode hands the three streams on; the manual warns of it for
 * terminals alone.
 */
void nspawn_wrap(const struct places *places, struct words *words)
{
    words_add_flags(words, "systemd-nspawn --quiet --settings=no");
    words_add(words, "--directory=%s/nspawn/rootfs", places->directory);
    add_machine(places, words);
    words_add_flags(words, "--hostname=sandbox --read-only --user=nobody");
    words_add(words, "--private-users=%u:%u", PEER_FIRST_UID, PEER_UID_COUNT);
    words_add_flags(words,
                    "--private-network --drop-capability=all --no-new-privileges=yes --as-pid2 "
                    "--console=pipe --timezone=off --bind-ro=/usr");
    add_tmpfs(words, "/tmp", PEER_TMP_MIB, PEER_TMP_FILES);
    add_tmpfs(words, "/dev/shm", PEER_TMP_MIB, PEER_TMP_FILES);
    add_tmpfs(words, "/work", PEER_WORK_MIB, PEER_WORK_FILES);
    words_add_flags(words, "--chdir=/work");
    words_add(words, "--rlimit=RLIMIT_CPU=%u", peer_cpu_seconds(places));
    words_add(words, "--rlimit=RLIMIT_FSIZE=%llu", PEER_FILE_MIB * PEER_MIB);
    words_add(words, "--rlimit=RLIMIT_NOFILE=%u", PEER_OPEN_FILES);
    words_add(words, "--rlimit=RLIMIT_NPROC=%u", PEER_PROCESSES);
    words_add_flags(words, "--rlimit=RLIMIT_CORE=0");
    words_add(words, "--cpu-affinity=%u", peer_first_cpu());
    words_add_flags(words, "/guest");
}

/* Of machines that were killed: a directory for each name (measured; systemd 252 removes it at an
 * orderly end). */
static void remove_directories(const struct places *places)
{
    char id[PEER_ID_SIZE];
    const struct dirent *entry;
    DIR *dir = opendir("/run/systemd/nspawn/propagate");

    peer_id(places, "nspawn", id);
    while (dir && (entry = readdir(dir)) != NULL) {
        if (strncmp(entry->d_name, id, strlen(id)) == 0)
            (void)unlinkat(dirfd(dir), entry->d_name,
                           AT_REMOVEDIR); /* not empty: not ours to empty */
    }
    if (dir)
        (void)closedir(dir);
}

/* With --keep-unit two control groups stay below the caller's own (measured). One that is in use is
 * not removed. */
static void remove_groups(void)
{
    static const char *const mounts[] = {"unified", "systemd", "."};
    static const char *const names[] = {"payload", "supervisor"};
    char own[PEER_PATH_SIZE] = "";
    char path[2 * PEER_PATH_SIZE];
    FILE *groups = fopen("/proc/self/cgroup", "re");

    /* "0::/PATH", and for a hierarchy of systemd's "N:name=systemd:/PATH" (cgroups(7)). */
    while (groups && fgets(own, sizeof(own), groups)) {
        const char *at = strchr(own, ':');
        bool is_wanted =
            at && (strncmp(at, "::", 2) == 0 || strncmp(at, ":name=systemd:", 14) == 0);

        at = is_wanted ? strchr(at + 1, ':') + 1 : NULL;
        own[strcspn(own, "\n")] = '\0';
        for (size_t i = 0; at && i < sizeof(mounts) / sizeof(mounts[0]); i++) {
            for (size_t n = 0; n < sizeof(names) / sizeof(names[0]); n++) {
                (void)snprintf(path, sizeof(path), "/sys/fs/cgroup/%s%s/%s", mounts[i], at,
                               names[n]);
                (void)rmdir(path);
            }
        }
    }
    if (groups)
        (void)fclose(groups);
}

void nspawn_forget(const struct places *places)
{
    remove_directories(places);
    if (!has_systemd())
        remove_groups();
}
