"""The field reports: each once as root, once as root without control groups, once as an ordinary user."""
import shutil
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))

from machine import Identity, is_root  # noqa: E402
from plugin import identity_or_skip, leftovers, stage  # noqa: E402, F401: fixtures


class WithoutGroups(Identity):
    """Root in a mount namespace from which the control groups are gone."""

    def __init__(self):
        super().__init__("root")
        self.name = "root-nogroup"

    def command(self, argv):
        return ["unshare", "--mount", "--propagation", "private", "sh", "-c",
                'umount -R /sys/fs/cgroup && exec "$@"', "sh", *argv]


@pytest.fixture(params=["root", "root-nogroup", "user"])
def who(request):
    if request.param == "root-nogroup":
        if not is_root():
            pytest.skip("the tests were not started by root")
        return WithoutGroups()
    return identity_or_skip(request.param)


@pytest.fixture
def needs():
    """Skip, with the reason, unless these programs of the system are there."""
    def check(*programs):
        missing = [p for p in programs if not shutil.which(p, path="/usr/local/bin:/usr/bin:/bin")]
        if missing:
            pytest.skip(f"not installed in /usr/bin: {', '.join(missing)}")
    return check
