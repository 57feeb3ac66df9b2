"""Records that the user adds, and how later files that state them are matched."""

import pytest

from finance_api.importers.interface import ChangeRefused, ImportRefused
from finance_api.ledger.edits.records import add_assigned, set_assigned
from finance_api.resources import ACCOUNTS, RECORDS
from support.edits import edited
from support.ledger import account, an_id, document, record
from support.statements import Bank, entry


@pytest.fixture
def books(person):
    person.native(
        account(name="Cash"),
        account(2, name="Dollars", currencyCode="USD"),
        document("Category", 11, name="Food"),
        document("RecordRule", 12, keywords=["bakery"], categoryId=an_id(11)),
        record(100, payee="Corner"),
    )
    return person


def given(**texts):
    return {"account": "Cash", "recordDate": "2026-03-01", "amount": "-4.50", **texts}


def test_the_user_s_values_win_over_rules_and_stay(books):
    edited(books, add_assigned, given(payee="Bakery", category="", note="cash"))
    edited(books, add_assigned, given(payee="Bakery 2", labels=""))
    rows = {row["payee"]: row for row in books.rows(RECORDS)}
    assert rows["Bakery"]["categoryId"] == an_id(11)
    assert "categoryId" not in rows["Bakery"]["setByHand"]
    assert {"accountId", "amount", "note", "payee", "recordDate"} == set(
        rows["Bakery"]["setByHand"]
    )
    assert rows["Bakery"]["source"] is None


def test_a_record_moves_to_an_account_of_another_currency(books):
    edited(books, set_assigned, an_id(100), {"account": "Dollars", "amount": "3"})
    (row,) = books.rows(RECORDS)
    assert (row["currencyCode"], row["accountName"], row["amount"]) == ("USD", "Dollars", 30_000)
    books.undo(2)
    (row,) = books.rows(RECORDS)
    assert (row["currencyCode"], row["accountName"]) == ("EUR", "Cash")


@pytest.mark.parametrize(
    ("texts", "words"),
    [
        ({"amount": ""}, "amount is missing"),
        ({"recordDate": ""}, "recordDate is missing"),
        ({"account": "Bank"}, "there is no account Bank"),
        ({"transferId": an_id(1)}, "transferId is not a field of records that can be set"),
    ],
)
def test_a_record_needs_account_day_and_amount(books, texts, words):
    with pytest.raises(ChangeRefused, match=words):
        edited(books, add_assigned, given(**texts))
    with pytest.raises(ChangeRefused, match="cannot be without amount"):
        edited(books, set_assigned, an_id(100), {"amount": ""})


# -- a file brings the payment later


@pytest.fixture
def bank(person):
    found = Bank(person)
    found.file(entry("1", "-1", "First"), entry("31", "-2", "Last"))
    return found


def typed(bank, day_of_january, **texts):
    name = bank.person.only(ACCOUNTS)["name"]
    day_text = f"2026-01-{day_of_january:02}"
    values = {"account": name, "recordDate": day_text, "amount": "-4.50", "payee": "Bakery"}
    edited(bank.person, add_assigned, {**values, **texts})


def test_a_file_with_the_same_payment_is_matched_and_keeps_what_was_typed(bank):
    typed(bank, 10, note="for Ann")
    report = bank.file(entry("10", "-4.5", "BAKERY 0815 BERLIN"), days=("5", "15"))
    assert (report.created, report.matched) == (0, 1)
    (row,) = (row for row in bank.person.rows(RECORDS) if row["note"] == "for Ann")
    assert row["payee"] == "Bakery"
    again = bank.file(entry("10", "-4.5", "BAKERY 0815 BERLIN"), entry("11", "-9"), data="again")
    assert again.created == 1 and len(bank.person.rows(RECORDS)) == 4


def test_two_equal_payments_in_the_file_and_one_that_was_typed_are_two(bank):
    typed(bank, 10)
    report = bank.file(entry("10", "-4.5", "A"), entry("10", "-4.5", "B"), days=("5", "15"))
    assert (report.created, report.matched) == (1, 1)


def test_a_payment_days_away_is_asked_about_and_another_amount_or_account_is_new(bank):
    typed(bank, 10)
    row = entry("13", "-4.5", "Bakery")
    question = "2026-01-13 -4.5 .* may be the record of 2026-01-10 -4.5 .*, which you entered"
    with pytest.raises(ImportRefused, match=question) as refused:
        bank.file(row, days=("5", "15"))
    (open_point,) = refused.value.questions
    days = [choice.changes["match_days"] for choice in open_point.choices]
    assert days == [3, 1]
    for match_days, created in ((3, 0), (1, 1)):
        report = bank.file(row, days=("5", "15"), dry_run=True, match_days=match_days)
        assert (report.created, report.matched) == (created, 1 - created)
    for other in (entry("16", "-4.5", "Bakery"), entry("12", "-4.4", "Bakery")):
        report = bank.file(other, days=("5", "20"), dry_run=True)
        assert (report.created, report.matched) == (1, 0)
    bank.file(row, days=("5", "15"), match_days=1)
    again = bank.file(row, entry("14", "-1"), days=("5", "16"), data="again")
    assert (again.created, again.unchanged) == (1, 1), "answered once"


def test_a_payment_just_outside_the_file_is_asked_about(bank):
    typed(bank, 10)
    with pytest.raises(ImportRefused, match="which you entered"):
        bank.file(entry("11", "-4.5", "Bakery"), days=("11", "15"))
    assert len(bank.person.rows(RECORDS)) == 3
