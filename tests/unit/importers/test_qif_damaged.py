"""Damaged QIF files: entries, or a refusal with a reason; cut off, the entries until there."""

from pathlib import Path

import pytest

from finance_api.importers.interface import Entry, ImportRefused
from support.damaging import check_refusal, mutations
from support.nightly import count
from support.qif import read_qif

SAMPLES = Path(__file__).parents[2] / "samples" / "qif"
FILES = [path.read_bytes() for path in sorted(SAMPLES.glob("*.qif"))]
PIECES = (b"^\n", b"\n^", b"!Type:Bank\n", b"!Account\n", b"S", b"$", b"T", b"D", b"[", b"]", b"/")

pytestmark = pytest.mark.nightly


def the_entries(data: bytes) -> list[Entry] | None:
    """None for a refusal."""
    try:
        return [entry for whole in read_qif(data, account="A") for entry in whole.entries]
    except ImportRefused as refused:
        check_refusal(refused)
        return None


@pytest.mark.parametrize("data", FILES, ids=len)
def test_mutations_are_read_or_refused(data: bytes) -> None:
    outcomes = [the_entries(each) for each in mutations(data, count(100, 10_000), PIECES)]
    assert None in outcomes
    assert any(outcomes)


@pytest.mark.parametrize("data", FILES, ids=len)
def test_file_that_is_cut_off_gives_its_beginning_or_nothing(data: bytes) -> None:
    whole = the_entries(data)
    assert whole
    for length in range(len(data)):
        found = the_entries(data[:length])
        if found is not None:
            # Whether a transaction is cleared can follow from those after it.
            assert without_states(found) == without_states(whole)[: len(found)]


def without_states(entries: list[Entry]) -> list[Entry]:
    return [entry._replace(record_state=None) for entry in entries]


def test_lines_of_a_transaction_are_limited() -> None:
    text = "!Type:Bank\nD2026-01-05\nT-1\n" + "Ax\n" * 100_000 + "^\n"
    with pytest.raises(ImportRefused, match=r"line 2: what begins here has more than 100,000"):
        read_qif(text.encode(), account="A")
