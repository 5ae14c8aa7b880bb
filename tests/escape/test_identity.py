"""Who the program is on the host, and whose its files are."""
import os
import subprocess
import time
from pathlib import Path

import pytest

from leftovers import processes


def start(stage, identity, *options):
    """A run that stands still; the caller ends it."""
    return subprocess.Popen(
        identity.command([str(stage.berm), "run", "--json", "--ro", f"{stage.guest}:/guest",
                          *options, "--", "/guest", "end", "sleep", "20"]),
        env=identity.environment(), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, cwd="/")


def guests(stage):
    """The guests that live now: pid -> (uids, gids, groups), as the host sees them."""
    found = {}
    for _, pid, name in (line.split() for line in processes(stage)):
        if name != "guest":
            continue
        try:
            text = Path(f"/proc/{pid}/status").read_text()
        except OSError:
            continue
        lines = dict(line.split(":", 1) for line in text.splitlines())
        found[int(pid)] = tuple(
            tuple(int(word) for word in lines[key].split()) for key in ("Uid", "Gid", "Groups"))
    return found


def wait_for_guests(stage, count):
    end = time.monotonic() + 20
    while time.monotonic() < end:
        found = guests(stage)
        if len(found) >= count:
            return found
        time.sleep(0.02)
    pytest.fail(f"{count} guests did not start: {guests(stage)}")


@pytest.fixture
def two_runs(stage, identity, leftovers):
    runs = [start(stage, identity), start(stage, identity)]
    yield wait_for_guests(stage, 2)
    for run in runs:
        run.terminate()
        run.communicate(timeout=20)


def test_the_host_uid_is_the_runs_own_or_the_callers(two_runs, identity):
    for uids, gids, groups in two_runs.values():
        if identity.name == "root":
            assert 0 not in uids + gids
            assert groups == ()
        else:
            assert set(uids) == {identity.uid}
            assert set(gids) == {identity.gid}


def test_started_by_root_two_runs_have_two_uids(two_runs, identity):
    if identity.name != "root":
        pytest.skip("an ordinary user has one uid to give")
    seen = {uids[0] for uids, _, _ in two_runs.values()}
    assert len(seen) == 2, seen


def test_no_account_of_the_host_has_that_uid(two_runs, identity):
    if identity.name != "root":
        pytest.skip("an ordinary user has one uid to give")
    taken = {int(line.split(":")[2]) for line in Path("/etc/passwd").read_text().splitlines()}
    for uids, _, _ in two_runs.values():
        assert uids[0] not in taken


def test_inside_the_program_is_user_1000(stage, identity, leftovers):
    outcome = stage.contained(identity, ["ids"])
    assert outcome.worked and outcome.fact.startswith("uid 1000 euid 1000 gid 1000 egid 1000"), \
        outcome


def test_a_file_in_a_shared_directory_is_not_roots(stage, world, identity):
    directory = world.directory()
    if identity.name == "root":
        os.chown(directory, 1, 1)
    outcome = stage.contained(identity, ["write", "/out/made"],
                              options=["--rw", f"{directory}:/out"])
    assert outcome.worked, outcome
    assert (directory / "made").stat().st_uid == directory.stat().st_uid, \
        f"outside, a new file belongs to the directory's owner\n{outcome}"
