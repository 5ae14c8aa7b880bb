"""What this machine is: who runs the tests, which account stands for an ordinary user.

Must never: change anything but add that account.
"""
import os
import pwd
import subprocess

USER = "berm-test-user"


def is_root():
    return os.geteuid() == 0


def ordinary_user():
    """The account of an ordinary user, made when it is missing. None when that cannot be done."""
    try:
        return pwd.getpwnam(USER)
    except KeyError:
        pass
    if not is_root():
        return None
    made = subprocess.run(
        ["useradd", "--no-create-home", "--shell", "/usr/sbin/nologin", USER], capture_output=True)
    return pwd.getpwnam(USER) if made.returncode == 0 else None


class Identity:
    """Who starts berm, or the bare attempt: `root` or `user`."""

    def __init__(self, name):
        self.name = name
        self.account = pwd.getpwuid(os.geteuid()) if name == "root" else None
        if name == "user":
            self.account = ordinary_user() if is_root() else pwd.getpwuid(os.geteuid())

    def missing(self):
        """Why this identity cannot be had here; empty when it can."""
        if self.name == "root":
            return "" if is_root() else "the tests were not started by root"
        return "" if self.account else f"there is no account {USER} and it cannot be made"

    @property
    def uid(self):
        return self.account.pw_uid

    @property
    def gid(self):
        return self.account.pw_gid

    def command(self, argv):
        if self.name == "root" or not is_root():
            return list(argv)
        return ["setpriv", "--reuid", str(self.uid), "--regid", str(self.gid), "--clear-groups",
                *argv]

    def environment(self, extra=None):
        kept = {name: os.environ[name] for name in ("PATH", "LANG", "TERM") if name in os.environ}
        kept["HOME"] = self.account.pw_dir
        kept.update(extra or {})
        return kept


