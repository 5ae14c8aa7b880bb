"""Boundary checks, section C: what can be seen or touched of the caller and the host."""
from rows import Cannot, Fails, Never, Row, Says, Works

NO_SUCH = ("ENOENT", "ENOTDIR")
CLOSED = ("EACCES", "EROFS", "ENOENT", "EPERM")


def secret(world):
    return world.secret


def environment(world):
    return {"environment": {"SECRET": world.secret}}


def passing_file(world):
    return {"pass_fds": (world.leaked_descriptor(),)}


def passing_directory(world):
    return {"pass_fds": (world.leaked_directory(),), "cwd": "/tmp"}


def victim(word, *more):
    return lambda world: [word, world.victim(), *more]


ROWS = [
    Row("env-secret", "the caller's variables are not in the program's environment", "L2",
        ["environment"], Never(secret), control=Says(secret), given=environment,
        ablated={"env": Says(secret)}),

    Row("host-cmdline", "no process that the program sees holds the caller's arguments", "L3",
        lambda world: ["proc-search", world.secret, world.victim()], Fails("ENOENT"),
        given=environment,
        ablated={"process": Works(says=r"/proc/\d+/cmdline")}),

    Row("fd-leak", "a descriptor that the caller left open is not in the program", "L2",
        ["descriptors"], Never(r"canary", r"\b(3|4|5|6|7)->"), control=Says(r"canary"),
        given=passing_file,
        ablated={"env": Never(r"canary")}),

    Row("cwd-leak", "no descriptor and no working directory leads out of the root", "L6",
        lambda world: ["descriptor-up", str(world.canary())], Fails(*NO_SUCH),
        given=passing_directory, ablated={"filesystem": Works()}),

    Row("cwd-inside", "the working directory has a path inside the root", "L6",
        ["directory"], Says(r"^/work$"), control=Says(r"^/tmp$"), given=passing_directory),

    Row("exe-overwrite", "init's program, which is berm, cannot be reached", "L3",
        ["exe-handle", "1"], Fails("EACCES"), control_words=victim("exe-handle"),
        control_who=("root",), ablated={"process": Fails("EACCES"), "syscalls": Fails("EACCES")}),

    Row("exe-overwrite-self", "the program's own file cannot be written through /proc", "L6",
        ["exe-handle", "self"], Fails("EROFS", "EACCES"), control_who=("root",)),

    Row("ptrace-init", "init cannot be traced", "L3",
        ["trace", "1"], Fails("EPERM"), control_words=victim("trace"),
        ablated={"syscalls": Fails("EPERM")}),

    Row("vm-readv-init", "init's memory cannot be read by process_vm_readv", "L3",
        ["vm-read", "1"], Fails("EPERM"), control_words=victim("vm-read"),
        ablated={"syscalls": Fails("EPERM")}),

    Row("mem-init", "nothing of init can be read through /proc", "L3",
        ["proc-files", "1"], Fails("EACCES"), control_words=victim("proc-files"),
        ablated={"syscalls": Fails("EACCES")}),

    Row("fd-init", "init's descriptors cannot be taken", "L3",
        ["take-fd", "1"], Fails("EPERM"), control_words=victim("take-fd"),
        ablated={"syscalls": Fails("EPERM")}),

    Row("attack-init", "no signal stops or ends init", "L3",
        ["attack-init", "berm-init"], Fails("EPERM", says=r"state is [SRD]"),
        control=Cannot("the machine's own init is not attacked"),
        ablated={"syscalls": Fails("EPERM", says=r"state is [SRD]")}),

    Row("limit-init", "init's resource limits cannot be set", "L6",
        ["limit-init", "berm-init"], Fails("EPERM"),
        control=Cannot("the machine's own init is not attacked"),
        ablated={"syscalls": Works()}),

    Row("kill-host", "signals reach nothing outside", "L3",
        victim("kill", "0"), Fails("ESRCH"),
        ablated={"process": Fails("EPERM")}),

    Row("ipc-shm", "a segment of the host's shared memory is not there", "L6",
        lambda world: ["shared", "shm", world.shared("shm")], Fails("ENOENT"),
        control=Says(secret),
        ablated={"process": Says(secret)}),

    Row("ipc-sem", "the host's semaphores are not there", "L6",
        lambda world: ["shared", "sem", world.shared("sem")], Fails("ENOENT"),
        ablated={"process": Works()}),

    Row("ipc-msg", "the host's message queues are not there", "L6",
        lambda world: ["shared", "msg", world.shared("msg")], Fails("ENOENT"),
        ablated={"process": Works()}),

    Row("dev-shm", "the host's /dev/shm is not there", "L6",
        lambda world: ["shared", "posix", world.posix_shared()], Fails("ENOENT"),
        ablated={"filesystem": Works()}),

    Row("keyring", "the caller's kernel keys are not there", "L6",
        lambda world: ["key-find", world.key()], Fails("EPERM"),
        ablated={"process": Fails("EPERM"), "syscalls": Fails("ENOKEY", "EACCES", "EPERM")}),

    Row("hostname-set", "the host's name cannot be set", "L6",
        ["set-hostname"], Fails("EPERM"), control_who=("root",),
        ablated={"process": Fails("EPERM"), "syscalls": Fails("EPERM"),
                 "privileges": Fails("EPERM")}),

    Row("hostname-seen", "the host's name is not seen", "L6",
        ["host-name"], Never(lambda world: f"^{world.host_name()}$"),
        control=Says(lambda world: f"^{world.host_name()}$"),
        ablated={"process": Says(lambda world: f"^{world.host_name()}$")}),

    Row("clock", "the host's clock cannot be touched", "L6",
        ["call", "adjtimex"], Fails("EPERM"), ablated={"syscalls": Works()}),

    Row("proc-sys", "kernel settings cannot be written", "L6",
        ["open-write", "/proc/sys/kernel/core_pattern"], Fails(*CLOSED), control_who=("root",),
        ablated={"filesystem": Fails(*CLOSED)}),

    Row("sysrq", "the system request key cannot be pressed", "L6",
        ["open-write", "/proc/sysrq-trigger"], Fails(*CLOSED), control_who=("root",),
        control_lacks={"ENOENT": "this kernel has no such key"},
        ablated={"filesystem": Fails(*CLOSED)}),

    Row("sys-write", "/sys cannot be written", "L6",
        ["open-write", "/sys/kernel/rcu_expedited"], Fails(*CLOSED), control_who=("root",),
        control_lacks={"ENOENT": "this kernel has no such file"},
        ablated={"filesystem": Fails(*CLOSED)}),

    Row("cgroup-write", "the host's control groups are not there", "L6",
        lambda world: ["open-write", world.group_file("cgroup.procs")], Fails(*CLOSED),
        control_who=("root",), ablated={"filesystem": Fails(*CLOSED)}),

    Row("release-agent", "no helper of the host's can be registered (CVE-2022-0492)", "L6",
        lambda world: ["open-write", world.group_file("release_agent")], Fails(*CLOSED),
        control_who=("root",),
        control_lacks={"ENOENT": "cgroup v2 has no release agent",
                       "EACCES": "it is kept from root"},
        ablated={"filesystem": Fails(*CLOSED)}),

    Row("dmesg", "the kernel's log cannot be read", "L6",
        ["call", "syslog"], Fails("EPERM"), control_who=("root",),
        ablated={"syscalls": Fails("EPERM")}),

    Row("dmesg-device", "the kernel's log is not there as a device", "L6",
        ["open", "/dev/kmsg"], Fails(*CLOSED), control_who=("root",),
        ablated={"filesystem": Fails(*CLOSED)}),

    Row("kallsyms", "no address of the kernel is seen", "L6",
        ["read", "/proc/kallsyms"], Never(r"[1-9a-f][0-9a-f]{8} [A-Za-z] "),
        control=Says(r"[1-9a-f][0-9a-f]{8} [A-Za-z] "), control_who=("root",)),

    Row("host-processes", "only the run's own processes are seen", "L3",
        ["proc-list"], Says(r"1:berm-init", r"\(2\)$"), control=Says(r"\(([3-9]|\d\d+)\)$"),
        ablated={"process": Says(r"\(([3-9]|\d\d+)\)$")}),

]
