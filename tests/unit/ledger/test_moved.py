"""A changed export is not new data: if the bank changes a transaction, its record is updated."""

import pytest

from finance_api.importers.interface import ImportRefused
from finance_api.resources import RECORDS
from support.csv_files import answers
from support.ledger import units
from support.statements import Bank, entry, kept

FIRST, LAST = entry("1", "-100", "Rent"), entry("20", "-200", "Power")


@pytest.fixture
def bank(person):
    return Bank(person, "csv")


def refusal(bank, *entries, **options):
    before = bank.person.snapshot()
    with pytest.raises(ImportRefused) as error:
        bank.file(*entries, **options)
    assert bank.person.snapshot() == before
    return error.value


@pytest.mark.parametrize(
    "payee", ["Coffee Berlin", "Cof", "COFFEE  SHOP", "Kaffee", None], ids=repr
)
@pytest.mark.parametrize("date", ["3", "5", "10"])
def test_the_record_that_the_file_lacks_is_updated(bank, payee, date):
    bank.file(FIRST, entry("3", "-3", "Coffee"), LAST)
    report = bank.file(FIRST, entry(date, "-3", payee, line=7), LAST)
    assert (report.created, report.updated) == (0, 1)
    assert report.updates[0].old.get("payee", payee) != payee or date != "3"
    assert (int(date), -300, payee or "") in kept(bank.person)
    assert len(kept(bank.person)) == 3
    before = bank.person.snapshot()
    bank.file(FIRST, entry("3", "-3", "Coffee"), LAST, data="the first one again")
    assert bank.person.snapshot() == before
    bank.person.audit()


def test_its_category_and_what_you_set_stay(bank):
    bank.file(FIRST, entry("3", "-3", "Coffee", category="Food"), LAST)
    bank.file(FIRST, entry("3", "-3", "Coffee Berlin"), LAST)
    (record,) = (row for row in bank.person.rows(RECORDS) if row["amount"] == units("-3"))
    assert (record["payee"], record["category"]) == ("Coffee Berlin", "Food")


def test_several_are_asked_for(bank):
    bank.file(FIRST, entry("3", "-3", "Coffee"), LAST)
    rows = FIRST, entry("5", "-3", "Tea", line=7), entry("6", "-3", "Lunch"), LAST
    error = refusal(bank, *rows)
    assert answers(error) == ["--match-days 3", "--match-days 0"]
    assert bank.file(*rows, match_days=3, dry_run=True).created == 1
    assert bank.file(*rows, match_days=0).created == 2


def test_what_differs_on_a_day_of_which_the_file_has_a_part_is_asked_for(bank):
    bank.file(FIRST, entry("3", "-3", "Coffee"))
    assert "--match-days 0" in answers(refusal(bank, entry("3", "-3", "Lunch"), LAST))
    # Similar rows are the same transaction.
    assert bank.file(entry("3", "-3", "Coffee Berlin"), LAST).updated == 1
