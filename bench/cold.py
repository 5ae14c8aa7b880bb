#!/usr/bin/python3
"""Cold start: what one run of /usr/bin/true costs, as a ratio to a bare spawn of the same program.

usage: cold.py BERM [--runs N]

Every side is started by posix_spawn with the same three redirections; sides take turns (A B C A B C ...),
once back to back and once with 30 ms of idleness before each start, since waiting for a grace period shows
only after idleness. Printed: median, p99, ratio of medians, and what each side was given.
"""
import os
import platform
import shutil
import subprocess
import sys
import time

TRUE = "/usr/bin/true"
GAP_S = 0.030


def bubblewrap():
    """The best flags for equal isolation: every namespace, a small root, no capabilities."""
    return ["bwrap", "--unshare-all", "--die-with-parent", "--new-session", "--clearenv",
            "--ro-bind", "/usr", "/usr", "--symlink", "usr/bin", "/bin", "--symlink", "usr/lib", "/lib",
            "--symlink", "usr/lib64", "/lib64", "--dir", "/etc", "--proc", "/proc", "--dev", "/dev",
            "--tmpfs", "/tmp", "--tmpfs", "/work", "--chdir", "/work", TRUE]


def sides(berm):
    yield "bare", [TRUE], "posix_spawn, nothing else"
    yield "berm", [berm, "run", "--", TRUE], "L6, standard limits, everything on"
    yield ("berm, no group", [berm, "run", "--off", "limits", "--off", "process", "--", TRUE],
           "L6 without the two layers that use control groups")
    yield ("berm, user", ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", berm, "run",
                          "--", TRUE], "L6 as an ordinary user: no groups; setpriv's own start is in it")
    yield ("setpriv, user", ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", TRUE],
           "what setpriv costs alone")
    if shutil.which("bwrap"):
        yield ("bubblewrap", bubblewrap(), "all namespaces and a small root; no limits, no filter, no "
               "Landlock, no result")


def start(command, null):
    actions = [(os.POSIX_SPAWN_DUP2, null, i) for i in range(3)]
    began = time.perf_counter()
    pid = os.posix_spawn(shutil.which(command[0]), command, os.environ, file_actions=actions)
    status = os.waitpid(pid, 0)[1]
    return time.perf_counter() - began, status


def measure(table, runs, gap):
    null = os.open("/dev/null", os.O_RDWR)
    times = {name: [] for name, _, _ in table}
    for _ in range(runs):
        for name, command, _ in table:
            if gap:
                time.sleep(gap)
            spent, status = start(command, null)
            if status != 0:
                sys.exit(f"cold: {name} failed with wait status {status}: {' '.join(command)}")
            times[name].append(spent)
    os.close(null)
    return {name: sorted(values) for name, values in times.items()}


def show(title, table, times):
    bare = times["bare"][len(times["bare"]) // 2]
    print(f"\n{title}\n{'':16}{'median ms':>10}{'p99 ms':>10}{'ratio':>8}")
    for name, _, _ in table:
        values = times[name]
        middle = values[len(values) // 2]
        last = values[int(len(values) * 0.99)]
        print(f"{name:16}{middle * 1e3:10.3f}{last * 1e3:10.3f}{middle / bare:8.2f}")


def main():
    berm = os.path.abspath(sys.argv[1])
    runs = int(sys.argv[sys.argv.index("--runs") + 1]) if "--runs" in sys.argv else 300
    table, left_out = [], []
    null = os.open("/dev/null", os.O_RDWR)
    if os.geteuid() != 0:
        left_out.append("berm, user and setpriv, user: only root can change the user")
    for name, command, given in sides(berm):
        if command[0] == "setpriv" and os.geteuid() != 0:
            continue
        if name == "berm, user" and start(command, null)[1] != 0:
            left_out.append("berm, user: uid 65534 may not reach the executable or its directory")
            continue
        table.append((name, command, given))
    if not shutil.which("bwrap"):
        left_out.append("bubblewrap: not installed")
    mounts = sum(1 for _ in open("/proc/self/mountinfo"))
    print(f"Linux {platform.release()}, {os.cpu_count()} CPUs, {mounts} mounts, load "
          f"{os.getloadavg()[0]:.1f}, {runs} runs a side, interleaved")
    for name, command, given in table:
        print(f"  {name:16}{given}")
    for line in left_out:
        print(f"  left out: {line}")
    show("back to back", table, measure(table, runs, 0))
    show("30 ms of idleness before each start", table, measure(table, runs // 2, GAP_S))
    out = subprocess.run([berm, "version"], capture_output=True, text=True).stdout.strip()
    print(f"\n{out}; a ratio is the figure to compare, milliseconds wander with the machine")


main()
