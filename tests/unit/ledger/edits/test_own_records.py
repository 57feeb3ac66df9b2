"""Records that the user adds, and their meeting with the files that state them."""

import pytest

from finance_api.importers.interface import ChangeRefused
from finance_api.ledger.edits.own_records import add_assigned, set_assigned
from finance_api.resources import RECORDS
from support.edits import edited
from support.ledger import account, an_id, document, record


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
