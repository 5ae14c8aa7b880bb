"""Hidden paths: an empty directory, /dev/null, and writes that go nowhere."""
import pytest

LEVELS = ["L5", "L6"]


def hidden(stage, identity, words, path, level):
    return stage.contained(identity, words, level=level, options=["--hide", str(path)])


@pytest.mark.parametrize("level", LEVELS)
def test_a_hidden_file_reads_as_nothing(stage, world, identity, level):
    canary = world.canary()
    assert world.secret in stage.bare(identity, ["read", canary]).fact
    outcome = hidden(stage, identity, ["read", canary], canary, level)
    assert world.secret not in outcome.said, outcome
    is_empty = outcome.worked and outcome.fact.startswith("0 bytes")
    assert is_empty or outcome.errno == "ENOENT", outcome


@pytest.mark.parametrize("level", LEVELS)
def test_a_hidden_directory_is_empty(stage, world, identity, level):
    directory = world.canary().parent
    assert "canary" in stage.bare(identity, ["list", directory]).fact
    outcome = hidden(stage, identity, ["list", directory], directory, level)
    is_empty = outcome.worked and outcome.fact == "(0)"
    assert is_empty or outcome.errno == "ENOENT", outcome


def test_writes_into_a_hidden_directory_go_nowhere(stage, world, identity):
    canary = world.canary()
    outcome = hidden(stage, identity, ["write", canary, "overwritten"], canary.parent, "L5")
    assert outcome.worked or outcome.failed, outcome
    assert canary.read_text() == world.secret + "\n"
    assert [entry.name for entry in canary.parent.iterdir()] == ["canary"]


def test_writes_into_a_hidden_file_go_nowhere(stage, world, identity):
    canary = world.canary()
    outcome = hidden(stage, identity, ["write", canary, "overwritten"], canary, "L5")
    assert outcome.worked or outcome.failed, outcome
    assert canary.read_text() == world.secret + "\n"


def test_control_without_hiding_the_file_is_overwritten(stage, world, identity):
    canary = world.canary()
    assert stage.contained(identity, ["write", canary, "overwritten"], level="L4").worked
    assert canary.read_text() != world.secret + "\n"


@pytest.mark.parametrize("place", ["/root", "/home", "/run"])
def test_the_default_list_is_hidden_at_l5(stage, world, identity, place):
    if identity.name != "root":
        pytest.skip("only root can plant a file there")
    canary = world.canary(parent=place)
    outcome = stage.contained(identity, ["read", canary], level="L5")
    assert outcome.failed and outcome.errno == "ENOENT", outcome
