"""One run leaves nothing that another can find."""
import secrets
import subprocess
from pathlib import Path

import pytest


def test_shared_memory_that_one_run_left_is_not_there_in_the_next(stage, identity, leftovers):
    key = secrets.randbelow(1 << 30) + 1
    left = stage.contained(identity, ["leave", key])
    assert left.worked, left
    found = stage.contained(identity, ["shared", "shm", key])
    assert found.failed and found.errno == "ENOENT", found


@pytest.mark.parametrize("place", [".", "/tmp", "/dev/shm"])
def test_a_file_that_one_run_left_is_not_there_in_the_next(stage, identity, leftovers, place):
    left = stage.contained(identity, ["write", f"{place}/left-behind"])
    assert left.worked, left
    found = stage.contained(identity, ["exists", f"{place}/left-behind"])
    assert found.failed and found.errno == "ENOENT", found


@pytest.mark.parametrize("level", ["L3", "L4", "L5", "L6"])
def test_a_daemon_ends_with_the_run(stage, identity, leftovers, level):
    outcome = stage.contained(identity, ["daemon", "40"], level=level)
    assert outcome.worked, outcome
    # The fixture looks for the daemon: its program is the stage's copy.


def test_a_run_that_lives_is_not_seen_by_another(stage, identity, leftovers):
    other = subprocess.Popen(
        identity.command([str(stage.berm), "run", "--ro", f"{stage.guest}:/guest", "--", "/guest",
                          "listen", "7999", "5000"]),
        env=identity.environment(), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE, cwd="/")
    try:
        assert other.stderr.readline() == b"listening\n"
        processes = stage.contained(identity, ["proc-list"])
        assert processes.fact.endswith("(2)"), processes
        port = stage.contained(identity, ["connect", "tcp", "127.0.0.1", "7999"],
                               options=["--loopback"])
        assert port.failed and port.errno == "ECONNREFUSED", port
    finally:
        other.terminate()
        other.communicate(timeout=20)


def test_no_core_file_is_written(stage, identity, leftovers, world):
    directory = world.directory()
    outcome = stage.contained(identity, ["end", "signal", "11"], cwd=str(directory),
                              options=["--rw", f"{directory}:/out", "--cwd", "/out"])
    assert outcome.verdict == "signaled" and outcome.result["signal_name"] == "SIGSEGV", outcome
    assert list(Path(directory).iterdir()) == []
