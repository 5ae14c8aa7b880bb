"""The public API as a stranger uses it: the installed header and library, nothing else of berm.

The example is compiled as C99 and as C++, against an installation made in a temporary folder.
"""
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("BERM_BUILD", ROOT / "build"))
EXAMPLE = ROOT / "examples" / "embed.c"


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    folder = tmp_path_factory.mktemp("installed")
    done = subprocess.run(["meson", "install", "-C", str(BUILD), "--no-rebuild", "--destdir", str(folder)],
                          capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


def prefix(installed):
    return next(installed.rglob("include/berm/berm.h")).parents[2]


def flags(installed):
    """What pkg-config says, with the temporary folder as the root of the system."""
    place = next(installed.rglob("berm.pc")).parent
    env = dict(os.environ, PKG_CONFIG_PATH=str(place), PKG_CONFIG_SYSROOT_DIR=str(installed))
    done = subprocess.run(["pkg-config", "--cflags", "--libs", "berm"], env=env, capture_output=True,
                          text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


def libraries(installed):
    return str(next(installed.rglob("libberm.so")).parent)


@pytest.mark.parametrize("compiler,standard", [("gcc", "c99"), ("gcc", "c17"), ("clang", "c99"),
                                               ("g++", "c++11"), ("g++", "c++20")])
def test_the_example_compiles_without_a_warning_and_runs(installed, tmp_path, compiler, standard):
    if not shutil.which(compiler):
        pytest.skip(f"{compiler} is not installed")
    source = tmp_path / ("embed.cc" if "++" in compiler else "embed.c")
    shutil.copy(EXAMPLE, source)
    target = tmp_path / "embed"
    made = subprocess.run([compiler, f"-std={standard}", "-Wall", "-Wextra", "-Wpedantic", "-Werror",
                           str(source), *flags(installed), "-o", str(target)], capture_output=True,
                          text=True)
    assert made.returncode == 0, made.stderr
    engine = next(installed.rglob("libexec/berm/berm-engine"))
    done = subprocess.run([str(target), str(engine)], capture_output=True, text=True, timeout=60,
                          env=dict(os.environ, LD_LIBRARY_PATH=libraries(installed)))
    assert (done.returncode, done.stdout) == (0, "exited, exit code 0, output: 14\n"), done


def test_only_the_public_names_are_exported():
    header = (ROOT / "include/berm/berm.h").read_text()
    declared = set(re.findall(r"\b(berm_\w+)\(", header)) - {"berm_output_fn"}
    text = subprocess.run(["nm", "-D", "--defined-only", str(BUILD / "libberm.so")], check=True,
                          capture_output=True, text=True).stdout
    exported = {line.split()[2] for line in text.splitlines() if line.split()[1] in "TDBR"}
    assert {name for name in exported if not name.startswith("_")} <= declared, exported - declared
    used = set(re.findall(r"BERM_API[^;]*?\b(berm_\w+)\(", header, re.S))
    assert used <= exported, used - exported


def test_the_installed_files_are_where_they_belong(installed):
    names = {str(p.relative_to(prefix(installed))) for p in prefix(installed).rglob("*") if p.is_file()
             or p.is_symlink()}
    for wanted in ("bin/berm", "libexec/berm/berm-engine", "libexec/berm/berm-policy",
                   "include/berm/berm.h"):
        assert wanted in names, sorted(names)
    assert not any("fault" in name for name in names), sorted(names)


MISUSE = r"""
#include <berm/berm.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
static size_t seen;
static void take(void *context, int is_stderr, const char *bytes, size_t size)
{
    (void)context; (void)is_stderr; (void)bytes;
    seen += size;
}
int main(int argc, char **argv)
{
    const char *spin[] = {"sh", "-c", "echo begun; sleep 30", NULL};
    struct berm_error err;
    struct berm_run *run = NULL;
    struct berm_result *result = NULL;
    struct berm_policy *policy = berm_policy_new();
    struct berm_request *request = berm_request_new(spin);
    sigset_t all;
    (void)argc;
    signal(SIGCHLD, SIG_IGN);
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, NULL);
    berm_request_set_engine(request, argv[1]);
    berm_request_set_output(request, take, NULL);
    if (berm_policy_set(policy, "memory", "12", &err) == 0 || !strstr(err.message, "12"))
        return 10;
    if (berm_run_start(policy, request, &run, &err) < 0)
        return 11;
    if (berm_run_result(run, &result, &err) == 0)
        return 12;
    for (int i = 0; i < 1000 && seen < 6; i++)
        if (berm_run_wait(run, 10) == 0)
            return 13;
    berm_run_cancel(run);
    if (berm_run_wait(run, 5000) != 0)
        return 14;
    if (berm_run_result(run, &result, &err) < 0 ||
        berm_result_verdict(result) != BERM_VERDICT_CANCELLED)
        return 15;
    if (berm_run_result(run, &result, &err) == 0)
        return 16;
    berm_result_free(result);
    berm_run_free(run);
    run = NULL;
    if (berm_run_start(policy, request, &run, &err) < 0)
        return 17;
    berm_run_free(run);
    berm_request_free(request);
    berm_policy_free(policy);
    puts("ok");
    return 0;
}
"""


def test_wrong_use_and_a_hostile_signal_state_are_survived(installed, tmp_path):
    source = tmp_path / "misuse.c"
    source.write_text(MISUSE)
    made = subprocess.run(["gcc", "-D_GNU_SOURCE", str(source), *flags(installed), "-o",
                           str(tmp_path / "misuse")], capture_output=True, text=True)
    assert made.returncode == 0, made.stderr
    engine = next(installed.rglob("libexec/berm/berm-engine"))
    before = len(os.listdir("/proc/self/fd"))
    done = subprocess.run([str(tmp_path / "misuse"), str(engine)], capture_output=True, text=True,
                          timeout=60, env=dict(os.environ, LD_LIBRARY_PATH=libraries(installed)))
    assert (done.returncode, done.stdout) == (0, "ok\n"), done
    assert len(os.listdir("/proc/self/fd")) == before
