"""A machine with Debian's kernel and control groups of version 2 alone, emulated.

In: the executables to try. Out: a shell on that machine. Must never: need root, or a kernel module: everything
is in the initramfs, and orders come by a serial line.
"""
import base64
import json
import os
import platform
import select
import shutil
import subprocess
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
BOOT_S = 180
# What takes one second of a processor may take this many here: every instruction is translated.
CLOCK_FACTOR = 20
ORDER_S = 10 * CLOCK_FACTOR
MEMORY = "1G"


class Answer:
    """What an order gave."""

    def __init__(self, script, status, output):
        self.script, self.status, self.output = script, status, output

    @property
    def result(self):
        """berm's result, when the order was `berm run --json`."""
        try:
            return json.loads(self.output)
        except ValueError:
            raise AssertionError(f"no result\n{self}") from None

    def __repr__(self):
        return f"order: {self.script}\nstatus: {self.status}\noutput: {self.output}"


def lacks():
    """Why no machine can be emulated here; empty when one can."""
    if platform.machine() != "x86_64":
        return "machines are emulated on x86-64 only"
    missing = [name for name in ("qemu-system-x86_64", "busybox", "cpio") if not shutil.which(name)]
    return f"not installed: {', '.join(missing)}" if missing else ""


def kernel(directory):
    done = subprocess.run([HERE / "fetch-kernel", directory], capture_output=True, text=True)
    assert done.returncode == 0 and done.stdout.strip(), f"no kernel\n{done.stderr}"
    return done.stdout.strip()


def make_initramfs(directory, programs):
    """A root with a shell, the programs, and an ordinary user."""
    root = directory / "root"
    for name in ("bin", "dev", "proc", "sys", "run", "tmp", "etc", "root", "home/user", "usr/bin"):
        (root / name).mkdir(parents=True, exist_ok=True)
    (root / "tmp").chmod(0o1777)
    (root / "etc/passwd").write_text("root:x:0:0:root:/root:/bin/sh\n"
                                     "user:x:1000:1000:user:/home/user:/bin/sh\n")
    (root / "etc/group").write_text("root:x:0:\nuser:x:1000:\n")
    for source, target in [(shutil.which("busybox"), "bin/busybox"), (HERE / "init", "init"),
                           *((path, f"usr/bin/{name}") for name, path in programs.items())]:
        shutil.copy(source, root / target)
        (root / target).chmod(0o755)
    image = directory / "initramfs"
    names = "\0".join(str(p.relative_to(root)) for p in [root, *sorted(root.rglob("*"))])
    with image.open("wb") as out:
        subprocess.run(["cpio", "--quiet", "-0", "-o", "-H", "newc", "-R", "0:0"], check=True, cwd=root,
                       input=names.encode(), stdout=out)
    return image


class Machine:
    """An emulated machine that takes orders."""

    def __init__(self, directory, kernel_path, programs):
        self.console = directory / "console"
        image = make_initramfs(directory, programs)
        self.process = subprocess.Popen(
            ["qemu-system-x86_64", "-accel", "tcg", "-cpu", "max", "-smp", "2", "-m", MEMORY,
             "-nodefaults", "-no-reboot", "-display", "none", "-kernel", kernel_path, "-initrd", image,
             "-append", "console=ttyS0 quiet panic=-1 rdinit=/init cgroup_no_v1=all",
             "-serial", f"file:{self.console}", "-chardev", "stdio,id=orders,signal=off",
             "-serial", "chardev:orders"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, bufsize=0)
        self._rest = b""
        try:
            assert self._line(BOOT_S) == "ready", self._said()
        except BaseException:
            self.close()
            raise

    def close(self):
        self.process.kill()
        self.process.wait()
        self.process.stdin.close()
        self.process.stdout.close()

    def _said(self):
        return "the console said:\n" + self.console.read_text(errors="replace")[-4000:]

    def _line(self, patience_s):
        """The next line; what the machine does not answer in time is an error."""
        end = time.monotonic() + patience_s
        while b"\n" not in self._rest:
            ready = select.select([self.process.stdout], [], [], max(0, end - time.monotonic()))[0]
            piece = os.read(self.process.stdout.fileno(), 65536) if ready else b""
            assert piece, f"no answer within {patience_s} s\n{self._said()}"
            self._rest += piece
        line, self._rest = self._rest.split(b"\n", 1)
        return line.decode().strip()

    def order(self, script):
        """Run a shell script there, as root in the root of the control groups."""
        self.process.stdin.write(base64.b64encode(script.encode()) + b"\n")
        status = int(self._line(ORDER_S))
        text = ""
        while line := self._line(ORDER_S):
            text += line
        return Answer(script, status, base64.b64decode(text).decode(errors="replace"))


def leftovers(machine):
    """What a run could have left: groups, processes, mounts, work directories, segments."""
    answer = machine.order("""
        find /sys/fs/cgroup -mindepth 1 -type d
        ls -l /proc/[0-9]*/exe 2>/dev/null | grep -E '(berm|guest)$'
        cut -d' ' -f5 /proc/self/mountinfo | sed 's/^/mount /'
        ls -d /run/berm/work* /tmp/berm* /dev/shm/* 2>/dev/null | grep -v '/tmp/berm-1000$'
        true""")
    return set(answer.output.splitlines())
