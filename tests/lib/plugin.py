"""Fixtures of the black-box tests; loaded by the conftest of each room that wants them."""
import pytest

from honeypots import World
from leftovers import Leftovers
from machine import Identity
from runs import Stage


@pytest.fixture(scope="session")
def stage():
    try:
        made = Stage()
    except FileNotFoundError as missing:
        pytest.exit(str(missing), returncode=2)
    yield made
    made.close()


def identity_or_skip(name):
    identity = Identity(name)
    if identity.missing():
        pytest.skip(identity.missing())
    return identity


@pytest.fixture(params=["root", "user"])
def identity(request):
    return identity_or_skip(request.param)


@pytest.fixture
def leftovers(stage):
    """Nothing is left: asserted when the test has ended, its honeypots included."""
    seen = Leftovers(stage)
    yield seen
    left = seen.after()
    assert not left, "left behind: " + "; ".join(left)


@pytest.fixture
def world(stage, identity, leftovers):
    made = World(stage, identity)
    yield made
    made.close()
