"""The newest balance of a bank decides the initial balance, so that both agree on its date."""

import itertools

import pytest

from finance_api.importers.interface import ImportRefused
from finance_api.resources import ACCOUNTS, RECORDS
from finance_api.values.time import DAY_SECONDS, parse_date
from support.ledger import an_id, ofx_file, ofx_statement, record, units

JANUARY = ofx_file(
    ofx_statement(
        [("20260105", "-5", "J1", "Shop"), ("20260131", "-10", "J2", "Shop")],
        balance=("85", "20260131"),
    )
)
FEBRUARY = ofx_file(
    ofx_statement(
        [("20260205", "-20", "F1", "Shop"), ("20260301", "-1", "F2", "Shop")],
        balance=("65", "20260228"),
    )
)
DECEMBER = ofx_file(
    ofx_statement([("20251224", "-100", "D1", "Gifts")], balance=("999", "20251231"))
)


def on(person, date):
    """The balance of the only account at the end of a day, as it was kept."""
    account = person.only(ACCOUNTS)
    rows = [r for r in person.rows(RECORDS) if r["recordState"] != "void"]
    end = parse_date(date) + DAY_SECONDS
    return account["initialBalance"] + sum(r["amount"] for r in rows if r["recordDate"] < end)


def test_balance_agrees_on_its_date(person):
    person.ofx(JANUARY)
    assert on(person, "2026-01-31") == units("85")
    assert person.only(ACCOUNTS)["initialBalance"] == units("100")
    assert person.only(ACCOUNTS)["balance"] == units("85")


def test_records_after_its_date_do_not_count(person):
    person.ofx(FEBRUARY)
    assert person.only(ACCOUNTS)["initialBalance"] == units("85")
    assert person.only(ACCOUNTS)["balance"] == units("64")


def test_newer_balance_wins_in_whatever_order_the_files_come(new_person):
    for files in itertools.permutations([JANUARY, FEBRUARY, DECEMBER]):
        person = new_person()
        for file in files:
            person.ofx(file)
        assert on(person, "2026-02-28") == units("65")
        assert person.only(ACCOUNTS)["initialBalance"] == units("200")
        before = person.snapshot()
        for file in files:
            person.ofx(file)
        assert person.snapshot() == before
        person.audit()


def test_several_statements_of_one_account_in_a_file(person):
    both = ofx_file(
        ofx_statement([("20260205", "-20", "F1", "Shop")], balance=("80", "20260228")),
        ofx_statement([("20260105", "-5", "J1", "Shop")], balance=("1", "20260131")),
    )
    person.ofx(both)
    assert on(person, "2026-02-28") == units("80")


def test_earlier_records_without_a_balance_keep_it_agreeing(person):
    person.ofx(JANUARY)
    person.ofx(ofx_file(ofx_statement([("20251101", "-7", "N1", "Shop")])))
    assert on(person, "2026-01-31") == units("85")
    name = person.only(ACCOUNTS)["name"]
    person.csv("date,amount\n2025-10-01,-3\n2026-05-01,-4\n", account=name)
    assert on(person, "2026-01-31") == units("85")
    assert person.only(ACCOUNTS)["balance"] == units("81")
    person.audit()


def test_correction_of_an_earlier_record_keeps_it_agreeing(person):
    person.ofx(JANUARY)
    person.ofx(ofx_file(ofx_statement([("20260105", "-6", "J1", "Shop")])))
    assert on(person, "2026-01-31") == units("85")
    person.audit()


def test_void_records_do_not_count_for_it(person):
    person.ofx(JANUARY)
    account = person.only(ACCOUNTS)
    void = record(9, accountId=account["id"], recordState="void", amount=50)
    person.native(void)
    person.ofx(JANUARY)
    assert on(person, "2026-01-31") == units("85")
    assert person.only(ACCOUNTS)["initialBalance"] == units("100")
    person.audit()


def test_record_that_comes_late_on_its_day_is_after_it(person):
    person.ofx(JANUARY)
    account = person.only(ACCOUNTS)["id"]
    late = record(9, accountId=account, amount=-1, recordDate="2026-01-31T23:59:59Z")
    next_day = record(10, accountId=account, amount=-2, recordDate="2026-02-01T00:00:00Z")
    person.native(late, next_day)
    person.ofx(JANUARY)
    assert on(person, "2026-01-31") == units("84")
    assert person.only(ACCOUNTS)["balance"] == units("82")


def test_statement_with_nothing_but_a_balance_counts(person):
    person.ofx(ofx_file(ofx_statement([], balance=("12.34", "20260131"))))
    assert person.only(ACCOUNTS)["balance"] == units("12.34")
    assert person.revision == 1


def test_statement_without_a_balance_leaves_the_initial_one(person):
    person.native(
        {
            "reserved_model_type": "Account",
            "id": an_id(1),
            "name": "Giro",
            "currencyCode": "EUR",
            "initialBalance": 50,
        }
    )
    person.ofx(ofx_file(ofx_statement([("20260105", "-5", "J1", "Shop")])), account_name="Giro")
    assert person.balance() == "45"


def test_balance_far_out_of_range_is_refused(person):
    most = "922337203685477.5807"
    bad = ofx_file(
        ofx_statement([("20260105", most, "J1", "Shop")], balance=("-" + most, "20260131"))
    )
    with pytest.raises(ImportRefused):
        person.ofx(bad)
    assert person.snapshot() == (0, b"")
