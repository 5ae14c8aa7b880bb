"""Claims about the command line and policy files, on the executables that are shipped.

BERM names the berm executable; berm-policy is found by berm itself.
"""

import json
import os
import pathlib
import shutil
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
BERM = os.environ.get("BERM", str(ROOT / "build" / "berm"))


def berm(*words, cwd=None, env=None, text=True):
    return subprocess.run([BERM, *words], cwd=cwd, env=env, stdin=subprocess.DEVNULL,
                          capture_output=True, text=text, timeout=60)


def assert_refused(done, message, cure=""):
    """Exit 125, nothing on stdout, one line that says why and one that says what to change."""
    assert done.returncode == 125, (done.returncode, done.stderr)
    assert done.stdout == ""
    lines = done.stderr.splitlines()
    assert lines[0].startswith("berm: ") and message in lines[0], done.stderr
    assert len(lines) <= 2
    if cure:
        assert lines[1].startswith("  cure: ") and cure in lines[1], done.stderr


def write_policy(directory, value, name="policy.json"):
    path = directory / name
    path.write_text(value if isinstance(value, str) else json.dumps(value))
    return str(path)


REFUSALS = [
    ("unknown-flag", ["--memroy", "5MiB"], 'unknown option "--memroy"', "did you mean --memory?"),
    ("unknown-flag-with-value", ["--memroy=5MiB"], 'unknown option "--memroy"', "--memory"),
    ("unknown-short-flag", ["-q"], 'unknown option "-q"', "berm run --help"),
    ("unit-typo", ["--memory", "512mb"], '--memory: "512mb" has the unknown unit "mb"', "512MiB"),
    ("unit-missing", ["--wall", "30"], '--wall: "30" has no unit', "1.5s"),
    ("negative-limit", ["--memory", "-5MiB"], '--memory: "-5MiB" is negative', ""),
    ("negative-count", ["--processes=-1"], '--processes: "-1" is negative', ""),
    ("overflow-limit", ["--memory", "99999999999999999999MiB"], "--memory:", ""),
    ("overflow-limit-of-64-bits", ["--processes", "18446744073709551616"], "is too large", ""),
    ("limit-past-its-bounds", ["--memory", "17TiB"], "from 1MiB to 16TiB", ""),
    ("option-needs-level", ["--tmp-size", "5MiB", "--level", "L4"],
     "--tmp-size: has no effect below level L6", "use --level L6 or leave --tmp-size out"),
    ("option-needs-layer", ["--loopback", "--off", "network"],
     "--loopback: has no effect without the layer network", "leave --loopback out"),
    ("layer-needs-level", ["--prefer", "syscalls", "--level", "L5"],
     "the layer syscalls is on from level L6", "--level L6"),
    ("unknown-layer", ["--off", "netwrok"], '"netwrok" is not a layer', "did you mean network?"),
    ("unknown-level", ["--level", "L9"], '"L9" is not a level', "L0 to L6"),
    ("vm", ["--level", "L7"], "L7 (vm) does not exist yet", "L6"),
    ("network-other-than-none", ["--network", "host"], "only none exists yet", "none"),
    ("missing-value", ["--wall"], "--wall: the value is missing", "--wall TIME"),
    ("flag-as-value", ["--wall", "--json"], "--wall: the value is missing", "--wall=TIME"),
    ("switch-with-value", ["--strict=yes"], "--strict: takes no value", "--strict alone"),
    ("variable-without-name", ["--env", "=x"], "--env:", ""),
    ("dots-in-a-path", ["--ro", "/a/../b"], "--ro:", "without .."),
    ("policy-twice", ["--policy", "strict", "--policy", "lesson"], "--policy: was given twice", ""),
]


@pytest.mark.parametrize("words, message, cure", [row[1:] for row in REFUSALS],
                         ids=[row[0] for row in REFUSALS])
def test_a_wrong_flag_is_refused_and_nothing_runs(words, message, cure, tmp_path):
    mark = tmp_path / "ran"
    # What must not run comes after --, unless the flags end in a value that is missing.
    command = [] if "missing" in message and words[-1] == "--wall" else ["--", "touch", str(mark)]
    done = berm("run", *words, *command)
    if "--json" in words:
        assert done.returncode == 125
        assert message in json.loads(done.stdout)["error"]["message"]
    else:
        assert_refused(done, message, cure)
    assert not mark.exists()


@pytest.mark.parametrize("words", [["--json", "--bogus"], ["--bogus", "--json"],
                                   ["--json", "--wall", "5"], ["--wall", "5", "--json"]])
def test_with_json_a_refusal_is_json_wherever_the_flag_stands(words):
    done = berm("run", *words, "--", "true")
    assert done.returncode == 125
    error = json.loads(done.stdout)["error"]
    assert error["code"] == "invalid"
    assert error["message"] and error["cure"]


FILE_REFUSALS = [
    ("unknown-key", '{"limits": {\n "memroy": "5MiB"}}',
     "policy.json:2: limits.memroy: there is no such key", "did you mean memory?"),
    ("wrong-group", '{"memory": "5MiB"}', "policy.json:1: memory:", 'in the object "limits"'),
    ("duplicate-key", '{"limits": {"memory": "5MiB",\n"memory": "6MiB"}}',
     "policy.json:2: duplicate object key", ""),
    ("unit-typo", '{"limits": {"memory": "5mib"}}', 'limits.memory: "5mib" has the unknown unit', ""),
    ("unit-missing", '{"limits": {"memory": 512}}', 'limits.memory: "512" has no unit', "512MiB"),
    ("negative-limit", '{"limits": {"processes": -1}}', 'limits.processes: "-1" is negative', ""),
    ("overflow-limit", '{"limits": {"processes": 99999999999999999999}}',
     'limits.processes: "99999999999999999999" is too large', ""),
    ("wrong-type", '{"limits": {"processes": "5"}}', "limits.processes: is a string", ""),
    ("option-needs-level", '{"level": "L4",\n"limits": {"tmp_size": "1MiB"}}',
     "policy.json:2: limits.tmp_size: has no effect below level L6", "leave limits.tmp_size out"),
    ("relative-path", '{"filesystem": {"ro": ["data"]}}', "policy.json:1: filesystem.ro:", ""),
    ("not-json", "{", "policy.json:1: ", ""),
    ("not-an-object", "[]", "policy.json:1: is an array", ""),
    ("deep", "[" * 100000, "policy.json:1: ", ""),
    ("too-large", " " * (1 << 20) + "{}", "larger than a policy can be", ""),
]


@pytest.mark.parametrize("text, message, cure", [row[1:] for row in FILE_REFUSALS],
                         ids=[row[0] for row in FILE_REFUSALS])
def test_a_wrong_policy_file_is_refused_by_run_and_check_alike(text, message, cure, tmp_path):
    path = write_policy(tmp_path, text)
    mark = tmp_path / "ran"
    assert_refused(berm("run", "--policy", path, "--", "touch", str(mark)), message, cure)
    assert_refused(berm("policy", "check", path), message, cure)
    assert not mark.exists()


def explained(*words):
    """The wall clock, in nanoseconds as the plan has it, and the level's layers: what a policy became."""
    done = berm("explain", *words, "--", "true")
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_flags_win_over_the_file_wherever_the_file_stands(tmp_path):
    path = write_policy(tmp_path, {"limits": {"wall": "7s"}})
    plain = explained("--wall", "9s")
    assert explained("--policy", path) == explained("--wall", "7s") != plain
    assert explained("--policy", path, "--wall", "9s") == plain
    assert explained("--wall", "9s", "--policy", path) == plain


def test_a_profile_after_a_value_does_not_overwrite_it(tmp_path):
    path = write_policy(tmp_path, {"limits": {"profile": "lesson", "wall": "9s"}})
    wanted = explained("--limits", "lesson", "--wall", "9s")
    assert explained("--wall", "9s", "--limits", "lesson") == wanted
    assert explained("--policy", path) == wanted
    assert explained("--policy", path, "--limits", "standard") == explained("--wall", "9s")


@pytest.mark.parametrize("name", ["lesson", "strict"])
def test_a_shipped_policy_is_valid_and_found_by_its_name(name, tmp_path):
    done = berm("policy", "check", name, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (0, "ok\n"), done.stderr


def test_a_bare_name_is_never_a_file_of_the_current_directory(tmp_path):
    write_policy(tmp_path, {"level": "L0"}, "mine")
    assert_refused(berm("run", "--policy", "mine", "--", "true", cwd=tmp_path),
                   'there is no shipped policy "mine"', "./policy.json")
    write_policy(tmp_path, {"level": "L0"}, "lesson")
    done = berm("policy", "show", "lesson", cwd=tmp_path)
    assert json.loads(done.stdout)["level"] == "L6"


def test_what_show_prints_is_a_policy_that_gives_the_same(tmp_path):
    for name in ["lesson", "strict"]:
        shown = berm("policy", "show", name).stdout
        again = berm("policy", "show", write_policy(tmp_path, shown))
        assert again.stdout == shown, again.stderr
    complete = json.loads(berm("policy", "show").stdout)
    assert complete["limits"]["memory"] == "512MiB"
    assert complete["layers"]["syscalls"] == "require"


def test_the_schema_that_is_printed_is_the_one_in_the_reference():
    done = berm("policy", "schema")
    assert done.returncode == 0
    assert done.stdout == (ROOT / "docs/reference/policy.schema.json").read_text()


def test_a_policy_may_come_through_a_pipe():
    done = subprocess.run(["bash", "-c", '"$0" policy check <(echo "{}")', BERM],
                          capture_output=True, text=True, timeout=60)
    # /dev/fd/N has a slash: it is a path.
    assert (done.returncode, done.stdout) == (0, "ok\n"), done.stderr


def test_no_variable_of_the_caller_changes_the_policy(tmp_path):
    evil = {"BERM_LEVEL": "L0", "BERM_POLICY": "x", "BERM_POLICY_DIR": str(tmp_path),
            "LD_PRELOAD": "/does/not/exist.so", "LC_ALL": "de_DE.UTF-8", "HOME": str(tmp_path)}
    write_policy(tmp_path, {"level": "L0"}, "lesson.json")
    wanted = berm("policy", "show", "lesson")
    done = berm("policy", "show", "lesson", env={**os.environ, **evil})
    assert done.stdout == wanted.stdout and done.returncode == 0
    assert done.stderr == ""


def test_a_reader_in_a_directory_that_anybody_may_write_is_not_started(tmp_path):
    """A planted berm-policy beside a copied berm would run with the caller's rights."""
    place = tmp_path / "open"
    place.mkdir()
    copy = shutil.copy(BERM, place / "berm")
    planted = place / "berm-policy"
    planted.write_text(f"#!/bin/sh\ntouch {tmp_path}/planted\n")
    planted.chmod(0o755)
    place.chmod(0o777)
    subprocess.run([copy, "policy", "check", "strict"], capture_output=True, timeout=60)
    assert not (tmp_path / "planted").exists()
    # The control: where only the caller may write, it is started.
    place.chmod(0o755)
    subprocess.run([copy, "policy", "check", "strict"], capture_output=True, timeout=60)
    assert (tmp_path / "planted").exists()


@pytest.mark.parametrize("words", [["help"], ["--help"], ["-h"], ["help", "run"], ["run", "--help"],
                                   ["run", "-h"], ["help", "code"], ["explain", "--help"],
                                   ["help", "policy"], ["policy", "--help"], ["help", "help"],
                                   ["help", "completion"], ["completion", "--help"],
                                   ["help", "doctor"], ["doctor", "--help"], ["help", "version"]])
def test_help_goes_to_stdout_in_eighty_columns(words):
    done = berm(*words)
    assert done.returncode == 0
    assert done.stderr == ""
    assert done.stdout.startswith("Usage: ")
    assert max(len(line) for line in done.stdout.splitlines()) <= 80


def test_every_verb_of_the_overview_has_help():
    overview = berm("help").stdout
    verbs = [line.split()[0] for line in overview.splitlines() if line.startswith("  ")
             and not line.startswith("   ")]
    assert "run" in verbs and "policy" in verbs
    for verb in verbs:
        assert berm("help", verb).returncode == 0, verb


def test_help_that_cannot_be_written_is_a_failure():
    with open("/dev/full", "w") as full:
        done = subprocess.run([BERM, "help", "run"], stdout=full, stderr=subprocess.PIPE, timeout=60)
    assert done.returncode == 125
    assert b"cannot write" in done.stderr


@pytest.mark.parametrize("words, message", [
    (["help", "polcy"], 'there is no verb "polcy"'),
    (["help", "run", "x"], "a word too many"),
    (["completion", "tcsh"], '"tcsh"'),
    (["completion"], "completion"),
    (["policy"], "policy"),
    (["policy", "check"], "FILE"),
    (["policy", "show", "a", "b"], '"b"'),
    (["policy", "chek", "x"], '"chek"'),
])
def test_a_wrong_verb_is_refused_by_name(words, message):
    assert_refused(berm(*words), message)


def complete_in_bash(*words):
    script = ('eval "$("$BERM" completion bash)"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); '
              '_berm; printf "%s\\n" "${COMPREPLY[@]}"')
    done = subprocess.run(["bash", "-c", script, "bash", *words], capture_output=True, text=True,
                          env={**os.environ, "BERM": BERM}, timeout=60)
    assert done.returncode == 0 and done.stderr == "", done.stderr
    return done.stdout.split()


def test_bash_completes_what_may_stand_there():
    assert "run" in complete_in_bash("berm", "r")
    assert complete_in_bash("berm", "run", "--memo") == ["--memory"]
    assert complete_in_bash("berm", "run", "--level", "L") == [f"L{i}" for i in range(7)]
    assert complete_in_bash("berm", "run", "--wall", "5s", "--off", "net") == ["network"]
    assert complete_in_bash("berm", "run", "--wall", "=", "5s", "--lim") == ["--limits"]
    assert complete_in_bash("berm", "policy", "ch") == ["check"]
    # Behind the program's name the words are the program's.
    assert "--memory" not in complete_in_bash("berm", "run", "ls", "--memo")


@pytest.mark.parametrize("shell, check", [("zsh", ["zsh", "-n"]), ("fish", ["fish", "--no-execute"])])
def test_the_other_scripts_are_well_formed(shell, check, tmp_path):
    if not shutil.which(shell):
        pytest.skip(f"{shell} is not installed")
    script = tmp_path / "script"
    script.write_text(berm("completion", shell).stdout)
    assert subprocess.run([*check, str(script)], timeout=60).returncode == 0
