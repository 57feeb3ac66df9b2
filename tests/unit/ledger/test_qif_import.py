"""QIF files as records."""

from pathlib import Path

import pytest

from finance_api.importers.qif import QifImporter
from finance_api.resources import ACCOUNTS, RECORDS, SPLITS
from finance_api.storage.memory import MemoryBackend
from support.ledger import Person, ofx_file, ofx_statement

QUICKEN = Path(__file__).parents[2] / "samples" / "qif" / "quicken.qif"


def test_states_accounts_and_categories_come_over():
    person = Person(MemoryBackend())
    person.file(QUICKEN.read_bytes(), QifImporter({"currency": "EUR"}))
    assert {row["name"]: row["accountType"] for row in person.rows(ACCOUNTS)} == {
        "Checking": "CurrentAccount",
        "Visa": "CreditCard",
    }
    states = [row["recordState"] for row in person.rows(RECORDS)]
    assert sorted(states) == ["cleared"] * 3 + ["uncleared"] * 2
    food = [row["amount"] for row in person.rows(RECORDS) if row["category"] == "Household:Food"]
    assert sorted(food) == [-1_000_000, -305_000]


@pytest.mark.parametrize("qif_first", [True, False])
def test_splits_are_the_banks_entry_as_a_whole(qif_first):
    person = Person(MemoryBackend())
    bank = ofx_file(
        ofx_statement([("20260105", "-120.5", "2", "Market"), ("20260113", "-200", "3", "Card")])
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
    assert sum(row["amount"] for row in person.rows(RECORDS)) == -3_205_000
    assert (take_qif().created, take_bank().created) == (0, 0)
    person.audit()


OPENING = """!Account
NGiro
TBank
^
!Type:Bank
D3/31'26
T-30.00
POak Garage
^
D3/1'26
T1,000.00
POpening Balance
L[Giro]
^
"""


def test_opening_balance_is_no_income_however_often_it_comes():
    person = Person(MemoryBackend())
    for _ in range(2):
        person.file(OPENING, QifImporter({"currency": "EUR"}))
        assert [row["amount"] for row in person.rows(RECORDS)] == [-300_000]
        (account,) = person.rows(ACCOUNTS)
        assert (account["initialBalance"], account["balance"]) == (10_000_000, 9_700_000)


def test_opening_balance_that_was_stored_as_a_record_does_not_count_twice():
    person = Person(MemoryBackend())
    as_stored = OPENING.replace("L[Giro]", "LIncome")
    person.file(as_stored, QifImporter({"currency": "EUR"}))
    person.file(OPENING, QifImporter({"currency": "EUR"}))
    (account,) = person.rows(ACCOUNTS)
    assert (account["initialBalance"], account["balance"]) == (0, 9_700_000)


MARKET = """!Account
NCash
TCash
^
!Type:Cash
D1/13'26
T-80.00
PMarket
MBoth
SFood
$-60.00
SGifts/Wedding
Efor Anna
$-20.00
^
D1/14'26
T-5.00
PKiosk
^
"""
OPTIONS = {"currency": "EUR"}


class OfOlderVersions(QifImporter):
    """The importer of older versions, which yields each split as an entry of its own."""

    def read(self, stream, *remembered):
        for statement, entry in super().read(stream, *remembered):
            for amount, note, category, labels in entry.parts if entry else ():
                part = entry._replace(amount=amount, note=note, category=category, labels=labels)
                yield statement, part._replace(parts=(), batch="a batch")
            if entry is None or not entry.parts:
                yield statement, entry


def test_splits_become_parts():
    person = Person(MemoryBackend())
    report = person.file(MARKET, QifImporter(OPTIONS))
    assert report.created == 3
    whole = person.only(SPLITS)
    assert (whole["amount"], whole["payee"], whole["note"]) == (-800_000, "Market", "Both")
    parts = [row for row in person.rows(RECORDS) if row["splitId"] == whole["id"]]
    assert {(p["amount"], p["category"], p["note"], p["labels"]) for p in parts} == {
        (-600_000, "Food", "Both", ()),
        (-200_000, "Gifts", "Both for Anna", ("Wedding",)),
    }
    assert {part["importId"] for part in parts} == {whole["importId"]} == {1}
    before = person.snapshot()
    assert person.file(MARKET, QifImporter(OPTIONS)).unchanged == 2
    assert person.snapshot() == before
    person.audit()
    person.undo()
    assert person.rows(SPLITS) == person.rows(RECORDS) == []


@pytest.mark.parametrize("more", ["", "D1/12'26\nT-1.00\nPA\n^\nD1/15'26\nT-2.00\nPB\n^\n"])
def test_splits_that_an_older_version_stored_are_not_doubled(more):
    """The split's day is the first day of the file, or in its middle."""
    person = Person(MemoryBackend())
    person.file(MARKET, OfOlderVersions(OPTIONS))
    assert len(person.rows(RECORDS)) == 3
    assert person.rows(SPLITS) == []
    report = person.file(MARKET + more, QifImporter(OPTIONS))
    assert report.created == more.count("^")
    assert person.rows(SPLITS) == []
    person.audit()


def test_a_split_with_a_transfer_is_a_record_for_each_line():
    person = Person(MemoryBackend())
    person.file(MARKET.replace("SFood", "S[Savings]"), QifImporter(OPTIONS))
    assert (len(person.rows(RECORDS)), person.rows(SPLITS)) == (3, [])
