"""Help: on stdout, 80 columns, status 0. Errors: on stderr, with a cure, nothing on stdout."""
import subprocess

import pytest

VERBS = ["run", "code", "explain", "doctor", "policy", "prove", "version", "help", "completion"]


def berm(checkout, *words):
    return subprocess.run([checkout / "build/berm", *words], capture_output=True, text=True,
                          stdin=subprocess.DEVNULL, timeout=60)


def test_these_are_all_verbs(checkout):
    lines = berm(checkout, "help").stdout.splitlines()
    listed = [line.split()[0] for line in lines if line.startswith("  ") and line[2] != " "]
    assert listed == VERBS


@pytest.mark.parametrize("verb", VERBS)
def test_help_of_a_verb_goes_to_stdout_in_eighty_columns(verb, checkout):
    for words in (["help", verb], [verb, "--help"]):
        done = berm(checkout, *words)
        assert done.returncode == 0 and done.stderr == "", words
        assert done.stdout, words
        assert max(map(len, done.stdout.splitlines())) <= 80, words
        assert verb == "version" or done.stdout.startswith("Usage: "), words


@pytest.mark.parametrize("words", [
    [], ["rnu"], ["run"], ["run", "--bogus", "--", "true"], ["code", "-"], ["explain", "--wall", "5"],
    ["doctor", "--bogus"], ["policy", "frob", "strict"], ["help", "rnu"], ["completion", "tcsh"],
    ["run", "--", "no-such-program"],
], ids=" ".join)
def test_an_error_goes_to_stderr_with_a_cure(words, checkout):
    done = berm(checkout, *words)
    assert done.returncode in (125, 127) and done.stdout == ""
    lines = done.stderr.splitlines()
    assert lines[0].startswith("berm: ") and lines[1].startswith("  cure: "), done.stderr
