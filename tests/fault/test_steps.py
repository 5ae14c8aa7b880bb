"""Every row of the step table fails once: berm refuses, names layer and step, executes nothing, leaves
nothing behind.

The rows come from the executable itself, so that a new row cannot be forgotten here.
"""
import errno
import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

BUILD = Path(os.environ.get("BERM_BUILD", Path(__file__).resolve().parents[2] / "build"))
FAULTY = BUILD / "berm-fault"
# Rows that a plan of these levels walks, beside those that every plan walks.
LEVELS = ["L3", "L6"]


def rows():
    text = subprocess.run([FAULTY, "--steps"], check=True, capture_output=True, text=True).stdout
    return [line.split() for line in text.splitlines()]


@pytest.fixture(scope="module")
def faulty(stage):
    target = stage.directory / "berm-fault"
    shutil.copy(FAULTY, target)
    target.chmod(0o755)
    return target


def run(faulty, identity, words):
    return subprocess.run(identity.command([str(faulty), *words]), env=identity.environment(),
                          capture_output=True, text=True, timeout=60, cwd="/tmp",
                          stdin=subprocess.DEVNULL)


def test_without_a_fault_the_program_is_executed(faulty, identity, leftovers):
    done = run(faulty, identity, ["run", "--json", "--", "echo", "executed"])
    assert json.loads(done.stdout)["stdout"] == "executed\n", done


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("row", rows(), ids=lambda row: row[1])
def test_a_failing_step_is_named_and_nothing_is_executed(faulty, identity, leftovers, row, level):
    number, name, owner = row
    # Read and write of a directory that outlives the run: the program, if executed, would leave this.
    proof = Path("/tmp") / f"berm-proof-{os.getpid()}-{number}-{level}"
    done = run(faulty, identity, ["--fault", f"{number}:{errno.EPERM}", "run", "--json", "--level", level, "--",
                                  "sh", "-c", f"echo ran-inside; echo > {proof}"])
    try:
        assert not proof.exists(), "the program was executed"
    finally:
        proof.unlink(missing_ok=True)
    answer = json.loads(done.stdout)
    assert "error" in answer, answer
    error = answer["error"]
    assert error["step"] == name, error
    if owner != "none":
        assert error["layer"] == owner, error
    # exec has statuses of its own: the program is there and cannot be executed.
    assert done.returncode == (126 if name == "exec" else 125), done
    assert "ran-inside" not in done.stdout


@pytest.mark.parametrize("number", [errno.ENOENT, errno.ENOMEM, errno.ENOSYS, errno.EINVAL])
def test_the_errno_does_not_matter(faulty, identity, leftovers, number):
    for row in rows():
        if row[1] == "exec":
            continue
        done = run(faulty, identity, ["--fault", f"{row[0]}:{number}", "run", "--json", "--", "echo",
                                      "executed"])
        answer = json.loads(done.stdout)
        assert done.returncode == 125 and answer["error"]["step"] == row[1], (row, answer)
