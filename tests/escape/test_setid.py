"""A set-user-id file that a program leaves in a directory of the caller's lives on when the run has ended, where
nothing says nosuid: whoever starts it gets its owner's uid. Root's runs own what --rw brings in."""
import os
import stat
import subprocess

import pytest

ATTEMPT = """
import os, sys
made = []
def attempt(name, act):
    try:
        act(os.path.join(sys.argv[1], name))
        made.append(name)
    except OSError as error:
        print(name, error.errno, flush=True)
def plain(path):
    os.close(os.open(path, os.O_CREAT | os.O_WRONLY, 0o755))
def chmod(mode):
    return lambda path: (plain(path), os.chmod(path, mode))
def fchmod(path):
    fd = os.open(path, os.O_CREAT | os.O_WRONLY, 0o755)
    os.fchmod(fd, 0o4755)
def tmpfile(path):
    fd = os.open(sys.argv[1], os.O_TMPFILE | os.O_RDWR, 0o4755)
    os.link(f"/proc/self/fd/{fd}", path, src_dir_fd=fd, follow_symlinks=True)
os.umask(0)
attempt("suid", chmod(0o4755))
attempt("sgid", chmod(0o2755))
attempt("fchmod", fchmod)
attempt("fchmodat", lambda path: (plain(path), os.chmod(os.path.basename(path), 0o6755,
                                                        dir_fd=os.open(sys.argv[1], os.O_RDONLY))))
attempt("open", lambda path: os.open(path, os.O_CREAT | os.O_WRONLY, 0o4755))
attempt("mknod", lambda path: os.mknod(path, 0o104755))
attempt("tmpfile", tmpfile)
plain(os.path.join(sys.argv[1], "plain"))
"""
NAMES = ["suid", "sgid", "fchmod", "fchmodat", "open", "mknod", "tmpfile"]


def with_special_bits(directory):
    return sorted(name for name in os.listdir(directory)
                  if os.stat(os.path.join(directory, name)).st_mode & (stat.S_ISUID | stat.S_ISGID))


@pytest.fixture
def owned(tmp_path, identity):
    """A directory that the caller alone may write, root's for root."""
    for parent in [tmp_path, *list(tmp_path.parents)[:2]]:
        parent.chmod(0o755)
    place = tmp_path / "out"
    place.mkdir(mode=0o755)
    if identity.name != "root":
        os.chown(place, identity.uid, identity.uid)
    return place


def attempt(stage, identity, place, off=()):
    return stage.plain(identity, ["/usr/bin/python3", "-c", ATTEMPT, "/out"], off=off,
                       options=["--rw", f"{place}:/out"])


def test_no_set_user_id_file_is_left_in_what_the_caller_gave(stage, identity, leftovers, owned):
    done = attempt(stage, identity, owned)
    assert done.status == 0, done
    assert (owned / "plain").stat().st_uid == owned.stat().st_uid, "the control: files are made, and the owner's"
    assert with_special_bits(owned) == []
    refused = dict(line.split() for line in done.said.splitlines())
    assert refused == {name: "1" for name in NAMES}, done  # EPERM


def test_control_without_berm_every_attempt_works(identity, owned):
    subprocess.run(identity.command(["/usr/bin/python3", "-c", ATTEMPT, str(owned)]), check=True,
                   env=identity.environment())
    assert with_special_bits(owned) == sorted(NAMES)


def test_without_the_filter_a_run_of_roots_owns_nothing_there(stage, identity, leftovers, owned):
    """The other layer alone: no ids are mapped, so nothing is root's."""
    done = attempt(stage, identity, owned, off=["syscalls"])
    if identity.name != "root":
        assert with_special_bits(owned), "an ordinary user's run keeps the user's uid: the threat model says so"
        return
    assert done.status != 0 and os.listdir(owned) == [], done
    assert any("only where anybody may" in note["text"] for note in done.result["notes"]), done.result["notes"]
