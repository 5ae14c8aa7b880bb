"""A row of the boundary checks, and the three runs that make one check of it.

  control   without berm, or with the layer off: the attempt works, else the check proves nothing
  guarded   at L6: it fails, and in the stated way
  ablated   with one named layer off: which other layer still holds, or that none does
"""
import re
from dataclasses import dataclass, field
from typing import Callable, Optional, Union

Words = Union[list, Callable]


class Works:
    """The attempt works."""

    def __init__(self, says=None):
        self.says = says

    def check(self, outcome, world):
        assert outcome.worked, f"the attempt did not work\n{outcome}"
        if self.says:
            assert re.search(self.says, outcome.fact), f"does not say {self.says}\n{outcome}"


class Fails:
    """The attempt fails with one of these errors, and the run itself ends well."""

    def __init__(self, *errors, says=None):
        self.errors = errors
        self.says = says

    def check(self, outcome, world):
        assert not outcome.error, f"berm refused\n{outcome}"
        assert outcome.failed, f"the attempt did not fail\n{outcome}"
        assert outcome.errno in self.errors, \
            f"failed, but not by {' or '.join(self.errors)}\n{outcome}"
        if outcome.verdict:
            assert outcome.verdict == "exited", f"not an ordinary end\n{outcome}"
        if self.says:
            assert re.search(self.says, outcome.fact), f"does not say {self.says}\n{outcome}"


class Killed:
    """The kernel ends the program, and the verdict says why."""

    def __init__(self, verdict, signal):
        self.verdict = verdict
        self.signal = signal

    def check(self, outcome, world):
        assert not outcome.error, f"berm refused\n{outcome}"
        assert outcome.verdict == self.verdict, f"verdict is not {self.verdict}\n{outcome}"
        assert outcome.result.get("signal_name") == self.signal, f"not by {self.signal}\n{outcome}"
        assert not outcome.worked and not outcome.failed, f"the attempt came back\n{outcome}"


class Never:
    """The attempt may say that it worked; it never says this. For words that list what they see."""

    def __init__(self, *patterns):
        self.patterns = patterns

    def check(self, outcome, world):
        assert not outcome.error, f"berm refused\n{outcome}"
        assert outcome.worked or outcome.failed, f"the attempt did not come back\n{outcome}"
        for pattern in self.patterns:
            pattern = pattern(world) if callable(pattern) else pattern
            assert not re.search(pattern, outcome.fact), f"{pattern} is there\n{outcome}"


class Says:
    """The attempt comes back and says this."""

    def __init__(self, *patterns):
        self.patterns = patterns

    def check(self, outcome, world):
        assert not outcome.error, f"berm refused\n{outcome}"
        assert outcome.worked, f"the attempt did not come back\n{outcome}"
        for pattern in self.patterns:
            pattern = pattern(world) if callable(pattern) else pattern
            assert re.search(pattern, outcome.fact), f"{pattern} is not there\n{outcome}"


class Cannot:
    """This run proves nothing on this machine, and why."""

    def __init__(self, reason):
        self.reason = reason


@dataclass
class Row:
    id: str
    claim: str
    from_level: str
    words: Words                     # of berm-guest; a function of the world where it plants
    guarded: object                  # expectation at L6
    at_from: object = None           # expectation at from_level, where it differs
    control: object = field(default_factory=Works)
    control_words: Optional[Words] = None        # where the bare attempt needs another target
    control_who: Optional[tuple] = None          # whose control can work; default: who
    control_lacks: dict = field(default_factory=dict)  # errno -> what this machine lacks then
    ablated: dict = field(default_factory=dict)  # layer -> expectation with that layer off
    who: tuple = ("root", "user")
    options: Words = ()              # of berm
    given: Optional[Callable] = None # of the world: keyword arguments of the run


def of(thing, world):
    """A list that may be a function of the world."""
    return thing(world) if callable(thing) else list(thing)


def per_identity(expectation, name):
    """An expectation may differ between root and user: {"root": ..., "user": ...}."""
    return expectation[name] if isinstance(expectation, dict) else expectation
