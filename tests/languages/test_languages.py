"""Every row of src/cli/runners.def on real programs: what goes in comes back, at the default level."""
import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from programs import BAD, COMPILED, GOOD

ROWS = (Path(__file__).resolve().parents[2] / "src/cli/runners.def").read_text()
# name -> (programs that it may be, the package)
RUNNERS = {match[0]: (match[1].split(), match[2]) for match in re.findall(
    r'^RUNNER\("([^"]+)",\s*"[^"]*",\s*"[^"]+",\s*"([^"]+)",\s*"([^"]+)"', ROWS, re.M)}
# As berm looks it up: the system's own, never what somebody put into a PATH.
SYSTEM_PATH = "/usr/local/bin:/usr/bin:/bin"
# A compiler under a sanitizer of time: go builds its own library at first.
PATIENCE = ["--wall", "120s", "--cpu-time", "120s", "--memory", "2GiB", "--processes", "256",
            "--work-size", "1GiB", "--tmp-size", "1GiB"]


def is_installed(language):
    return any(shutil.which(name, path=SYSTEM_PATH) for name in RUNNERS[language][0])


def code(stage, identity, language, text, stdin=""):
    """berm code, the program by a pipe or a file, as its input is needed."""
    program = stage.directory / f"program-{language}"
    program.write_text(text)
    program.chmod(0o644)
    done = subprocess.run(
        identity.command([str(stage.berm), "code", "--json", *PATIENCE, "--lang", language, "--stdin", "-",
                          str(program)]),
        env=identity.environment(), input=stdin, capture_output=True, text=True, timeout=300)
    return json.loads(done.stdout), done.returncode


@pytest.fixture
def language(request):
    if not is_installed(request.param):
        pytest.skip(f"not installed: {RUNNERS[request.param][1]}")
    return request.param


def every(names):
    return pytest.mark.parametrize("language", names, indirect=True)


def test_every_row_has_a_program():
    assert set(GOOD) == set(BAD) == set(RUNNERS)


@every(list(GOOD))
def test_what_a_program_computes_comes_back(stage, identity, leftovers, language):
    result, status = code(stage, identity, language, GOOD[language], stdin="1\n2\n3\n4\n6\n")
    assert result["verdict"] == "exited", result
    assert result["stdout"] == "n=5 mean=3.20\n", result
    assert result["stderr"].strip() == "done", result
    assert result["exit_code"] == 3 and status == 3, result


@every(list(BAD))
def test_a_program_that_does_not_hold_says_why(stage, identity, leftovers, language):
    text, word = BAD[language]
    result, status = code(stage, identity, language, text)
    said = result["stderr"] + result["stdout"]
    if language in COMPILED:
        assert word in said + json.dumps(result.get("compile", {})), result
    else:
        assert word in said, result
    assert status not in (0, 125, 126, 127) or language == "bash" and status == 127, result


def test_an_interpreter_that_is_missing_is_named_with_its_package(stage, identity):
    """Hidden by a mount that only this process sees; the control is that the same call runs without it."""
    if identity.name != "root":
        pytest.skip("only root can hide the interpreter of the system")
    place = shutil.which("perl", path=SYSTEM_PATH)
    words = f"{stage.berm} code --json --lang perl - <<< 'print 1'"
    assert json.loads(subprocess.run(["bash", "-c", words], capture_output=True).stdout)["stdout"] == "1"
    done = subprocess.run(["unshare", "-m", "bash", "-c", f"mount --bind /dev/null {place} && {words}"],
                          capture_output=True, text=True)
    error = json.loads(done.stdout)["error"]
    assert error["code"] == "not_found" and "apt install perl" in error["cure"], error
    assert done.returncode == 127, done
