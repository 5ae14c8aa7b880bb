"""Runs of the guest: bare, and inside berm.

In: words of berm-guest, options of berm. Out: an Outcome. Must never: judge.
"""
import json
import os
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LEVELS = ["L0", "L1", "L2", "L3", "L4", "L5", "L6"]
# A run that takes longer has hung: every attempt of the guest is quicker.
PATIENCE_S = 60

LINE = re.compile(r"\b(worked|failed) ([a-z0-9-]+): ?(?:(E[A-Z0-9]+) )?(.*)$", re.MULTILINE)


class Outcome:
    """What came back: of the bare guest, or of berm with its result."""

    def __init__(self, command, done, result=None):
        self.command = command
        self.status = done.returncode
        self.stdout = done.stdout
        self.stderr = done.stderr
        self.result = result or {}
        self.error = self.result.get("error")
        self.verdict = self.result.get("verdict")
        text = self.result.get("stdout", "") if result is not None else done.stdout
        self.said = text or ""
        match = LINE.search(self.said)
        self.worked = bool(match) and match.group(1) == "worked"
        self.failed = bool(match) and match.group(1) == "failed"
        self.errno = match.group(3) if self.failed else None
        self.fact = match.group(4).strip() if match else ""

    def __repr__(self):
        parts = [f"command: {' '.join(map(str, self.command))}", f"status: {self.status}"]
        if self.error:
            parts.append(f"error: {self.error}")
        if self.verdict:
            parts.append(f"verdict: {self.verdict}, signal {self.result.get('signal_name')}")
        parts.append(f"said: {self.said.strip()!r}")
        err = self.result.get("stderr", "") or self.stderr
        if err:
            parts.append(f"stderr: {err.strip()!r}")
        return "\n".join(parts)


class Stage:
    """berm and the guest, copied to a directory that every identity can reach.

    The copies have paths of their own, so that leftovers can be told from other people's processes.
    """

    def __init__(self):
        self.directory = Path(tempfile.mkdtemp(prefix="berm-stage-", dir="/tmp"))
        self.directory.chmod(0o755)
        berm = Path(os.environ.get("BERM", ROOT / "build" / "berm"))
        guest = Path(os.environ.get("BERM_GUEST", berm.parent / "src" / "guest" / "berm-guest"))
        self.berm = self._copy(berm, "berm", "BERM")
        self.guest = self._copy(guest, "guest", "BERM_GUEST")
        self.system = self._system_directory(guest)

    def _system_directory(self, guest):
        """A place of the system for the guest, where L6 shows it without being asked: with --ro a run builds
        its root itself, without it root's runs share a skeleton, and both are to be attacked."""
        if os.geteuid() != 0:
            return None
        directory = Path(tempfile.mkdtemp(prefix="berm-stage-", dir="/usr/local/lib"))
        directory.chmod(0o755)
        shutil.copy(guest, directory / "guest")
        (directory / "guest").chmod(0o755)
        return directory

    def _copy(self, source, name, variable):
        if not source.exists():
            raise FileNotFoundError(f"{source} is not there: build it, or set {variable}")
        target = self.directory / name
        shutil.copy(source, target)
        target.chmod(0o755)
        return target

    def close(self):
        for directory in (self.directory, self.system):
            if directory:
                shutil.rmtree(directory, ignore_errors=True)

    def bare(self, identity, words, **given):
        """The guest without berm."""
        return self._run(identity, [self.guest, *words], None, **given)

    def contained(self, identity, words, level="L6", off=(), options=(), **given):
        """The guest inside berm. At L6 its file is brought in, or lies in the system; below, the host's path is
        there."""
        argv = [self.berm, "run", "--level", level, "--json"]
        for layer in off:
            argv += ["--off", layer]
        guest = self.guest
        if level == "L6" and "filesystem" not in off:
            if self.system and identity.name == "root":
                guest = self.system / "guest"
            else:
                argv += ["--ro", f"{self.guest}:/guest"]
                guest = "/guest"
        return self._run(identity, [*argv, *options, "--", guest, *words], "json", **given)

    def plain(self, identity, argv, level="L6", off=(), options=(), **given):
        """A program of the system inside berm."""
        offs = [word for layer in off for word in ("--off", layer)]
        return self._run(identity, [self.berm, "run", "--level", level, "--json", *offs, *options,
                                    "--", *argv], "json", **given)

    def _run(self, identity, argv, form, environment=None, stdin=subprocess.DEVNULL, cwd="/",
             pass_fds=(), timeout=PATIENCE_S):
        argv = [str(word) for word in argv]
        done = subprocess.run(
            identity.command(argv), env=identity.environment(environment), stdin=stdin, cwd=cwd,
            pass_fds=pass_fds, capture_output=True, text=True, errors="replace", timeout=timeout)
        result = None
        if form == "json":
            try:
                result = json.loads(done.stdout)
            except ValueError:
                result = {}
        return Outcome(argv, done, result)
