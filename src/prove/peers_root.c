/*
 * What container tools need before they can start anything: a root with the guest in it.
 *
 * All of it lies below the directory of the world, which the caller removes.
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "prove/peers_parts.h"

unsigned peer_wall_ms(const struct places *places)
{
    return places->wall_ms > 0 ? places->wall_ms : PEER_WALL_MS;
}

unsigned peer_cpu_seconds(const struct places *places)
{
    return places->cpu_ms > 0 ? (places->cpu_ms + 999) / 1000 : PEER_CPU_SECONDS;
}

unsigned peer_first_cpu(void)
{
    cpu_set_t cpus;
    unsigned first = 0;

    CPU_ZERO(&cpus);
    if (sched_getaffinity(0, sizeof(cpus), &cpus) < 0)
        return 0; /* more CPUs than fit: a guess, and the tool says if it is wrong */
    while (first < CPU_SETSIZE && !CPU_ISSET(first, &cpus))
        first++;
    return first < CPU_SETSIZE ? first : 0;
}

void peer_id(const struct places *places, const char *name, char ret_id[static PEER_ID_SIZE])
{
    uint64_t hash = 0xcbf29ce484222325u; /* FNV-1a: draft-eastlake-fnv */
    const char *const parts[] = {places->directory, "\n", name};

    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
        for (const char *c = parts[i]; *c != '\0'; c++)
            hash = (hash ^ (unsigned char)*c) * 0x100000001b3u;
    }
    (void)snprintf(ret_id, PEER_ID_SIZE, "berm-prove-%016llx", (unsigned long long)hash);
}

/* Whatever the caller's umask: the program inside may be another user. */
static int make_directory(int parent, const char *name, mode_t mode)
{
    if (mkdirat(parent, name, 0700) < 0 && errno != EEXIST)
        return -errno;
    return fchmodat(parent, name, mode, 0) < 0 ? -errno : 0;
}

static int open_directory(int parent, const char *name)
{
    int fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

    return fd < 0 ? -errno : fd;
}

static int write_text(int parent, const char *name, const char *text)
{
    AUTO_FD int fd =
        openat(parent, name, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);
    size_t length = strlen(text);

    if (fd < 0 || fchmod(fd, 0644) < 0)
        return -errno;
    return write(fd, text, length) == (ssize_t)length ? 0 : -EIO;
}

/* A copy and no link: a program that owns the root could write into the guest of all others. */
static int copy_guest(const char *guest, int parent)
{
    AUTO_FD int in = open(guest, O_RDONLY | O_CLOEXEC);
    AUTO_FD int out =
        openat(parent, "guest", O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0700);
    ssize_t n = 1;

    if (in < 0 || out < 0)
        return -errno;
    while (n > 0)
        n = sendfile(out, in, NULL, 1 << 20);
    return n < 0 || fchmod(out, 0755) < 0 ? -errno : 0;
}

/* Modes count where a tool mounts a tmpfs: runc gives it the mode of the directory beneath. */
static int fill_root(const struct places *places, int root)
{
    static const struct {
        const char *name;
        mode_t mode;
    } directories[] = {
        {"etc",  0755 },
        {"proc", 0755 },
        {"sys",  0755 },
        {"dev",  0755 },
        {"usr",  0755 },
        {"run",  0755 },
        {"var",  0755 },
        {"tmp",  01777},
        {"work", 01777},
    };

    static const struct {
        const char *name, *text;
    } files[] = {
        {"etc/passwd",
         "root:x:0:0:root:/:/usr/sbin/nologin\nnobody:x:65534:65534:nobody:/:/usr/sbin/nologin\n"},
        {"etc/group",      "root:x:0:\nnogroup:x:65534:\n"                                       },
        {"etc/os-release", "ID=linux\n"                                                          },
    };

    static const char *const links[][2] = {
        {"bin",   "usr/bin"  },
        {"sbin",  "usr/sbin" },
        {"lib",   "usr/lib"  },
        {"lib64", "usr/lib64"},
    };
    int r = 0;

    for (size_t i = 0; r == 0 && i < sizeof(directories) / sizeof(directories[0]); i++)
        r = make_directory(root, directories[i].name, directories[i].mode);
    for (size_t i = 0; r == 0 && i < sizeof(files) / sizeof(files[0]); i++)
        r = write_text(root, files[i].name, files[i].text);
    for (size_t i = 0; r == 0 && i < sizeof(links) / sizeof(links[0]); i++) {
        if (symlinkat(links[i][1], root, links[i][0]) < 0 && errno != EEXIST)
            r = -errno;
    }
    return r == 0 ? copy_guest(places->guest, root) : r;
}

static int build(const struct places *places, const char *name)
{
    AUTO_FD int world = open_directory(AT_FDCWD, places->directory);
    int r = world < 0 ? world : make_directory(world, name, 0755);

    if (r < 0)
        return r;
    AUTO_FD int place = open_directory(world, name);
    r = place < 0 ? place : make_directory(place, "work", 01777);
    if (r == 0)
        r = make_directory(place, "rootfs", 0755);
    if (r < 0)
        return r;
    AUTO_FD int root = open_directory(place, "rootfs");
    return root < 0 ? root : fill_root(places, root);
}

int peer_root(const struct places *places, const char *name, char *why, size_t why_size)
{
    int r = build(places, name);

    if (r < 0)
        (void)snprintf(why, why_size, "a root could not be made in %.64s: %s", places->directory,
                       strerror(-r));
    return r;
}
