"""Reads the documents: fenced blocks, tables, headings, links.

In: the Markdown files of the tree. Out: plain values. Must never: judge.
"""
import re
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

FENCE = re.compile(r"^```(\S*)[ ]?([^\n]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)


def all_pages():
    """README and its like, and everything below docs."""
    return sorted(ROOT.glob("*.md")) + sorted((ROOT / "docs").rglob("*.md"))


def name_of(page):
    return str(page.relative_to(ROOT))


@dataclass
class Block:
    language: str   # the first word behind the fence
    words: str      # the rest of that line
    text: str
    line: int


def blocks(page):
    text = page.read_text()
    return [Block(match[1], match[2].strip(), match[3], text[:match.start()].count("\n") + 1)
            for match in FENCE.finditer(text)]


def without_code(text):
    text = FENCE.sub("", text)
    return re.sub(r"`[^`\n]*`", "", text)


def links(page):
    return LINK.findall(without_code(page.read_text()))


def anchors(page):
    """As the forges make them: lower case, marks gone, spaces to dashes."""
    found = set()
    for title in HEADING.findall(FENCE.sub("", page.read_text())):
        plain = re.sub(r"[^\w\- ]", "", title.lower())
        found.add(plain.replace(" ", "-"))
    return found


def table_behind(page, heading):
    """The rows of the first table below a heading, as lists of cells; the head is the first."""
    text = page.read_text()
    begin = re.search(rf"^#+ {re.escape(heading)}$", text, re.MULTILINE)
    assert begin, f"{name_of(page)} has no heading {heading!r}"
    rows = []
    for line in text[begin.end():].splitlines():
        if line.startswith("|"):
            rows.append([cell.strip() for cell in re.split(r"(?<!\\)\|", line.strip())[1:-1]])
        elif rows:
            break
    assert len(rows) > 2, f"{name_of(page)}: no table below {heading!r}"
    return [rows[0], *rows[2:]]
