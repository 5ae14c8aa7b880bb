"""A link leads somewhere, and every page can be found."""
import re

import pytest

from pages import ROOT, all_pages, anchors, links, name_of

PAGES = all_pages()


def target_of(page, link):
    """(file, anchor) of a link inside the tree; None for one that leads outside."""
    if re.match(r"[a-z]+:", link):
        return None
    path, _, anchor = link.partition("#")
    return ((page.parent / path).resolve() if path else page), anchor


@pytest.mark.parametrize("page", PAGES, ids=map(name_of, PAGES))
def test_every_link_leads_to_a_file_and_a_heading(page):
    for link in links(page):
        target = target_of(page, link)
        if not target:
            continue
        file, anchor = target
        assert file.exists(), f"{link}: there is no such file"
        assert ROOT in file.parents, f"{link}: leads out of the tree"
        if anchor:
            assert anchor in anchors(file), f"{link}: there is no such heading"


def test_every_page_is_reached_from_the_readme():
    reached, open_pages = set(), [ROOT / "README.md"]
    while open_pages:
        page = open_pages.pop()
        if page in reached:
            continue
        reached.add(page)
        for link in links(page):
            target = target_of(page, link)
            if target and target[0].suffix == ".md" and target[0].exists():
                open_pages.append(target[0])
    assert [name_of(page) for page in PAGES if page not in reached] == []


@pytest.mark.parametrize("page", PAGES, ids=map(name_of, PAGES))
def test_a_file_that_a_page_names_is_there(page):
    """`src/run/slot.c` in a text is a promise too."""
    known = "src tests tools docs examples policies bench include".split()
    for name in re.findall(r"`([\w./*-]+)`", page.read_text()):
        if name.split("/")[0] in known and "/" in name and "*" not in name:
            # A tool that is compiled is named without the ending of its source.
            is_there = (ROOT / name).exists() or (ROOT / (name + ".c")).exists()
            assert is_there, f"{name} is named and not there"


def test_decisions_are_numbered_without_a_gap():
    numbers = sorted(int(path.name[:4]) for path in (ROOT / "docs/decisions").glob("*.md"))
    assert numbers == list(range(1, len(numbers) + 1))
