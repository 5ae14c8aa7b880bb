"""Ways into a run, and names."""
import socket
import subprocess
import time

import pytest

PORT = 7998


def come_in(stage, identity, argv):
    """Does a connection from the host reach the port that the command listens on?"""
    process = subprocess.Popen(
        identity.command([str(word) for word in argv]), env=identity.environment(), cwd="/",
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    try:
        assert process.stderr.readline() == b"listening\n"
        try:
            socket.create_connection(("127.0.0.1", PORT), timeout=2).close()
        except ConnectionResetError:  # it came in; the guest was gone before it was told so
            return True
        except OSError:
            return False
        return True
    finally:
        process.terminate()
        process.communicate(timeout=20)


def test_control_a_port_opened_without_berm_is_reachable(stage, identity, leftovers):
    assert come_in(stage, identity, [stage.guest, "listen", PORT, "5000"])


@pytest.mark.parametrize("options", [[], ["--loopback"]], ids=["closed", "loopback"])
def test_a_port_opened_inside_is_not_reachable_from_the_host(stage, identity, leftovers, options):
    assert not come_in(stage, identity, [
        stage.berm, "run", "--ro", f"{stage.guest}:/guest", *options, "--",
        "/guest", "listen", PORT, "5000"])


@pytest.mark.parametrize("name", ["example.com", "a-name-that-nobody-has.invalid"])
def test_no_name_is_resolved_and_nothing_is_waited_for(stage, identity, leftovers, name):
    begin = time.monotonic()
    outcome = stage.plain(identity, ["getent", "hosts", name])
    assert outcome.verdict == "exited" and outcome.result["exit_code"] == 2, outcome
    assert outcome.result["stdout"] == ""
    assert time.monotonic() - begin < 2


def test_localhost_has_its_name_inside(stage, identity, leftovers):
    outcome = stage.plain(identity, ["getent", "hosts", "localhost"])
    assert outcome.result.get("exit_code") == 0, outcome
