"""Files in and out of one run: --put, --get, and the list in the result."""
import json
import os
import subprocess

import pytest

CANARY = "canary-of-the-host"


@pytest.fixture
def place(tmp_path, identity):
    """A directory of the caller's, that whoever starts berm owns."""
    os.chmod(tmp_path.parent.parent, 0o755)
    os.chmod(tmp_path.parent, 0o755)
    os.chmod(tmp_path, 0o755)
    if os.geteuid() == 0:
        os.chown(tmp_path, identity.uid, identity.gid)
    return tmp_path


def run(stage, identity, place, options, script, level="L6"):
    argv = [stage.berm, "run", "--level", level, *options, "--", "sh", "-c", script]
    return subprocess.run(identity.command([str(word) for word in argv]), env=identity.environment(None),
                          cwd=place, stdin=subprocess.DEVNULL, capture_output=True, timeout=60)


def listed(done):
    assert done.stdout, done
    return {entry["path"]: entry for entry in json.loads(done.stdout)["files"]}


@pytest.mark.parametrize("level", ["L3", "L5", "L6"])
def test_a_file_that_is_put_is_read_inside_and_what_is_made_of_it_comes_out(stage, identity, place, leftovers, level):
    (place / "in.csv").write_bytes(bytes(range(256)))
    done = run(stage, identity, place, ["--put", "in.csv:data/in.csv", "--get", "out.bin:back.bin"],
               "cat data/in.csv data/in.csv > out.bin", level)
    assert (done.returncode, done.stderr) == (0, b"")
    assert (place / "back.bin").read_bytes() == bytes(range(256)) * 2
    assert (place / "back.bin").stat().st_uid == identity.uid


def test_the_result_lists_what_the_run_made_and_not_what_was_put(stage, identity, place, leftovers):
    (place / "in").write_text("12345")
    (place / "same").write_text("1")
    done = run(stage, identity, place, ["--json", "--put", "in", "--put", "same"],
               "echo more >> in; mkdir -p d; echo new > d/new; ln -s /etc/passwd link; mkfifo fifo")
    assert {path: (entry["type"], entry.get("bytes")) for path, entry in listed(done).items()} == {
        "in": ("file", 10), "d/new": ("file", 4), "link": ("link", None), "fifo": ("fifo", None)}


def test_a_name_that_would_rewrite_a_terminal_is_listed_escaped_and_comes_out_by_that_name(stage, identity, place,
                                                                                           leftovers):
    script = "printf a > \"$(printf 'x\\033[2J\\ny\\377')\"; printf b > ./-rf"
    done = run(stage, identity, place, ["--json"], script)
    names = sorted(listed(done))
    assert names == ["%2Drf", "x%1B[2J%0Ay%FF"]
    done = run(stage, identity, place, [word for name in names for word in ("--get", name)], script)
    assert (done.returncode, done.stderr) == (0, b"")
    assert sorted(os.listdir(place)) == names


ATTEMPTS = {
    "link": ("ln -s {canary} out", b"link"),
    "link-on-the-way": ("ln -s {folder} d", b"link"),
    "fifo": ("mkfifo out", b"regular"),
    "directory": ("mkdir out", b"regular"),
    "hard-link": ("echo x > one; ln one out", b"hard link"),
}


@pytest.mark.parametrize("attempt", ATTEMPTS)
def test_no_name_of_the_programs_leads_to_a_host_file(stage, identity, place, leftovers, attempt):
    script, said = ATTEMPTS[attempt]
    (place / "canary").write_text(CANARY)
    name = "d/canary" if attempt == "link-on-the-way" else "out"
    done = run(stage, identity, place, ["--get", f"{name}:got"],
               script.format(canary=place / "canary", folder=place))
    assert done.returncode == 125 and said in done.stderr, done
    assert not (place / "got").exists()


def naive_get(directory, name, target):
    """What a helper does that trusts names: it opens them."""
    with open(os.path.join(directory, name), "rb") as source, open(target, "wb") as out:
        out.write(source.read())


@pytest.mark.parametrize("attempt", ["link", "link-on-the-way"])
def test_control_a_helper_that_trusts_names_is_tricked(place, attempt):
    (place / "canary").write_text(CANARY)
    work = place / "work"
    work.mkdir()
    script, _ = ATTEMPTS[attempt]
    subprocess.run(["sh", "-c", script.format(canary=place / "canary", folder=place)], cwd=work, check=True)
    naive_get(work, "d/canary" if attempt == "link-on-the-way" else "out", place / "got")
    assert (place / "got").read_text() == CANARY


def test_a_copy_replaces_a_link_at_its_place_and_never_writes_through_it(stage, identity, place, leftovers):
    (place / "precious").write_text("precious")
    (place / "out").symlink_to(place / "precious")
    done = run(stage, identity, place, ["--get", "out"], "echo theirs > out")
    assert (done.returncode, done.stderr) == (0, b"")
    assert (place / "precious").read_text() == "precious"
    assert not (place / "out").is_symlink() and (place / "out").read_text() == "theirs\n"


def test_a_pattern_brings_out_all_files_that_match(stage, identity, place, leftovers):
    (place / "plots").mkdir()
    os.chown(place / "plots", identity.uid, identity.gid)
    done = run(stage, identity, place, ["--get", "out/*.png:plots"],
               "mkdir out; for i in 1 2 3; do echo $i > out/$i.png; done; echo x > out/x.txt")
    assert (done.returncode, done.stderr) == (0, b"")
    assert sorted(os.listdir(place / "plots")) == ["1.png", "2.png", "3.png"]


@pytest.mark.parametrize("options, said", [
    (["--put", "missing"], b'--put "missing": No such file'),
    (["--put", "."], b"not a regular file"),
    (["--put", "in:../x"], b".."),
    (["--put", "in:/etc/x"], b"/etc/x"),
    (["--get", "../x"], b".."),
    (["--get", "a:b:c"], b"NAME[:FILE]"),
])
def test_a_word_that_cannot_be_meant_is_refused_before_anything_runs(stage, identity, place, leftovers, options,
                                                                     said):
    (place / "in").write_text("x")
    done = run(stage, identity, place, options, "echo ran")
    assert done.returncode == 125 and done.stdout == b"" and said in done.stderr, done


def test_get_is_refused_where_the_program_may_still_live(stage, identity, place, leftovers):
    done = run(stage, identity, place, ["--get", "out"], "echo x > out", "L2")
    assert done.returncode == 125 and b"--level L3" in done.stderr, done


def test_a_file_that_is_not_there_is_said_and_the_status_tells(stage, identity, place, leftovers):
    done = run(stage, identity, place, ["--get", "nothing"], "echo ran")
    assert done.returncode == 125 and done.stdout == b"ran\n" and b"nothing" in done.stderr, done
