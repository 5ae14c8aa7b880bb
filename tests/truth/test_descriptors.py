"""What the caller hands over never makes berm wait, and a result is written where it was asked for or said
to be lost."""
import ctypes
import json
import os
import pty
import shutil
import signal
import subprocess
import time
from pathlib import Path

import pytest

BUILD = Path(os.environ.get("BERM_BUILD", Path(__file__).resolve().parents[2] / "build"))
# Longer than any end that is not a hang, far shorter than the hang.
PATIENCE_S = 20
# A heartbeat of processes inside that the output does not stop, and a flood beside it.
BEATING_FLOOD = ("cd {at}; (while :; do date +%s.%N > beat; mv beat last; sleep 0.1; done) & "
                 "yes aaaaaaaaaaaaaaaaaaaaaaaa >&2 & yes aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa")


@pytest.fixture
def folder(stage, identity):
    """A directory of the identity's own, where the program may write, whoever it is inside."""
    made = stage.directory / "descriptors"
    made.mkdir()
    made.chmod(0o777)
    os.chown(made, identity.uid, identity.gid)
    yield made
    shutil.rmtree(made)


STARTED = []


@pytest.fixture(autouse=True)
def nothing_stays(leftovers):
    """What a failed assertion leaves running is ended, before anybody looks for leftovers."""
    yield
    while STARTED:
        process = STARTED.pop()
        process.kill()
        process.wait()


def start(stage, identity, words, **given):
    given.setdefault("stdin", subprocess.DEVNULL)
    process = subprocess.Popen(identity.command([str(stage.berm), *map(str, words)]),
                               env=identity.environment(), **given)
    STARTED.append(process)
    return process


def run(stage, identity, words, **given):
    given.setdefault("stdin", subprocess.DEVNULL)
    given.setdefault("stdout", subprocess.PIPE)
    return subprocess.run(identity.command([str(stage.berm), *map(str, words)]), text=True,
                          stderr=subprocess.PIPE, env=identity.environment(), timeout=PATIENCE_S, **given)


def end(process):
    """The status; a process that hangs is killed and fails the test."""
    try:
        return process.wait(PATIENCE_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
        pytest.fail(f"no end after {PATIENCE_S} s")


# --result


def test_the_result_file_is_replaced(stage, identity, leftovers, folder):
    target = folder / "result"
    target.write_text("x" * 100000)
    os.chown(target, identity.uid, identity.gid)
    done = run(stage, identity, ["run", "--result", target, "--", "true"])
    assert done.returncode == 0 and json.loads(target.read_text())["verdict"] == "exited", done


@pytest.mark.parametrize("place", ["link", "fifo", "missing/result", "fd:77", "fd:0"])
def test_a_result_that_cannot_be_written_is_refused_before_anything_runs(stage, identity, leftovers,
                                                                        folder, place):
    kept = folder / "kept"
    kept.write_text("the caller's")
    os.chown(kept, identity.uid, identity.gid)
    (folder / "link").symlink_to(kept)
    os.mkfifo(folder / "fifo")
    os.chown(folder / "fifo", identity.uid, identity.gid)
    name = place if place.startswith("fd:") else folder / place
    with open("/dev/null") as only_read:
        done = run(stage, identity, ["run", "--rw", folder, "--result", name, "--", "sh", "-c",
                                     f"echo ran-inside; echo > {folder}/ran"], stdin=only_read)
    assert done.returncode == 125 and "cure:" in done.stderr, done
    assert "ran-inside" not in done.stdout and not (folder / "ran").exists(), done
    assert kept.read_text() == "the caller's"


@pytest.mark.parametrize("plant", ["ln -sf {kept} {at}", "mkfifo {at}"])
def test_what_the_program_plants_in_the_place_of_the_result_is_not_met(stage, identity, leftovers, folder,
                                                                     plant):
    kept = folder.parent / "kept"
    kept.write_text("the caller's")
    os.chown(kept, identity.uid, identity.gid)
    at = folder / "result"
    done = run(stage, identity, ["run", "--rw", folder, "--result", at, "--", "sh", "-c",
                                 f"rm -f {at}; " + plant.format(kept=kept, at=at)])
    assert kept.read_text() == "the caller's"
    kept.unlink()
    assert done.returncode == 125 and "result could not be written" in done.stderr, done


def test_a_result_on_a_full_device_is_said_to_be_lost(stage, identity, leftovers):
    done = run(stage, identity, ["run", "--result", "/dev/full", "--", "echo", "live"])
    assert done.stdout == "live\n" and done.returncode == 125, done
    assert "No space left" in done.stderr, done


def test_json_on_a_full_device_is_said_to_be_lost(stage, identity, leftovers):
    with open("/dev/full", "w") as full:
        done = run(stage, identity, ["run", "--json", "--", "true"], stdout=full)
    assert done.returncode == 125 and "No space left" in done.stderr, done


def test_a_result_goes_to_a_descriptor(stage, identity, leftovers):
    reader, writer = os.pipe()
    done = run(stage, identity, ["run", "--result", f"fd:{writer}", "--", "true"], pass_fds=[writer])
    os.close(writer)
    with os.fdopen(reader) as result:
        assert done.returncode == 0 and json.loads(result.read())["verdict"] == "exited", done


# What the caller has set


@pytest.mark.parametrize("level", ["L1", "L3", "L6"])
def test_a_caller_that_ignores_sigchld_gets_its_result(stage, identity, leftovers, level):
    process = start(stage, identity, ["run", "--level", level, "--", "sh", "-c", "exit 3"],
                    preexec_fn=lambda: signal.signal(signal.SIGCHLD, signal.SIG_IGN))
    assert end(process) == 3


# Input


@pytest.mark.parametrize("owner", ["caller", "another"])
def test_runs_that_share_an_input_keep_their_wall_limit(stage, identity, leftovers, owner):
    """One line for four readers: three find nothing after poll said ready. A pipe of another user's cannot
    be opened again."""
    reader, writer = os.pipe()
    if owner == "caller":
        os.fchown(reader, identity.uid, identity.gid)
    runs = [start(stage, identity, ["run", "--wall", "1s", "--", "sleep", "50"], stdin=reader)
            for _ in range(4)]
    began = time.monotonic()
    for _ in range(200):
        os.write(writer, b"x\n")
        time.sleep(0.002)
    ends = [end(process) for process in runs]
    took = time.monotonic() - began
    os.close(reader)
    os.close(writer)
    assert ends == [124] * 4 and took < 5, (ends, took)


def test_a_shared_file_is_read_from_one_offset(stage, identity, leftovers, folder):
    (folder / "input").write_text("one\ntwo\n")
    with open(folder / "input") as both:
        assert both.readline() == "one\n"
        os.lseek(both.fileno(), 4, os.SEEK_SET)
        done = run(stage, identity, ["run", "--", "cat"], stdin=both)
    assert done.stdout == "two\n", done


def test_descriptors_of_the_caller_stay_as_they_are(stage, identity, leftovers):
    reader, writer = os.pipe()
    os.write(writer, b"in\n")
    done = run(stage, identity, ["run", "--", "head", "-n1"], stdin=reader)
    assert done.stdout == "in\n" and os.get_blocking(reader), done
    os.close(reader)
    os.close(writer)


# Output that nobody reads


def unread_pipe(identity, owner):
    reader, writer = os.pipe()
    if owner == "caller":
        os.fchown(writer, identity.uid, identity.gid)
    return reader, writer


def unread_terminal(identity, owner):
    master, slave = pty.openpty()
    if owner == "caller":
        os.fchown(slave, identity.uid, identity.gid)
    return master, slave


def drained(reader, process):
    """Everything that comes until the writer has ended."""
    seen = b""
    os.set_blocking(reader, False)
    limit = time.monotonic() + PATIENCE_S
    while time.monotonic() < limit:
        try:
            chunk = os.read(reader, 65536)
        except BlockingIOError:
            if process.poll() is not None:
                break
            time.sleep(0.01)
            continue
        except OSError:
            break
        if not chunk:
            break
        seen += chunk
    return seen


UNREAD = pytest.mark.parametrize("make", [unread_pipe, unread_terminal])
OWNER = pytest.mark.parametrize("owner", ["caller", "another"])


@UNREAD
@OWNER
def test_output_that_nobody_reads_does_not_stretch_the_wall_limit(stage, identity, leftovers, folder, make,
                                                                owner):
    reader, writer = make(identity, owner)
    began = time.time()
    process = start(stage, identity, ["run", "--wall", "1s", "--rw", folder, "--", "sh",
                                      "-c", BEATING_FLOOD.format(at=folder)],
                    stdout=writer, stderr=writer)
    os.close(writer)
    time.sleep(3)
    lived = float((folder / "last").read_text()) - began
    seen = drained(reader, process)
    status = end(process)
    os.close(reader)
    assert lived < 1.6, f"the program lived {lived:.2f} s"
    assert status == 124 and seen.startswith(b"aaa") and b"wall_timeout" in seen, (status, seen[-200:])


@UNREAD
@OWNER
@pytest.mark.parametrize("when", ["running", "ended"])
def test_a_signal_ends_the_waiting_for_a_reader(stage, identity, leftovers, folder, make, owner, when):
    reader, writer = make(identity, owner)
    target = folder / "result"
    wall = "30s" if when == "running" else "1s"
    process = start(stage, identity, ["run", "--wall", wall, "--result", target, "--", "yes"],
                    stdout=writer, stderr=writer)
    os.close(writer)
    time.sleep(2)
    assert process.poll() is None, "berm did not wait for its reader"
    process.send_signal(signal.SIGTERM)
    began = time.monotonic()
    status = end(process)
    took = time.monotonic() - began
    os.close(reader)
    assert took < 1, f"{took:.2f} s"
    verdict, expected = ("cancelled", 143) if when == "running" else ("wall_timeout", 124)
    answer = json.loads(target.read_text())
    assert (answer["verdict"], status) == (verdict, expected), answer
    assert answer["stdout_truncated"], answer


def test_a_signal_ends_the_waiting_for_the_reader_of_a_long_result(stage, identity, leftovers):
    reader, writer = os.pipe()
    process = start(stage, identity, ["run", "--json", "--", "seq", "100000"], stdout=writer)
    os.close(writer)
    time.sleep(1.5)
    assert process.poll() is None, "berm did not wait for its reader"
    process.send_signal(signal.SIGTERM)
    began = time.monotonic()
    assert end(process) != 0
    assert time.monotonic() - began < 1
    os.close(reader)


def test_output_reaches_a_socket_that_is_read_late(stage, identity, leftovers):
    import socket
    here, there = socket.socketpair()
    process = start(stage, identity, ["run", "--", "seq", "200000"], stdout=there)
    there.close()
    time.sleep(0.5)
    seen = b""
    while chunk := here.recv(65536):
        seen += chunk
    here.close()
    assert end(process) == 0 and len(seen) == 1288895, len(seen)


@pytest.mark.parametrize("tail,shown", [(r"a\r", b"a^M"), (r"a\303", b"a\\xc3")])
def test_what_a_terminal_was_not_shown_yet_is_shown_at_the_end(stage, identity, leftovers, tail, shown):
    master, slave = pty.openpty()
    process = start(stage, identity, ["run", "--", "printf", tail], stdout=slave)
    os.close(slave)
    seen = drained(master, process)
    os.close(master)
    assert end(process) == 0 and seen == shown, seen


# The library


def test_a_wait_of_the_library_ends_in_time_while_output_floods(stage, leftovers):
    library = ctypes.CDLL(str(next(BUILD.glob("libberm.so.?.?.?"))))
    calls = []
    callback_of = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int, ctypes.c_void_p, ctypes.c_size_t)

    @callback_of
    def callback(_context, _stream, _bytes, _size):
        calls.append(time.sleep(0.002))

    def call(name, *args, result=ctypes.c_int):
        function = getattr(library, name)
        function.restype = result
        return function(*args)

    policy = ctypes.c_void_p(call("berm_policy_new", result=ctypes.c_void_p))
    assert call("berm_policy_set", policy, b"wall", b"4s", None) == 0
    argv = (ctypes.c_char_p * 2)(b"yes", None)
    request = ctypes.c_void_p(call("berm_request_new", argv, result=ctypes.c_void_p))
    call("berm_request_set_engine", request, str(BUILD / "berm-engine").encode(), result=None)
    call("berm_request_set_output", request, callback, None, result=None)
    run_handle = ctypes.c_void_p()
    text = ctypes.create_string_buffer(8192)
    assert call("berm_run_start", policy, request, ctypes.byref(run_handle), text) == 0, text.raw[:300]
    began = time.monotonic()
    waited = call("berm_run_wait", run_handle, ctypes.c_uint64(300))
    took = time.monotonic() - began
    call("berm_run_cancel", run_handle, result=None)
    call("berm_run_free", run_handle, result=None)
    call("berm_request_free", request, result=None)
    call("berm_policy_free", policy, result=None)
    assert waited < 0 and calls and took < 0.5, (waited, took)


@pytest.mark.parametrize("level", ["L0", "L1"])
def test_below_the_env_layer_the_callers_descriptors_are_inherited_and_none_of_berms(stage, identity, level):
    with open("/etc/hostname", encoding="ascii") as left_open, open("/dev/null", "w", encoding="ascii") as result:
        done = run(stage, identity,
                   ["run", "--level", level, "--result", f"fd:{result.fileno()}", "--", "ls", "/proc/self/fd"],
                   pass_fds=(left_open.fileno(), result.fileno()), stdout=subprocess.PIPE)
        seen = {int(number) for number in done.stdout.split()}
        # The three streams, what was left open, and the directory that ls itself has open.
        assert left_open.fileno() in seen, done
        assert result.fileno() not in seen, done
        assert len(seen) == 5, done


@pytest.mark.parametrize("off", [[], ["env"], ["env", "process", "network"]], ids=str)
def test_from_the_env_layer_on_or_with_any_other_but_limits_no_descriptor_is_inherited(stage, identity, off):
    words = [word for layer in off for word in ("--off", layer)]
    with open("/etc/hostname", encoding="ascii") as left_open:
        done = run(stage, identity, ["run", "--level", "L5" if off else "L2", *words, "--", "ls", "/proc/self/fd"],
                   pass_fds=(left_open.fileno(),), stdout=subprocess.PIPE)
    assert len(done.stdout.split()) == 4 and not done.returncode, done
