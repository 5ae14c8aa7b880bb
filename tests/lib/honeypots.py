"""Canaries and honeypots: what an attempt is to find, planted by the harness itself.

Each is made when a row asks for it and gone at the end of the test. A honeypot tells whether it was
touched.
"""
import contextlib
import ctypes
import os
import secrets
import shutil
import socket
import subprocess
import tempfile
import time
from pathlib import Path

LIBC = ctypes.CDLL(None, use_errno=True)
IPC_CREAT = 0o1000
IPC_RMID = 0


class Server:
    """A socket that tells who came.

    Nobody serves it: the kernel completes connections into the backlog and keeps datagrams, so what
    came before the question is there at the question, without waiting.
    """

    def __init__(self, family, kind, address, mode=None):
        self.socket = socket.socket(family, kind)
        self.socket.bind(address)
        if mode is not None:
            os.chmod(address, mode)
        self.address = self.socket.getsockname()
        self.is_stream = kind == socket.SOCK_STREAM
        if self.is_stream:
            self.socket.listen(8)
        self.socket.setblocking(False)
        self.touches = 0

    @property
    def port(self):
        return self.address[1]

    def touched(self):
        """How often, up to now."""
        while True:
            try:
                if self.is_stream:
                    self.socket.accept()[0].close()
                else:
                    self.socket.recvfrom(64)
            except BlockingIOError:
                return self.touches
            self.touches += 1

    def close(self):
        self.socket.close()


class World:
    """Everything that the rows of one test may plant."""

    def __init__(self, stage, identity):
        self.stage = stage
        self.identity = identity
        self.secret = "canary-" + secrets.token_hex(8)
        self._stack = contextlib.ExitStack()
        self._made = {}

    def close(self):
        self._stack.close()

    def _once(self, name, make):
        if name not in self._made:
            self._made[name] = make()
        return self._made[name]

    def _own(self, path):
        if os.geteuid() == 0:
            os.chown(path, self.identity.uid, self.identity.gid)
        return path

    # Files.

    def directory(self, name="files", parent="/tmp"):
        """A directory of the caller's on the host."""
        def make():
            path = Path(tempfile.mkdtemp(prefix="canary-", dir=parent))
            self._stack.callback(shutil.rmtree, path, ignore_errors=True)
            path.chmod(0o755)
            return self._own(path)
        return self._once(("directory", name, parent), make)

    def canary(self, name="canary", parent="/tmp", mode=0o644):
        """A file of the caller's that holds the secret."""
        def make():
            path = self.directory("of " + name, parent) / name
            path.write_text(self.secret + "\n")
            path.chmod(mode)
            return self._own(path)
        return self._once(("canary", name, parent), make)

    def setuid_guest(self):
        """A copy of the guest that belongs to root and has the set-user-id bit."""
        def make():
            path = self.directory("setuid") / "setuid-guest"
            shutil.copy(self.stage.guest, path)
            path.chmod(0o4755)
            return path
        return self._once("setuid", make)

    # Processes.

    def victim(self):
        """A process of the caller's, with the secret in its arguments and in its environment."""
        def make():
            process = subprocess.Popen(
                self.identity.command([str(self.stage.guest), "end", "sleep", "50"]),
                env=self.identity.environment({"SECRET": self.secret}), stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL, cwd="/")
            self._stack.callback(process.wait)
            self._stack.callback(process.kill)
            wait_for_program(process.pid, self.stage.guest)
            return process.pid
        return self._once("victim", make)

    # Sockets.

    def _server(self, name, *arguments):
        def make():
            server = Server(*arguments)
            self._stack.callback(server.close)
            return server
        return self._once(name, make)

    def tcp(self):
        return self._server("tcp", socket.AF_INET, socket.SOCK_STREAM, ("127.0.0.1", 0))

    def udp(self):
        return self._server("udp", socket.AF_INET, socket.SOCK_DGRAM, ("127.0.0.1", 0))

    def tcp6(self):
        return self._server("tcp6", socket.AF_INET6, socket.SOCK_STREAM, ("::1", 0))

    def abstract(self):
        name = "berm-honeypot-" + self.secret
        self._server("abstract", socket.AF_UNIX, socket.SOCK_STREAM, "\0" + name)
        return name

    def path_socket(self, parent="/run"):
        name = f"{parent}/honeypot-{self.secret}.sock"
        self._server("path" + parent, socket.AF_UNIX, socket.SOCK_STREAM, name, 0o666)
        self._stack.callback(lambda: Path(name).unlink(missing_ok=True))
        return name

    def honeypots(self):
        return {name: made for name, made in self._made.items() if isinstance(made, Server)}

    def touched(self):
        """Names of the honeypots that somebody came to."""
        return [name for name, server in self.honeypots().items() if server.touched()]

    # The host's own.

    def host_name(self):
        return os.uname().nodename

    def group_file(self, name):
        """A file of the host's control groups, of the first hierarchy that has it."""
        for place in ("memory", "unified", "", "systemd"):
            path = Path("/sys/fs/cgroup") / place / name
            if path.exists():
                return path
        return Path("/sys/fs/cgroup") / name

    def key(self):
        """The description of a kernel key in the caller's user keyring."""
        def make():
            planted = self.stage.bare(self.identity, ["key-plant", self.secret])
            assert planted.worked, planted
            self._stack.callback(self.stage.bare, self.identity, ["key-drop", self.secret])
            return self.secret
        return self._once("key", make)

    # What processes share by a key.

    def shared(self, kind):
        """The key under which a segment, semaphores or a queue stands for everybody."""
        def make():
            key = secrets.randbelow(1 << 30) + 1
            if kind == "shm":
                number = LIBC.shmget(key, 4096, IPC_CREAT | 0o666)
                LIBC.shmat.restype = ctypes.c_void_p
                memory = LIBC.shmat(number, None, 0)
                ctypes.memmove(memory, self.secret.encode() + b"\0", len(self.secret) + 1)
                LIBC.shmdt(ctypes.c_void_p(memory))
                remove = (LIBC.shmctl, number, IPC_RMID, None)
            elif kind == "sem":
                number = LIBC.semget(key, 1, IPC_CREAT | 0o666)
                remove = (LIBC.semctl, number, 0, IPC_RMID)
            else:
                number = LIBC.msgget(key, IPC_CREAT | 0o666)
                remove = (LIBC.msgctl, number, IPC_RMID, None)
            assert number >= 0, os.strerror(ctypes.get_errno())
            self._stack.callback(*remove)
            return key
        return self._once(kind, make)

    def posix_shared(self):
        """The name of a segment in /dev/shm."""
        def make():
            path = Path("/dev/shm") / self.secret
            path.write_text(self.secret)
            path.chmod(0o644)
            self._stack.callback(path.unlink)
            return "/" + self.secret
        return self._once("posix", make)

    def leaked_descriptor(self):
        """A descriptor without close-on-exec on a file that holds the secret."""
        def make():
            fd = os.open(self.canary(), os.O_RDONLY)
            os.set_inheritable(fd, True)
            self._stack.callback(os.close, fd)
            return fd
        return self._once("descriptor", make)

    def leaked_directory(self):
        """The same of a directory: the host's root."""
        def make():
            fd = os.open("/", os.O_RDONLY | os.O_DIRECTORY)
            os.set_inheritable(fd, True)
            self._stack.callback(os.close, fd)
            return fd
        return self._once("directory descriptor", make)

    def mounted(self):
        """A directory with a tmpfs over it, for root alone."""
        def make():
            path = self.directory("mounted")
            subprocess.run(["mount", "-t", "tmpfs", "none", str(path)], check=True)
            self._stack.callback(subprocess.run, ["umount", "-l", str(path)], capture_output=True)
            return path
        return self._once("mounted", make)

    def read_only_mount(self):
        """A directory that is mounted read-only, for root alone."""
        def make():
            path = self.mounted()
            subprocess.run(["mount", "-o", "remount,bind,ro", str(path)], check=True)
            return path
        return self._once("read-only", make)


def wait_for_program(pid, program):
    """Until the process has executed the program: before that it is a copy of this one."""
    end = time.monotonic() + 10
    while time.monotonic() < end:
        try:
            if os.readlink(f"/proc/{pid}/exe") == str(program):
                return
        except OSError:
            pass
        time.sleep(0.01)
    raise TimeoutError(f"process {pid} did not become {program}")
