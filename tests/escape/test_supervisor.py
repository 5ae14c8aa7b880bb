"""berm dies: everything inside dies with it."""
import subprocess
import time

import pytest

from leftovers import processes

# 100 ms on a machine of our own; this one may be busy.
PATIENCE_S = 1.0


def wait_until(holds, patience_s):
    end = time.monotonic() + patience_s
    while time.monotonic() < end:
        if holds():
            return True
        time.sleep(0.005)
    return holds()


@pytest.mark.parametrize("level", ["L3", "L4", "L5", "L6"])
def test_everything_inside_is_gone_when_berm_is_killed(stage, identity, leftovers, level):
    guest, options = str(stage.guest), []
    if level == "L6":
        guest, options = "/guest", ["--ro", f"{stage.guest}:/guest"]
    berm = subprocess.Popen(
        identity.command([str(stage.berm), "run", "--level", level, *options, "--", guest, "end",
                          "stopped-child", "30"]),
        env=identity.environment(), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, cwd="/")
    try:
        # berm, init, the guest and its stopped child.
        assert wait_until(lambda: len(processes(stage)) >= 4, 20), processes(stage)
    finally:
        berm.kill()
        berm.wait()
    assert wait_until(lambda: not processes(stage), PATIENCE_S), processes(stage)
    # What it left behind (groups, directories) is swept by the next start.
    assert stage.contained(identity, ["ids"], level=level).worked
