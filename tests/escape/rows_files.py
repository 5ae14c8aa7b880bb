"""Boundary checks, section E: files."""
from rows import Cannot, Fails, Never, Row, Says, Works

NO_SUCH = ("ENOENT",)
CLOSED = ("EACCES", "EROFS", "ENOENT", "EPERM")


def secret(world):
    return world.secret


def host_file(place, who=("root", "user"), ablated=None):
    return Row(f"host-file-{place.strip('/').replace('/', '-')}",
               f"a file under {place} is not there", "L6",
               lambda world: ["read", world.canary(parent=place)], Fails(*NO_SUCH),
               control=Says(secret), control_who=who, who=who, ablated=ablated or {})


def device(name, who=("root",)):
    return Row(f"dev-{name}", f"/dev/{name} is not there", "L6", ["open", f"/dev/{name}"],
               Fails(*NO_SUCH), control_who=who,
               control_lacks={"ENOENT": "this machine has no such device",
                              "ENXIO": "nothing is behind this device",
                              "EPERM": "this kernel keeps it closed"})


def write_to(directory, who=("root",), ablated=None):
    return Row(f"write-{directory.strip('/').replace('/', '-') or 'root'}",
               f"nothing can be made in {directory}", "L6", ["create", directory],
               Fails("EROFS", "EACCES"), control_who=who, ablated=ablated or {},
               control_lacks={"EROFS": "it is read-only here anyway"})


ROWS = [
    Row("hidden-dir", "a hidden directory is empty", "L5",
        lambda world: ["read", world.canary()], Fails(*NO_SUCH), control=Says(secret),
        options=lambda world: ["--hide", world.canary().parent],
        ablated={}),

    Row("unmount-mask", "what hides a path cannot be taken off", "L5",
        ["umount", "/tmp"], Fails("EPERM"), at_from=Fails("EPERM", "EINVAL"),
        control_words=lambda world: ["umount", world.mounted()], control_who=("root",),
        ablated={"syscalls": Fails("EPERM"), "privileges": Fails("EPERM")}),

    Row("unmount-proc", "/proc cannot be taken off", "L5",
        ["umount", "/proc"], Fails("EPERM"),
        control_words=lambda world: ["umount", world.mounted()], control_who=("root",),
        ablated={"syscalls": Fails("EPERM"), "privileges": Fails("EPERM")}),

    Row("remount-rw", "the root cannot be made writable", "L6",
        ["remount-rw", "/"], Fails("EPERM"),
        control_words=lambda world: ["remount-rw", world.read_only_mount()],
        control_who=("root",), ablated={"syscalls": Fails("EPERM"), "privileges": Fails("EPERM")}),

    Row("mount", "nothing can be mounted", "L5",
        ["mount", "/tmp"], Fails("EPERM"),
        control_words=lambda world: ["mount", world.directory()], control_who=("root",),
        ablated={"syscalls": Fails("EPERM"), "privileges": Fails("EPERM")}),

    Row("mount-in-userns", "not in a user namespace of the program's own either", "L5",
        ["mount-in-userns", "/tmp"], Fails("EPERM"), at_from=Fails("EPERM", "ENOSPC"),
        control_words=lambda world: ["mount-in-userns", world.directory()],
        ablated={"syscalls": Fails("EPERM", "ENOSPC"), "privileges": Fails("EPERM")}),

    Row("bind", "nothing can be bound elsewhere", "L5",
        ["bind", "/proc", "/tmp"], Fails("EPERM"),
        control_words=lambda world: ["bind", "/proc", world.directory()], control_who=("root",),
        ablated={"syscalls": Fails("EPERM"), "privileges": Fails("EPERM")}),

    Row("pivot", "the root cannot be changed for another", "L5",
        ["pivot", "/tmp"], Fails("EPERM"),
        control_words=lambda world: ["pivot", world.directory()], control_who=("root",),
        ablated={"syscalls": Fails("EPERM"), "privileges": Fails("EPERM")}),

    Row("chroot", "chroot is refused", "L5",
        ["chroot", "/tmp"], Fails("EPERM"), control_who=("root",),
        ablated={"syscalls": Fails("EPERM"), "privileges": Fails("EPERM")}),

    Row("chroot-out", "the old way out of a root is closed", "L5",
        ["chroot-out", "."], Fails("EPERM"),
        control_words=lambda world: ["chroot-out", world.directory()], control_who=("root",),
        ablated={"syscalls": Fails("EPERM"), "privileges": Fails("EPERM")}),

    Row("handle-open", "no file is opened past the root by its handle", "L5",
        ["handle", "/etc/passwd"], Fails("EPERM", "EOPNOTSUPP"),
        control_words=lambda world: ["handle", world.canary()], control_who=("root",),
        ablated={"syscalls": Fails("EPERM", "EOPNOTSUPP")}),

    Row("mknod-char", "no character device can be made", "L3",
        ["node", ".", "char", "1", "1"], Fails("EPERM", "EACCES"),
        control_words=lambda world: ["node", world.directory(), "char", "1", "3"],
        control_who=("root",),
        ablated={"filesystem": Fails("EPERM"), "syscalls": Fails("EACCES", "EPERM"),
                 "privileges": Fails("EPERM", "EACCES")}),

    Row("mknod-block", "no block device can be made", "L3",
        ["node", ".", "block", "7", "0"], Fails("EPERM", "EACCES"),
        control_words=lambda world: ["node", world.directory(), "block", "7", "0"],
        control_who=("root",),
        ablated={"filesystem": Fails("EPERM"), "syscalls": Fails("EACCES", "EPERM"),
                 "privileges": Fails("EPERM", "EACCES")}),

    Row("devices", "only null, zero, full, random, urandom are there", "L6",
        ["devices"], Never(r"\b(?!(?:null|zero|full|random|urandom)\b)[a-z][a-z0-9-]*"),
        control=Says(r"\bptmx\b"),
        ablated={"filesystem": Says(r"\bptmx\b")}),
    device("mem"),
    device("kvm"),
    device("fuse"),
    device("vda"),
    device("loop-control"),
    device("tty", who=()),
    device("ptmx", who=("root", "user")),

    Row("proc-root", "/proc/1 leads nowhere", "L3",
        ["proc-links", "1"], Fails("EACCES"),
        control_words=lambda world: ["proc-links", world.victim()],
        ablated={"syscalls": Fails("EACCES")}),

    Row("proc-root-self", "/proc/self/root is the run's own root", "L6",
        lambda world: ["read", f"/proc/self/root{world.canary()}"], Fails(*NO_SUCH),
        control=Says(secret), ablated={"filesystem": Says(secret)}),

    Row("setuid-gain", "a set-user-id program gains nothing", "L6",
        ["exec", "/setuid", "ids"], Never(r"euid 0 "),
        control=Says(r"euid 0 "), control_who=("user",),
        control_words=lambda world: ["exec", world.setuid_guest(), "ids"],
        options=lambda world: ["--ro", f"{world.setuid_guest()}:/setuid"],
        ablated={"syscalls": Never(r"euid 0 ")}),

    Row("become-root", "the program cannot become root", "L6",
        ["become-root"], Fails("EPERM", "EINVAL"), control_who=("root",),
        ablated={"syscalls": Fails("EPERM", "EINVAL")}),

    write_to("/"),
    write_to("/etc", ablated={"filesystem": Fails("EACCES")}),
    write_to("/usr/bin", ablated={"filesystem": Fails("EACCES")}),
    write_to("/usr/lib"),
    write_to("/dev", who=()),
    Row("write-proc", "nothing can be made in /proc", "L6", ["create", "/proc"],
        Fails("EROFS", "EACCES", "ENOENT"), control=Cannot("/proc takes no files anywhere")),

    host_file("/tmp", ablated={"filesystem": Says(secret)}),
    host_file("/var/tmp", ablated={"filesystem": Says(secret)}),
    host_file("/home", who=("root",)),
    host_file("/root", who=("root",), ablated={"filesystem": Fails("EACCES")}),
    host_file("/run", who=("root",)),
    host_file("/var", who=("root",)),
    host_file("/etc", who=("root",)),
    host_file("/dev/shm"),

    Row("shadow", "the host's passwords are not there", "L6",
        ["read", "/etc/shadow"], Fails(*NO_SUCH), control_who=("root",),
        ablated={"filesystem": Fails("EACCES")}),

    Row("symlink-in-work", "a symbolic link in the work directory reaches no host file", "L6",
        lambda world: ["link", "symbolic", world.canary(), "."], Fails(*NO_SUCH),
        control=Says(secret), control_words=lambda world: ["link", "symbolic", world.canary(),
                                                           world.directory()],
        ablated={"filesystem": Says(secret)}),

    Row("hardlink-in-work", "a hard link in the work directory reaches no host file", "L6",
        lambda world: ["link", "hard", world.canary(), "."], Fails(*NO_SUCH, "EXDEV"),
        control=Says(secret), control_words=lambda world: ["link", "hard", world.canary(),
                                                           world.directory()],
        # Root's run has a host uid of its own: fs.protected_hardlinks keeps it from a foreign file. Where /run,
        # which holds its work directory, is a file system of its own, the link cannot be made in any case.
        ablated={"filesystem": {"root": Fails("EPERM", "EXDEV"), "user": Works()}}),

    Row("hardlink-usr", "nor can a system file be linked", "L6",
        ["link", "hard", "/etc/passwd", "."], Fails("EXDEV", "EPERM", "EACCES"),
        control_words=lambda world: ["link", "hard", world.canary(), world.directory()]),
]
