"""One machine for all claims: booting one takes seconds."""
import os
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent))

import emulator  # noqa: E402

BUILD = Path(os.environ.get("BERM_BUILD", emulator.ROOT / "build"))


@pytest.fixture(scope="session")
def emulated(tmp_path_factory):
    if emulator.lacks():
        pytest.skip(emulator.lacks())
    programs = {"berm": BUILD / "berm", "guest": BUILD / "src/guest/berm-guest"}
    missing = [str(path) for path in programs.values() if not path.exists()]
    assert not missing, f"not built: {', '.join(missing)}"
    made = emulator.Machine(tmp_path_factory.mktemp("machine"), emulator.kernel(BUILD / "kernel"), programs)
    yield made
    made.close()


@pytest.fixture
def machine(emulated):
    """Each test finds no controller handed on, as at boot, and leaves nothing behind."""
    emulated.order('echo "-memory -pids -cpu" >/sys/fs/cgroup/cgroup.subtree_control')
    before = emulator.leftovers(emulated)
    yield emulated
    left = emulator.leftovers(emulated) - before
    assert not left, "left behind: " + "; ".join(sorted(left))
