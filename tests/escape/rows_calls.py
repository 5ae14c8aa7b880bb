"""Boundary checks, section F: privileges and system calls."""
from rows import Cannot, Fails, Killed, Row, Says, Works

NONE = r"CapInh=0{16} CapPrm=0{16} CapEff=0{16} .*CapAmb=0{16}"
LACKS = {"ENOSYS": "this kernel does not have the call",
         "EPERM": "this kernel keeps it from this account"}
NAMESPACES = ["mount", "cgroup", "uts", "ipc", "pid", "net", "time"]
# user.max_user_namespaces of the run's own namespace says ENOSPC (user_namespaces(7)).
NO_USER_NAMESPACE = Fails("EPERM", "ENOSPC", "EUSERS")


def call(name, ablated, guarded=Fails("EPERM"), words=None):
    """One system call. `ablated` says what is left when the filter is off."""
    return Row(f"call-{name}", f"{name} is refused", "L6", words or ["call", name], guarded,
               control_lacks=LACKS, ablated={"syscalls": ablated})


def nested(word, name, level, guarded, without_filter):
    """No namespace of the program's own by this call. Below L6 there is no filter."""
    who = ("root", "user") if name == "user" else ("root",)
    return Row(f"{word}-{name}", f"no new {name} namespace by {word}", level, [word, name], guarded,
               at_from=without_filter, control_who=who, ablated={"syscalls": without_filter})


REACHED = Works()                # only the filter stands before the kernel's code
REFUSED = Fails("EPERM")         # the kernel refuses it too: no capability
MISSING = Fails("EPERM", "ENOSYS")

ROWS = [
    Row("caps-none", "no capability is left, read back from the kernel", "L5",
        ["status", "CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"], Says(NONE),
        control=Says(r"CapEff=0*[1-9a-f]"), control_who=("root",),
        ablated={"privileges": Says(r"CapEff=0*[1-9a-f]"), "syscalls": Says(NONE)}),

    Row("caps-bounding", "none can be gained: the bounding set is empty", "L5",
        ["status", "CapBnd"], Says(r"CapBnd=0{16}"), control=Says(r"CapBnd=0*[1-9a-f]"),
        ablated={"privileges": Says(r"CapBnd=0*[1-9a-f]")}),

    Row("no-new-privs", "no exec gains anything, read back from the kernel", "L5",
        ["status", "NoNewPrivs"], Says(r"NoNewPrivs=1"), control=Says(r"NoNewPrivs=0"),
        ablated={"privileges": Says(r"NoNewPrivs=1")}),

    Row("filter-on", "a filter is in force, read back from the kernel", "L6",
        ["status", "Seccomp"], Says(r"Seccomp=2"), control=Says(r"Seccomp=0"),
        ablated={"syscalls": Says(r"Seccomp=0")}),

    Row("filter-probe", "the filter in force is berm's", "L6",
        ["filter-probe"], Works(says=r"EBADRQC"), control=Works(says=r"EINVAL"),
        ablated={"syscalls": Works(says=r"EINVAL")}),

    # A user namespace brings capabilities in it, so from L5 on, where none can be gained, the
    # filter may not be the only wall.
    nested("unshare", "user", "L5", Fails("EPERM"), NO_USER_NAMESPACE),
    nested("clone", "user", "L5", Fails("EPERM"), NO_USER_NAMESPACE),
    nested("clone3", "user", "L5", Fails("ENOSYS"), NO_USER_NAMESPACE),
    *[nested("unshare", name, "L5", Fails("EPERM"), Fails("EPERM")) for name in NAMESPACES],
    *[nested("clone", name, "L5", Fails("EPERM"), Fails("EPERM"))
      for name in NAMESPACES if name != "time"],
    *[nested("clone3", name, "L5", Fails("ENOSYS"), Fails("EPERM")) for name in NAMESPACES],
    Row("unshare-files", "unshare without a namespace is allowed", "L6", ["unshare", "files"],
        Works()),
    Row("unshare-high", "a flag above bit 31 is refused", "L6", ["unshare", "0x100000000"],
        Fails("EPERM"), control=Cannot("the kernel has no such flag yet")),
    Row("clone-high", "high bits do not hide a namespace flag", "L6",
        ["clone", "0x7fffffff10000000"], Fails("EPERM")),

    Row("setns", "no namespace can be entered", "L6", ["setns", "/proc/self/ns/net"],
        Fails("EPERM"), control_who=("root",), ablated={"syscalls": Fails("EPERM")}),
    Row("setns-init", "init's namespaces cannot even be named", "L3", ["setns", "/proc/1/ns/net"],
        Fails("EACCES"), control_words=lambda world: ["setns", f"/proc/{world.victim()}/ns/net"],
        control_who=("root",)),

    Row("abi-i386", "a call by the i386 table ends the program", "L6", ["int80"],
        Killed("syscall", "SIGSYS"), control_lacks=LACKS, ablated={"syscalls": Works()}),
    Row("abi-x32", "a call by the x32 table ends the program", "L6", ["x32"],
        Killed("syscall", "SIGSYS"), control_lacks=LACKS,
        ablated={"syscalls": Fails("ENOSYS")}),

    Row("future-syscall", "a number newer than the profile gets ENOSYS, so libraries fall back",
        "L6", ["call", "future"], Fails("ENOSYS"),
        control=Fails("ENOSYS"), ablated={"syscalls": Fails("ENOSYS")}),

    # Mounts and roots.
    call("mount", REACHED),
    call("umount2", REACHED),
    call("pivot_root", REFUSED),
    call("open_tree", REACHED),
    call("move_mount", REFUSED),
    call("fsopen", REFUSED),
    call("fsconfig", REACHED),
    call("fsmount", REFUSED),
    call("fspick", REFUSED),
    call("mount_setattr", REFUSED),
    call("setns", REACHED),
    call("name_to_handle_at", REACHED),
    call("open_by_handle_at", REACHED),
    call("fanotify_init", REFUSED),

    # Other processes.
    call("kcmp", MISSING),
    call("pidfd_getfd", REACHED),
    call("process_madvise", REACHED, guarded=Fails("ENOSYS")),
    call("move_pages", REACHED),
    call("migrate_pages", REACHED),
    call("mbind", REACHED),
    call("set_mempolicy", REACHED),

    # Kernel interfaces.
    call("bpf", REFUSED, words=["bpf"]),
    call("perf", REACHED, words=["perf"]),
    call("userfaultfd", REACHED),
    call("io_uring_setup", REACHED, words=["io-uring"]),
    call("io_uring_enter", REACHED),
    call("io_uring_register", REACHED),
    call("keyctl", REACHED),
    call("add_key", REACHED, words=["key-add"]),
    call("request_key", REACHED),
    call("vmsplice", REACHED, words=["vmsplice"]),
    call("io_setup", REACHED, guarded=Fails("ENOSYS")),
    call("memfd_secret", REACHED, guarded=Fails("ENOSYS")),
    call("personality", REACHED),
    call("modify_ldt", REACHED),
    call("iopl", MISSING),
    call("ioperm", MISSING),

    # The machine.
    call("reboot", REFUSED),
    call("kexec_load", MISSING),
    call("kexec_file_load", MISSING),
    call("init_module", MISSING),
    call("finit_module", MISSING),
    call("delete_module", MISSING),
    call("swapon", REFUSED),
    call("swapoff", REFUSED),
    call("acct", REFUSED),
    call("quotactl", REACHED),
    call("quotactl_fd", REACHED),
    call("sethostname", REFUSED),
    call("setdomainname", REFUSED),
    call("settimeofday", REACHED),
    call("clock_settime", REACHED),
    call("adjtimex", REACHED),
    call("syslog", REFUSED),

    Row("ordinary-programs", "what ordinary programs do works", "L1", ["ordinary"], Works(),
        given=lambda world: {"cwd": str(world.directory())}),
]
