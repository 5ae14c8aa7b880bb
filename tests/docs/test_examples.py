"""Every example of the documents does what stands below it.

A block marked `console` is a session: lines behind "$ " are run by one shell, in a fresh directory that looks like
a checkout with a build, and what they print, errors included, is the rest. `console root` and `console user`
are for one identity alone. In the output `...` stands for anything on its line; times of "after 1.00 s" differ.
A `python` block is run, and prints the `text` block behind it. A `c` block is a piece of examples/embed.c.
"""
import re
import subprocess
import textwrap

import pytest

from pages import ROOT, all_pages, blocks, name_of

PATIENCE_S = 120
MARK = "\x01"


def found(language):
    return [(page, block) for page in all_pages() for block in blocks(page)
            if block.language == language]


def ids(pairs):
    return [f"{name_of(page)}:{block.line}" for page, block in pairs]


CONSOLE = found("console")
PYTHON = found("python")
C = found("c")


def session(text):
    """[(command, expected output)]"""
    steps = []
    for line in text.splitlines():
        if line.startswith("$ "):
            steps.append((line[2:], []))
        elif line.startswith("> ") and steps and not steps[-1][1]:
            steps[-1] = (steps[-1][0] + "\n" + line[2:], [])
        else:
            assert steps, f"output before a command: {line!r}"
            steps[-1][1].append(line)
    return steps


def script_of(steps):
    """One shell for all, so that $? and variables last; a mark behind what each command printed."""
    lines = ["exec 2>&1", f"__mark() {{ local status=$?; printf '{MARK}'; return $status; }}"]
    for command, _ in steps:
        lines += [command, "__mark"]
    return "\n".join(lines) + "\n"


def environment(directory, identity):
    given = identity.environment({"LANG": "C.UTF-8", "LC_ALL": "C.UTF-8"})
    given["PATH"] = f"{directory}/build:/usr/local/bin:/usr/bin:/bin"
    return given


def run(directory, identity, argv):
    done = subprocess.run(identity.command(argv), env=environment(directory, identity), cwd=directory,
                          stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=PATIENCE_S)
    return done


def plain(line):
    """What differs from run to run stands for itself."""
    return re.sub(r"after \d+\.\d+ s", "after N s", line.rstrip())


def is_like(expected, actual):
    pattern = ".*".join(re.escape(part) for part in plain(expected).split("..."))
    return re.fullmatch(pattern, plain(actual)) is not None


def assert_like(expected, actual, command):
    same = len(expected) == len(actual) and all(map(is_like, expected, actual))
    assert same, "\n".join([f"$ {command}", "is said to print:", *expected, "and prints:", *actual])


@pytest.mark.parametrize("page, block", CONSOLE, ids=ids(CONSOLE))
def test_a_session_prints_what_stands_below_it(page, block, directory, identity):
    if block.words and identity.name not in block.words.split():
        pytest.skip(f"an example for {block.words} alone")
    steps = session(block.text)
    done = run(directory, identity, ["bash", "-c", script_of(steps)])
    parts = done.stdout.split(MARK)
    assert len(parts) == len(steps) + 1, f"the shell ended early: {done.stdout}{done.stderr}"
    for (command, expected), printed in zip(steps, parts):
        assert_like(expected, printed.splitlines(), command)


@pytest.mark.parametrize("page, block", PYTHON, ids=ids(PYTHON))
def test_a_python_program_prints_the_block_behind_it(page, block, directory, identity):
    behind = blocks(page)[[b.line for b in blocks(page)].index(block.line) + 1]
    assert behind.language == "text", f"no text block behind {name_of(page)}:{block.line}"
    done = run(directory, identity, ["python3", "-c", block.text])
    assert done.returncode == 0, done.stderr
    assert_like(behind.text.splitlines(), done.stdout.splitlines(), "python3")


@pytest.mark.parametrize("page, block", C, ids=ids(C))
def test_a_piece_of_c_is_a_piece_of_the_example(page, block):
    whole = [line.strip() for line in (ROOT / "examples/embed.c").read_text().splitlines()]
    piece = [line.strip() for line in textwrap.dedent(block.text).splitlines()]
    assert any(whole[i:i + len(piece)] == piece for i in range(len(whole))), block.text


def test_the_reader_is_shown_a_shell_a_python_and_a_c_example():
    readme = [block.language for block in blocks(ROOT / "README.md")]
    assert {"console", "python", "c"} <= set(readme)


@pytest.mark.parametrize("expected, actual", [("a", "b"), ("a ... c", "a b"), ("after 1.00 s: x", "after 1.00 s: y")])
def test_a_difference_is_seen(expected, actual):
    assert not is_like(expected, actual)
    with pytest.raises(AssertionError):
        assert_like([expected], [actual], "command")
    with pytest.raises(AssertionError):
        assert_like([expected], [], "command")
