"""docs/reliability.md: each fault and attack has a row whose tests and guards exist."""

import re
from functools import cache

import pytest

from support.reliability import PAGE, PROJECT, Row, page, read_rows

ROWS = [*read_rows("faults"), *read_rows("attacks")]
each_row = pytest.mark.parametrize("row", ROWS, ids=lambda row: row.id)


def test_the_page_shows_the_rows_and_the_latest_figures(request: pytest.FixtureRequest) -> None:
    text = page()
    if request.config.getoption("--update-examples"):
        PAGE.write_text(text)
    assert PAGE.read_text() == text


def test_every_fault_and_attack_has_its_row() -> None:
    faults, attacks = range(1, 18), range(1, 27)
    expected = [*(f"F{number}" for number in faults), *(f"A{number}" for number in attacks)]
    ids = [row.id for row in ROWS]
    assert ids == [each for each in expected if each in ids]


@cache
def names_of_tests() -> frozenset[str]:
    """The names of all tests, including those of shared conformance suites."""
    folders = (PROJECT / "tests", PROJECT / "finance_api" / "storage" / "testing")
    files = (path.read_text() for folder in folders for path in folder.rglob("*.py"))
    return frozenset(name for text in files for name in re.findall(r"def (test_\w+)\(", text))


@each_row
def test_the_tests_of_a_row_exist(row: Row) -> None:
    assert row.tests
    removals = [test for removal in row.removals for test in removal.tests]
    for test in (*row.tests, *row.nightly, *removals):
        file, _, name = test.partition("[")[0].partition("::")
        assert (PROJECT / file).is_file(), test
        assert name.rpartition("::")[2] in names_of_tests(), test


@each_row
def test_the_guards_of_a_row_can_be_removed(row: Row) -> None:
    assert row.removals
    for removal in row.removals:
        assert removal.old != removal.new
        assert (PROJECT / removal.file).read_text().count(removal.old) == 1, removal
