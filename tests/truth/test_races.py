"""What a clock and a careful order decide: paths that change while berm looks at them, and a program that holds
berm fast in a system call."""
import ctypes
import os
import subprocess
import sys
import time

import pytest

RENAME_EXCHANGE = 2
# A while of swapping: the window between judging a path and mounting it was hit in 90 of 400 tries.
TRIES = 60

FLIPPER = f"""
import ctypes, os, sys
libc = ctypes.CDLL(None)
a, b = (os.fsencode(word) for word in sys.argv[1:3])
while os.getppid() == int(sys.argv[3]):
    libc.renameat2(-100, a, -100, b, {RENAME_EXCHANGE})
"""

# A hundred busy processes, and one that writes to its output as the idlest of all: it holds the mutex of the pipe,
# and gets no CPU to let it go.
FREEZER = """
import os, sys
for _ in range(100):
    if os.fork() == 0:
        while True:
            pass
os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))
block = b"x" * 65536
while True:
    os.write(1, block)
"""


@pytest.fixture
def swapped(tmp_path, identity):
    """A directory and a link to / that change places without pause."""
    tmp_path.chmod(0o755)
    for parent in list(tmp_path.parents)[:2]:
        parent.chmod(0o755)
    place = tmp_path / "project"
    (place / "data").mkdir(parents=True)
    (place / "data" / "mine").write_text("mine")
    (place / "link").symlink_to("/")
    os.chmod(place, 0o777)
    process = subprocess.Popen([sys.executable, "-c", FLIPPER, place / "data", place / "link",
                                str(os.getpid())])
    yield place / "data"
    process.kill()
    process.wait()


@pytest.mark.parametrize("option", ["--ro", "--rw"])
def test_a_path_that_becomes_a_link_after_it_was_judged_is_never_mounted(stage, identity, leftovers, swapped,
                                                                         option):
    seen = set()
    deadline = time.monotonic() + 10
    while len(seen) < 2 and time.monotonic() < deadline:
        seen.add("usr" in os.listdir(swapped))
    assert seen == {True, False}, "the control: the path leads to both"
    ends = {"mine": 0, "refused": 0}
    for _ in range(TRIES):
        done = stage.plain(identity, ["ls", "/data"], options=[option, f"{swapped}:/data"])
        if done.status == 0:
            assert done.said.split() == ["mine"], done
            ends["mine"] += 1
        else:
            assert done.status == 125 and done.error["code"] == "invalid", done
            ends["refused"] += 1
    assert min(ends.values()) > 0, ends


@pytest.mark.parametrize("level", ["L2", "L3", "L6"])
def test_a_program_that_holds_berm_in_a_read_meets_the_wall_clock_all_the_same(stage, identity, leftovers, level):
    began = time.monotonic()
    done = stage.plain(identity, ["python3", "-c", FREEZER], level=level,
                       options=["--wall", "2s", "--cpu-time", "600s", *(
                           ["--processes", "200"] if level != "L2" else [])])
    spent = time.monotonic() - began
    assert done.verdict == "wall_timeout", done
    assert 2.0 <= done.result["usage"]["wall_s"] < 2.5, done.result["usage"]
    # What is left of a hundred busy processes is cleared away outside the program's clock.
    assert spent < 5, spent


def test_libc_has_the_call():
    """The control of the tests above needs renameat2; without it they would pass for nothing."""
    assert hasattr(ctypes.CDLL(None), "renameat2")
