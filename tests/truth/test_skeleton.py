"""The names of the small root that root keeps from run to run (src/run/skeleton.c): shared, and out of
everybody's reach."""
import os
import shutil
import subprocess
import time
from pathlib import Path

import pytest

STATE = Path("/run/berm")
# Every way to change a directory or a file that a program may try on the names that it is given.
ATTACK = """
for d in "$@"; do
    touch $d/new; mkdir $d/newdir; ln -s x $d/newlink
    chmod 777 $d; rmdir $d; mv $d $d.moved; echo x > $d; rm -f $d; touch -h $d
done
true
"""


@pytest.fixture
def root(identity):
    if identity.name != "root":
        pytest.skip("only root's runs have a uid that may write nothing of berm's")
    return identity


def skeletons():
    return {entry for entry in STATE.iterdir() if entry.name.startswith("root-")}


def fresh(stage, root):
    """The one skeleton of a plain run, made anew."""
    for entry in skeletons():
        shutil.rmtree(entry)
    done = stage.plain(root, ["true"])
    assert done.status == 0, done
    (only,) = skeletons()
    return only


def names_below(directory, prefix):
    """The root itself, and every name in it, as seen below @prefix."""
    found = [prefix or "/"]
    for place, names, files in os.walk(directory):
        found += [prefix + os.path.join(place, name)[len(str(directory)):] for name in names + files]
    return found


def snapshot(directory):
    found = {}
    for place, names, files in os.walk(directory):
        for name in [".", *names, *files]:
            status = os.lstat(os.path.join(place, name))
            found[os.path.join(place, name)] = (status.st_mode, status.st_uid, status.st_size,
                                                status.st_mtime_ns, status.st_ino)
    return found


def root_mount(stage, root, *options):
    """The name of what is mounted as the root; "" for a tmpfs of its own."""
    done = stage.plain(root, ["awk", '$5 == "/" {print $4}', "/proc/self/mountinfo"], options=options)
    assert done.status == 0, done
    return Path(done.said.strip()).name


def test_a_program_changes_nothing_in_it(stage, root, leftovers):
    skeleton = fresh(stage, root)
    before = snapshot(skeleton)
    assert root_mount(stage, root) == skeleton.name, "the control is not about the skeleton"
    for options in ([], ["--off", "syscalls"]):
        done = stage.plain(root, ["sh", "-c", ATTACK, "sh", *names_below(skeleton, "")], options=options)
        assert done.status == 0, done
        assert "Read-only file system" in done.result["stderr"], done.result["stderr"][:400]
    assert snapshot(skeleton) == before


def test_the_same_attempt_changes_a_copy_that_is_writable(tmp_path, stage, root, leftovers):
    """The control: the attack is one."""
    copy = tmp_path / "copy"
    subprocess.run(["cp", "-a", str(fresh(stage, root)), str(copy)], check=True)
    before = snapshot(copy)
    subprocess.run(["sh", "-c", ATTACK, "sh", *names_below(copy, str(copy))], check=True,
                   stderr=subprocess.DEVNULL)
    assert snapshot(copy) != before


def test_two_runs_share_it(stage, root, leftovers):
    skeleton = fresh(stage, root)
    assert root_mount(stage, root) == root_mount(stage, root) == skeleton.name
    assert skeletons() == {skeleton}


def test_what_the_caller_brings_in_is_in_no_other_run(tmp_path, stage, root, leftovers):
    skeleton = fresh(stage, root)
    before = snapshot(skeleton)
    assert root_mount(stage, root, "--ro", f"{tmp_path}:/brought") == "", "a tmpfs of its own"
    assert snapshot(skeleton) == before


@pytest.mark.parametrize("layer", ["privileges", "filesystem"])
def test_without_a_uid_of_its_own_a_run_does_not_use_it(stage, root, leftovers, layer):
    skeleton = fresh(stage, root)
    assert root_mount(stage, root, "--off", layer) != skeleton.name


@pytest.mark.parametrize("spoil", [lambda path: path.chmod(0o777), lambda path: os.chown(path, 65534, 65534)],
                         ids=["mode", "owner"])
def test_one_that_others_could_write_is_not_used(stage, root, leftovers, spoil):
    skeleton = fresh(stage, root)
    spoil(skeleton)
    assert root_mount(stage, root) == ""
    shutil.rmtree(skeleton)


def test_one_in_use_is_not_removed(stage, root, leftovers):
    skeleton = fresh(stage, root)
    running = subprocess.Popen([str(stage.berm), "run", "--", "sh", "-c", "sleep 2; ls /usr /etc"],
                               stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
    time.sleep(0.7)
    for number in range(40):
        (STATE / f"root-{number:016x}").mkdir(mode=0o755)
    other = stage.plain(root, ["true"], options=["--cpus", "2"])
    out, _ = running.communicate(timeout=20)
    assert other.status == 0 and running.returncode == 0
    assert "bin" in out.split() and "passwd" in out.split(), out
    left = skeletons()
    assert skeleton in left
    assert len(left) <= 16 + 2, left
    for entry in left:
        if not any(entry.iterdir()):
            entry.rmdir()


def test_a_half_made_one_is_made_anew(stage, root, leftovers):
    shutil.rmtree(fresh(stage, root))
    drafts = [STATE / f"draft-{number}" for number in range(40)]
    for draft in drafts:
        draft.mkdir()
        (draft / "usr").write_text("not a directory")
    done = stage.plain(root, ["ls", "/usr"])
    for draft in drafts:
        shutil.rmtree(draft, ignore_errors=True)
    assert done.status == 0 and "bin" in done.said.split(), done
    assert root_mount(stage, root) == next(iter(skeletons())).name


def test_killed_while_it_thins_out_berm_leaves_none_that_is_half(stage, root, leftovers):
    """Each has so many names that its removal takes longer than the steps between two kills."""
    names = 4000
    plain = fresh(stage, root)
    many = [STATE / f"root-{number:016x}" for number in range(18)]
    killed_in_it = 0
    for moment in range(16):
        for entry in skeletons() - {plain, *many}:
            shutil.rmtree(entry)  # the next run makes its own, and thins out before
        for entry in many:
            if not entry.exists():
                entry.mkdir(mode=0o755)
                for number in range(names):
                    (entry / str(number)).touch()
        process = subprocess.Popen([str(stage.berm), "run", "--cpus", "2", "--", "true"], stdin=subprocess.DEVNULL)
        time.sleep(0.003 + moment * 0.002)
        process.kill()
        process.wait()
        halves = [entry.name for entry in many if entry.exists() and len(os.listdir(entry)) != names]
        killed_in_it += any(entry.name.startswith("draft-") for entry in STATE.iterdir())
        assert halves == [], (moment, halves)
    assert killed_in_it > 0, "the control: no kill met a removal"
    for entry in skeletons() - {plain}:
        shutil.rmtree(entry)
    assert stage.plain(root, ["true"]).status == 0
    assert not [entry.name for entry in STATE.iterdir() if entry.name.startswith("draft-")]
