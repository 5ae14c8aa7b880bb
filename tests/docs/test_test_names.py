"""The "Test:" of a docstring names a test that exists."""
import re

import pytest

from pages import ROOT

HEADERS = [path for folder in ("src", "include") for path in sorted((ROOT / folder).rglob("*.h"))
           if "Test:" in path.read_text()]


def names_in(header):
    for listed in re.findall(r"\bTest: ([^.]+)\.", header.read_text()):
        yield from (name.strip(" *\n") for name in listed.split(","))


def places_of(name):
    if name.startswith("fuzz-"):
        return [ROOT / "tests" / "fuzz" / f"{name}.c"]
    return [ROOT / "tests" / name, ROOT / "tests" / f"{name}.c", ROOT / "tests" / f"{name}.py"]


def test_headers_name_their_tests():
    assert len(HEADERS) > 20


@pytest.mark.parametrize("header", HEADERS, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_named_test_exists(header):
    for name in names_in(header):
        assert any(place.exists() for place in places_of(name)), f"there is no test {name}"
