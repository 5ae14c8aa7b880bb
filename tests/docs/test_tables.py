"""The tables of the documents say what the code says."""
import json
import re
import subprocess

import pytest

import tables
from conftest import BUILD
from pages import ROOT, table_behind

README = ROOT / "README.md"
LEVELS = ROOT / "docs/levels.md"
RESULT = ROOT / "docs/reference/result.md"

LEVEL_TABLES = [(README, "What each level turns on"), (LEVELS, "What is on")]
# A word of a cell and the promise that it stands for, in what `explain` prints.
WORDS = {
    "hide": "chosen paths are hidden",
    "root": "only listed paths exist",
    "IPC, UTS and cgroup namespaces": "IPC, UTS and cgroup namespaces",
    "Landlock": "Landlock",
    "uid 1000": "uid of its own|identity of its own",
}


def explained(checkout, identity, level):
    """{layer: its part of the plan}"""
    done = subprocess.run(
        identity.command([str(checkout / "build/berm"), "explain", "--level", level, "--json"]),
        capture_output=True, text=True, stdin=subprocess.DEVNULL, cwd="/",
        env=identity.environment(), timeout=60)
    assert done.returncode == 0, done.stderr
    return {layer["layer"]: layer for layer in json.loads(done.stdout)["layers"]}


@pytest.mark.parametrize("page, heading", LEVEL_TABLES, ids=["README", "levels"])
def test_the_level_table_is_what_explain_prints(page, heading, checkout, identity):
    head, *rows = table_behind(page, heading)
    assert head[1:] == [f"L{i}" for i in range(7)]
    for column, level in enumerate(head[1:], 1):
        layers = explained(checkout, identity, level)
        said = {re.match(r"\w+", row[0])[0]: row[column] for row in rows}
        assert list(said) == list(layers), "the table has every layer, in the order of explain"
        for name, cell in said.items():
            is_on = layers[name]["state"] != "off"
            assert is_on == (cell != "–"), f"{level} {name}: {cell!r}, the state is {layers[name]['state']}"


@pytest.mark.parametrize("page, heading", LEVEL_TABLES, ids=["README", "levels"])
def test_a_word_in_a_cell_is_a_promise_of_that_level_and_of_no_lower_one(page, heading, checkout, identity):
    head, *rows = table_behind(page, heading)
    for row in rows:
        name = re.match(r"\w+", row[0])[0]
        for word, promise in WORDS.items():
            said = [level for level, cell in zip(head[1:], row[1:]) if re.search(rf"\b{word}\b", cell)]
            kept = [level for level in head[1:]
                    if said and re.search(promise, json.dumps(explained(checkout, identity, level)[name]))]
            assert said == kept, f"{name}: {word!r} stands at {said}, {promise!r} is promised at {kept}"


def test_the_exit_statuses_are_those_of_the_reference():
    """What stands in README is a digest of the verdicts' table."""
    readme = {int(number) for row in table_behind(README, "Exit status")[1:]
              for number in re.findall(r"\b1[2-9]\d\b", row[0])}
    verdicts = {int(row[2]) for row in table_behind(RESULT, "Verdicts")[1:] if row[2].isdigit()}
    failures = {int(n) for n in re.findall(r"is then (\d+), (\d+)[^,]*, (\d+)", RESULT.read_text())[0]}
    assert readme == verdicts | failures | {128 for _ in [0] if 128 in readme}


ENDS = [
    (124, ["--wall", "100ms", "--", "sleep", "9"]),
    (125, ["--level", "L7", "--", "true"]),
    (126, ["--", "/etc/passwd"]),
    (127, ["--", "no-such-program"]),
    (137, ["--output-total", "1KiB", "--", "sh", "-c", "while :; do echo flood; done"]),
    (152, ["--cpu-time", "100ms", "--", "sh", "-c", "while :; do :; done"]),
    (153, ["--file-size", "1KiB", "--", "dd", "if=/dev/zero", "of=big", "bs=1M", "count=1"]),
    (139, ["--", "sh", "-c", "kill -SEGV $$"]),
    (7, ["--", "sh", "-c", "exit 7"]),
]


@pytest.mark.parametrize("status, words", ENDS, ids=[str(status) for status, _ in ENDS])
def test_a_run_ends_with_the_status_of_the_table(status, words, checkout, identity):
    done = subprocess.run(identity.command([str(checkout / "build/berm"), "run", *words]),
                          capture_output=True, stdin=subprocess.DEVNULL, cwd="/",
                          env=identity.environment(), timeout=60)
    assert done.returncode == status, done.stderr


def test_the_order_and_the_arrows_are_those_of_the_source():
    wanted = tables.page_as_it_should_be()
    assert tables.PAGE.read_text() == wanted, "run tests/docs/tables.py --write"


def test_every_step_of_the_executable_is_in_the_table():
    """The source is read by a pattern: the executable says whether it missed a row."""
    fault = BUILD / "berm-fault"
    if not fault.exists():
        pytest.skip("berm-fault is not built: this build makes no fault injection")
    done = subprocess.run([fault, "--steps"], capture_output=True, text=True, check=True)
    real = [tuple(line.split()[1:]) for line in done.stdout.splitlines()]
    assert [(name, owner) for name, _, owner, _, _ in tables.steps()] == real
