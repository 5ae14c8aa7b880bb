"""Claims about what berm writes and where: nothing is passed over in silence."""

import json
import os
import pathlib
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
BERM = os.environ.get("BERM", str(ROOT / "build" / "berm"))


def berm(*words, **given):
    given.setdefault("stdin", subprocess.DEVNULL)
    return subprocess.run([BERM, *map(str, words)], capture_output="stdout" not in given,
                          stderr=subprocess.PIPE if "stdout" in given else None, text=True, timeout=60, **given)


@pytest.fixture
def program(tmp_path):
    path = tmp_path / "program.py"
    path.write_text("print('ran', flush=True)\n")
    return path


@pytest.mark.parametrize("words, said", [
    (["--wall", "100ms"], "--wall"), (["--json"], "--json"), (["--nonsense"], "--nonsense"), (["word"], "word")])
def test_a_word_behind_the_program_text_is_refused(program, words, said):
    done = berm("code", "--lang", "python", program, *words)
    assert done.returncode == 125 and done.stdout == "", done
    assert said in done.stderr and "behind the program's file" in done.stderr, done


def test_control_the_same_program_runs_without_them(program):
    assert berm("code", "--lang", "python", program).stdout == "ran\n"


@pytest.mark.parametrize("at", ["/work", "/work/", "/work/main.py"])
@pytest.mark.parametrize("flag", ["--ro", "--rw"])
def test_nothing_is_brought_in_over_the_program_text(tmp_path, program, flag, at):
    (tmp_path / "main.py").write_text("print('another one')\n")
    source = tmp_path / "main.py" if at.endswith(".py") else tmp_path
    done = berm("code", "--lang", "python", flag, f"{source}:{at}", program)
    assert done.returncode == 125 and done.stdout == "", done
    assert "would cover the program's own text" in done.stderr, done
    below = berm("code", "--lang", "python", flag, f"{tmp_path}:/work/data", program)
    assert below.stdout == "ran\n", below


@pytest.mark.parametrize("words", [
    ["run", "--memory", "10", "--", "true"], ["run", "--memroy", "5MiB", "--", "true"], ["run"],
    ["run", "--policy", "nosuch", "--", "true"], ["run", "--ro", "/nonexistent", "--", "true"],
    ["run", "--", "/nonexistent"], ["code", "--lang", "cobol"], ["code", "--lang", "python", "/nonexistent"]])
def test_a_refusal_takes_the_place_of_an_earlier_result(tmp_path, words):
    place = tmp_path / "result.json"
    place.write_text('{"verdict": "exited"}')
    done = berm(words[0], "--result", place, *words[1:])
    answer = json.loads(place.read_text())
    assert done.returncode in (125, 127) and answer["error"]["message"], (done, answer)


@pytest.mark.parametrize("words", [
    ["run", "--", "echo", "hi"], ["run", "--", "sh", "-c", "echo hi >&2; echo hi"],
    ["run", "--output", "100", "--", "echo", "hi"], ["code", "--lang", "bash", "/dev/stdin"], ["run", "--json", "--",
                                                                                     "true"]])
def test_output_that_is_lost_on_a_full_disk_is_a_failure(words):
    with open("/dev/full", "w", encoding="ascii") as full:
        done = berm(*words, stdout=full, input="echo hi\n", stdin=None)
    assert done.returncode == 125 and "No space left on device" in done.stderr, done


def test_a_reader_that_goes_away_is_no_failure():
    done = subprocess.run(["sh", "-c", f"{BERM} run -- seq 100000 | head -n 1"], capture_output=True, text=True,
                          timeout=60)
    assert done.stdout == "1\n" and "could not be written" not in done.stderr, done


def test_a_dash_is_stdout_for_the_result(tmp_path):
    done = berm("run", "--result", "-", "--", "sh", "-c", "echo said >&2", cwd=tmp_path)
    assert json.loads(done.stdout)["verdict"] == "exited" and os.listdir(tmp_path) == [], done


def test_a_directory_is_no_input(tmp_path):
    done = berm("run", "--stdin", tmp_path, "--", "cat")
    assert done.returncode == 125 and "Is a directory" in done.stderr, done


def test_an_empty_name_is_no_command():
    done = berm("run", "")
    assert done.returncode == 125 and "name is empty" in done.stderr, done


@pytest.mark.parametrize("text", ["whole line\n", "no newline", ""])
def test_the_end_of_input_is_told_to_a_terminal(text):
    """Without it the program waits until the wall clock ends it."""
    done = berm("run", "-t", "--wall", "20s", "--", "sh", "-c", "cat; echo over", input=text, stdin=None)
    assert done.returncode == 0, done
    said = done.stdout.replace("\r", "").replace("\n", "")  # the terminal's echo, then cat's
    assert said == 2 * text.strip() + "over", done
