"""What a test left behind: processes, mounts, groups, state, keys of shared memory, descriptors.

Other people may run berm on the same machine: what was there before, and what goes away within a
moment, is not ours.
"""
import os
import time
from pathlib import Path

GROUP_ROOT = Path("/sys/fs/cgroup")
STATE_DIRECTORIES = [Path("/run/berm"), Path("/tmp"), Path("/dev/shm")]
# What a run ends asynchronously (the kernel's own reaping) has this long.
GRACE_S = 3.0


def processes(stage):
    """Processes whose program is one of the stage's copies: by inode, since inside they have
    another path."""
    copies = {(copy.stat().st_dev, copy.stat().st_ino): copy.name
              for copy in (stage.berm, stage.guest)}
    found = set()
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            program = os.stat(entry / "exe")
            state = (entry / "stat").read_text().rsplit(")", 1)[1].split()[0]
        except OSError:
            continue
        name = copies.get((program.st_dev, program.st_ino))
        if name and state != "Z":
            found.add(f"process {entry.name} {name}")
    return found


def mounts():
    lines = Path("/proc/self/mountinfo").read_text().splitlines()
    return {"mount " + line.split()[4] for line in lines}


def is_inhabited(group):
    """Somebody else's run: our own processes would be found by name."""
    try:
        return bool((group / "cgroup.procs").read_text())
    except OSError:
        return True  # gone in the meantime


def groups():
    found = set()
    for directory, names, _ in os.walk(GROUP_ROOT):
        found |= {f"group {directory}/{name}" for name in names
                  if "berm" in name and not is_inhabited(Path(directory, name))}
        if directory.count("/") > 8:
            names.clear()
    return found


def state():
    found = set()
    for directory in STATE_DIRECTORIES:
        try:
            names = [entry.name for entry in directory.iterdir()]
        except OSError:
            continue
        if str(directory) == "/run/berm":
            # The files behind the locks on host uids stay: a fixed number, empty, used again. So do a few
            # skeletons of the small root (tests/truth/test_skeleton.py).
            names = [name for name in names if not name.startswith(("slot-", "root-"))]
        else:
            names = [name for name in names if name.startswith("berm") and "stage" not in name]
        found |= {f"file {directory}/{name}" for name in names}
    return found


def shared_memory():
    found = set()
    for kind in ("shm", "sem", "msg"):
        for line in Path(f"/proc/sysvipc/{kind}").read_text().splitlines()[1:]:
            found.add(f"{kind} {' '.join(line.split()[:2])}")
    return found


def descriptors():
    return {f"descriptor {name}" for name in os.listdir("/proc/self/fd")}


class Leftovers:
    """What is there before a test; what is there after it and was not before."""

    def __init__(self, stage):
        self.stage = stage
        self.before = self._look()

    def _look(self):
        return (processes(self.stage) | mounts() | groups() | state() | shared_memory()
                | descriptors())

    def after(self):
        """Sorted; empty when nothing was left."""
        end = time.monotonic() + GRACE_S
        while True:
            left = self._look() - self.before
            if not left or time.monotonic() > end:
                return sorted(left)
            time.sleep(0.05)
