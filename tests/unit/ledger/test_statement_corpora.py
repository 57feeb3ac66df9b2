"""Files of banks and of other projects, imported where they are: all of a file, or nothing."""

import os
from pathlib import Path

import pytest

from finance_api.importers.interface import ImportRefused
from finance_api.importers.ofx import OfxImporter
from finance_api.resources import ACCOUNTS, RECORDS
from finance_api.storage.memory import MemoryBackend
from finance_api.values.time import DAY_SECONDS
from support.ledger import Person

_BESIDE = Path(__file__).parents[3].parent / "shared" / "corpora"
STATEMENTS = Path(os.environ.get("FINANCE_TEST_CORPORA", _BESIDE)) / "statements"
FILES = sorted(
    path.relative_to(STATEMENTS).as_posix()
    for suffix in ("ofx", "qfx", "qbo", "OFX", "QFX", "QBO")
    for path in STATEMENTS.rglob(f"*.{suffix}")
)

pytestmark = pytest.mark.skipif(not FILES, reason="the corpus is not there")


def read(name):
    """The reader's statements and their entries, or None for what it refuses."""
    with (STATEMENTS / name).open("rb") as stream:
        try:
            found = list(OfxImporter("EUR").read(stream))
        except ImportRefused:
            return None
    return [statement for statement, entry in found if entry is None], [e for _, e in found if e]


@pytest.mark.parametrize("name", FILES)
def test_file_is_imported_as_it_was_read_or_refused_whole(name):
    person = Person(MemoryBackend())
    data = (STATEMENTS / name).read_bytes()
    options = {"currency": "EUR"}
    try:
        report = person.ofx(data, **options)
    except ImportRefused as first:
        assert person.snapshot() == (0, b"")
        assert len(str(first)) > 15
        if read(name) is None:
            return
        # All that may be missing is the account's name.
        assert "--account" in str(first)
        options["account_name"] = "The account"
        report = person.ofx(data, **options)
    statements, entries = read(name)
    records = person.rows(RECORDS)
    assert report.created == len(records) == len(entries)
    assert sum(r["amount"] for r in records) == sum(e.amount for e in entries)
    assert report.skipped.total() == sum(s.skipped.total() for s in statements)
    person.audit()
    before = person.snapshot()
    assert before[0] == 1
    person.clock.set("2027-01-01T00:00:00Z")
    assert person.ofx(data, **options).unchanged == len(entries)
    assert person.snapshot() == before
    other = Person(person.backend)
    other.file(person.dump())
    assert other.dump() == person.dump()


@pytest.mark.parametrize("name", FILES)
def test_newest_balance_of_each_account_agrees_on_its_date(name):
    statements, _ = read(name) or ((), ())
    if not statements or any(s.account.key is None for s in statements):
        pytest.skip("the file is refused, or has no account")
    person = Person(MemoryBackend())
    person.ofx((STATEMENTS / name).read_bytes(), currency="EUR")
    accounts = {row["sourceId"]: row for row in person.rows(ACCOUNTS)}
    newest = {}
    for statement in statements:
        balance = statement.closing
        if balance is not None:
            known = newest.get(statement.account.key)
            if known is None or balance.date >= known.date:
                newest[statement.account.key] = balance
    for key, balance in newest.items():
        account = accounts[key]
        until = [
            r["amount"]
            for r in person.rows(RECORDS)
            if r["accountId"] == account["id"] and r["recordDate"] < balance.date + DAY_SECONDS
        ]
        assert account["initialBalance"] + sum(until) == balance.amount


def test_all_files_of_the_corpus_in_one_user_come_in_twice():
    person = Person(MemoryBackend())
    for _ in range(2):
        before = person.snapshot()
        for name in FILES:
            try:
                person.ofx((STATEMENTS / name).read_bytes(), currency="EUR")
            except ImportRefused:
                continue
            person.audit()
    # Files of one bank may correct each other, but none makes a record again.
    assert person.dump().count(b'"Record"') == before[1].count(b'"Record"')
