"""QIF files as records."""

from pathlib import Path

import pytest

from finance_api.importers.qif.importer import QifImporter
from finance_api.resources import ACCOUNTS, RECORDS
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
