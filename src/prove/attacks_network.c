/*
 * Attacks by the network: ways out, ways in.
 */
#include "prove/attacks.h"

/* clang-format off */
#define BY_NETWORK  .layer = BERM_LAYER_NETWORK, .from = 4, .topic = TOPIC_NETWORK
#define BY_HONEYPOT .afterwards = look_honeypot, .harm = "the honeypot is reached"
#define BY_ROUTE    .needs = NEEDS_ROUTE, .while_held = look_route, \
    .harm = "the kernel gives it a route; nothing is sent"

const struct attack attacks_network[] = {
    {.id = "loopback-tcp", .tries = "connects to a server on the host's loopback",
     .words = {"connect", "tcp", "127.0.0.1", "{tcp-port}"}, BY_NETWORK, .detail = HONEYPOT_TCP, BY_HONEYPOT},
    {.id = "loopback-udp", .tries = "sends a datagram to a server on the host's loopback",
     .words = {"connect", "udp", "127.0.0.1", "{udp-port}"}, BY_NETWORK, .detail = HONEYPOT_UDP, BY_HONEYPOT},
    {.id = "loopback-v6", .tries = "connects to a server on the host's IPv6 loopback",
     .words = {"connect", "tcp", "::1", "{tcp6-port}"}, BY_NETWORK, .needs = NEEDS_IPV6, .detail = HONEYPOT_TCP6,
     BY_HONEYPOT},
    {.id = "metadata", .tries = "reaches for the cloud's metadata address", .words = {"reach", "169.254.169.254"},
     BY_NETWORK, BY_ROUTE},
    {.id = "outside", .tries = "reaches for an address outside",
     .words = {"reach", "192.0.2.80"}, BY_NETWORK, BY_ROUTE},
    {.id = "private", .tries = "reaches for an address of the private network", .words = {"reach", "10.11.12.13"},
     BY_NETWORK, BY_ROUTE},
    {.id = "listen", .tries = "opens a port for others to come in",
     .words = {"listen", "{listen-port}", "1"}, BY_NETWORK,
     .while_held = look_listener, .harm = "the host can connect to the port"},
    {.id = "abstract-socket", .tries = "connects to a daemon by its abstract socket",
     .words = {"connect-local", "abstract", "{abstract}"}, BY_NETWORK, .detail = HONEYPOT_ABSTRACT, BY_HONEYPOT},
    {.id = "home-socket", .tries = "connects to a control socket below the caller's home directory",
     .words = {"connect-local", "path", "{home-socket}"}, .layer = BERM_LAYER_FILESYSTEM, .from = 5,
     .topic = TOPIC_SECRETS, .detail = HONEYPOT_HOME_SOCKET, BY_HONEYPOT},
    {.id = "tmp-socket", .tries = "connects to a control socket in /tmp",
     .words = {"connect-local", "path", "{tmp-socket}"}, .layer = BERM_LAYER_FILESYSTEM, .from = 6,
     .topic = TOPIC_FILES, .detail = HONEYPOT_TMP_SOCKET, BY_HONEYPOT},
    {.id = "sniff", .tries = "listens to everything that goes over the host's interfaces",
     .words = {"sniff"}, BY_NETWORK,
     .needs = NEEDS_ROOT, .while_held = send_secret_datagram, .afterwards = look_secret,
     .harm = "a datagram of others is in its output"},
    {.id = "addresses", .tries = "asks for the host's addresses", .words = {"addresses"}, BY_NETWORK,
     .needs = NEEDS_ROUTE,
     .afterwards = look_host_address, .harm = "an address of the host is in its output"},
};

/* clang-format on */

const size_t attacks_network_count = sizeof(attacks_network) / sizeof(attacks_network[0]);
