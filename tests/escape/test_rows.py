"""Every row of the tables: control, guarded at its level and at L6, ablated."""
import pytest

import rows_calls
import rows_files
import rows_host
import rows_limits
import rows_network
from rows import Cannot, of, per_identity

ROWS = [row for table in (rows_host, rows_network, rows_files, rows_calls, rows_limits)
        for row in table.ROWS]


def cases(make):
    found = [case for row in ROWS for who in row.who for case in make(row, who)]
    return {"argvalues": [case for case, _ in found], "ids": [name for _, name in found],
            "indirect": ["identity"]}


def control_cases(row, who):
    yield (row, who), f"{row.id}-{who}"


def guarded_cases(row, who):
    for level in sorted({row.from_level, "L6"}):
        yield (row, level, who), f"{row.id}-{level}-{who}"


def ablated_cases(row, who):
    for layer in row.ablated:
        yield (row, layer, who), f"{row.id}-off-{layer}-{who}"


def test_a_row_has_an_id_of_its_own():
    names = [row.id for row in ROWS]
    assert len(set(names)) == len(names), sorted(name for name in names if names.count(name) > 1)


@pytest.mark.parametrize("row,identity", **cases(control_cases))
def test_control(row, identity, world, stage):
    """Without berm the attempt works."""
    expected = per_identity(row.control, identity.name)
    if isinstance(expected, Cannot):
        pytest.skip(expected.reason)
    if identity.name not in (row.control_who if row.control_who is not None else row.who):
        pytest.skip(f"without berm it does not work for {identity.name} either")
    words = of(row.control_words or row.words, world)
    outcome = stage.bare(identity, words, **(row.given(world) if row.given else {}))
    if outcome.errno in row.control_lacks:
        pytest.skip(row.control_lacks[outcome.errno])
    expected.check(outcome, world)
    if world.honeypots():
        assert world.touched(), f"the honeypot was not visited\n{outcome}"


def contained(row, world, stage, identity, **how):
    given = row.given(world) if row.given else {}
    return stage.contained(identity, of(row.words, world),
                           options=[str(word) for word in of(row.options, world)], **how, **given)


@pytest.mark.parametrize("row,level,identity", **cases(guarded_cases))
def test_guarded(row, level, identity, world, stage):
    """At this level the attempt fails, and in the stated way."""
    expected = row.at_from if level == row.from_level and row.at_from else row.guarded
    outcome = contained(row, world, stage, identity, level=level)
    per_identity(expected, identity.name).check(outcome, world)
    assert not world.touched(), f"a honeypot was visited\n{outcome}"


@pytest.mark.parametrize("row,layer,identity", **cases(ablated_cases))
def test_ablated(row, layer, identity, world, stage):
    """With one layer off: the stated other wall holds, or none does."""
    expected = per_identity(row.ablated[layer], identity.name)
    outcome = contained(row, world, stage, identity, off=[layer])
    expected.check(outcome, world)
