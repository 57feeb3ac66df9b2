"""Statements of banks have days from 1970 to next year, in every format."""

import pytest

from finance_api.importers.interface import ImportRefused
from finance_api.resources import RECORDS
from finance_api.storage.memory import MemoryBackend
from support.any_file import import_any
from support.bank_files import camt, camt_balance, camt_entry, camt_statement, mt940, mt940_entry
from support.ledger import Person, ofx_file, ofx_statement
from support.statements import Bank, entry

YEARS = ("0206", "1969", "2028", "2126", "9998")


@pytest.fixture
def person():
    return Person(MemoryBackend())


def ofx(day):
    return ofx_file(ofx_statement([(day.replace("-", ""), "-5", "1", "Shop")]))


def qif(day):
    year, month, number = day.split("-")
    return f"!Type:Bank\nD{number}.{month}.{year}\nT-5.00\nPShop\n^\n"


def camt_053(day):
    return camt(camt_statement([camt_entry(day, "-5")]))


@pytest.mark.parametrize("year", YEARS)
@pytest.mark.parametrize("make", [ofx, qif, camt_053])
def test_an_entry_of_an_impossible_year_refuses_the_file(person, make, year):
    options = {"account": "A", "currency": "EUR"} if make is qif else {}
    before = person.snapshot()
    with pytest.raises(ImportRefused) as refused:
        import_any(person, make(f"{year}-03-14").encode(), options)
    assert year in refused.value.reason
    assert refused.value.line
    assert person.snapshot() == before
    for possible in ("1970-01-01", "2027-12-31"):
        assert import_any(person, make(possible).encode(), options).created == 1


def test_an_mt940_entry_of_a_later_year_refuses_the_file(person):
    with pytest.raises(ImportRefused, match="2079-03-14 is not in the years 1970 to 2027"):
        import_any(person, mt940([mt940_entry("2079-03-14", "1")]).encode(), {})


def test_a_balance_of_an_impossible_year_refuses_the_file(person):
    balances = [camt_balance("OPBD", "0", "2026-01-01"), camt_balance("CLBD", "1", "2126-01-31")]
    data = camt(camt_statement([camt_entry("2026-01-05", "1")], balances=balances))
    with pytest.raises(ImportRefused, match="the date of the balance, 2126-01-31 is not in"):
        import_any(person, data.encode(), {})


def test_a_value_date_of_an_impossible_year_refuses_the_file(person):
    with pytest.raises(ImportRefused, match="the date 5138-11-16 is not in the years"):
        Bank(person).file(entry("5", "-1", value_date=99_999_999_999))
    Bank(person).file(entry("6", "-2", value_date=0))
    assert [row["valueDate"] for row in person.rows(RECORDS)] == [0]
