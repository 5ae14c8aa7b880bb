"""The documents are run on the executables that are built: BERM names berm, BERM_BUILD its folder."""
import os
import shutil
import sys
import tempfile
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))

from plugin import identity_or_skip  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("BERM_BUILD", ROOT / "build"))

# What an example may name: the checkout as a reader has it after `ninja -C build`.
BUILT = ["berm", "berm-engine", "src/policyreader/berm-policy", "src/prove/berm-prove", "src/guest/berm-guest"]


def copy_built(target):
    """The executables, the library and the shipped policies, where every identity can reach them."""
    for name in BUILT:
        (target / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(BUILD / name, target / name)
    shutil.copytree(BUILD / "policies", target / "policies")
    for library in BUILD.glob("libberm.so*"):
        if library.is_symlink():
            (target / library.name).symlink_to(os.readlink(library))
        elif library.is_file():
            shutil.copy(library, target / library.name)


@pytest.fixture(scope="session")
def checkout():
    """A copy of what a reader has: build/, examples/, include/, policies/."""
    missing = [name for name in BUILT if not (BUILD / name).exists()]
    if missing:
        pytest.exit(f"not built in {BUILD}: {', '.join(missing)}", returncode=2)
    place = Path(tempfile.mkdtemp(prefix="berm-docs-", dir="/tmp"))
    place.chmod(0o755)
    copy_built(place / "build")
    for name in ("examples", "include", "policies"):
        shutil.copytree(ROOT / name, place / name)
    yield place
    shutil.rmtree(place, ignore_errors=True)


@pytest.fixture(params=["root", "user"])
def identity(request):
    return identity_or_skip(request.param)


@pytest.fixture
def directory(checkout, identity, tmp_path_factory):
    """A fresh checkout for one page, which the identity owns."""
    place = Path(tempfile.mkdtemp(prefix="berm-docs-page-", dir="/tmp"))
    for entry in checkout.iterdir():
        (place / entry.name).symlink_to(entry)
    place.chmod(0o755)
    if os.geteuid() == 0:
        os.chown(place, identity.uid, identity.gid)
    yield place
    shutil.rmtree(place, ignore_errors=True)
