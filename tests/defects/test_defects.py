"""Every planted defect is caught by a check with the other layers off; a check that catches nothing is none."""
import subprocess

from conftest import BUILD

# Of the issue: more may be planted, none of these may be missing. follow_links_out comes with the copying of files.
NAMED = ["fail_open", "head_only", "soft_cpu_only", "sweep_session_only", "inherit_env", "nproc_rlimit_only",
         "kill_child_only", "keep_descriptors", "pid1_readable", "capture_unbounded", "oom_stale",
         "filter_native_abi_only", "filter_low_bits_only", "readonly_top_mount_only", "hidden_path_writable",
         "net_joined_late", "caps_effective_only", "verdict_from_137", "evidence_not_compared"]


def known():
    """What the defective executable can plant."""
    done = subprocess.run([str(BUILD / "berm-defective"), "--defects"], capture_output=True, text=True, check=True)
    return [line.split()[0] for line in done.stdout.splitlines()]


def test_every_defect_that_can_be_planted_has_a_check(findings, identity):
    _, rows = findings(identity)
    assert sorted(rows) == sorted(known())
    assert set(NAMED) <= set(rows)


def test_every_defect_is_caught_and_nothing_is_caught_without_it(findings, identity, leftovers):
    status, rows = findings(identity)
    states = {name: row["state"] for name, row in rows.items()}
    assert [name for name, state in states.items() if state not in ("caught", "not applicable")] == []
    assert status == 0
    if identity.name == "root":
        assert set(states.values()) == {"caught"}


def test_layers_hide_defects_and_the_report_names_them(findings, identity):
    _, rows = findings(identity)
    hidden = {name: level for name, row in rows.items() for level, at in row["levels"].items()
              if at["state"] == "hidden" and at["hidden_by"]}
    assert len(hidden) >= 4, rows
    assert rows["keyring_kept"]["levels"]["L6"] == {"state": "hidden", "hidden_by": "syscalls"}
    assert rows["sweep_nothing"]["levels"]["L1"]["state"] == "shows"
    assert rows["sweep_nothing"]["levels"]["L3"]["state"] == "hidden"


def test_what_berm_reads_back_refuses_what_contradicts_the_plan(findings, identity):
    _, rows = findings(identity)
    refused = {name for name, row in rows.items() if row["evidence_refuses"]}
    assert {"net_joined_late", "filter_unset", "no_new_privs_unset", "nesting_allowed"} <= refused


def test_an_unknown_defect_is_refused():
    done = subprocess.run([str(BUILD / "berm-defective"), "--plant", "nope", "run", "--", "true"], capture_output=True,
                          text=True)
    assert done.returncode == 125 and "there is no defect" in done.stderr
