"""The process that makes the namespaces while berm plans (src/enter/cloner.c): it never outlives berm, and what it
cannot do is done, or told, without it."""
import os
import signal
import subprocess
import time
from pathlib import Path

import pytest

from leftovers import processes

TRIES = 60


def start(stage, identity, *argv):
    return subprocess.Popen(identity.command([str(stage.berm), "run", "--", *argv]), stdin=subprocess.DEVNULL,
                            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                            env=identity.environment(), start_new_session=True)


def test_killed_at_any_moment_berm_leaves_nothing(stage, identity, leftovers):
    """From before the cloner begins to after the program runs: 60 moments of the first 9 ms."""
    for moment in range(TRIES):
        process = start(stage, identity, "sleep", "5")
        time.sleep(moment * 0.00015)
        process.kill()
        process.wait()
    deadline = time.monotonic() + 3
    while processes(stage) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert not processes(stage)
    assert stage.plain(identity, ["true"]).status == 0  # sweeps what the last one left


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_to_the_whole_group_at_any_moment_ends_it_in_time(stage, identity, leftovers, number):
    """Ctrl-C reaches the cloner too, which must not die under berm's hands, nor live on."""
    for moment in range(TRIES // 3):
        process = start(stage, identity, "sleep", "20")
        time.sleep(0.003 + moment * 0.0003)
        os.killpg(process.pid, number)
        status = process.wait(timeout=5)
        assert status in (-number, 128 + number), (moment, status)


def test_a_refusal_of_the_plan_ends_it(stage, identity, leftovers):
    """The plan is refused after the cloner has begun."""
    done = stage.plain(identity, ["true"], options=["--ro", "/nonexistent/place"])
    assert done.status == 125 and done.error, done
    assert not processes(stage)


def test_the_first_program_is_process_2_and_no_third_was_there(stage, identity, leftovers):
    done = stage.plain(identity, ["sh", "-c", "echo $$ $PPID; ls -d /proc/[0-9]* | wc -l"])
    assert done.said.split()[:2] == ["2", "1"], done


def test_it_takes_no_cpu_away_from_the_program(stage, identity, leftovers):
    """It is put on another CPU than berm's; the program may use what berm may."""
    mine = len(os.sched_getaffinity(0))
    done = stage.plain(identity, ["sh", "-c", "nproc; grep Cpus_allowed_list /proc/self/status"],
                       options=["--cpus", str(mine)])
    assert done.said.split()[0] == str(mine), done


def first_child_of(pid):
    try:
        return int(Path(f"/proc/{pid}/task/{pid}/children").read_text().split()[0])
    except (OSError, IndexError):
        return None


def test_a_cloner_that_somebody_kills_leaves_one_run_or_a_refusal(stage, identity, leftovers):
    """From the moment when it is there on: between the clone and the word about it, a second first process was made
    beside the first, and they took each other's messages (2 of 250 tries; all, where a tracer chose the moment)."""
    ends = {}
    for moment in range(120):
        process = start(stage, identity, "true")
        deadline = time.monotonic() + 1
        child = None
        while child is None and process.poll() is None and time.monotonic() < deadline:
            child = first_child_of(process.pid)  # setpriv execs berm: its first child is the cloner as well
        time.sleep(moment % 40 * 0.00005)
        if child is not None:
            try:
                os.kill(child, signal.SIGKILL)
            except ProcessLookupError:
                pass
        status = process.wait(timeout=6)
        ends[status] = ends.get(status, 0) + 1
    assert ends.get(0, 0) > 0, ends
    assert not processes(stage)
