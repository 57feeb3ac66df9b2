"""Creating, changing and removing accounts, categories and so on by their names."""

import pytest

from finance_api.importers.interface import ChangeRefused
from finance_api.ledger.edits.objects import add_object, remove_object, set_object
from finance_api.resources import (
    ACCOUNTS,
    BUDGETS,
    CATEGORIES,
    GOALS,
    LABELS,
    RECORDS,
    STANDING_ORDERS,
)
from finance_api.storage.interface import reading
from support.edits import edited
from support.ledger import account, an_id, document, record

BASE = [
    account(name="Checking", bankAccountNumber="DE1"),
    account(2, name="Dollars", currencyCode="USD"),
    document("Category", 11, name="Groceries"),
    document("Category", 12, name="Food, drinks"),
    document("Category", 13, name="Other", parentId=an_id(11)),
    document("Category", 14, name="Other", parentId=an_id(12)),
    document("Label", 21, name="home"),
    record(31, categoryId=an_id(11), labelIds=[an_id(21)], payee="Shop"),
    record(32, recordState="void"),
]


@pytest.fixture
def books(person):
    person.native(*BASE)
    return person


def named(person, resource, name):
    (row,) = [row for row in person.rows(resource) if row["name"] == name]
    return row


def refused(person, *arguments, **options):
    before = person.snapshot()
    with pytest.raises(ChangeRefused) as caught:
        edited(person, *arguments, **options)
    assert person.snapshot() == before
    return str(caught.value)


def test_budget_is_added_by_names(books):
    given = {
        "name": "Food",
        "limitAmount": "400.50",
        "currencyCode": "EUR",
        "categories": 'groceries, "Food, drinks"',
        "accounts": an_id(1),
    }
    report = edited(books, add_object, BUDGETS, given)
    row = books.only(BUDGETS)
    assert row["categoryIds"] == (an_id(11), an_id(12))
    assert (row["accountIds"], row["limitAmount"]) == ((an_id(1),), 4_005_000)
    assert row["createdAt"] == row["updatedAt"] == books.clock.now()
    assert report.made == [(row["id"], "Food")]
    assert books.history()[-1].action == "edit"


@pytest.mark.parametrize(
    ("resource", "given", "currency"),
    [
        (BUDGETS, {"accounts": "Dollars"}, "USD"),
        (STANDING_ORDERS, {"account": "Dollars", "amount": "-5"}, "USD"),
        (GOALS, {"currencyCode": "CHF"}, "CHF"),
    ],
)
def test_currency_that_is_not_given_is_that_of_the_accounts(books, resource, given, currency):
    edited(books, add_object, resource, {"name": "x", **given})
    assert books.only(resource)["currencyCode"] == currency


def test_currency_is_asked_for_where_accounts_have_several(books):
    said = refused(books, add_object, BUDGETS, {"name": "x", "limitAmount": "1"})
    assert said == "currencyCode is missing: the accounts are in EUR, USD"


def test_balance_follows_a_hand_set_initial_balance(books):
    given = {"initialBalance": "100", "accountType": "SavingAccount"}
    report = edited(books, set_object, ACCOUNTS, "checking", given)
    row = books.row(ACCOUNTS, 1)
    assert books.balance() == "98.5"
    assert row["setByHand"] == ("accountType", "initialBalance")
    changes = {change.field: (change.old, change.new) for change in report.changes}
    assert changes["initialBalance"] == ("0", "100")
    assert changes["balance"] == ("-1.5", "98.5")


def test_a_manual_edit_to_the_same_value_counts_as_manual(books):
    edited(books, set_object, ACCOUNTS, "Checking", {"initialBalance": "0"})
    assert books.row(ACCOUNTS, 1)["setByHand"] == ("initialBalance",)
    count = len(books.history())
    revision = books.revision
    edited(books, set_object, ACCOUNTS, "Checking", {"initialBalance": "0"})
    assert (len(books.history()), books.revision) == (count, revision)


def test_initial_balance_is_given_back_to_the_bank(books):
    given = {"initialBalance": "100", "color": "red"}
    edited(books, set_object, ACCOUNTS, "Checking", given)
    edited(books, set_object, ACCOUNTS, "Checking", {"initialBalance": " "})
    row = books.row(ACCOUNTS, 1)
    assert (row["initialBalance"], row["setByHand"]) == (1_000_000, ("color",))


def kinds(person):
    return {(row["id"], row["kind"], row["kindIsDerived"]) for row in person.rows(CATEGORIES)}


def test_kind_that_a_hand_sets_stays_until_it_is_given_back(books):
    groceries, other = an_id(11), an_id(13)
    edited(books, set_object, CATEGORIES, "Groceries", {"group": "Living"})
    assert kinds(books) >= {(groceries, "expense", True), (other, "expense", True)}
    report = edited(books, set_object, CATEGORIES, "Groceries", {"kind": "income"})
    assert [(c.field, c.old, c.new) for c in report.changes] == [("kind", "expense", "income")]
    assert kinds(books) >= {(groceries, "income", False), (other, "income", True)}
    edited(books, set_object, CATEGORIES, "Groceries", {"group": "Food"})
    assert kinds(books) >= {(groceries, "income", False), (other, "income", True)}
    edited(books, set_object, CATEGORIES, "Groceries", {"kind": " "})
    assert kinds(books) >= {(groceries, "expense", True), (other, "expense", True)}


def test_kind_of_a_new_category_is_its_own_or_follows(books):
    edited(books, add_object, CATEGORIES, {"name": "Wages", "kind": "income"})
    edited(books, add_object, CATEGORIES, {"name": "Tips", "parent": "Wages"})
    for name, is_derived in (("Wages", False), ("Tips", True)):
        row = named(books, CATEGORIES, name)
        assert (row["kind"], row["kindIsDerived"]) == ("income", is_derived)


def test_an_undo_restores_kinds(books):
    before = kinds(books)
    edited(books, set_object, CATEGORIES, "Groceries", {"kind": "income"})
    edited(books, set_object, CATEGORIES, "Groceries", {"color": "red"})
    first, second = (entry.number for entry in books.history()[-2:])
    # A kind derived from the parent is not a change by itself.
    with reading(books.backend) as storage:
        changed = [
            [image.row_id for image in storage.ledger.scan_before(books.user.id, n, limit=9)]
            for n in (first, second)
        ]
    assert changed == [[an_id(11)], [an_id(11)]]
    books.undo(second)
    assert kinds(books) >= {(an_id(11), "income", False), (an_id(13), "income", True)}
    books.undo(first)
    assert kinds(books) == before


def test_new_name_is_carried_over_to_records(books):
    edited(books, set_object, CATEGORIES, "Groceries", {"name": "Food"})
    edited(books, set_object, ACCOUNTS, "Checking", {"name": "Giro"})
    edited(books, set_object, LABELS, "home", {"name": "house"})
    row = books.row(RECORDS, 31)
    assert (row["category"], row["accountName"], row["labels"]) == ("Food", "Giro", ("house",))


def test_new_currency_is_carried_over(books):
    edited(books, add_object, STANDING_ORDERS, {"account": "Checking", "amount": "-3"})
    edited(books, set_object, ACCOUNTS, "Checking", {"currencyCode": "CHF"})
    assert books.row(RECORDS, 31)["currencyCode"] == "CHF"
    assert books.only(STANDING_ORDERS)["currencyCode"] == "CHF"


def test_type_of_a_standing_order_follows_its_amount_until_it_is_given(books):
    edited(books, add_object, STANDING_ORDERS, {"name": "a", "account": "Checking", "amount": "-3"})
    edited(books, set_object, STANDING_ORDERS, "a", {"amount": "3"})
    assert books.only(STANDING_ORDERS)["type"] == "income"
    edited(books, set_object, STANDING_ORDERS, "a", {"type": "expense"})
    edited(books, set_object, STANDING_ORDERS, "a", {"amount": "4"})
    assert books.only(STANDING_ORDERS)["type"] == "expense"


def test_blank_takes_a_value_away(books):
    edited(books, set_object, CATEGORIES, an_id(13), {"parent": "", "color": "red"})
    row = books.row(CATEGORIES, 13)
    assert (row["parentId"], row["color"]) == (None, "red")


@pytest.mark.parametrize(
    ("resource", "given", "said"),
    [
        (
            GOALS,
            {"name": "x", "targetAmont": "5"},
            "targetAmont is not a field of goals that can be set; did you mean targetAmount or",
        ),
        (LABELS, {"color": "red"}, "Label needs name"),
        (LABELS, {"name": "home"}, "there is already a label named home"),
        (ACCOUNTS, {"name": "x"}, "Account needs currencyCode"),
        (ACCOUNTS, {"name": "x", "currencyCode": "EURO"}, "did you mean EUR?"),
        (ACCOUNTS, {"name": "x", "currencyCode": "EUR", "balance": "1"}, "balance is not a field"),
        (ACCOUNTS, {"name": "x", "currencyCode": "EUR", "initialBalance": "1,5"}, "'1,5' is not a"),
        (ACCOUNTS, {"name": "x", "currencyCode": "EUR", "archived": "maybe"}, "neither true nor"),
        (ACCOUNTS, {"name": "x", "currencyCode": "EUR", "accountType": "Bank"}, "is not one of"),
        (BUDGETS, {"categories": "Grocries"}, "no category Grocries; did you mean Groceries?"),
        (BUDGETS, {"categories": '"a'}, "double quotes"),
        (BUDGETS, {"categories": "Groceries", "categoryIds": an_id(11)}, "given twice"),
        (CATEGORIES, {"name": "x", "parent": an_id(99)}, f"there is no category {an_id(99)}"),
        (
            STANDING_ORDERS,
            {"account": "Checking", "currencyCode": "USD"},
            "currencyCode is USD, but the account Checking is in EUR",
        ),
        (
            STANDING_ORDERS,
            {"account": "Checking", "recurrenceRule": "FREQ=OFTEN", "startDate": "2026-01-01"},
            "recurrenceRule",
        ),
    ],
)
def test_what_is_wrong_is_refused(books, resource, given, said):
    assert said in refused(books, add_object, resource, given)


def test_ambiguous_name_lists_the_candidates(books):
    said = refused(books, set_object, CATEGORIES, "other", {"color": "red"})
    assert said == (
        "2 of the categories are called other: give one of the ids "
        f"{an_id(13)} (in Groceries), {an_id(14)} (in Food, drinks)"
    )


def test_category_is_no_part_of_itself(books):
    given = {"parent": an_id(13)}
    assert "a part of itself" in refused(books, set_object, CATEGORIES, "Groceries", given)


def test_required_value_is_not_taken_away(books):
    assert "Label needs name" in refused(books, set_object, LABELS, "home", {"name": " "})


def test_what_is_in_use_is_not_removed(books):
    edited(books, add_object, BUDGETS, {"name": "B", "currencyCode": "EUR", "labels": "home"})
    assert refused(books, remove_object, CATEGORIES, "Groceries") == (
        "the category Groceries is used by 1 category (Other), 1 record: "
        "change or remove those first"
    )
    assert "used by 1 record, 1 budget (B)" in refused(books, remove_object, LABELS, "home")
    assert refused(books, remove_object, ACCOUNTS, "Checking") == (
        "the account Checking is used by 2 records: change or remove those first"
    )


def test_account_goes_with_its_records(books):
    books.native(
        record(41, accountId=an_id(2), amount=5, transferId=an_id(50)),
        record(42, amount=-4, transferId=an_id(50)),
    )
    report = edited(books, remove_object, ACCOUNTS, "Checking", with_records=True)
    assert (report.removed, report.updated) == (4, 1)
    assert [row["id"] for row in books.rows(ACCOUNTS)] == [an_id(2)]
    left = books.only(RECORDS)
    assert (left["id"], left["transferId"]) == (an_id(41), None)
    assert books.deleted() == {
        (ACCOUNTS, an_id(1), books.revision),
        *((RECORDS, an_id(n), books.revision) for n in (31, 32, 42)),
    }


def test_account_with_records_stays_while_others_use_it(books):
    edited(books, add_object, STANDING_ORDERS, {"name": "Rent", "account": "Checking"})
    said = refused(books, remove_object, ACCOUNTS, "Checking", with_records=True)
    assert said == (
        "the account Checking is used by 1 standing order (Rent): change or remove those first"
    )


def test_what_nobody_uses_is_removed(books):
    edited(books, remove_object, CATEGORIES, an_id(13))
    assert an_id(13) not in [row["id"] for row in books.rows(CATEGORIES)]
