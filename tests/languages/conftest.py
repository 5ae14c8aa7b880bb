"""The tests of the languages use the harness of tests/lib."""
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))

from plugin import identity, leftovers, stage, world  # noqa: E402, F401: fixtures
