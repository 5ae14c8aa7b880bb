"""Field reports about limits: rows 1, 4, 5, 6, 7, 13, 16, 17, 19."""
import ctypes
import json
import os
import re
import subprocess
import threading
import time
from pathlib import Path

import pytest

from machine import Identity

LIBRARY = Path(os.environ.get("BERM_BUILD", Path(__file__).resolve().parents[2] / "build"))
LOSE_CHILDREN = """
import os, signal as s
s.signal(s.SIGCHLD, s.SIG_IGN)
while 1:
    if os.fork() == 0:
        sum(range(2_000_000))
        os._exit(0)
    try:
        os.wait()
    except ChildProcessError:
        pass
"""


def has_groups(who):
    return who.name == "root"


def mechanisms(outcome, layer="limits"):
    rows = [row for row in outcome.result["layers"] if row["layer"] == layer]
    return " ".join(p["mechanism"] for p in rows[0]["promises"])


def test_1_a_jvm_sizes_itself_by_the_run_and_not_by_the_host(stage, who, leftovers, needs):
    needs("java")
    done = stage.plain(who, ["java", "-XX:+PrintFlagsFinal", "-version"],
                       options=["--memory", "256MiB", "--cpus", "1"])
    assert done.status == 0, done
    heap = int(re.search(r"MaxHeapSize\s*=\s*(\d+)", done.said).group(1))
    if has_groups(who):
        assert heap <= 256 << 20, done
    else:
        assert heap > 0, "without a group the JVM must still start"


def test_1_one_cpu_is_seen_by_every_way_of_asking(stage, who, leftovers):
    done = stage.plain(who, ["sh", "-c", "nproc; getconf _NPROCESSORS_ONLN; "
                             "python3 -c 'import os; print(os.cpu_count())'"], options=["--cpus", "1"])
    assert done.said.split() == ["1", "1", "1"], done


def test_1_what_is_seen_of_the_group_is_read_only_and_shows_no_host_path(stage, leftovers, who):
    done = stage.plain(who, ["sh", "-c", "cat /proc/self/cgroup; grep cgroup /proc/self/mountinfo; "
                             "echo 1 > /sys/fs/cgroup/memory/tasks || echo refused"])
    assert "process_api" not in done.said and "berm-" not in done.said, done
    assert done.said.rstrip().endswith("refused"), done


@pytest.mark.parametrize("place", ["$TMPDIR", "/dev/shm"])
def test_4_files_in_memory_fill_the_memory_limit_first(stage, leftovers, place):
    who = Identity("root")
    if who.missing():
        pytest.skip(who.missing())
    done = stage.plain(who, ["sh", "-c", f"head -c 200M /dev/zero > {place}/x; echo rc=$?"],
                       options=["--memory", "64MiB", "--tmp-size", "256MiB", "--work-size", "256MiB",
                                "--shm-size", "256MiB", "--file-size", "1GiB"])
    assert done.error is None, done
    assert done.result["oom"] and done.result["oom_source"] == "kernel", done
    assert any("may together hold more" in note["text"] for note in done.result["notes"]), done


@pytest.mark.parametrize("place", ["$TMPDIR", "/dev/shm"])
def test_4_with_room_in_memory_the_space_cap_answers(stage, who, leftovers, place):
    done = stage.plain(who, ["sh", "-c", f"head -c 200M /dev/zero > {place}/x; echo rc=$?"],
                       options=["--memory", "512MiB", "--tmp-size", "64MiB", "--shm-size", "64MiB",
                                "--file-size", "1GiB"])
    assert done.said == "rc=1\n" and "No space left" in done.result["stderr"], done
    assert done.verdict in ("exited", "disk"), done


def test_5_the_peak_of_true_is_its_own_by_the_command_line(stage, leftovers, who):
    done = stage.plain(who, ["/bin/true"], level="L1")
    peak = done.result["usage"].get("memory_peak_bytes")
    assert peak is None or 0 < peak < 4 << 20, done


def test_5_the_peak_of_true_is_its_own_from_a_large_caller(leftovers):
    large = bytearray(600 << 20)
    lib = ctypes.CDLL(str(LIBRARY / "libberm.so"))
    for name in ("berm_policy_new", "berm_request_new", "berm_result_json"):
        getattr(lib, name).restype = ctypes.c_void_p
    policy = ctypes.c_void_p(lib.berm_policy_new())
    assert lib.berm_policy_set(policy, b"level", b"L1", None) == 0
    argv = (ctypes.c_char_p * 2)(b"/bin/true", None)
    request = ctypes.c_void_p(lib.berm_request_new(argv))
    lib.berm_request_set_engine(request, str(LIBRARY / "berm-engine").encode())
    run, result = ctypes.c_void_p(), ctypes.c_void_p()
    assert lib.berm_run_start(policy, request, ctypes.byref(run), None) == 0
    assert lib.berm_run_wait(run, ctypes.c_uint64(60000)) == 0
    assert lib.berm_run_result(run, ctypes.byref(result), None) == 0
    text = ctypes.string_at(lib.berm_result_json(result))
    lib.berm_result_free(result)
    lib.berm_run_free(run)
    lib.berm_request_free(request)
    lib.berm_policy_free(policy)
    assert len(large) == 600 << 20
    assert 0 < json.loads(text)["usage"]["memory_peak_bytes"] < 4 << 20


@pytest.mark.parametrize("level", ["L1", "L2", "L3", "L6"])
def test_6_cpu_time_of_children_that_nobody_waits_for_counts(stage, who, leftovers, level):
    done = stage.plain(who, ["python3", "-c", LOSE_CHILDREN], level=level,
                       options=["--cpu-time", "1s", "--wall", "10s"])
    mechanism = mechanisms(done)
    usage = done.result["usage"]
    if "cgroup" in mechanism or "perf" in mechanism:
        assert done.verdict == "cpu_timeout", done
        assert 0.9 <= usage["cpu_s"] <= 1.4, done
    else:
        assert "polled" in mechanism, "the mechanism's limit is not named"
    assert usage["cpu_s"] > 0, done


def test_7_a_program_that_dies_of_the_file_size_limit_is_a_disk_verdict(stage, who, leftovers):
    done = stage.plain(who, ["dd", "if=/dev/zero", "of=big", "bs=1M", "count=3"],
                       options=["--file-size", "1MiB"])
    assert done.verdict == "disk" and done.result["signal"] == 25 and done.status == 153, done


def test_7_a_program_that_gets_the_error_ends_by_itself(stage, who, leftovers):
    done = stage.plain(who, ["python3", "-c", 'open("big","wb").write(b"x"*(3<<20))'],
                       options=["--file-size", "1MiB"])
    assert done.verdict == "exited" and done.status == 1, done
    assert "File too large" in done.result["stderr"], done


def test_7_output_is_no_file(stage, who, leftovers, tmp_path):
    done = stage.plain(who, ["sh", "-c", "head -c 3M /dev/zero"], options=["--file-size", "1MiB"])
    assert done.verdict == "exited" and done.result["stdout_bytes"] == 3 << 20, done
    with open(tmp_path / "out", "wb") as out:
        live = subprocess.run(who.command([str(stage.berm), "run", "--file-size", "1MiB", "--", "sh",
                                           "-c", "head -c 3M /dev/zero"]), stdout=out,
                              stdin=subprocess.DEVNULL, env=who.environment(), timeout=60)
    assert live.returncode == 0
    assert (tmp_path / "out").stat().st_size == 3 << 20


@pytest.mark.parametrize("level", ["L3", "L6"])
def test_13_the_process_cap_counts_the_run_alone(stage, leftovers, level):
    who = Identity("user")
    if who.missing():
        pytest.skip(who.missing())
    busy = [subprocess.Popen(who.command(["sleep", "9"])) for _ in range(60)]
    outcomes = []
    eight = "for j in 1 2 3 4 5 6 7 8; do sleep 1 & done; wait; echo ok"

    def one():
        outcomes.append(stage.plain(who, ["sh", "-c", eight], level=level,
                                    options=["--processes", "16"]))

    try:
        threads = [threading.Thread(target=one) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert [o.said for o in outcomes] == ["ok\n"] * 4, outcomes
        sixteen = "for j in $(seq 15); do sleep 1 & done; sleep 1 & echo all; wait"
        over = stage.plain(who, ["bash", "-c", sixteen], level=level, options=["--processes", "16"])
        assert "Resource temporarily unavailable" in over.result["stderr"] or \
            over.verdict == "processes", over
    finally:
        for process in busy:
            process.kill()
            process.wait()


def test_16_the_victim_of_the_oom_killer_is_a_child_of_the_shell(stage, leftovers):
    who = Identity("root")
    if who.missing():
        pytest.skip(who.missing())
    done = stage.plain(who, ["bash", "-c", 'python3 -c "x=bytearray(400<<20)"; exit $?'],
                       options=["--memory", "128MiB"])
    assert done.verdict == "exited" and done.result["exit_code"] == 137, done
    assert done.result["oom"] and done.result["oom_source"] == "kernel", done
    assert done.result["notes"], done


def test_16_a_timeout_after_an_oom_kill_keeps_both_facts(stage, leftovers):
    who = Identity("root")
    if who.missing():
        pytest.skip(who.missing())
    done = stage.plain(who, ["bash", "-c",
                             'python3 -c "x=bytearray(400<<20)"; trap "" TERM; sleep 9'],
                       options=["--memory", "128MiB", "--wall", "1s"])
    assert done.verdict == "wall_timeout" and done.result["timed_out"], done
    assert done.result["oom"], done


MANY_FILES = """
import time
t = time.time()
for i in range(1000):
    open(f"f{i}", "w").close()
time.sleep(max(0, .9 - (time.time() - t)))
"""


def test_17_sweep_and_deletion_are_not_on_the_clock(stage, leftovers):
    who = Identity("root")
    if who.missing():
        pytest.skip(who.missing())
    outcomes = []

    def one():
        outcomes.append(stage.plain(who, ["python3", "-c", MANY_FILES], level="L3",
                                    options=["--wall", "4s"]))

    threads = [threading.Thread(target=one) for _ in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for done in outcomes:
        assert done.verdict == "exited" and done.status == 0, done
        assert done.result["usage"]["wall_s"] <= 4, done


def test_17_leftover_children_do_not_lengthen_the_run(stage, who, leftovers):
    done = stage.plain(who, ["bash", "-c", "for i in $(seq 100); do sleep 30 & done; echo done"],
                       options=["--wall", "5s"])
    assert done.verdict == "exited" and done.said == "done\n", done
    assert done.result["usage"]["wall_s"] < 5, done


@pytest.mark.parametrize("size", ["64KiB", "128KiB", "256KiB", "1MiB", "2MiB", "4MiB", "8MiB"])
def test_19_a_tiny_memory_limit_is_refused_or_is_a_memory_verdict(stage, who, leftovers, size):
    done = stage.plain(who, ["/bin/true"], options=["--memory", size])
    if done.error:
        assert done.status == 125 and "1MiB" in json.dumps(done.error), done
    elif done.verdict == "memory":
        assert done.result["oom"], done
    else:
        assert done.verdict == "exited" and done.result["exit_code"] == 0, done


def test_a_run_ends_when_its_time_is_over_and_not_much_later(stage, who, leftovers):
    began = time.monotonic()
    done = stage.plain(who, ["sleep", "30"], options=["--wall", "1s"])
    assert done.verdict == "wall_timeout" and time.monotonic() - began < 3, done
