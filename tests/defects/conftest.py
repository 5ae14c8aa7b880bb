"""A build of its own, with defects planted on purpose."""
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))

from plugin import identity, leftovers, stage  # noqa: E402, F401: fixtures

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("BERM_BUILD", ROOT / "build-defects"))


@pytest.fixture(scope="session")
def findings():
    """identity -> name -> what came of the defect; each identity's run is made once."""
    found = {}

    def of(identity):
        if identity.name not in found:
            done = subprocess.run(identity.command([str(BUILD / "berm"), "prove", "--defects", "--json"]),
                                  env=identity.environment(), stdin=subprocess.DEVNULL, capture_output=True, text=True,
                                  timeout=600, cwd="/")
            assert done.stdout, done
            document = json.loads(done.stdout)
            found[identity.name] = (done.returncode, {row["name"]: row for row in document["defects"]})
        return found[identity.name]
    return of
