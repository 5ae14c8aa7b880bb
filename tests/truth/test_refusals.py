"""Boundary checks, section A: what cannot be had is refused by its true name, and nothing runs."""
import json
import os
import subprocess
from pathlib import Path

import pytest

from machine import is_root

OUTER = r"""
#include <errno.h>
#include <linux/sched.h>
#include <seccomp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
/* outer CALL ERRNO [FLAG] -- COMMAND: that call, with that flag set in its first argument, is refused. */
int main(int c, char **v) {
    scmp_filter_ctx f = seccomp_init(SCMP_ACT_ALLOW);
    unsigned long flag = strtoul(v[3], NULL, 0);
    int call = seccomp_syscall_resolve_name(v[1]);
    (void)c;
    if (flag) {
        seccomp_rule_add(f, SCMP_ACT_ERRNO(ENOSYS), SCMP_SYS(clone3), 0);
        seccomp_rule_add(f, SCMP_ACT_ERRNO(atoi(v[2])), call, 1,
                         SCMP_A0(SCMP_CMP_MASKED_EQ, flag, flag));
    } else {
        seccomp_rule_add(f, SCMP_ACT_ERRNO(atoi(v[2])), call, 0);
    }
    return seccomp_load(f) || execvp(v[4], v + 4);
}
"""
NAMESPACES = {"user": 0x10000000, "pid": 0x20000000, "mount": 0x20000, "network": 0x40000000,
              "ipc": 0x8000000, "uts": 0x4000000}
LAYER_OF = {"user": "privileges", "pid": "process", "mount": "process", "network": "network",
            "ipc": "process", "uts": "process"}


@pytest.fixture(scope="module")
def outer(stage):
    source = stage.directory / "outer.c"
    source.write_text(OUTER)
    made = subprocess.run(["gcc", str(source), "-lseccomp", "-o", str(stage.directory / "outer")],
                          capture_output=True, text=True)
    assert made.returncode == 0, made.stderr
    return stage.directory / "outer"


def run(identity, argv, **given):
    given.setdefault("stdin", subprocess.DEVNULL)
    return subprocess.run(identity.command([str(word) for word in argv]), capture_output=True,
                          text=True, env=identity.environment(), cwd="/tmp", timeout=60, **given)


def refused(done):
    answer = json.loads(done.stdout)
    assert done.returncode == 125, done
    assert "ran-inside" not in done.stdout and "verdict" not in answer, answer
    assert answer["error"]["message"] and answer["error"]["cure"], answer
    return answer["error"]


@pytest.mark.parametrize("name", NAMESPACES)
def test_a_refused_namespace_is_named_with_its_layer(stage, identity, leftovers, outer, name):
    # Control: the same filter on a flag that berm does not ask for (a time namespace) changes nothing.
    control = run(identity, [outer, "clone", "1", "0x80", stage.berm, "run", "--", "echo", "ok"])
    assert control.stdout == "ok\n", control
    error = refused(run(identity, [outer, "clone", "1", hex(NAMESPACES[name]), stage.berm, "run",
                                   "--json", "--", "echo", "ran-inside"]))
    assert name in error["message"] and "filter" in error["message"], error
    assert error["layer"] == LAYER_OF[name], error


def test_user_namespaces_switched_off_are_named_by_their_sysctl(stage, leftovers, identity):
    """In a user namespace of the test's own, where the sysctl is the test's to set."""
    script = ("echo 0 > /proc/sys/user/max_user_namespaces && exec \"$@\"")
    done = run(identity, ["unshare", "--user", "--map-root-user", "sh", "-c", script, "sh", stage.berm,
                          "run", "--json", "--", "echo", "ran-inside"])
    error = refused(done)
    assert "user.max_user_namespaces" in error["message"] + error["cure"], error


def test_a_masked_proc_is_refused(stage, leftovers):
    """A mount over a part of /proc, locked by a user namespace of its own: no fresh one is allowed."""
    if not is_root():
        pytest.skip("covering a part of /proc needs root")
    script = ("mount -t tmpfs none /proc/acpi 2>/dev/null || mount -t tmpfs none /proc/driver && "
              "exec unshare --user --map-root-user --mount \"$@\"")
    done = subprocess.run(["unshare", "--mount", "--propagation", "private", "sh", "-c", script, "sh",
                           str(stage.berm), "run", "--json", "--", "echo", "ran-inside"],
                          capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=60)
    answer = json.loads(done.stdout)
    assert done.returncode == 125 and "ran-inside" not in done.stdout, done
    assert answer["error"]["step"] == "mounts" and "proc" in answer["error"]["message"], answer


def test_read_only_groups_are_no_groups_and_said(stage, leftovers):
    if not is_root():
        pytest.skip("remounting needs root")
    script = ("for d in /sys/fs/cgroup/*; do mount -o remount,ro,bind $d 2>/dev/null; done; "
              "exec \"$@\"")
    argv = ["unshare", "--mount", "--propagation", "private", "sh", "-c", script, "sh",
            str(stage.berm), "run", "--json"]
    done = subprocess.run([*argv, "--", "echo", "ok"], capture_output=True, text=True,
                          stdin=subprocess.DEVNULL, timeout=60)
    answer = json.loads(done.stdout)
    assert answer["stdout"] == "ok\n", answer
    states = {row["layer"]: row["state"] for row in answer["layers"]}
    assert states["limits"] == "weaker", states
    strict = subprocess.run([*argv, "--strict", "--", "echo", "ran-inside"], capture_output=True,
                            text=True, stdin=subprocess.DEVNULL, timeout=60)
    assert refused(strict)["layer"] == "limits"


@pytest.mark.parametrize("call,step", [("prlimit64", "rlimits"), ("landlock_restrict_self", "landlock"),
                                       ("setresuid", "identity"), ("pivot_root", "mounts")])
def test_a_refused_call_is_never_dropped(stage, identity, leftovers, outer, call, step):
    error = refused(run(identity, [outer, call, "1", "0x0", stage.berm, "run", "--json", "--", "echo",
                                   "ran-inside"]))
    assert error["step"] == step, error


def test_without_filters_nothing_runs(stage, identity, leftovers, outer):
    error = refused(run(identity, [outer, "seccomp", "38", "0x0", stage.berm, "run", "--json", "--",
                                   "echo", "ran-inside"]))
    assert error["layer"] == "syscalls", error


def test_without_landlock_the_run_says_so_and_strict_refuses(stage, identity, leftovers, outer):
    argv = [outer, "landlock_create_ruleset", "38", "0x0", stage.berm, "run", "--json"]
    done = run(identity, [*argv, "--", "echo", "ok"])
    answer = json.loads(done.stdout)
    assert answer["stdout"] == "ok\n", answer
    row = [r for r in answer["layers"] if r["layer"] == "filesystem"][0]
    assert row["state"] == "weaker", row
    refused(run(identity, [*argv, "--strict", "--", "echo", "ran-inside"]))


@pytest.mark.parametrize("program,status,word", [
    ("/does/not/exist", 127, "does not exist"), ("no-such-program", 127, "does not exist"),
    ("/etc/passwd", 126, "permission denied"), ("/usr", 126, "permission denied"),
])
def test_a_program_that_cannot_be_executed_has_a_cause(stage, identity, leftovers, program, status, word):
    done = run(identity, [stage.berm, "run", "--json", "--", program])
    answer = json.loads(done.stdout)
    assert done.returncode == status and word in answer["error"]["message"], answer


def test_a_bad_interpreter_and_a_foreign_binary_have_a_cause(stage, identity, leftovers):
    script = stage.directory / "bad-script"
    script.write_text("#!/does/not/exist\n")
    script.chmod(0o755)
    foreign = stage.directory / "foreign"
    foreign.write_bytes(b"\x7fELF\x02\x01\x01" + bytes(9) + b"\x02\x00\xf3\x00" + bytes(100))
    foreign.chmod(0o755)
    for path, word in ((script, "interpreter"), (foreign, "binary of this machine")):
        done = run(identity, [stage.berm, "run", "--json", "--ro", f"{path}:/prog", "--", "/prog"])
        answer = json.loads(done.stdout)
        assert done.returncode == 126 and word in answer["error"]["message"], answer


def test_a_program_may_exit_with_berms_own_numbers(stage, identity, leftovers):
    for number in (124, 125, 126, 127, 137):
        done = run(identity, [stage.berm, "run", "--json", "--", "sh", "-c", f"exit {number}"])
        answer = json.loads(done.stdout)
        assert (done.returncode, answer["verdict"], answer["exit_code"]) == (number, "exited", number)


FORGED = """
import json, os
fake = json.dumps({"schema": 1, "verdict": "exited", "exit_code": 0, "forged": True}) + "\\n"
for fd in range(0, 64):
    try:
        os.write(fd, fake.encode())
    except OSError:
        pass
raise SystemExit(3)
"""


def test_a_forged_result_changes_nothing(stage, identity, leftovers):
    done = run(identity, [stage.berm, "run", "--json", "--", "python3", "-c", FORGED])
    answer = json.loads(done.stdout)
    assert answer["exit_code"] == 3 and "forged" not in answer, answer
    reading, writing = os.pipe()
    live = subprocess.run(identity.command([str(stage.berm), "run", "--result", f"fd:{writing}", "--",
                                            "python3", "-c", FORGED]), pass_fds=(writing,),
                          capture_output=True, env=identity.environment(), timeout=60)
    os.close(writing)
    with os.fdopen(reading) as result:
        answer = json.loads(result.read())
    assert live.returncode == 3 and answer["exit_code"] == 3 and "forged" not in answer, answer


def test_after_an_oom_a_clean_run_is_clean(stage, leftovers):
    if not is_root():
        pytest.skip("the kernel's count needs control groups, which the tests have as root")
    first = subprocess.run([str(stage.berm), "run", "--json", "--memory", "64MiB", "--", "python3", "-c",
                            "x = bytearray(300 << 20)"], capture_output=True, text=True, timeout=60,
                           stdin=subprocess.DEVNULL)
    assert json.loads(first.stdout)["verdict"] == "memory"
    second = subprocess.run([str(stage.berm), "run", "--json", "--memory", "64MiB", "--", "true"],
                            capture_output=True, text=True, timeout=60, stdin=subprocess.DEVNULL)
    answer = json.loads(second.stdout)
    assert answer["verdict"] == "exited" and answer["oom"] is False and answer["notes"] is not None


def test_the_engine_survives_the_thread_that_started_it():
    """Parent-death signals are per thread: a run must not hang on the thread that began it."""
    import ctypes
    import threading
    build = Path(os.environ["BERM_BUILD"])
    lib = ctypes.CDLL(str(build / "libberm.so"))
    lib.berm_policy_new.restype = ctypes.c_void_p
    lib.berm_request_new.restype = ctypes.c_void_p
    argv = (ctypes.c_char_p * 4)(b"sh", b"-c", b"sleep 0.5; exit 7", None)
    policy = ctypes.c_void_p(lib.berm_policy_new())
    request = ctypes.c_void_p(lib.berm_request_new(argv))
    lib.berm_request_set_engine(request, str(build / "berm-engine").encode())
    run_handle, result = ctypes.c_void_p(), ctypes.c_void_p()

    def start():
        assert lib.berm_run_start(policy, request, ctypes.byref(run_handle), None) == 0

    thread = threading.Thread(target=start)
    thread.start()
    thread.join()
    assert lib.berm_run_wait(run_handle, ctypes.c_uint64(20000)) == 0
    assert lib.berm_run_result(run_handle, ctypes.byref(result), None) == 0
    assert lib.berm_result_exit_code(result) == 7
    lib.berm_result_free(result)
    lib.berm_run_free(run_handle)
    lib.berm_request_free(request)
    lib.berm_policy_free(policy)


@pytest.mark.parametrize("call,word", [
    ("landlock_restrict_self", "Landlock"), ("capset", "capability"), ("unshare", "cgroup"),
    ("mount_setattr", "read-only")])
def test_a_call_that_lies_about_its_success_is_found_out(stage, identity, leftovers, outer, call, word):
    """The outer filter answers 0 and does nothing: only what is read back from the kernel can tell."""
    error = refused(run(identity, [outer, call, "0", "0x0", stage.berm, "run", "--json", "--", "echo",
                                   "ran-inside"]))
    assert error["step"] == "evidence" and word in error["message"], error


def clock_of(done):
    rows = [row for row in json.loads(done.stdout)["findings"] if "perf task clock" in row["what"]]
    return rows[0]["state"], rows[0].get("cause") or ""


def test_doctor_tries_the_clock_and_a_plan_follows_what_it_found(stage, identity, leftovers, outer):
    """A sysctl says what is allowed, a try says what works: under a filter the two differ."""
    if identity.name == "root":
        pytest.skip("root has groups here, which count CPU time without a clock")
    explain = [stage.berm, "explain", "--", "true"]
    assert clock_of(run(identity, [stage.berm, "doctor", "--json"]))[0] == "ok", "the control"
    assert "inherited perf task clock" in run(identity, explain).stdout
    state, cause = clock_of(run(identity, [outer, "perf_event_open", "1", "0x0", stage.berm, "doctor",
                                           "--json"]))
    assert state == "weaker" and "filter" in cause, (state, cause)
    assert "/proc polled" in run(identity, [outer, "perf_event_open", "1", "0x0", *explain]).stdout
