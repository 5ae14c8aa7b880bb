/*
 * Attempts on the network: ways out, ways in, and sockets of every family.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "guest/guest.h"

/* An attempt that waits longer than this counts as failed: nothing may wait inside. */
#define PATIENCE_MS 3000

struct endpoint {
    union {
        struct sockaddr any;
        struct sockaddr_in v4;
        struct sockaddr_in6 v6;
        struct sockaddr_un path;
    } address;

    socklen_t size;
    int family;
};

static int endpoint_of(const char *address, const char *port, struct endpoint *ret)
{
    memset(ret, 0, sizeof(*ret));
    if (inet_pton(AF_INET, address, &ret->address.v4.sin_addr) == 1) {
        ret->address.v4.sin_family = AF_INET;
        ret->address.v4.sin_port = htons((uint16_t)number_of(port));
        ret->size = sizeof(ret->address.v4);
    } else if (inet_pton(AF_INET6, address, &ret->address.v6.sin6_addr) == 1) {
        ret->address.v6.sin6_family = AF_INET6;
        ret->address.v6.sin6_port = htons((uint16_t)number_of(port));
        ret->size = sizeof(ret->address.v6);
    } else {
        return -EINVAL;
    }
    ret->family = ret->address.any.sa_family;
    return 0;
}

static int wait_connected(int fd)
{
    struct pollfd ready = {.fd = fd, .events = POLLOUT};
    int error = 0;
    socklen_t size = sizeof(error);

    if (poll(&ready, 1, PATIENCE_MS) <= 0)
        return -ETIMEDOUT;
    if (getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size) != 0)
        return -errno;
    return -error;
}

/* connect tcp|udp ADDRESS PORT: says something to whoever listens there. */
static int connect_to(int argc, char **argv)
{
    bool is_udp = strcmp(argv[0], "udp") == 0;
    struct endpoint to;
    long begin = now_ms();
    int r = endpoint_of(argv[1], argv[2], &to);
    int fd;

    (void)argc;
    if (r != 0)
        return r;
    fd = socket(to.family, (is_udp ? SOCK_DGRAM : SOCK_STREAM) | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0)
        return -errno;
    r = outcome_of(connect(fd, &to.address.any, to.size));
    if (r == -EINPROGRESS)
        r = wait_connected(fd);
    if (r == 0)
        r = outcome_of(send(fd, "guest", 5, MSG_NOSIGNAL));
    fact("after %ld ms", now_ms() - begin);
    return r;
}

/* `abstract NAME` and `path NAME`: a daemon's socket on the host. */
static int connect_local(int argc, char **argv)
{
    struct sockaddr_un to = {.sun_family = AF_UNIX};
    size_t offset = strcmp(argv[0], "abstract") == 0 ? 1 : 0;
    size_t length = strlen(argv[1]);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

    (void)argc;
    if (fd < 0)
        return -errno;
    if (length + offset >= sizeof(to.sun_path))
        return -ENAMETOOLONG;
    memcpy(to.sun_path + offset, argv[1], length);
    if (connect(fd, (struct sockaddr *)&to,
                (socklen_t)(offsetof(struct sockaddr_un, sun_path) + offset + length)) != 0)
        return -errno;
    return outcome_of(send(fd, "guest", 5, MSG_NOSIGNAL));
}

static const struct {
    const char *name;
    int family, type, protocol;
} families[] = {
    {"unix",              AF_UNIX,    SOCK_STREAM,    0    },
    {"tcp",               AF_INET,    SOCK_STREAM,    0    },
    {"udp6",              AF_INET6,   SOCK_DGRAM,     0    },
    {"raw",               AF_INET,    SOCK_RAW,       1    },
    {"raw6",              AF_INET6,   SOCK_RAW,       58   },
    {"ping",              AF_INET,    SOCK_DGRAM,     1    },
    {"sctp",              AF_INET,    SOCK_STREAM,    132  },
    {"mptcp",             AF_INET,    SOCK_STREAM,    262  },
    {"packet",            AF_PACKET,  SOCK_RAW,       0x300},
    {"packet-dgram",      AF_PACKET,  SOCK_DGRAM,     0x300},
    {"netlink-route",     AF_NETLINK, SOCK_RAW,       0    },
    {"netlink-audit",     AF_NETLINK, SOCK_RAW,       9    },
    {"netlink-netfilter", AF_NETLINK, SOCK_RAW,       12   },
    {"netlink-generic",   AF_NETLINK, SOCK_RAW,       16   },
    {"vsock",             40,         SOCK_STREAM,    0    },
    {"alg",               38,         SOCK_SEQPACKET, 0    },
    {"bluetooth",         31,         SOCK_RAW,       1    },
    {"tipc",              30,         SOCK_SEQPACKET, 0    },
    {"key",               15,         SOCK_RAW,       2    },
    {"xdp",               44,         SOCK_RAW,       0    },
    {"can",               29,         SOCK_RAW,       1    },
};

static int socket_of(int argc, char **argv)
{
    (void)argc;
    for (size_t i = 0; i < sizeof(families) / sizeof(families[0]); i++) {
        if (strcmp(families[i].name, argv[0]) == 0)
            return outcome_of(
                socket(families[i].family, families[i].type | SOCK_CLOEXEC, families[i].protocol));
    }
    return -EDOM;
}

/* Which interfaces are there, and which are up? */
static int interfaces(int argc, char **argv)
{
    struct if_nameindex *names = if_nameindex();
    int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    unsigned up = 0;

    (void)argc;
    (void)argv;
    if (!names || fd < 0)
        return -errno;
    for (struct if_nameindex *n = names; n->if_name; n++) {
        struct ifreq request;

        memset(&request, 0, sizeof(request));
        (void)snprintf(request.ifr_name, sizeof(request.ifr_name), "%s", n->if_name);
        if (ioctl(fd, SIOCGIFFLAGS, &request) == 0 && request.ifr_flags & IFF_UP) {
            fact("%s ", n->if_name);
            up++;
        }
    }
    fact("(%u up)", up);
    return up > 0 ? 0 : -ENETDOWN;
}

/* Bring up the loopback interface of whatever network namespace this is. */
static int loopback_up(int argc, char **argv)
{
    int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    struct ifreq request = {.ifr_name = "lo", .ifr_flags = IFF_UP | IFF_RUNNING};

    (void)argc;
    (void)argv;
    return outcome_of(ioctl(fd, SIOCSIFFLAGS, &request));
}

/* Through netlink: a request that changes something, for the interface with index 1. */
static int netlink_change(int argc, char **argv)
{
    struct {
        struct nlmsghdr head;
        struct ifinfomsg info;
    } ask = {
        .head = {.nlmsg_len = sizeof(ask),
                 .nlmsg_type = RTM_NEWLINK,
                 .nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK                           },
        .info = {.ifi_index = 1,           .ifi_flags = IFF_UP, .ifi_change = IFF_UP},
    };

    struct {
        struct nlmsghdr head;
        struct nlmsgerr error;
        char rest[256];
    } answer;

    int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);

    (void)argc;
    (void)argv;
    if (fd < 0 || send(fd, &ask, sizeof(ask), 0) < 0 || recv(fd, &answer, sizeof(answer), 0) < 0)
        return -errno;
    return answer.error.error;
}

/* Waits for the harness to come in. Works when it did. */
static int listen_on(int argc, char **argv)
{
    struct endpoint at;
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    int one = 1;
    struct pollfd ready = {.fd = fd, .events = POLLIN};

    (void)argc;
    if (fd < 0 || endpoint_of("127.0.0.1", argv[0], &at) != 0)
        return -errno;
    (void)setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one)); /* a repeated test only */
    if (bind(fd, &at.address.any, at.size) != 0 || listen(fd, 4) != 0)
        return -errno;
    (void)!write(2, "listening\n", 10);
    hold_for_host();
    if (poll(&ready, 1, (int)number_of(argv[1])) != 1)
        return -ETIMEDOUT;
    return outcome_of(accept(fd, NULL, NULL));
}

static int resolve(int argc, char **argv)
{
    struct addrinfo *found = NULL;
    long begin = now_ms();
    int r = getaddrinfo(argv[0], "80", NULL, &found);

    (void)argc;
    fact("getaddrinfo said %s after %ld ms", r == 0 ? "yes" : gai_strerror(r), now_ms() - begin);
    if (found)
        freeaddrinfo(found);
    return r == 0 ? 0 : -ENETUNREACH;
}

const struct attempt network_attempts[] = {
    {"connect",        "tcp|udp ADDRESS PORT", 3, connect_to    },
    {"connect-local",  "abstract|path NAME",   2, connect_local },
    {"socket",         "FAMILY",               1, socket_of     },
    {"interfaces",     "",                     0, interfaces    },
    {"loopback-up",    "",                     0, loopback_up   },
    {"netlink-change", "",                     0, netlink_change},
    {"listen",         "PORT MS",              2, listen_on     },
    {"resolve",        "NAME",                 1, resolve       },
    {NULL,             NULL,                   0, NULL          },
};
