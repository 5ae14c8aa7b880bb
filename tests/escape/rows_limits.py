"""Boundary checks, section B, as far as an attempt alone decides: nothing given can be loosened."""
from rows import Cannot, Fails, Row, Works

RAISED = {"EPERM": "this account may not raise limits even without berm",
          "EACCES": "this account may not lower it even without berm"}

ROWS = [
    Row("raise-own-limits", "no limit can be raised", "L1",
        ["raise-limits"], Fails("EPERM"), control_who=("root",), control_lacks=RAISED,
        ablated={"syscalls": Fails("EPERM"), "privileges": Fails("EPERM")}),

    Row("nice-negative", "the program cannot put itself before others", "L3",
        ["nice-lower"], Fails("EACCES", "EPERM"), control_who=("root",),
        ablated={"syscalls": Fails("EACCES", "EPERM")}),

    Row("oom-score-lower", "the program cannot save itself from the OOM killer", "L6",
        ["oom-score-lower"], Fails("EACCES", "EPERM", "EROFS"), control_who=("root",),
        control_lacks=RAISED, ablated={"syscalls": Fails("EACCES", "EPERM", "EROFS")}),

    Row("real-time", "the program cannot become a real-time one", "L3",
        ["real-time"], Fails("EPERM"), control_who=("root",),
        ablated={"syscalls": Fails("EPERM")}),

    Row("io-priority", "the program cannot put its input and output before others'", "L6",
        ["io-priority"], Fails("EPERM"), ablated={"syscalls": Works()}),

    Row("widen-cpus", "the program cannot take more CPUs than it was given", "L6",
        ["widen-cpus"], Fails("EPERM"),
        control=Cannot("a process without berm has every CPU already"), options=["--cpus", "1"]),

    Row("nofile", "the 65th open file fails", "L1",
        ["open-files", "65"], Fails("EMFILE", says=r"64 files"), options=["--open-files", "64"]),

    Row("fsize", "a file larger than the limit is refused", "L1",
        lambda world: ["write-mib", "big", "3"], Fails("EFBIG"),
        control_words=lambda world: ["write-mib", world.directory() / "big", "3"],
        given=lambda world: {"cwd": str(world.directory())}, options=["--file-size", "2MiB"]),

    Row("sparse", "nor with holes", "L1",
        ["sparse", "holes", "100"], Fails("EFBIG"),
        control_words=lambda world: ["sparse", world.directory() / "holes", "100"],
        given=lambda world: {"cwd": str(world.directory())}, options=["--file-size", "2MiB"]),

    Row("disk-work", "the work directory is bounded", "L6",
        ["write-mib", "big", "20"], Fails("ENOSPC", "EFBIG"),
        control_words=lambda world: ["write-mib", world.directory() / "big", "20"],
        options=["--work-size", "8MiB"]),

    Row("disk-tmp", "so is /tmp", "L6",
        ["write-mib", "/tmp/big", "20"], Fails("ENOSPC", "EFBIG"),
        control_words=lambda world: ["write-mib", world.directory() / "big", "20"],
        options=["--tmp-size", "8MiB"]),

    Row("disk-shm", "so is /dev/shm", "L6",
        ["write-mib", "/dev/shm/big", "20"], Fails("ENOSPC", "EFBIG"),
        control_words=lambda world: ["write-mib", world.directory() / "big", "20"],
        options=["--shm-size", "8MiB"]),

    Row("inodes", "the number of files is bounded", "L6",
        ["many-files", ".", "500"], Fails("ENOSPC"),
        control_words=lambda world: ["many-files", world.directory(), "500"],
        options=["--work-files", "100"]),

    Row("processes", "the number of processes is bounded", "L3",
        ["fork", "40"], Fails("EAGAIN"), options=["--processes", "20"],
        ablated={"syscalls": Fails("EAGAIN")}),

    Row("threads", "threads count as well", "L3",
        ["threads", "40"], Fails("EAGAIN"), options=["--processes", "20"]),

    Row("mem-locked", "memory cannot be locked past the limit", "L3",
        ["lock-memory", "64"], Fails("EPERM", "ENOMEM", "EAGAIN"), control_who=("root",),
        options=["--memory", "32MiB"]),
]
