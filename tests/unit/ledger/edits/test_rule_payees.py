"""Rules rename payees: in new records of files, and in stored ones."""

import itertools
from collections import Counter

import pytest

from finance_api.importers.interface import ChangeRefused
from finance_api.ledger.edits.objects import add_object, ignore_payment, remove_object
from finance_api.ledger.edits.records import add_record, change_records
from finance_api.ledger.edits.rules import add_rule, apply_rules
from finance_api.ledger.edits.splits import Part, split_record
from finance_api.resources import ACCOUNTS, RECORD_RULES, RECORDS, STANDING_ORDERS
from support.edits import edited
from support.ledger import document
from support.statements import Bank, day, entry

FORMATS = ("csv", "ofx", "camt.053", "mt940", "qif")


def payees(person):
    """Count the records by their payee and original payee."""
    return Counter((row["payee"], row["originalPayee"]) for row in person.rows(RECORDS))


def name(person, keyword, payee, **options):
    edited(person, add_rule, [keyword], category=None, payee=payee, **options)
    person.clock.advance(1)


@pytest.mark.parametrize("source", FORMATS)
def test_new_records_of_files_get_the_payee_and_files_still_find_them(person, source):
    name(person, "amzn", "Amazon")
    name(person, "atm", "Cash")
    bank = Bank(person, source)
    rows = [entry("1", "-5", "AMZN 1"), entry("1", "-5", "AMZN 1"), entry("2", "-5", "Shop")]
    rows.append(entry("3", "-7", None, note="ATM 7"))
    bank.file(*rows)
    expected = {("Amazon", "AMZN 1"): 2, ("Shop", None): 1, ("Cash", None): 1}
    assert payees(person) == expected
    before = person.snapshot()
    assert bank.file(*rows).created == 0
    assert person.snapshot() == before
    assert bank.file(*rows[1:], entry("9", "-1", "AMZN 2")).created == 1
    # Another format that names the payee as the bank does adds nothing, either.
    other = Bank(person, "csv" if source != "csv" else "ofx", bank.account)
    other.file(*rows, account_name=person.rows(RECORDS)[0]["accountName"])
    assert payees(person) == expected | {("Amazon", "AMZN 2"): 1}
    assert edited(person, apply_rules).updated == 0


def test_stored_records_are_renamed_except_where_somebody_set_the_payee(person):
    bank = Bank(person)
    bank.file(entry("1", "-5", "AMZN 1"), entry("2", "-5", "AMZN 2"), entry("3", "-5", "Shop"))
    mine = next(row["id"] for row in person.rows(RECORDS) if row["payee"] == "AMZN 2")
    account_id = person.rows(RECORDS)[0]["accountId"]
    edited(person, change_records, [mine], {"payee": "amzn gift"})
    typed = {"accountId": account_id, "amount": 1, "recordDate": day("4"), "payee": "amzn"}
    edited(person, add_record, typed)
    name(person, "amzn", "Amazon")
    before = person.snapshot()
    report = edited(person, apply_rules, dry_run=True)
    assert (report.updated, report.remarks) == (1, ["by payee: 1 Amazon"])
    assert person.snapshot() == before
    edited(person, apply_rules)
    assert payees(person) == {
        ("Amazon", "AMZN 1"): 1,
        ("amzn gift", "AMZN 2"): 1,
        ("Shop", None): 1,
        ("amzn", None): 1,
    }
    assert edited(person, apply_rules).updated == 0
    person.undo()
    assert payees(person)["AMZN 1", None] == 1


def test_standing_orders_and_ignored_payments_follow_if_all_records_are_renamed(person):
    Bank(person).file(entry("1", "-5", "AMZN"), entry("2", "-7", "Gym"))
    account_id = person.only(ACCOUNTS)["id"]
    typed = {"accountId": account_id, "amount": -70_000, "recordDate": day("4"), "payee": "Gym"}
    edited(person, add_record, typed)
    for payee, account in itertools.product(("AMZN", "Gym", "Other"), (account_id, "")):
        order = {"payee": payee, "account": account, "amount": "-5"}
        given = {**order, "name": f"{payee} {account}", "startDate": "2026-01-01"}
        edited(person, add_object, STANDING_ORDERS, given)
    edited(person, ignore_payment, account_id, "-50000 EUR amzn", "AMZN", is_ignored=True)
    name(person, "amzn", "Amazon")
    name(person, "gym", "Sports club")
    before = person.everything()
    edited(person, apply_rules)
    orders = Counter(row["payee"] for row in person.rows(STANDING_ORDERS))
    assert orders == {"Amazon": 2, "Gym": 2, "Other": 2}
    items = person.only(ACCOUNTS)["ignoredPayments"]
    assert items == ("-50000 EUR amzn", "-50000 EUR amazon")
    person.undo()
    assert person.everything() == before


def test_a_rule_that_looks_for_what_it_sets_changes_nothing_more(person):
    name(person, "shop", "Shop of shops")
    name(person, "of shops", "Other")
    bank = Bank(person)
    bank.file(entry("1", "-5", "SHOP 1"), entry("2", "-5", "Shop of shops"))
    for _ in range(2):
        assert payees(person) == {("Shop of shops", "SHOP 1"): 1, ("Shop of shops", None): 1}
        assert edited(person, apply_rules).updated == 0
        assert bank.file(entry("1", "-5", "SHOP 1"), entry("2", "-5", "Shop of shops")).created == 0


def test_rules_for_notes_do_not_rename_in_turns(person):
    name(person, "cash", "Other")
    name(person, "atm", "Cash")
    Bank(person).file(entry("1", "-5", None, note="ATM 7"))
    assert payees(person) == {("Cash", None): 1}
    assert edited(person, apply_rules).updated == 0


def test_rules_that_compare_the_whole_payee_come_first(person):
    name(person, "shop", "Shops")
    name(person, "PET SHOP", "Fressnapf", whole_payee=True)
    rows = [entry("1", "-5", text) for text in ("Pet Shop", "Pet Shop 2", "pet shop", "Shop")]
    Bank(person).file(*rows)
    assert Counter(row["payee"] for row in person.rows(RECORDS)) == {"Fressnapf": 2, "Shops": 2}


def test_rules_for_categories_find_both_payees(person):
    person.native(document("Category", 11, name="Books"), document("Category", 12, name="Toys"))
    name(person, "amzn", "Amazon")
    edited(person, add_rule, ["amazon"], category="Books")
    person.clock.advance(1)
    edited(person, add_rule, ["lego"], category="Toys")
    Bank(person).file(entry("1", "-5", "AMZN Mktp"), entry("2", "-5", "Lego AMZN"))
    assert [row["category"] for row in person.rows(RECORDS)] == ["Books", "Books"]
    ids = [row["id"] for row in person.rows(RECORDS)]
    edited(person, remove_object, RECORD_RULES, "amazon")
    edited(person, apply_rules, recategorise=True)
    found = {person.row(RECORDS, each)["category"] for each in ids}
    assert found == {"Books", "Toys"}


def test_a_text_that_the_bank_corrects_is_looked_up_again(person):
    name(person, "amzn", "Amazon")
    bank = Bank(person)
    bank.file(entry("1", "-5", "Pending", "1"), entry("2", "-5", "AMZN", "2"))
    bank.file(entry("1", "-5", "AMZN 7", "1"), entry("2", "-5", "Shop", "2"))
    assert payees(person) == {("Amazon", "AMZN 7"): 1, ("Shop", None): 1}


def test_parts_of_a_split_are_renamed(person):
    Bank(person).file(entry("1", "-5", "AMZN"))
    edited(person, split_record, person.only(RECORDS)["id"], [Part(-20_000), Part(-30_000)])
    name(person, "amzn", "Amazon")
    edited(person, apply_rules)
    assert payees(person) == {("Amazon", "AMZN"): 2}
    assert Bank(person).file(entry("1", "-5", "AMZN")).created == 0


@pytest.mark.parametrize("text", ["x" * 200, "日本の店", "Ünïcødé É", "a, b; c", "%_\\"])
def test_payees_of_any_script(person, text):
    name(person, text.upper(), f"My {text}"[:200], whole_payee=True)
    Bank(person).file(entry("1", "-5", text))
    assert payees(person) == {(f"My {text}"[:200], text): 1}
    assert Bank(person).file(entry("1", "-5", text)).created == 0


def test_a_rule_needs_something_to_give(person):
    with pytest.raises(ChangeRefused, match="a rule needs a category, a label or a payee"):
        edited(person, add_rule, ["a"], category=None, payee="")
