"""Boundary checks, section D: no way out to the network, and none in."""
from rows import Cannot, Fails, Row, Says, Works

ELSEWHERE = Cannot("the tests send nothing to addresses that are not their own")
AT_ONCE = r"after \d{1,2} ms"
NO_FAMILY = {"EAFNOSUPPORT": "this kernel has no such family",
             "EPROTONOSUPPORT": "this kernel has no such protocol",
             "ESOCKTNOSUPPORT": "this kernel has no such kind",
             "EPERM": "this account may not", "EACCES": "this account may not"}


def family(name, claim, guarded, ablated, **more):
    return Row(name, claim, "L6", ["socket", name], guarded, control_lacks=NO_FAMILY,
               ablated={"syscalls": ablated}, **more)


ROWS = [
    Row("loopback-honeypot-tcp", "a server on the host's loopback gets nothing", "L4",
        lambda world: ["connect", "tcp", "127.0.0.1", world.tcp().port],
        Fails("ENETUNREACH", says=AT_ONCE),
        ablated={"network": Works()}),

    Row("loopback-honeypot-udp", "a datagram to the host's loopback goes nowhere", "L4",
        lambda world: ["connect", "udp", "127.0.0.1", world.udp().port],
        Fails("ENETUNREACH", says=AT_ONCE),
        ablated={"network": Works()}),

    Row("loopback-honeypot-v6", "the same by IPv6", "L4",
        lambda world: ["connect", "tcp", "::1", world.tcp6().port],
        Fails("ENETUNREACH", "EADDRNOTAVAIL", says=AT_ONCE),
        ablated={"network": Works()}),

    Row("loopback-up", "with --loopback the host's loopback is still another one", "L4",
        lambda world: ["connect", "tcp", "127.0.0.1", world.tcp().port],
        Fails("ECONNREFUSED", says=AT_ONCE), options=["--loopback"]),

    Row("outside", "a public address is unreachable, at once", "L4",
        ["connect", "tcp", "192.0.2.1", "80"], Fails("ENETUNREACH", says=AT_ONCE),
        control=ELSEWHERE),

    Row("outside-v6", "a public IPv6 address is unreachable, at once", "L4",
        ["connect", "tcp", "2001:db8::1", "80"],
        Fails("ENETUNREACH", "EADDRNOTAVAIL", says=AT_ONCE), control=ELSEWHERE),

    Row("metadata", "the cloud's metadata address is unreachable, at once", "L4",
        ["connect", "tcp", "169.254.169.254", "80"], Fails("ENETUNREACH", says=AT_ONCE),
        control=ELSEWHERE),

    Row("broadcast", "a broadcast goes nowhere", "L4",
        ["connect", "udp", "255.255.255.255", "9"], Fails("ENETUNREACH", "EACCES", says=AT_ONCE),
        control=ELSEWHERE),

    Row("interfaces", "no interface is up", "L4",
        ["interfaces"], Fails("ENETDOWN", says=r"\(0 up\)"), control=Says(r"[1-9]\d* up"),
        ablated={"network": Says(r"[1-9]\d* up")}),

    Row("loopback-self", "the program cannot bring up an interface", "L5",
        ["loopback-up"], Fails("EPERM"), control_who=("root",),
        ablated={"network": Fails("EPERM"), "syscalls": Fails("EPERM")}),

    Row("netlink-change", "netlink changes nothing", "L5",
        ["netlink-change"], Fails("EPERM"), control_who=("root",),
        ablated={"network": Fails("EPERM"), "syscalls": Fails("EPERM")}),

    family("raw", "no raw IPv4 socket", Fails("EPERM"), Fails("EPERM")),
    family("raw6", "no raw IPv6 socket", Fails("EPERM"), Fails("EPERM")),
    family("packet", "no packet socket", Fails("EAFNOSUPPORT"), Fails("EPERM")),
    family("packet-dgram", "no packet socket of the other kind", Fails("EAFNOSUPPORT"),
           Fails("EPERM")),
    family("vsock", "no socket to the hypervisor", Fails("EAFNOSUPPORT"),
           Works()),
    family("alg", "no socket to the kernel's ciphers", Fails("EAFNOSUPPORT"),
           Fails("EAFNOSUPPORT")),
    family("bluetooth", "no bluetooth socket", Fails("EAFNOSUPPORT"), Fails("EAFNOSUPPORT")),
    family("tipc", "no TIPC socket", Fails("EAFNOSUPPORT"), Fails("EAFNOSUPPORT")),
    family("key", "no key management socket", Fails("EAFNOSUPPORT"),
           Fails("EPERM", "EAFNOSUPPORT")),
    family("xdp", "no XDP socket", Fails("EAFNOSUPPORT"), Fails("EPERM", "EAFNOSUPPORT")),
    family("can", "no CAN socket", Fails("EAFNOSUPPORT"), Fails("EAFNOSUPPORT")),
    family("sctp", "no SCTP, which would load a module", Fails("EPROTONOSUPPORT"),
           Fails("EPROTONOSUPPORT", "ESOCKTNOSUPPORT")),
    family("netlink-audit", "no netlink but the routing one: audit", Fails("EPROTONOSUPPORT"),
           Works()),
    family("netlink-netfilter", "no netlink but the routing one: netfilter",
           Fails("EPROTONOSUPPORT"), Works()),
    family("netlink-generic", "no netlink but the routing one: generic", Fails("EPROTONOSUPPORT"),
           Works()),

    Row("netlink-route", "the routing netlink is there, for getifaddrs()", "L6",
        ["socket", "netlink-route"], Works()),

    Row("abstract-unix", "the host's abstract sockets are unreachable", "L4",
        lambda world: ["connect-local", "abstract", world.abstract()], Fails("ECONNREFUSED"),
        ablated={"network": Fails("EPERM")}),

    Row("path-unix", "the host's sockets under /run are not there", "L6",
        lambda world: ["connect-local", "path", world.path_socket()], Fails("ENOENT"),
        ablated={"filesystem": Works()}),

    Row("path-unix-tmp", "nor those under /tmp", "L6",
        lambda world: ["connect-local", "path", world.path_socket("/tmp")], Fails("ENOENT"),
        ablated={"filesystem": Works()}),
]
