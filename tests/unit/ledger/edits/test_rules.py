"""Rules are applied to stored records, but never override a manual edit."""

import pytest

from finance_api.importers.interface import ChangeRefused, Entry, Statement, StatementAccount
from finance_api.ledger.derivation import list_rules
from finance_api.ledger.edits.rules import add_rule, apply_rules
from finance_api.ledger.session import UserRows
from finance_api.resources import RECORD_RULES, RECORDS
from support.edits import edited, given_back
from support.ledger import account, an_id, document, record
from support.statements import Reader

BASE = [
    account(name="Checking"),
    account(2, name="Other"),
    document("Category", 11, name="Groceries"),
    document("Category", 12, name="Rent"),
    document("Label", 21, name="home"),
    document("Label", 22, name="week"),
]


@pytest.fixture
def books(person):
    person.native(*BASE)
    return person


def category(person, number):
    row = person.row(RECORDS, number)
    return row["category"], row["labels"], row["categoryByRule"]


def test_rule_is_added_by_names_and_asked_in_order(books):
    edited(books, add_rule, ["aldi", "lidl"], category="groceries", labels=["home"])
    books.clock.advance(5)
    edited(books, add_rule, ["flat"], category=None, labels=["week", "home"], account="Other")
    first, second = books.look(lambda s: list_rules(UserRows(s, books.user)))
    assert (first["name"], first["keywords"]) == ("aldi, lidl", ("aldi", "lidl"))
    assert (first["categoryId"], first["labelIds"]) == (an_id(11), (an_id(21),))
    assert (second["categoryId"], second["accountId"]) == (None, an_id(2))
    assert second["labelIds"] == (an_id(22), an_id(21))


@pytest.mark.parametrize(
    ("keywords", "options", "said"),
    [
        (["a"], {"category": None}, "a rule needs a category, a label or a payee"),
        (["a"], {"category": "Grocery"}, "no category Grocery; did you mean Groceries?"),
        (["a", " "], {"category": "Rent"}, "a keyword is blank"),
        (["a"], {"category": "Rent", "labels": ["hme"]}, "no label hme; did you mean home?"),
        (["a"], {"category": "Rent", "account": "X"}, "no account X"),
    ],
)
def test_rule_that_gives_nothing_is_refused(books, keywords, options, said):
    with pytest.raises(ChangeRefused, match=said.replace("?", r"\?")):
        edited(books, add_rule, keywords, **options)
    assert books.rows(RECORD_RULES) == []


def test_rules_are_for_records_without_category(books):
    books.native(
        record(31, payee="ALDI Süd", labelIds=[an_id(22)]),
        record(32, note="to aldi", accountId=an_id(2), recordState="void"),
        record(33, payee="aldi", categoryId=an_id(12)),
        record(34, payee="else"),
    )
    edited(books, add_rule, ["aldi"], category="Groceries", labels=["home"])
    report = edited(books, apply_rules)
    assert category(books, 31) == ("Groceries", ("week", "home"), True)
    assert category(books, 32) == ("Groceries", ("home",), True)
    assert category(books, 33) == ("Rent", (), None)
    assert category(books, 34) == (None, (), None)
    assert (report.updated, report.remarks) == (2, ["by category: 2 Groceries"])
    assert books.row(RECORDS, 31)["setByHand"] == ()
    count = len(books.history())
    assert edited(books, apply_rules).updated == 0
    assert len(books.history()) == count


def test_all_is_for_categories_of_rules_but_not_for_those_of_files(books):
    books.native(record(31, payee="aldi"), record(32, payee="aldi", categoryId=an_id(12)))
    edited(books, add_rule, ["aldi"], category="Groceries")
    edited(books, apply_rules)
    rule = books.only(RECORD_RULES)
    books.native(document("RecordRule", 1, id=rule["id"], keywords=["aldi"], categoryId=an_id(12)))
    assert edited(books, apply_rules).updated == 0
    assert edited(books, apply_rules, recategorise=True, dry_run=True).updated == 1
    assert edited(books, apply_rules, recategorise=True).updated == 1
    assert category(books, 31) == ("Rent", (), True)
    books.native(document("RecordRule", 1, id=rule["id"], keywords=["no"], categoryId=an_id(11)))
    assert edited(books, apply_rules, recategorise=True).updated == 0


def test_import_says_which_categories_are_of_rules(books):
    edited(books, add_rule, ["aldi"], category="Groceries")
    for number, text in enumerate(("aldi 1", "lidl 2"), 1):
        bought = Entry(1, 0, -number, bank_id=text, payee=text, category="Food")
        told = Statement(StatementAccount("1", "Bank", currency="EUR"))
        books.file(text, Reader("test", (told, [bought])))
    by_payee = {row["payee"]: row for row in books.rows(RECORDS)}
    assert by_payee["aldi 1"]["categoryByRule"] is True
    assert by_payee["lidl 2"]["category"] == "Food"
    assert by_payee["lidl 2"]["categoryByRule"] is None
    rule = books.only(RECORD_RULES)
    changed = {"keywords": ["aldi", "lidl"], "categoryId": an_id(12)}
    books.native(document("RecordRule", 1, id=rule["id"], **changed))
    edited(books, apply_rules, recategorise=True)
    by_payee = {row["payee"]: row["category"] for row in books.rows(RECORDS)}
    assert by_payee == {"aldi 1": "Rent", "lidl 2": "Food"}


def test_what_a_hand_set_is_never_changed(books):
    books.native(*(record(n, payee="aldi") for n in (31, 32, 33, 34)))
    edited(books, add_rule, ["aldi"], category="Groceries", labels=["home"])
    edited(books, apply_rules)
    given_back(books, f"id,category,labels\n{an_id(31)},Rent,home\n{an_id(32)},,home\n")
    given_back(books, f"id,labels\n{an_id(33)},\n")
    books.native(document("RecordRule", 2, keywords=["aldi"], labelIds=[an_id(22)]))
    edited(books, apply_rules, recategorise=True)
    assert category(books, 31) == ("Rent", ("home",), None)
    assert category(books, 32) == (None, ("home",), None)
    assert category(books, 33) == ("Groceries", (), True)
    assert category(books, 34) == ("Groceries", ("home", "week"), True)


def test_many_records_are_taken_in_batches(books):
    books.native(*(record(n, payee="aldi" if n % 2 else "x", amount=n) for n in range(100, 2_700)))
    edited(books, add_rule, ["aldi"], category="Groceries")
    report = edited(books, apply_rules)
    assert (report.updated, len(report.changes), report.unlisted) == (1_300, 1_000, 300)
    rows = books.rows(RECORDS)
    assert all((row["category"] == "Groceries") == (row["payee"] == "aldi") for row in rows)
