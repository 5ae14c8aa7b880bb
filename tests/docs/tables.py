#!/usr/bin/python3
"""The tables of docs/architecture.md that follow the source: the order of the steps, the rooms and arrows.

  tables.py --write     write them into docs/architecture.md

In: src/enter/sequence.c, tools/check-arrows. Out: lines of Markdown. The test compares them with the page.
"""
import importlib.machinery
import importlib.util
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs/architecture.md"

STRING = r'((?:"(?:[^"\\]|\\.)*"\s*)+)'
STEP = re.compile(r"\[STEP_\w+\] =\s*\{\s*STEP_\w+,\s*BERM_LAYER_(\w+),\s*STEP_IN_(\w+),\s*"
                  + r",\s*".join([STRING] * 3) + r",\s*\w+,?\s*\}", re.DOTALL)

# What a room owns. A room without a row here is refused.
ROOMS = {
    "base": "errors, texts, units, clock, cleanup",
    "policy": "the table of options, values, levels, profiles",
    "plan": "the flat plan: builder, check, words",
    "layers": "the seven promises: what must be true",
    "linux": "one file a mechanism, no decision: clone, groups, /proc, the probe",
    "enter": "between clone and exec, and PID 1",
    "run": "one run: slot, spawn, poll loop, capture, outcome",
    "session": "files in and out of a work directory: the only code that opens names which a program chose",
    "files": "berm-files: file types, hashes and archives, inside a run of its own",
    "wire": "JSON of plan, result, error",
    "request": "what a run needs beside the policy: where paths lead, variables from files",
    "engine": "the executable that the library spawns",
    "api": "berm.h",
    "cli": "verbs, flags, help, printing",
    "policyreader": "berm-policy: reads, checks and shows policy files",
    "prove": "berm-prove: attacks, what the host sees of them, the matrix, other sandboxes",
    "guest": "berm-guest: the static program that makes the attempts, for prove and the tests",
}


def joined(literals):
    return "".join(re.findall(r'"((?:[^"\\]|\\.)*)"', literals)).replace("|", "\\|")


def steps():
    """[(name, place, owner, what, why)] in the order of the table."""
    text = (ROOT / "src/enter/sequence.c").read_text()
    return [(joined(m[3]), m[2].lower(), m[1].lower(), joined(m[4]), joined(m[5]))
            for m in STEP.finditer(text)]


def arrows():
    """{room: what it may include} of the rooms that exist."""
    path = str(ROOT / "tools/check-arrows")
    loader = importlib.machinery.SourceFileLoader("check_arrows", path)
    spec = importlib.util.spec_from_loader("check_arrows", loader)
    module = importlib.util.module_from_spec(spec)
    wrote, sys.dont_write_bytecode = sys.dont_write_bytecode, True
    loader.exec_module(module)
    sys.dont_write_bytecode = wrote
    return {room: allowed for room, allowed in module.ARROWS.items()
            if list((ROOT / "src" / room).glob("*.[ch]"))}


def is_there(name):
    """A room or a header that exists; the arrows also name rooms to come."""
    return (ROOT / "src" / name).exists()


def step_lines():
    head = ["| step | in | owner | what | why here |", "|---|---|---|---|---|"]
    return head + ["| " + " | ".join([f"`{name}`", place, owner if owner != "none" else "–", what, why])
                   + " |" for name, place, owner, what, why in steps()]


def room_lines():
    head = ["| room | what it owns | may include |", "|---|---|---|"]
    rows = []
    for room, allowed in arrows().items():
        names = ", ".join(f"`{name}`" for name in allowed if is_there(name))
        rows.append(f"| `{room}` | {ROOMS[room]} | {names or 'nothing'} |")
    return head + rows


def replaced(text, source, lines):
    """The page with the table behind the comment that names the source."""
    pattern = re.compile(rf"(<!-- Checked against {re.escape(source)}:[^\n]*-->\n\n)(?:\|[^\n]*\n)+")
    if not pattern.search(text):
        raise SystemExit(f"docs/architecture.md has no table that is checked against {source}")
    return pattern.sub(lambda match: match[1] + "\n".join(lines) + "\n", text)


def page_as_it_should_be():
    text = PAGE.read_text()
    text = replaced(text, "src/enter/sequence.c", step_lines())
    return replaced(text, "tools/check-arrows", room_lines())


if __name__ == "__main__":
    if sys.argv[1:] != ["--write"]:
        sys.exit(__doc__)
    PAGE.write_text(page_as_it_should_be())
