"""`berm prove` as a person starts it: by root and by an ordinary user, from a build that both can read."""
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))

from plugin import identity, identity_or_skip, leftovers, stage  # noqa: E402, F401: fixtures

BUILD = Path(os.environ.get("BERM_BUILD", Path(__file__).resolve().parents[2] / "build"))
PROGRAMS = ["berm", "src/policyreader/berm-policy", "src/prove/berm-prove", "src/guest/berm-guest"]
# The whole is promised in 60 s on two cores; a run that takes so much longer has hung.
PATIENCE_S = 300


class Prover:
    """berm with what it starts, copied to where every identity can execute it."""

    def __init__(self):
        self.directory = Path(tempfile.mkdtemp(prefix="berm-stage-", dir="/tmp"))
        self.directory.chmod(0o755)
        for program in PROGRAMS:
            target = self.directory / program
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(BUILD / program, target)
        self.matrices = {}

    def run(self, identity, *words):
        return subprocess.run(identity.command([str(self.directory / "berm"), "prove", *words]),
                              env=identity.environment(), stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              errors="replace", timeout=PATIENCE_S, cwd="/")

    def json(self, identity, *words):
        """(exit status, document)"""
        done = self.run(identity, "--json", *words)
        try:
            return done.returncode, json.loads(done.stdout)
        except ValueError:
            raise AssertionError(f"no JSON: {done}") from None

    def matrix(self, identity):
        """The whole matrix, run once for each identity; its page is written beside it."""
        if identity.name not in self.matrices:
            folder = self.directory / identity.name
            folder.mkdir()
            if os.geteuid() == 0:
                os.chown(folder, identity.uid, identity.gid)
            self.matrices[identity.name] = (*self.json(identity, "--html", str(folder / "page.html")),
                                            folder / "page.html")
        return self.matrices[identity.name]


@pytest.fixture(scope="session")
def prover():
    made = Prover()
    yield made
    shutil.rmtree(made.directory)
