"""The caller's terminal: nothing is typed into it from inside (CVE-2017-5226, CVE-2019-10063)."""
import os
import pty
import select
import time

import pytest

from runs import LINE

# TIOCSTI pushes this character; it must never come back out of the caller's terminal.
CHARACTER = str(ord("~"))


def on_a_terminal(identity, argv):
    """What a command printed that had a terminal of its own as its controlling terminal."""
    argv = identity.command([str(word) for word in argv])
    pid, terminal = pty.fork()
    if pid == 0:
        os.chdir("/")
        os.execvpe(argv[0], argv, identity.environment())
    text = b""
    end = time.monotonic() + 30
    while time.monotonic() < end:
        if not select.select([terminal], [], [], 0.1)[0]:
            continue
        try:
            piece = os.read(terminal, 4096)
        except OSError:  # EIO: the last process let go of the other side
            break
        if not piece:
            break
        text += piece
    os.close(terminal)
    os.waitpid(pid, 0)
    return text.decode(errors="replace").replace("\r", "")


def contained(stage, identity, words, *options):
    return on_a_terminal(identity, [stage.berm, "run", "--ro", f"{stage.guest}:/guest", *options,
                                    "--", "/guest", *words])


def answer(text):
    match = LINE.search(text)
    assert match, f"the attempt did not come back: {text!r}"
    return match.group(1), match.group(3), match.group(4)


@pytest.fixture
def legacy_tiocsti():
    """Since Linux 6.2 a machine may have switched it off for everybody."""
    try:
        with open("/proc/sys/dev/tty/legacy_tiocsti") as setting:
            if setting.read().strip() == "0":
                pytest.skip("this kernel has TIOCSTI switched off (dev.tty.legacy_tiocsti)")
    except OSError:
        pass


def test_control_a_character_can_be_pushed_into_the_own_terminal(
        stage, identity, leftovers, legacy_tiocsti):
    text = on_a_terminal(identity, [stage.guest, "terminal", "TIOCSTI", CHARACTER])
    assert answer(text)[0] == "worked", text
    assert "~" in text


@pytest.mark.parametrize("command", ["TIOCSTI", "TIOCLINUX", "TIOCSETD", "TIOCCONS"])
@pytest.mark.parametrize("high", ["0", "1", "0x7fffffff"])
def test_with_a_terminal_of_its_own_the_command_is_refused(
        stage, identity, leftovers, command, high):
    text = contained(stage, identity, ["terminal", command, CHARACTER, high], "--tty")
    assert answer(text)[:2] == ("failed", "EPERM"), text
    assert "~" not in text


def test_ablated_without_the_filter_only_its_own_terminal_is_reached(
        stage, identity, leftovers, legacy_tiocsti):
    words = ["terminal", "TIOCSTI", CHARACTER]
    text = contained(stage, identity, words, "--tty", "--off", "syscalls")
    assert answer(text)[0] == "worked", text
    # It came back as the echo of the run's own terminal: nobody typed it into the caller's.
    assert text.count("~") <= 1, text


@pytest.mark.parametrize("off", [[], ["--off", "syscalls"]], ids=["filter", "no-filter"])
def test_without_tty_the_program_has_no_terminal(stage, identity, leftovers, off):
    text = contained(stage, identity, ["terminal", "TIOCSTI", CHARACTER], *off)
    assert answer(text)[:2] == ("failed", "ENOTTY" if off else "EPERM"), text
    assert "~" not in text


def test_without_tty_the_terminal_device_is_an_error_at_once(stage, identity, leftovers):
    begin = time.monotonic()
    text = contained(stage, identity, ["open", "/dev/tty"])
    state, errno, _ = answer(text)
    assert state == "failed" and errno in ("ENXIO", "ENOENT"), text
    assert time.monotonic() - begin < 5
