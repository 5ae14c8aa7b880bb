"""Options of `berm prove`, and other sandboxes."""
import os
import signal
import subprocess
import time
from pathlib import Path

import pytest

QUICK = "env-key,fd-leak,tmp-read,loopback-tcp,others-kill,daemon,no-filter"


def test_the_list_has_every_attack_in_a_sentence(prover, identity):
    done = prover.run(identity, "--list")
    assert done.returncode == 0 and len(done.stdout.splitlines()) >= 60
    assert max(map(len, done.stdout.splitlines())) <= 120


def test_an_attack_explained(prover, identity):
    done = prover.run(identity, "--explain", "ssh-key")
    assert done.returncode == 0
    for word in ("tries", "harm", "filesystem", "L5"):
        assert word in done.stdout


@pytest.mark.parametrize("words, says", [
    (["--only", "nope"], "there is no such attack"), (["--only", "nope*"], "no attack begins so"),
    (["--explain", "nope"], "there is no such attack"), (["--level", "L9"], "there is no such level"),
    (["--jobs", "0"], "--jobs 0"), (["--frob"], 'unknown option "--frob"'), (["word"], '"word"'),
    (["--html", "/no/such/page.html", "--only", "env-key"], "--html"), (["--only"], "needs a value"),
], ids=lambda words: " ".join(words) if isinstance(words, list) else "")
def test_what_cannot_be_meant_is_refused_with_a_cure(prover, identity, words, says):
    done = prover.run(identity, *words)
    assert done.returncode == 125 and done.stdout == ""
    assert done.stderr.startswith("berm: ") and says in done.stderr and "cure: " in done.stderr


def test_a_wrapper_that_merely_runs_the_command_is_no_sandbox(prover, identity, leftovers):
    _, document = prover.json(identity, "--only", QUICK, "--against", "env", "--level", "L0", "--level", "L6")
    assert [column["name"] for column in document["columns"]] == ["L0", "L6", "env"]
    for attack in document["attacks"]:
        bare, hardened, wrapped = (cell["state"] for cell in attack["cells"])
        assert (bare, hardened, wrapped) == ("harmed", "contained", "harmed"), attack["id"]


@pytest.mark.parametrize("command", ["false", "sh -c 'exit 3'", "no-such-command", "sh -c \"echo no >&2; exit 1\""])
def test_a_wrapper_that_fails_contains_nothing(prover, identity, leftovers, command):
    status, document = prover.json(identity, "--only", QUICK, "--against", command, "--level", "L6")
    column = document["columns"][2]
    assert status == 1
    if command == "no-such-command":
        assert "no such program" in column["missing"]
        return
    assert {attack["cells"][2]["state"] for attack in document["attacks"]} == {"error"}


def test_a_wrapper_that_swallows_output_contains_nothing(prover, identity, leftovers):
    _, document = prover.json(identity, "--only", "env-key,ssh-key", "--against", "sh -c '\"$@\" | head -n 1' x")
    assert {attack["cells"][2]["state"] for attack in document["attacks"]} == {"error"}, document


def test_words_of_a_command_are_read_as_a_shell_reads_them(prover, identity):
    _, document = prover.json(identity, "--only", "env-key", "--against", 'sh -c "exec \\"\\$@\\"" x')
    assert document["attacks"][0]["cells"][2]["state"] == "harmed", document


def test_what_was_filled_is_gone_when_the_attack_was_ended_early(prover, identity, leftovers):
    prover.json(identity, "--only", "disk-tmp,disk-shm", "--against", "timeout -s KILL 0.03")


def test_children_that_outlive_the_wrapper_are_harm(prover, identity, leftovers):
    _, document = prover.json(identity, "--only", "wall-family", "--against", "timeout --foreground -s KILL 1")
    assert document["attacks"][0]["cells"][2]["state"] == "harmed", document


def test_a_report_holds_no_word_of_the_callers_environment(prover, identity):
    words = ["/usr/bin/env", "SECRET_OF_CALLER=do-not-print", str(prover.directory / "berm"), "prove", "--json"]
    done = subprocess.run(identity.command([*words, "--only", "env-key", "--level", "L1"]),
                          env=identity.environment(), capture_output=True, text=True)
    assert '"harmed"' in done.stdout and "do-not-print" not in done.stdout, done

def test_a_peer_that_is_not_installed_is_said_to_be_missing(prover, identity):
    words = ["/usr/bin/env", "PATH=/nowhere", str(prover.directory / "berm"), "prove", "--only", "env-key"]
    done = subprocess.run(identity.command([*words, "--against", "bwrap"]), env=identity.environment(),
                          capture_output=True, text=True)
    assert "apt install bubblewrap" in done.stdout, done


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGHUP, signal.SIGTERM])
def test_stopped_in_the_middle_it_leaves_nothing(prover, identity, leftovers, number):
    process = subprocess.Popen(identity.command([str(prover.directory / "berm"), "prove", "--only", "wall-*"]),
                               env=identity.environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    time.sleep(1)
    process.send_signal(number)
    _, said = process.communicate(timeout=60)
    assert process.returncode == 125 and "signal" in said
    homes = [Path(identity.account.pw_dir), Path("/tmp")]
    assert not [name for home in homes if home.is_dir() and os.access(home, os.R_OK)
                for name in os.listdir(home) if name.startswith((".berm-prove-", "berm-prove-"))]
