"""Boundary checks, section I, and the figures that the first version must show."""
import base64
import json
import os
import pty
import resource
import subprocess
import time

import pytest

from machine import is_root


def run(stage, identity, words, **given):
    given.setdefault("stdin", subprocess.DEVNULL)
    return subprocess.run(identity.command([str(stage.berm), *words]), capture_output=True,
                          env=identity.environment(), cwd="/tmp", timeout=120, **given)


def answer(done):
    return json.loads(done.stdout.decode("utf-8"))


def test_the_json_is_valid_whatever_was_printed(stage, identity, leftovers):
    done = answer(run(stage, identity, ["run", "--json", "--", "python3", "-c",
                                        "import os; os.write(1, bytes(range(256)) * 3)"]))
    assert done["stdout_bytes"] == 768
    assert base64.b64decode(done["stdout_base64"]) == bytes(range(256)) * 3


def test_nul_bytes_come_back(stage, identity, leftovers):
    done = answer(run(stage, identity, ["run", "--json", "--", "printf", r"a\0b"]))
    assert done["stdout"] == "a\0b"


@pytest.mark.parametrize("extra", [-1, 0, 1])
def test_head_tail_and_count_are_exact_around_the_cap(stage, identity, leftovers, extra):
    count = 1000 + extra
    done = answer(run(stage, identity, ["run", "--json", "--output", "1000", "--", "python3", "-c",
                                        f"print('é' * {count}, end='')"]))
    if extra <= 0:
        assert done["stdout"] == "é" * count and not done["stdout_truncated"]
    else:
        assert done["stdout"].startswith("é" * 600 + "\n") and done["stdout"].endswith("é" * 400)
        assert done["stdout_omitted_bytes"] == 2 and done["stdout_truncated"]


def on_a_terminal(command):
    """What a command prints to a terminal."""
    master, slave = pty.openpty()
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=slave, stderr=slave)
    os.close(slave)
    seen = b""
    try:
        while chunk := os.read(master, 65536):
            seen += chunk
    except OSError:
        pass
    os.close(master)
    process.wait()
    return seen


ESCAPES = r"printf 'a\033[2Jb\033]0;title\007c\rd\n'"


def test_control_sequences_are_visible_on_a_terminal(stage, identity, leftovers):
    control = on_a_terminal(["sh", "-c", ESCAPES])
    assert b"\033[2J" in control, "the control does not print the sequence"
    seen = on_a_terminal(identity.command([str(stage.berm), "run", "--", "sh", "-c", ESCAPES]))
    assert b"\033" not in seen and b"\007" not in seen and b"^[" in seen, seen
    raw = on_a_terminal(identity.command([str(stage.berm), "run", "--raw", "--", "sh", "-c", ESCAPES]))
    assert b"\033[2J" in raw, raw


def test_into_a_pipe_bytes_pass_unchanged(stage, identity, leftovers):
    done = run(stage, identity, ["run", "--", "sh", "-c", ESCAPES])
    assert done.stdout == b"a\033[2Jb\033]0;title\007c\rd\n"


def peak_of_children():
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss


FLOOD = "import os\nb = b'x' * (1 << 20)\nfor _ in range(%d): os.write(1, b)"


@pytest.mark.parametrize("form", ["--json", "--raw"])
def test_ten_gigabytes_of_output_leave_berm_small_and_are_counted(stage, leftovers, form):
    """Measured by a process of its own, so that only berm's peak is seen (RUSAGE_CHILDREN)."""
    if not is_root():
        pytest.skip("berm's own peak is told apart from the program's by control groups, as root")
    probe = ("import resource, subprocess, sys, json\n"
             "out = open(sys.argv[1], 'wb')\n"
             "p = subprocess.Popen(sys.argv[2:], stdout=out, stdin=subprocess.DEVNULL)\n"
             "peak = 0\n"
             "while p.poll() is None:\n"
             "    try:\n"
             "        for line in open(f'/proc/{p.pid}/status'):\n"
             "            if line.startswith('VmHWM'): peak = max(peak, int(line.split()[1]))\n"
             "    except OSError: pass\n"
             "    import time; time.sleep(0.01)\n"
             "print(peak, p.returncode)")
    target = stage.directory / "flood-result"
    out = target if form == "--json" else "/dev/null"
    extra = [form] if form == "--json" else [form, "--result", str(target)]
    began = time.monotonic()
    done = subprocess.run(["python3", "-c", probe, str(out), str(stage.berm), "run", *extra, "--wall",
                           "100s", "--cpu-time", "100s", "--", "python3", "-c", FLOOD % 10240],
                          capture_output=True, text=True, timeout=150)
    peak_kib, status = map(int, done.stdout.split())
    result = json.loads(target.read_text())
    target.unlink()
    assert status == 0 and result["verdict"] == "exited", result
    assert result["stdout_bytes"] == 10 << 30, result["stdout_bytes"]
    assert peak_kib < 12 << 10, f"berm held {peak_kib} KiB after {time.monotonic() - began:.0f} s"


def test_berm_is_small_while_it_waits(stage, leftovers):
    if not is_root():
        pytest.skip("reading another process's peak needs its owner")
    process = subprocess.Popen([str(stage.berm), "run", "--", "sleep", "1"], stdin=subprocess.DEVNULL)
    time.sleep(0.5)
    with open(f"/proc/{process.pid}/status") as status:
        rss = [int(line.split()[1]) for line in status if line.startswith("VmRSS")][0]
    process.wait()
    assert rss < 3 << 10, f"{rss} KiB"


def counted():
    """What a thousand runs could leave behind."""
    groups = sum("berm" in name for _, names, _ in os.walk("/sys/fs/cgroup") for name in names)
    mounts = len(open("/proc/self/mountinfo").readlines())
    descriptors = len(os.listdir("/proc/self/fd"))
    state = len([n for n in os.listdir("/run/berm") if not n.startswith(("slot-", "root-"))]) \
        if os.path.isdir("/run/berm") else 0
    return {"groups": groups, "mounts": mounts, "descriptors": descriptors, "state": state}


def namespaces_of_processes():
    found = set()
    for pid in os.listdir("/proc"):
        if pid.isdigit():
            try:
                found.add(os.readlink(f"/proc/{pid}/ns/net"))
            except OSError:
                pass
    return found


def test_a_thousand_runs_leave_nothing_behind(stage, identity, leftovers):
    before, nets = counted(), namespaces_of_processes()
    for _ in range(1000 if identity.name == "root" else 200):
        done = subprocess.run(identity.command([str(stage.berm), "run", "--", "true"]),
                              stdin=subprocess.DEVNULL, env=identity.environment())
        assert done.returncode == 0
    assert counted() == before
    assert len(namespaces_of_processes() - nets) == 0


@pytest.mark.parametrize("level", ["L3", "L4", "L5", "L6"])
def test_two_seconds_of_cpu_time_are_two_seconds(stage, identity, leftovers, level):
    done = answer(run(stage, identity, ["run", "--json", "--level", level, "--cpu-time", "2s", "--",
                                        "python3", "-c", "while True: pass"]))
    assert done["verdict"] == "cpu_timeout", done
    assert 1.99 <= done["usage"]["cpu_s"] <= 2.2, done["usage"]


@pytest.mark.parametrize("level", ["L1", "L2", "L3", "L4", "L5", "L6"])
def test_one_and_a_half_seconds_are_that(stage, identity, leftovers, level):
    done = answer(run(stage, identity, ["run", "--json", "--level", level, "--wall", "1.5s", "--",
                                        "sleep", "60"]))
    assert done["verdict"] == "wall_timeout" and done["timed_out"], done
    assert 1.5 <= done["usage"]["wall_s"] <= 1.6, done["usage"]
