"""Damaged spreadsheets are read right, or refused with a reason, without a crash or hang."""

import io
import random
import zipfile
from collections.abc import Iterator
from datetime import date

import pytest

from finance_api.importers.interface import ImportRefused
from support.damaging import check_refusal, mutations
from support.nightly import NIGHTLY, count
from support.sheets import KINDS, read_sheet

HEADINGS = ["Date", "Payee", "Amount"]
ROWS = [HEADINGS, [date(2026, 1, 5), "Shop", -12.5], [date(2026, 1, 6), "Boss", 2500.25]]
#: Three files of each kind; only the first one by day.
BOOKS = [{"Sheet": ROWS}, {"Info": [["Printed"]], "Data": ROWS}, {"Long": ROWS + ROWS[1:] * 9}]
FILES = {
    f"{kind}-{number}": make(**book)
    for kind, make in KINDS.items()
    for number, book in enumerate(BOOKS if NIGHTLY else BOOKS[:1])
}
PIECES = (b"<", b">", b"&", b"</c>", b'r="XFD1048576"', b"99999", b"\xff\xff\xff\x7f", b"PK\1\2")

pytestmark = pytest.mark.nightly
files = pytest.mark.parametrize("name", FILES)


def outcome(data: bytes) -> list[int] | None:
    """Return the amounts; None for a refusal."""
    try:
        found = read_sheet(data, account="A")
    except ImportRefused as refused:
        check_refusal(refused)
        return None
    return [entry.amount for statement in found for entry in statement.entries]


def members_mutated(data: bytes, number: int) -> Iterator[bytes]:
    """Yield intact ZIP files with one damaged part."""
    chance = random.Random(number)
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    for _ in range(number):
        victim = chance.choice([name for name in parts if name.endswith("xml")])
        (damaged,) = mutations(parts[victim], 1, PIECES, seed=chance.random())
        stream = io.BytesIO()
        with zipfile.ZipFile(stream, "w") as archive:
            for name, part in parts.items():
                archive.writestr(name, damaged if name == victim else part)
        yield stream.getvalue()


def overwritten(data: bytes, number: int) -> Iterator[bytes]:
    """Yield intact containers with damaged records."""
    chance = random.Random(number)
    for _ in range(number):
        damaged = bytearray(data)
        for _ in range(chance.randint(1, 4)):
            # The workbook's stream follows the header of 512 bytes.
            at = chance.randrange(512, len(data) - 1_536)
            piece = chance.choice((chance.randbytes(chance.randint(1, 8)), b"\xff\xff", b"\0\0"))
            damaged[at : at + len(piece)] = piece
        yield bytes(damaged)


@files
def test_mutations_are_read_or_refused(name: str) -> None:
    outcomes = [outcome(each) for each in mutations(FILES[name], count(12, 1_000), PIECES)]
    assert None in outcomes


@files
def test_mutations_within_the_container_are_read_or_refused(name: str) -> None:
    within = overwritten if name.startswith("xls-") else members_mutated
    outcomes = [outcome(each) for each in within(FILES[name], count(8, 2_500))]
    assert None in outcomes
    assert any(outcomes)


@files
def test_file_that_is_cut_off_is_whole_or_refused(name: str) -> None:
    data = FILES[name]
    whole = outcome(data)
    assert whole
    for length in range(0, len(data), count(32, 1)):
        assert outcome(data[:length]) in (None, whole)
