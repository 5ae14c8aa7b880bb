#!/usr/bin/python3
"""Cold start: what one run of /usr/bin/true costs, as a ratio to a bare spawn of the same program.

usage: cold.py BERM [--runs N]

Every side is started by posix_spawn with the same three redirections; sides take turns (A B C A B C ...),
once back to back and once with 30 ms of idleness before each start, since waiting for a grace period shows
only after idleness. Started by root, the sides of an ordinary user are measured in the same rounds, by a process
of that user's, against a bare spawn of its own. Printed: median, p99, ratio of medians, and what each side was
given.
"""
import ctypes
import json
import os
import platform
import shutil
import subprocess
import sys
import tempfile
import time

TRUE = "/usr/bin/true"
GAP_S = 0.030
ROOT, NO_GROUPS, USER = "the caller", "root without control groups", "an ordinary user"
NOBODY = 65534
CLONE_NEWNS = 0x00020000
BUBBLEWRAP_LACKS = "all namespaces and a small root; no limits, no filter, no Landlock, no result"


def bubblewrap():
    """The best flags for equal isolation: every namespace, a small root, no capabilities."""
    return ["bwrap", "--unshare-all", "--die-with-parent", "--new-session", "--clearenv",
            "--ro-bind", "/usr", "/usr", "--symlink", "usr/bin", "/bin", "--symlink", "usr/lib", "/lib",
            "--symlink", "usr/lib64", "/lib64", "--dir", "/etc", "--proc", "/proc", "--dev", "/dev",
            "--tmpfs", "/tmp", "--tmpfs", "/work", "--chdir", "/work", TRUE]


def sides(berm):
    """Name, bare side that it is compared with, command, as whom, what it was given."""
    yield "bare", "bare", [TRUE], ROOT, "posix_spawn, nothing else"
    yield "berm", "bare", [berm, "run", "--", TRUE], ROOT, "L6, standard limits, everything on"
    yield "bare, no group", "bare, no group", [TRUE], NO_GROUPS, "the same, where /sys/fs/cgroup is covered"
    yield ("berm, no group", "bare, no group", [berm, "run", "--", TRUE], NO_GROUPS,
           "L6, standard limits, everything on; there is no control group")
    if shutil.which("bwrap"):
        yield "bubblewrap", "bare", bubblewrap(), ROOT, BUBBLEWRAP_LACKS
    yield "bare, user", "bare, user", [TRUE], USER, "the same, by an ordinary user"
    yield ("berm, user", "bare, user", [berm, "run", "--", TRUE], USER,
           "L6, standard limits, everything on; no control group may be used")
    if shutil.which("bwrap"):
        yield "bubblewrap, user", "bare, user", bubblewrap(), USER, BUBBLEWRAP_LACKS


def start(command, null):
    actions = [(os.POSIX_SPAWN_DUP2, null, i) for i in range(3)]
    began = time.perf_counter()
    pid = os.posix_spawn(shutil.which(command[0]), command, os.environ, file_actions=actions)
    status = os.waitpid(pid, 0)[1]
    return time.perf_counter() - began, status


def cover_groups():
    """In a mount namespace of this process's own: nobody else sees it."""
    if ctypes.CDLL(None, use_errno=True).unshare(CLONE_NEWNS) != 0:
        sys.exit(f"cold: no mount namespace: {os.strerror(ctypes.get_errno())}")
    subprocess.run(["mount", "--make-rprivate", "/"], check=True)
    subprocess.run(["mount", "-t", "tmpfs", "none", "/sys/fs/cgroup"], check=True)


def become_nobody():
    os.setgroups([])
    os.setresgid(NOBODY, NOBODY, NOBODY)
    os.setresuid(NOBODY, NOBODY, NOBODY)


class Starter:
    """A process that starts commands and tells how long each took. @prepare: what it does to itself before."""

    def __init__(self, prepare):
        theirs, self.orders = os.pipe()
        self.answers, ours = os.pipe()
        self.pid = os.fork()
        if self.pid == 0:
            os.close(self.orders)
            os.close(self.answers)
            prepare()
            self.serve(os.fdopen(theirs), ours)
        os.close(theirs)
        os.close(ours)
        self.reader = os.fdopen(self.answers)

    @staticmethod
    def serve(orders, answers):
        null = os.open("/dev/null", os.O_RDWR)
        for line in orders:
            command = json.loads(line)
            if command is None:
                break
            spent, status = start(command, null)
            os.write(answers, f"{spent} {status}\n".encode())
        os._exit(0)

    def start(self, command):
        os.write(self.orders, (json.dumps(command) + "\n").encode())
        spent, status = self.reader.readline().split()
        return float(spent), int(status)

    def close(self):
        os.write(self.orders, b"null\n")  # its end alone is not seen: the other starter holds it too
        os.close(self.orders)
        self.reader.close()
        os.waitpid(self.pid, 0)


def measure(table, starters, runs, gap):
    times = {side[0]: [] for side in table}
    for _ in range(runs):
        for name, _, command, who, _ in table:
            if gap:
                time.sleep(gap)
            spent, status = starters[who].start(command)
            if status != 0:
                sys.exit(f"cold: {name} failed with wait status {status}: {' '.join(command)}")
            times[name].append(spent)
    return {name: sorted(values) for name, values in times.items()}


def show(title, table, times):
    print(f"\n{title}\n{'':18}{'median ms':>10}{'p99 ms':>10}{'ratio':>8}")
    for name, base, _, _, _ in table:
        values = times[name]
        bare = times[base][len(times[base]) // 2]
        middle = values[len(values) // 2]
        last = values[int(len(values) * 0.99)]
        print(f"{name:18}{middle * 1e3:10.3f}{last * 1e3:10.3f}{middle / bare:8.2f}")


def choose(berm, starters):
    """The sides that can be had here; the others with the reason."""
    table, left_out = [], []
    for side in sides(berm):
        name, _, command, who, _ = side
        if who not in starters:
            left_out.append(f"{name}: only root can start it as somebody else")
        elif starters[who].start(command)[1] != 0:
            left_out.append(f"{name}: it fails here")
        else:
            table.append(side)
    if not shutil.which("bwrap"):
        left_out.append("bubblewrap: not installed")
    return table, left_out


def main():
    runs = int(sys.argv[sys.argv.index("--runs") + 1]) if "--runs" in sys.argv else 300
    starters = {ROOT: Starter(lambda: None)}
    if os.geteuid() == 0:
        starters[NO_GROUPS] = Starter(cover_groups)
        starters[USER] = Starter(become_nobody)
    with tempfile.TemporaryDirectory(prefix="berm-bench-") as place:
        os.chmod(place, 0o755)  # the other user must reach the executable
        berm = os.path.join(place, "berm")
        shutil.copy(sys.argv[1], berm)
        table, left_out = choose(berm, starters)
        mounts = sum(1 for _ in open("/proc/self/mountinfo"))
        print(f"Linux {platform.release()}, {os.cpu_count()} CPUs, {mounts} mounts, load "
              f"{os.getloadavg()[0]:.1f}, {runs} runs a side, interleaved")
        for name, _, _, _, given in table:
            print(f"  {name:18}{given}")
        for line in left_out:
            print(f"  left out: {line}")
        show("back to back", table, measure(table, starters, runs, 0))
        show("30 ms of idleness before each start", table, measure(table, starters, runs // 2, GAP_S))
        out = subprocess.run([berm, "version"], capture_output=True, text=True).stdout.strip()
    for starter in starters.values():
        starter.close()
    print(f"\n{out}; a ratio is the figure to compare, milliseconds wander with the machine")


main()
