"""Boundary checks, "supervisor-killed": what killed runs left is swept by the next start, all of it."""
import os
import subprocess
import time
from pathlib import Path

import pytest

RUNS = 5


def state_of(identity):
    return Path("/run/berm") if identity.name == "root" else Path(f"/tmp/berm-{identity.uid}")


def left_of(identity):
    """Work directories and groups of this state directory."""
    place = state_of(identity)
    if not place.is_dir():
        return set()
    status = place.stat()
    prefix = f"berm-{status.st_dev:x}-{status.st_ino:x}-"
    found = {name for name in os.listdir(place) if name.startswith("work-")}
    for directory, names, _ in os.walk("/sys/fs/cgroup"):
        found |= {f"{directory}/{name}" for name in names if name.startswith(prefix)}
    return found


@pytest.mark.parametrize("level", ["L2", "L3", "L6"])
def test_what_several_killed_runs_left_is_swept_by_one_start(stage, identity, leftovers, level):
    before = left_of(identity)
    running = [subprocess.Popen(identity.command([str(stage.berm), "run", "--level", level, "--wall",
                                                  "20s", "--", "sleep", "15"]),
                                stdin=subprocess.DEVNULL, env=identity.environment())
               for _ in range(RUNS)]
    time.sleep(1)
    held = left_of(identity) - before
    if level != "L6" or identity.name == "root":
        assert len(held) >= RUNS, "the control found nothing to sweep"
    for process in running:
        process.kill()
        process.wait()
    done = stage.plain(identity, ["true"], level=level)
    assert done.status == 0, done
    left = held & left_of(identity)
    assert not left, left
