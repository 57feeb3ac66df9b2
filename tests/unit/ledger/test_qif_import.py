"""QIF files as records: all of a file or nothing, and nothing twice."""

import os
from pathlib import Path

import pytest

from finance_api.importers.interface import ImportRefused
from finance_api.importers.qif.importer import QifImporter
from finance_api.resources import ACCOUNTS, RECORDS
from finance_api.storage.memory import MemoryBackend
from support.ledger import Person, ofx_file, ofx_statement
from support.qif import read_qif

_ROOT = Path(__file__).parents[3]
_CORPORA = Path(os.environ.get("FINANCE_TEST_CORPORA", _ROOT.parent / "shared" / "corpora"))
FILES = [
    *sorted((_ROOT / "tests" / "samples" / "qif").glob("*.qif")),
    *sorted((_CORPORA / "statements").rglob("*.qif")),
]
QUICKEN = next(path for path in FILES if path.name == "quicken.qif")


def take(person, path, *, dry_run=False):
    """Imports a file into accounts of its own names, or "A"."""
    data = path.read_bytes()
    options = {"account": "A", "currency": "EUR"}
    names = [whole.statement.account.name for whole in read_qif(data, account="A")]
    name = "A" if None in names else None
    return person.file(data, QifImporter(options), dry_run=dry_run, account_name=name)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_file_is_imported_whole_and_once_or_refused(path):
    person = Person(MemoryBackend())
    try:
        dry = take(person, path, dry_run=True)
    except ImportRefused:
        assert person.snapshot() == (0, b"")
        return
    assert person.snapshot() == (0, b"")
    report = take(person, path)
    assert report.as_json() == dry.as_json()
    entries = [e for whole in read_qif(path.read_bytes(), account="A") for e in whole.entries]
    records = person.rows(RECORDS)
    assert report.created == len(records) == len(entries)
    assert sum(r["amount"] for r in records) == sum(e.amount for e in entries)
    person.audit()
    before = person.snapshot()
    again = take(person, path)
    assert (again.created, again.updated, again.unchanged) == (0, 0, len(entries))
    assert person.snapshot() == before
    other = Person(person.backend)
    other.file(person.dump())
    assert other.dump() == person.dump()


def test_states_accounts_and_categories_come_over():
    person = Person(MemoryBackend())
    take(person, QUICKEN)
    assert {row["name"]: row["accountType"] for row in person.rows(ACCOUNTS)} == {
        "Checking": "CurrentAccount",
        "Visa": "CreditCard",
    }
    states = [row["recordState"] for row in person.rows(RECORDS)]
    assert sorted(states) == ["cleared"] * 3 + ["reconciled"] + ["uncleared"] * 2
    food = [row["amount"] for row in person.rows(RECORDS) if row["category"] == "Household:Food"]
    assert sorted(food) == [-1_000_000, -305_000]


@pytest.mark.parametrize("qif_first", [True, False])
def test_splits_are_the_banks_entry_as_a_whole(qif_first):
    person = Person(MemoryBackend())
    bank = ofx_file(
        ofx_statement(
            [("20251231", "1000", "1", "x"), ("20260105", "-120.5", "2", "Market")]
            + [("20260113", "-200", "3", "Card")]
        )
    )
    qif = QUICKEN.read_text().partition("!Account\nNVisa")[0]

    def take_qif():
        options = {"currency": "EUR"}
        return person.file(qif, QifImporter(options), account_name="Checking")

    def take_bank():
        return person.ofx(bank, account_name="Checking")

    first, second = (take_qif, take_bank) if qif_first else (take_bank, take_qif)
    first()
    assert second().created == 0
    assert sum(row["amount"] for row in person.rows(RECORDS)) == 6_795_000
    assert (take_qif().created, take_bank().created) == (0, 0)
    person.audit()
