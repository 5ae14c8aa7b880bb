"""Field reports about what surrounds the program: rows 2, 3, 8, 10, 12, 14, 15, 18, 20, 21."""
import json
import os
import re
import subprocess
import time
from pathlib import Path

import pytest

from machine import Identity

FILTER = r"""
#include <seccomp.h>
#include <stdlib.h>
#include <unistd.h>
int main(int c, char **v) {
    scmp_filter_ctx f = seccomp_init(SCMP_ACT_ALLOW);
    (void)c;
    return seccomp_rule_add(f, SCMP_ACT_ERRNO(atoi(v[2])), seccomp_syscall_resolve_name(v[1]), 0) ||
           seccomp_load(f) || execvp(v[3], v + 3);
}
"""


def berm(stage, who, words, **given):
    given.setdefault("stdin", subprocess.DEVNULL)
    return subprocess.run(who.command([str(stage.berm), *words]), env=who.environment(), text=True,
                          capture_output=True, timeout=60, cwd="/tmp", **given)


def test_2_no_core_file_and_a_crash_ends_at_once(stage, who, leftovers):
    began = time.monotonic()
    done = stage.plain(who, ["sh", "-c", "ulimit -c; ulimit -c unlimited 2>/dev/null || echo kept; "
                             "kill -SEGV $$"])
    assert done.verdict == "signaled" and done.result["signal"] == 11, done
    assert "kept" in done.said, "the program raised the limit"
    assert time.monotonic() - began < 2


def test_2_the_limit_is_one_byte_since_none_is_ignored_for_a_pipe(stage, who, leftovers):
    done = stage.plain(who, ["python3", "-c",
                             "import resource as r; print(r.getrlimit(r.RLIMIT_CORE))"])
    assert done.said in ("(1, 1)\n", "(0, 0)\n"), done


def test_3_the_program_can_reopen_its_streams(stage, who, leftovers):
    done = subprocess.run(
        who.command([str(stage.berm), "run", "--stdin", "-", "--", "bash", "-c",
                     "echo a >/dev/stdout; echo b >/dev/stderr; cat /dev/stdin; cat <(echo d)"]),
        input="c\n", text=True, capture_output=True, env=who.environment(), timeout=60)
    assert (done.returncode, done.stdout, done.stderr) == (0, "a\nc\nd\n", "b\n")


def test_3_reopening_does_not_cut_off_the_callers_file(stage, who, leftovers, tmp_path):
    target = tmp_path / "f"
    with open(target, "wb") as out:
        out.write(b"kept\n")
        out.flush()
        done = subprocess.run(who.command([str(stage.berm), "run", "--", "bash", "-c",
                                           "echo a >/dev/stdout"]), stdout=out,
                              stdin=subprocess.DEVNULL, env=who.environment(), timeout=60)
    assert done.returncode == 0 and target.read_bytes() == b"kept\na\n"


def test_3_the_descriptors_of_init_stay_closed(stage, who, leftovers):
    done = stage.plain(who, ["sh", "-c", "ls /proc/1/fd; cat /proc/1/fd/1"])
    assert done.status != 0 and "Permission denied" in done.result["stderr"], done


def script(command):
    """A terminal of its own, as script(1) gives it."""
    return subprocess.run(["script", "-qec", command, "/dev/null"], capture_output=True, text=True,
                          stdin=subprocess.DEVNULL, timeout=60)


def test_8_an_interactive_shell_works_and_the_modes_come_back(stage, leftovers, needs):
    needs("script", "stty")
    who = Identity("root")
    if who.missing():
        pytest.skip(who.missing())
    done = script(f"stty -a > /tmp/berm-modes-1; {stage.berm} run --tty -- sh -ic 'echo hi'; "
                  f"echo rc=$?; stty -a > /tmp/berm-modes-2")
    try:
        assert "hi" in done.stdout and "rc=0" in done.stdout, done
        assert "process group" not in done.stdout and "job control" not in done.stdout, done
        assert Path("/tmp/berm-modes-1").read_text() == Path("/tmp/berm-modes-2").read_text()
    finally:
        for name in ("1", "2"):
            Path(f"/tmp/berm-modes-{name}").unlink(missing_ok=True)


def test_8_the_modes_come_back_after_kill_9(stage, leftovers, needs):
    needs("script", "stty")
    who = Identity("root")
    if who.missing():
        pytest.skip(who.missing())
    done = script(f"stty -a > /tmp/berm-modes-1; {stage.berm} run --tty -- sleep 20 & sleep 1; "
                  "stty -a > /tmp/berm-modes-3; kill -9 $!; wait; sleep 0.5; "
                  "stty -a > /tmp/berm-modes-2")
    try:
        # What a killed berm leaves behind is swept by the next start (boundary checks, "supervisor-killed").
        stage.plain(who, ["true"])
        before, after = (Path(f"/tmp/berm-modes-{n}").read_text() for n in "12")
        assert before == after, (done, before, after)
    finally:
        for name in ("1", "2", "3"):
            Path(f"/tmp/berm-modes-{name}").unlink(missing_ok=True)


def test_8_without_a_terminal_dev_tty_is_an_error_at_once(stage, who, leftovers):
    began = time.monotonic()
    done = stage.plain(who, ["sh", "-c", "echo x > /dev/tty"])
    assert done.status != 0 and time.monotonic() - began < 5, done


def test_8_the_program_cannot_change_the_callers_modes(stage, leftovers, needs):
    needs("script", "stty")
    who = Identity("root")
    if who.missing():
        pytest.skip(who.missing())
    done = script(f"{stage.berm} run -- stty raw -echo; stty -a")
    assert re.search(r"(?<!-)icanon", done.stdout) and re.search(r"(?<!-)echo\b", done.stdout), done


def test_10_signals_of_the_launcher_do_not_reach_the_program(stage, who, leftovers):
    text = ("trap '' PIPE INT HUP; exec \"$@\"")
    done = subprocess.run(
        ["sh", "-c", text, "sh", *who.command([
            str(stage.berm), "run", "--", "sh", "-c",
            "grep -E 'Sig(Ign|Blk)' /proc/self/status; yes | head -1"])],
        capture_output=True, text=True, stdin=subprocess.DEVNULL, env=who.environment(), timeout=60)
    assert done.stdout.split() == ["SigBlk:", "0" * 16, "SigIgn:", "0" * 16, "y"], done
    assert done.stderr == "", done


def test_10_umask_and_nice_are_fixed_by_the_plan(stage, who, leftovers):
    done = subprocess.run(
        ["sh", "-c", "umask 077; exec nice -n 0 \"$@\"", "sh", *who.command([
            str(stage.berm), "run", "--", "sh", "-c", "umask; nice"])],
        capture_output=True, text=True, stdin=subprocess.DEVNULL, env=who.environment(), timeout=60)
    assert done.stdout.split() == ["0022", "0"], done


@pytest.fixture(scope="module")
def outer_filter(tmp_path_factory):
    folder = tmp_path_factory.mktemp("filter")
    folder.chmod(0o755)
    (folder / "n.c").write_text(FILTER)
    made = subprocess.run(["gcc", "n.c", "-lseccomp", "-o", "n"], cwd=folder, capture_output=True,
                          text=True)
    assert made.returncode == 0, made.stderr
    for parent in [folder, *folder.parents][:4]:
        try:
            parent.chmod(parent.stat().st_mode | 0o055)
        except PermissionError:
            pass
    return folder / "n"


@pytest.mark.parametrize("call,number", [
    ("clone3", 38), ("pidfd_open", 1), ("close_range", 1), ("openat2", 1), ("statx", 1)])
def test_12_an_outer_filter_is_gone_round_or_named(stage, who, leftovers, outer_filter, call, number):
    control = subprocess.run([str(outer_filter), call, str(number), "true"])
    assert control.returncode == 0
    done = subprocess.run(
        who.command([str(outer_filter), call, str(number), str(stage.berm), "run", "--json", "--",
                     "echo", "ok"]), capture_output=True, text=True, env=who.environment(),
        stdin=subprocess.DEVNULL, timeout=60)
    answer = json.loads(done.stdout)
    if done.returncode == 0:
        assert answer["stdout"] == "ok\n", answer
    else:
        assert done.returncode == 125 and call in json.dumps(answer["error"]), answer
        assert answer["error"]["cure"], answer


@pytest.mark.parametrize("level", ["L0", "L1", "L2", "L3", "L6"])
def test_14_a_background_child_does_not_hold_the_run(stage, who, leftovers, level):
    began = time.monotonic()
    options = [] if level == "L0" else ["--wall", "3s"]
    # A length that no other process of this machine sleeps: what is found and ended is this test's own.
    orphan = f"sleep 20.{os.getpid()}{time.monotonic_ns()}"
    done = stage.plain(who, ["sh", "-c", f"setsid {orphan} & sleep 0.3; echo done"], level=level,
                       options=options)
    spent = time.monotonic() - began
    survivors = subprocess.run(["pgrep", "-x", "-f", re.escape(orphan)], capture_output=True, text=True)
    for pid in survivors.stdout.split():
        os.kill(int(pid), 9)
    assert done.verdict == "exited" and done.said == "done\n", done
    assert spent < 2, f"the call lasted {spent:.1f} s"
    if level in ("L0", "L1", "L2"):
        assert survivors.stdout.strip(), "the orphan should live at this level"
        assert done.result["notes"], "no note about the survivor"
    else:
        assert not survivors.stdout.strip(), "the orphan outlived the run"


def test_15_neither_the_callers_variables_nor_bermsarguments_are_seen(stage, who, leftovers):
    search = ('cat /proc/[0-9]*/cmdline /proc/[0-9]*/environ /proc/[0-9]*/comm 2>/dev/null '
              '| tr "\\0" "\\n" | grep -aE "abc1[2]3|xyz7[8]9|secretn[a]me"')
    done = subprocess.run(
        who.command(["env", "CANARY=abc123", str(stage.berm), "run", "--env", "K=xyz789", "--stdin",
                     "none", "--hide", "/secretname", "--", "sh", "-c", search]),
        capture_output=True, text=True, env=who.environment(), stdin=subprocess.DEVNULL, timeout=60)
    lines = set(done.stdout.split())
    assert lines == {"K=xyz789"}, done


def test_18_what_is_unpacked_in_a_temporary_place_can_be_executed(stage, who, leftovers):
    done = stage.plain(who, ["sh", "-c", "for d in /tmp $TMPDIR . $HOME; do cp /bin/true $d/t && "
                             "$d/t && echo ok; done"])
    assert done.said.split() == ["ok"] * 4, done
    done = stage.plain(who, ["python3", "-c",
                             "import mmap,tempfile as t;f=t.TemporaryFile();f.truncate(4096);"
                             "mmap.mmap(f.fileno(),4096,prot=5);print('x ok')"])
    assert done.said == "x ok\n", done


def test_20_asyncio_wakes(stage, who, leftovers):
    done = stage.plain(who, ["python3", "-c", "import asyncio as a; "
                             "print(a.run(a.wait_for(a.to_thread(lambda: 6*7), 3)))"])
    assert done.said == "42\n", done


def test_20_a_forkserver_pool_works_from_a_program_text(stage, who, leftovers):
    text = ("import multiprocessing as m\nif __name__=='__main__':\n"
            " with m.get_context('forkserver').Pool(2) as p: print(p.map(abs,[-1,-2]))\n")
    done = subprocess.run(who.command([str(stage.berm), "code", "--lang", "python", "-"]), input=text,
                          text=True, capture_output=True, env=who.environment(), timeout=60)
    assert done.stdout == "[1, 2]\n", done


def test_20_locks_and_shared_memory_work_and_leave_nothing(stage, who, leftovers):
    done = stage.plain(who, ["python3", "-c",
                             "from multiprocessing import shared_memory as s,Lock;Lock();"
                             "s.SharedMemory(create=True,size=1<<20);print('ok')"])
    assert "ok" in done.said, done


def test_21_the_user_the_time_zone_and_the_locale_are_there(stage, who, leftovers):
    done = stage.plain(who, ["sh", "-c", "id -un; id -gn; TZ=Asia/Kathmandu date +%z; "
                             "locale charmap; printf é | wc -m"])
    assert done.said.split() == ["user", "user", "+0545", "UTF-8", "1"], done


def test_21_the_home_is_the_users_own_without_any_variable(stage, who, leftovers):
    done = stage.plain(who, ["env", "-u", "HOME", "-u", "USER", "python3", "-c",
                             "import getpass,os,sys;print(getpass.getuser(),"
                             "os.path.expanduser('~'),sys.stdout.encoding)"])
    name, home, encoding = done.said.split()
    assert (name, home, encoding) == ("user", "/work", "utf-8"), done


def test_9_the_compile_step_has_limits_and_an_entry_of_its_own(stage, who, leftovers, needs):
    needs("gcc")
    text = "#warning w1\nint main(void){for(;;);}\n"
    done = subprocess.run(
        who.command([str(stage.berm), "code", "--lang", "c", "--cpu-time", "500ms", "--processes", "2",
                     "--memory", "12MiB", "--json", "-"]), input=text, text=True,
        capture_output=True, env=who.environment(), timeout=60)
    answer = json.loads(done.stdout)
    assert answer["verdict"] == "cpu_timeout" and answer["step"] == "run", answer
    assert answer["compile"]["exit_code"] == 0 and "w1" in answer["compile"]["stderr"], answer


def test_9_a_failed_compile_is_told_apart(stage, who, leftovers, needs):
    needs("gcc")
    done = subprocess.run(
        who.command([str(stage.berm), "code", "--lang", "c", "--json"]),
        input="int main(void){return x;}\n", text=True, capture_output=True, env=who.environment(),
        timeout=60)
    answer = json.loads(done.stdout)
    assert done.returncode == 1 and answer["step"] == "compile", answer
    assert "undeclared" in answer["compile"]["stderr"], answer
