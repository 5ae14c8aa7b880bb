"""Claims about control groups of version 2, on Debian's own kernel, with no other version there."""
import pytest

GROUP = "/sys/fs/cgroup/given"
EXACT = {
    "memory of the whole tree, files in memory included": "cgroup v2 memory.max, no swap",
    "CPU time of the whole tree": "cgroup v2 cpu.stat, and RLIMIT_CPU per process",
    "CPUs used at a time": "CPU affinity and cgroup v2 cpu.max",
    "number of processes and threads": "cgroup v2 pids.max",
}
LEVELS = ["L3", "L6"]


def run(machine, words, level="L6"):
    return machine.order(f"berm run --json --level {level} {words}").result


def run_as_user(machine, words):
    return machine.order(f"su user -c 'berm run --json {words}'").result


def promises(result):
    """promise -> (mechanism, strength)"""
    assert "layers" in result, result
    return {promise["what"]: (promise["mechanism"], promise["strength"])
            for layer in result["layers"] for promise in layer["promises"]}


def in_group(machine, words, owner="root", has_company=False):
    """berm in a group that was handed to @owner: alone, or beside the shell that started it."""
    command = f"berm {words}; true" if has_company else f"exec berm {words}"
    return machine.order(f"""
        echo '+memory +pids +cpu' >/sys/fs/cgroup/cgroup.subtree_control
        mkdir {GROUP}
        chown {owner} {GROUP} {GROUP}/cgroup.procs {GROUP}/cgroup.subtree_control
        sh -c 'echo 0 >{GROUP}/cgroup.procs; exec su {owner} -c "{command}"'
        status=$?
        rmdir {GROUP}
        exit $status""")


def test_no_other_version_is_there(machine):
    answer = machine.order("grep cgroup /proc/mounts; cat /proc/self/cgroup")
    assert answer.output == "cgroup2 /sys/fs/cgroup cgroup2 rw,relatime 0 0\n0::/\n", answer


def test_doctor_names_version_2_for_each_controller(machine):
    answer = machine.order("berm doctor")
    assert answer.status == 0, answer
    found = [line for line in answer.output.splitlines() if "control group" in line]
    assert len(found) == 4 and all(" ok " in line and "(v2)" in line for line in found), answer


@pytest.mark.parametrize("level", LEVELS)
def test_each_limit_is_kept_exactly(machine, level):
    result = run(machine, "--strict -- guest alloc 1", level)
    seen = promises(result)
    assert {what: seen[what] for what in EXACT} == {w: (m, "exact") for w, m in EXACT.items()}
    assert result["stdout"].startswith("worked alloc"), result


@pytest.mark.parametrize("level", LEVELS)
def test_the_kernel_ends_a_run_at_its_memory_limit(machine, level):
    result = run(machine, "--memory 32MiB -- guest alloc 100", level)
    assert (result["verdict"], result["oom"], result["oom_source"]) == ("memory", True, "kernel"), result
    assert result["usage"]["memory_peak_bytes"] <= 32 << 20


def test_a_grandchild_out_of_memory_sets_the_flag_and_not_the_verdict(machine):
    result = run(machine, "--memory 32MiB -- sh -c 'sh -c \"guest alloc 100; true\"; exit 3'")
    assert (result["verdict"], result["exit_code"]) == ("exited", 3), result
    assert (result["oom"], result["oom_source"]) == (True, "kernel"), result


def test_files_in_memory_count_as_memory(machine):
    result = run(machine, "--memory 32MiB --tmp-size 200MiB -- guest write-mib /tmp/large 60")
    assert (result["verdict"], result["oom_source"]) == ("memory", "kernel"), result


@pytest.mark.parametrize("level", LEVELS)
def test_forks_past_the_cap_are_refused_and_counted(machine, level):
    result = run(machine, "--processes 10 -- guest fork 30", level)
    assert "EAGAIN started 9 of 30" in result["stdout"], result
    assert result["usage"]["processes_refused"] >= 1


def test_berms_own_init_is_not_counted(machine):
    result = run(machine, "--processes 10 -- guest fork 30")
    assert result["usage"]["processes_peak"] == 10, result["usage"]


def test_half_a_cpu_is_half_a_cpu(machine):
    usage = run(machine, "--cpus 0.5 -- guest spin 3")["usage"]
    assert usage["wall_s"] > 2.9 and 0.35 < usage["cpu_s"] / usage["wall_s"] < 0.65, usage


@pytest.mark.parametrize("words", ["spin-threads 2 30", "spin-chain 30"])
def test_cpu_time_is_that_of_the_whole_tree(machine, words):
    result = run(machine, f"--cpu-time 1s --cpus 2 -- guest {words}")
    assert result["verdict"] == "cpu_timeout", result
    assert result["usage"]["cpu_source"] == "cgroup" and result["usage"]["cpu_s"] < 1.5, result


def test_runs_at_the_same_time_do_not_disturb_each_other(machine):
    answer = machine.order("""
        for i in 1 2 3 4; do berm run --json --strict --processes 5 -- guest fork 3 >/tmp/of-$i & done
        wait
        cat /tmp/of-*; rm /tmp/of-*""")
    assert answer.output.count('"verdict": "exited"') == 4, answer
    assert answer.output.count("worked fork") == 4, answer


def test_what_a_killed_berm_left_is_removed_by_the_next_start(machine):
    answer = machine.order("""
        berm run -- sleep 1000 & pid=$!
        while ! ls -d /sys/fs/cgroup/berm-* >/dev/null 2>&1; do usleep 100000; done
        kill -9 $pid
        wait $pid
        berm run -- true""")
    assert answer.status == 0, answer


# In a group that is not the root.

@pytest.mark.parametrize("owner", ["root", "user"])
def test_alone_in_a_group_berm_steps_aside_and_comes_back(machine, owner):
    result = in_group(machine, "run --json --strict -- guest alloc 1", owner).result
    seen = promises(result)
    assert {what: seen[what] for what in EXACT} == {w: (m, "exact") for w, m in EXACT.items()}
    assert result["stdout"].startswith("worked alloc"), result


def test_alone_in_a_group_the_memory_limit_is_the_kernels(machine):
    result = in_group(machine, "run --json --memory 32MiB -- guest alloc 100", "user").result
    assert (result["verdict"], result["oom_source"]) == ("memory", "kernel"), result


def test_beside_others_in_a_group_weaker_mechanisms_are_named(machine):
    result = in_group(machine, "run --json -- guest alloc 1", has_company=True).result
    assert result["verdict"] == "exited", result
    assert promises(result)["memory of the whole tree"][1] == "weaker"


def test_beside_others_in_a_group_strict_refuses(machine):
    result = in_group(machine, "run --json --strict -- guest alloc 1", has_company=True).result
    assert result["error"]["code"] == "unavailable", result
    assert "kept only by" in result["error"]["message"]


def test_beside_others_in_a_group_doctor_says_so(machine):
    answer = in_group(machine, "doctor", has_company=True)
    assert answer.output.count("cause: other processes stand in berm's own control group") == 4, answer


# An ordinary user to whom no group was handed.

def test_without_a_group_each_weaker_mechanism_is_named(machine):
    seen = promises(run_as_user(machine, "-- guest alloc 1"))
    assert seen["memory of the whole tree"][0].startswith("resident memory polled every 5 ms"), seen
    assert seen["number of processes and threads"][0].startswith("RLIMIT_NPROC inside"), seen
    assert seen["CPUs used at a time"] == ("CPU affinity", "exact"), seen
    weaker = {what for what, (_, strength) in seen.items() if strength == "weaker"}
    assert weaker == {"memory of the whole tree", "number of processes and threads",
                      "CPU time of the whole tree"}, seen


def test_without_a_group_strict_refuses(machine):
    result = run_as_user(machine, "--strict -- true")
    assert result["error"]["code"] == "unavailable", result


def test_without_a_group_memory_is_watched(machine):
    result = run_as_user(machine, "--memory 32MiB -- guest alloc-children 4 30")
    assert (result["verdict"], result["oom_source"]) == ("memory", "monitor"), result


def test_without_a_group_forks_are_refused_by_the_namespaces_own_count(machine):
    result = run_as_user(machine, "--processes 10 -- guest fork 30")
    assert "EAGAIN started 9 of 30" in result["stdout"], result
