"""Experiments: their tables show what their lessons say, for root and for an ordinary user, and the page tells the same.

Figures that a busy machine moves are held to what is promised, and no tighter.
"""
import contextlib
import importlib.machinery
import importlib.util
import json
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest

from conftest import BUILD, identity_or_skip
from machine import is_root

ROOT = Path(__file__).resolve().parents[2]
NEEDED = {"berm": "berm", "prover": "src/prove/berm-prove", "guest": "src/guest/berm-guest"}
PATIENCE_S = 120
NOT_FOR_CALLER = "not for this caller"
NO_GROUP = "no control group here"


def load_generator():
    sys.dont_write_bytecode = True  # the tools' folder stays as it is
    loader = importlib.machinery.SourceFileLoader("gen_experiments", str(ROOT / "tools/gen-experiments"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
    loader.exec_module(module)
    return module


generator = load_generator()


def worlds_processes():
    """{(pid, world)} of attackers; a world is the directory from which it was started."""
    found = set()
    for entry in Path("/proc").iterdir():
        try:
            program = Path((entry / "cmdline").read_bytes().split(b"\0")[0].decode(errors="replace"))
        except OSError:
            continue
        if program.name == "berm-guest" and program.parent.name.startswith("berm-prove-"):
            found.add((entry.name, program.parent))
    return found


@pytest.fixture
def tidy(leftovers):
    """Nothing is left: no process of a world that is gone either. Worlds that are there belong to others."""
    yield
    left = [f"process {pid} of {world}" for pid, world in worlds_processes() if not world.exists()]
    assert not left, "left behind: " + "; ".join(left)


@pytest.fixture(scope="module")
def documents(prover):
    """The JSON document of an experiment for an identity; each is run once."""
    made = {}

    def document_of(identity, name):
        if (identity.name, name) not in made:
            made[identity.name, name] = prover.run(identity, "experiment", name, "--json")
        done = made[identity.name, name]
        assert done.returncode == 0, f"exit status {done.returncode}\n{done.stdout}{done.stderr}"
        return json.loads(done.stdout)
    return document_of


@pytest.fixture
def rows(documents, identity, tidy):
    """The rows of an experiment that have figures, by name; of rows with the same name a list."""
    def rows_of(name):
        document = documents(identity, name)
        assert document["shown"] is True and document["experiment"] == name
        assert document["who"] == ("root" if identity.name == "root" else "an ordinary user")
        assert all(row["as_said"] for row in document["rows"]), document
        assert all(row["lack"] in (None, NOT_FOR_CALLER, NO_GROUP) for row in document["rows"]), document
        return [row for row in document["rows"] if row["lack"] is None]
    return rows_of


def by_name(rows):
    return {row["row"]: row for row in rows}


# Each lesson.

def test_a_child_is_swept_from_l1_and_a_daemon_ended_from_l3(rows):
    seen = [(row["row"].split()[0], row["child_goes_on"], row["daemon_goes_on"]) for row in rows("orphan")]
    assert seen == [("L0", True, True), ("L1", False, True), ("L2", False, True), ("L3", False, False),
                    ("L4", False, False), ("L5", False, False), ("L6", False, False)]


def test_rlimit_nproc_does_nothing_for_root_and_the_other_limits_hold(rows, identity):
    seen = by_name(rows("nproc-root"))
    alone = seen.pop("RLIMIT_NPROC alone, without berm")
    groups = {name for name in seen if name.startswith("control group")}
    others = set(seen) - groups
    if identity.name == "root":
        assert alone["started"] == 30
        assert others == {"a monitor (L3, no group)", "a monitor, and all at once", "own host uid (L6, no group)"}
    else:
        assert alone["started"] < 5
        assert others == {"own user namespace (L3, no group)"}
    for name, row in seen.items():
        is_monitor = name.startswith("a monitor")
        assert row["verdict"] == ("processes" if is_monitor else "exited"), name
        assert 5 <= row["started"] <= 30 if is_monitor else row["started"] == 4, name


def test_a_soft_cpu_limit_does_not_end_pid_1_and_ends_others(rows):
    seen = by_name(rows("cpu-pid1"))
    ended = {name: row["ended_by"] for name, row in seen.items()}
    assert ended == {"soft 2, hard 2": "SIGKILL", "soft 2, hard 3": "SIGXCPU", "soft 2, hard 3, as PID 1": "SIGKILL",
                     "soft 2, hard 3, PID 2 under an init": "SIGXCPU",
                     "berm run --level L3 --cpu-time 2s": "cpu_timeout"}
    ran = {name: row["ran_s"] for name, row in seen.items()}
    assert ran["soft 2, hard 3, as PID 1"] > 1.1 * ran["soft 2, hard 3"]
    # A tick of the kernel's is no exact clock: half of a limit to one second more is what it keeps.
    assert all(1.0 <= seconds <= 3.5 for seconds in ran.values()), ran
    assert ran["berm run --level L3 --cpu-time 2s"] < 3.0


def test_the_last_line_comes_back_from_berm_and_not_from_a_head(rows):
    seen = by_name(rows("head-tail"))
    assert {name: row["has_last_line"] for name, row in seen.items()} == {
        "all of it": True, "the first 2,000": False, "the last 2,000": True, "berm, 60 % and 40 %": True}
    berm = seen["berm, 60 % and 40 %"]
    assert (berm["start_chars"], berm["end_chars"]) == (1200, 800)
    assert seen["all of it"]["start_chars"] > 19000


def test_the_loopback_of_the_host_is_reached_at_l3_and_unreachable_at_l4(rows):
    open_row, closed = rows("honeypot")
    assert (open_row["said"], open_row["connections"]) == ("connected", 1)
    assert (closed["said"], closed["connections"]) == ("101 Network is unreachable", 0)


def test_a_key_is_read_by_its_full_path_up_to_l4_and_not_from_l5(rows):
    seen = {row["row"].split()[0]: row for row in rows("hidden-key")}
    assert {level: row["key_came_out"] for level, row in seen.items()} == {
        "L2": True, "L4": True, "L5": False, "L6": False}
    assert seen["L6"]["said"].startswith("2 "), "it should not exist at L6"


def test_a_count_knows_of_memory_and_a_guess_is_once_right_and_once_wrong(rows, identity):
    seen = {(row["row"], row["counted_by"]): row for row in rows("oom-flag")}
    takes, says = "takes 256 MiB of 64", "says MemoryError, takes none"
    exits, killed = "exits with 137 itself", "is killed from outside, kill -9"
    wanted = {
        (takes, "group"): (137, "memory", True, "kernel"),
        (takes, "monitor"): (137, "memory", True, "monitor"),
        (takes, "nobody"): (1, "exited", True, "guess"),
        (says, "group"): (1, "exited", False, None),
        (says, "nobody"): (1, "exited", True, "guess"),
        (exits, "group"): (137, "exited", False, None),
        (exits, "nobody"): (137, "exited", False, None),
        (killed, "group"): (137, "signaled", False, None),
        (killed, "nobody"): (137, "signaled", False, None),
    }
    kept = {key: value for key, value in wanted.items() if key in seen}
    assert {key: (row["status"], row["verdict"], row["oom"], row["oom_source"])
            for key, row in seen.items()} == kept
    assert {key for key in wanted if key[1] != "group"} <= set(kept)
    assert all((row["took_mib"] > 16) == (name == takes) for (name, _), row in seen.items()), seen


def test_the_pid_namespace_hides_that_there_is_no_sweep(rows):
    seen = {row["row"]: (row["child_goes_on"], row["daemon_goes_on"]) for row in rows("layer-hides-defect")}
    assert seen["L1"] == (False, True) and seen["L1 --off limits"] == (True, True)
    assert seen["L3"] == seen["L3 --off limits"] == (False, False)
    assert seen["L3 --off process, no group"] == (False, True)
    assert seen["L3 --off limits, process"] == (True, True)


# The list, the words, the exit status.

def test_the_list_names_each_experiment_with_a_sentence(prover, tidy):
    user = identity_or_skip("user")
    text = prover.run(user, "experiment")
    document = json.loads(prover.run(user, "experiment", "--json").stdout)
    assert text.returncode == 0 and max(map(len, text.stdout.splitlines())) <= 80
    listed = [line.split()[0] for line in text.stdout.splitlines() if not line.startswith(" ")]
    assert listed == [each["experiment"] for each in document]
    for each in document:
        assert each["question"] in " ".join(text.stdout.split()), each


def test_the_text_tells_what_the_document_tells_in_eighty_columns(prover, documents, identity, tidy):
    text = prover.run(identity, "experiment", "honeypot").stdout
    assert max(map(len, text.splitlines())) <= 80 and text.isascii()
    assert generator.compare_section(text, documents(identity, "honeypot")) == []


@pytest.mark.parametrize("words", [["no-such"], ["honeypot", "orphan"], ["honeypot", "--bogus"]], ids=" ".join)
def test_a_wrong_word_is_refused_with_a_cure(prover, tidy, words):
    done = prover.run(identity_or_skip("user"), "experiment", *words)
    lines = done.stderr.splitlines()
    assert done.returncode == 125 and done.stdout == ""
    assert lines[0].startswith("berm: prove experiment: ") and words[-1] in lines[0]
    assert lines[1].startswith("  cure: ")


# As if berm kept the head of an output alone.
HEAD_ONLY = """#!/bin/sh
while [ "$1" != -- ]; do shift; done
shift
"$@" | head -c 2000
"""


@contextlib.contextmanager
def prover_beside(berm):
    """The executable of `berm prove`, beside a script that stands for berm, or beside none."""
    place = Path(tempfile.mkdtemp(prefix="berm-stage-", dir="/tmp"))
    place.chmod(0o755)
    for name, relative in NEEDED.items():
        target = place / relative
        target.parent.mkdir(parents=True, exist_ok=True)
        if name != "berm":
            shutil.copy(BUILD / relative, target)
        elif berm:
            target.write_text(berm)
            target.chmod(0o755)
    yield place / NEEDED["prover"]
    shutil.rmtree(place)


def run_as_user(prover, *words):
    user = identity_or_skip("user")
    return subprocess.run(user.command([str(prover), "experiment", *words]), env=user.environment(),
                          stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=PATIENCE_S, cwd="/")


def test_a_table_that_does_not_show_its_lesson_exits_1_and_names_the_row(tidy):
    with prover_beside(berm=HEAD_ONLY) as prover:
        text = run_as_user(prover, "head-tail")
        document = json.loads(run_as_user(prover, "head-tail", "--json").stdout)
    assert text.returncode == 1
    assert text.stdout.splitlines()[-1] == "Not as the lesson says: row 4, berm, 60 % and 40 %"
    assert document["shown"] is False
    assert [row["as_said"] for row in document["rows"]] == [True, True, True, False]


def test_without_berm_nothing_is_run(tidy):
    with prover_beside(berm=None) as prover:
        done = run_as_user(prover, "honeypot")
    assert (done.returncode, done.stdout) == (125, "") and "cure: install" in done.stderr


def test_a_signal_ends_it_and_nothing_is_left(prover, tidy):
    user = identity_or_skip("user")
    before = worlds_processes()
    process = subprocess.Popen(
        user.command([str(prover.directory / "berm"), "prove", "experiment", "cpu-pid1"]), env=user.environment(),
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd="/")
    end = time.monotonic() + 20
    while not worlds_processes() - before and time.monotonic() < end:
        time.sleep(0.01)
    process.send_signal(signal.SIGTERM)
    out, complaint = process.communicate(timeout=PATIENCE_S)
    assert (process.returncode, out) == (125, "") and "stopped by a signal" in complaint


# The page.

@pytest.fixture(scope="module")
def as_root(documents):
    if not is_root():
        pytest.skip("the tests were not started by root, and the page tells what root sees")
    root = identity_or_skip("root")
    made = [documents(root, each) for each in generator.names_in((ROOT / generator.PAGE).read_text())]
    if any(row["lack"] == NO_GROUP for document in made for row in document["rows"]):
        pytest.skip("this machine has no control groups, and the page was written on one that has")
    return made


def test_the_page_has_a_section_for_each_experiment(prover):
    listed = json.loads(prover.run(identity_or_skip("user"), "experiment", "--json").stdout)
    page = (ROOT / generator.PAGE).read_text()
    assert generator.names_in(page) == [each["experiment"] for each in listed]


def test_the_page_tells_what_the_experiments_print_now(as_root):
    assert generator.differences((ROOT / generator.PAGE).read_text(), as_root) == []


@pytest.mark.parametrize("right,wrong", [
    ("L3 process     no             no", "L3 process     no             yes"),
    ("L4 network  101 Network is unreachable", "L4 network  110 Connection timed out"),
    ("group     63     137  memory    yes  kernel", "group     63     137  memory    yes  guess"),
    ("## hidden-key", "## a hidden key"),
    ("<!-- experiment orphan -->", "<!-- experiment orphans -->"),
    ("a sweep of the session ends", "a sweep of the session spares"),
], ids=["a figure", "a word", "a source", "a heading", "a name", "a lesson"])
def test_a_page_that_tells_something_else_is_found(as_root, right, wrong):
    page = (ROOT / generator.PAGE).read_text()
    assert right in page
    assert generator.differences(page.replace(right, wrong), as_root) != []
