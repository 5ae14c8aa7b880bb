/*
 * Honeypots, the victim, and the words that stand for them.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/msg.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "linux/file.h"
#include "linux/proc.h"
#include "prove/attack.h"
#include "prove/host.h"
#include "prove/world_parts.h"

/* A descriptor's number in the victim, whatever else it has. */
#define VICTIM_FD 9

/* Nobody serves it: the kernel completes connections into the backlog and keeps datagrams. */
static int open_honeypot(const struct sockaddr *address, socklen_t size, int type)
{
    int fd = socket(address->sa_family, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

    if (fd < 0)
        return -errno;
    if (bind(fd, address, size) < 0 || (type == SOCK_STREAM && listen(fd, 64) < 0)) {
        int error = errno;
        (void)close(fd);
        return -error;
    }
    return fd;
}

static uint16_t port_of(int fd)
{
    union {
        struct sockaddr any;
        struct sockaddr_in v4;
        struct sockaddr_in6 v6;
    } address = {.any.sa_family = AF_UNSPEC};

    socklen_t size = sizeof(address);

    if (fd < 0 || getsockname(fd, &address.any, &size) < 0)
        return 0;
    return ntohs(address.any.sa_family == AF_INET6 ? address.v6.sin6_port : address.v4.sin_port);
}

static int open_local(const char *name, bool is_abstract)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    size_t length = strlen(name);
    size_t offset = is_abstract ? 1 : 0;

    if (length + offset >= sizeof(address.sun_path))
        return -ENAMETOOLONG;
    memcpy(address.sun_path + offset, name, length);
    int fd = open_honeypot((const struct sockaddr *)&address,
                           (socklen_t)(offsetof(struct sockaddr_un, sun_path) + offset + length),
                           SOCK_STREAM);
    if (fd >= 0 && !is_abstract)
        (void)chmod(name,
                    0666); /* whoever reaches it may connect: only the path is to be the wall */
    return fd;
}

/* A port that is free now, for an attack to listen on. */
static uint16_t free_port(void)
{
    struct sockaddr_in any = {.sin_family = AF_INET};
    AUTO_FD int fd = open_honeypot((const struct sockaddr *)&any, sizeof(any), SOCK_STREAM);

    return port_of(fd);
}

int world_plant_sockets(struct world *world)
{
    struct sockaddr_in v4 = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    struct sockaddr_in6 v6 = {.sin6_family = AF_INET6, .sin6_addr = IN6ADDR_LOOPBACK_INIT};
    int *sockets = world->sockets;

    (void)snprintf(world->abstract_name, sizeof(world->abstract_name), "berm-prove-%s",
                   world->name);
    (void)snprintf(world->home_socket, sizeof(world->home_socket), "%.400s/control.sock",
                   world->home);
    (void)snprintf(world->tmp_socket, sizeof(world->tmp_socket), "%.400s/control.sock",
                   world->directory);
    sockets[HONEYPOT_TCP] = open_honeypot((const struct sockaddr *)&v4, sizeof(v4), SOCK_STREAM);
    sockets[HONEYPOT_UDP] = open_honeypot((const struct sockaddr *)&v4, sizeof(v4), SOCK_DGRAM);
    /* A machine without IPv6 has no such honeypot: its attack says so. */
    sockets[HONEYPOT_TCP6] = open_honeypot((const struct sockaddr *)&v6, sizeof(v6), SOCK_STREAM);
    sockets[HONEYPOT_ABSTRACT] = open_local(world->abstract_name, true);
    sockets[HONEYPOT_HOME_SOCKET] = open_local(world->home_socket, false);
    sockets[HONEYPOT_TMP_SOCKET] = open_local(world->tmp_socket, false);
    for (int i = 0; i <= HONEYPOT_TCP6; i++)
        world->ports[i] = port_of(sockets[i]);
    world->listen_port = free_port();
    for (int i = 0; i < HONEYPOT_COUNT; i++) {
        /* A home with a long path has no socket: its attack finds nothing at L0 and says so. */
        if (sockets[i] < 0 && i != HONEYPOT_TCP6 && i != HONEYPOT_HOME_SOCKET)
            return sockets[i];
    }
    return 0;
}

unsigned world_touches(struct world *world, enum honeypot which)
{
    unsigned touches = 0;
    char byte[64];

    for (;;) {
        if (which == HONEYPOT_UDP) {
            if (recv(world->sockets[which], byte, sizeof(byte), 0) < 0)
                return touches;
        } else {
            AUTO_FD int fd = accept4(world->sockets[which], NULL, NULL, SOCK_CLOEXEC);
            if (fd < 0)
                return touches;
        }
        touches++;
    }
}

/* ---- The victim. ---- */

static _Noreturn void become_victim(const struct world *world)
{
    char verb[] = "victim";
    char milliseconds[] = "600000";
    char *words[] = {(char *)(uintptr_t)world->guest, verb, milliseconds,
                     (char *)(uintptr_t)world->secret, NULL};
    char variable[96];
    char *environment[] = {variable, NULL};
    AUTO_FD int null = open("/dev/null", O_RDWR | O_CLOEXEC);

    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    (void)snprintf(variable, sizeof(variable), "API_KEY=%s", world->secret);
    for (int fd = 0; fd < 3; fd++)
        (void)dup2(null, fd);
    (void)dup2(world->leaked_fd, VICTIM_FD);
    (void)execve(world->guest, words, environment);
    _exit(127);
}

/* Field 49 of /proc/PID/stat is where its arguments end (proc(5)); the secret is the last of them. */
static uint64_t secret_address(pid_t pid, const char *secret)
{
    int64_t end = 0;

    if (!sight_stat(pid, 49, &end) || end <= 0)
        return 0;
    return (uint64_t)end - strlen(secret) - 1;
}

bool world_victim_has_secret(const struct world *world)
{
    char path[64];
    char text[1024];

    (void)snprintf(path, sizeof(path), "/proc/%d/cmdline", (int)world->victim.pid);
    ssize_t n = file_read_at(AT_FDCWD, path, text, sizeof(text));
    return n > 0 && memmem(text, (size_t)n, world->secret, strlen(world->secret)) != NULL;
}

static bool victim_is_whole(const struct world *world)
{
    pid_t pid = world->victim.pid;
    struct proc_stat stat;
    struct rlimit limit;

    if (pid <= 0 || proc_read_stat(pid, &stat) < 0 || !strchr("SR", stat.state))
        return false;
    return world_victim_has_secret(world) && prlimit(pid, RLIMIT_NOFILE, NULL, &limit) == 0 &&
           limit.rlim_cur > 16 &&
           getpriority(PRIO_PROCESS, (id_t)pid) <= getpriority(PRIO_PROCESS, 0);
}

void world_end_victim(struct world *world)
{
    if (world->victim.pid <= 0)
        return;
    (void)kill(world->victim.pid, SIGKILL);
    (void)waitpid(world->victim.pid, NULL, 0);
    world->victim.pid = 0;
}

/* Its arguments say when it has become the guest: until then it is a copy of this process. */
static int wait_for_victim(struct world *world)
{
    for (int i = 0; i < 1000; i++) {
        if (world_victim_has_secret(world)) {
            world->victim.address = secret_address(world->victim.pid, world->secret);
            world->victim.fd = VICTIM_FD;
            return 0;
        }
        (void)nanosleep(&(struct timespec){0, 2000000}, NULL);
    }
    return -ETIMEDOUT;
}

static int mend_victim(struct world *world)
{
    if (victim_is_whole(world))
        return 0;
    world_end_victim(world);
    world->victim.pid = fork();
    if (world->victim.pid == 0)
        become_victim(world);
    if (world->victim.pid < 0)
        return -errno;
    return wait_for_victim(world);
}

/* What the terminal holds of an earlier run. */
static void drain_terminal(const struct world *world)
{
    char text[512];

    while (read(world->terminal_fd, text, sizeof(text)) > 0)
        ;
}

int world_mend(struct world *world)
{
    for (int i = 0; i < HONEYPOT_COUNT; i++)
        (void)world_touches(world, (enum honeypot)i);
    for (int i = 0; i < DROP_COUNT; i++)
        (void)world_take_drop(world, (enum drop)i);
    (void)world_take_app_change(world);
    drain_terminal(world);
    struct msqid_ds queue;
    if (semctl(world->sem_id, 0, SETVAL, 0) < 0 || msgctl(world->msg_id, IPC_STAT, &queue) < 0)
        return -errno;
    if (queue.msg_qnum == 0 && world_send_message(world) < 0)
        return -errno;
    if (world_is_stand_in() && sethostname(world->host_name, strlen(world->host_name)) < 0)
        return -errno;
    return mend_victim(world);
}

/* ---- Words. ---- */

int world_expand(const struct world *world, const char *word, char *out, size_t size)
{
    const struct {
        const char *name;
        const char *text;
        long long number;
    } things[] = {
        {"{name}",           world->name,               0                               },
        {"{home}",           world->home,               0                               },
        {"{key-file}",       world->key_file,           0                               },
        {"{tmp-file}",       world->tmp_file,           0                               },
        {"{shm-file}",       world->shm_file,           0                               },
        {"{drop-home}",      world->drops[DROP_HOME],   0                               },
        {"{drop-tmp}",       world->drops[DROP_TMP],    0                               },
        {"{drop-usr}",       world->drops[DROP_USR],    0                               },
        {"{drop-etc}",       world->drops[DROP_ETC],    0                               },
        {"{drop-cgroup}",    world->drops[DROP_CGROUP], 0                               },
        {"{handle}",         world->handle,             0                               },
        {"{handle-type}",    NULL,                      world->handle_type              },
        {"{tcp-port}",       NULL,                      world->ports[HONEYPOT_TCP]      },
        {"{udp-port}",       NULL,                      world->ports[HONEYPOT_UDP]      },
        {"{tcp6-port}",      NULL,                      world->ports[HONEYPOT_TCP6]     },
        {"{listen-port}",    NULL,                      world->listen_port              },
        {"{abstract}",       world->abstract_name,      0                               },
        {"{home-socket}",    world->home_socket,        0                               },
        {"{tmp-socket}",     world->tmp_socket,         0                               },
        {"{victim}",         NULL,                      world->victim.pid               },
        {"{victim-address}", NULL,                      (long long)world->victim.address},
        {"{victim-fd}",      NULL,                      world->victim.fd                },
        {"{disk}",           attack_disk(),             0                               },
        {"{shm-key}",        NULL,                      world->shm_key                  },
        {"{sem-key}",        NULL,                      world->sem_key                  },
        {"{msg-key}",        NULL,                      world->msg_key                  },
    };

    if (word[0] != '{') {
        (void)snprintf(out, size, "%s", word);
        return 0;
    }
    for (size_t i = 0; i < sizeof(things) / sizeof(things[0]); i++) {
        if (strcmp(word, things[i].name) != 0)
            continue;
        if (things[i].text)
            (void)snprintf(out, size, "%s", things[i].text);
        else
            (void)snprintf(out, size, "%lld", things[i].number);
        return 0;
    }
    return -EINVAL;
}
