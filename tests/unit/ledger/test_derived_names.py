"""A new name also appears in the records that were stored before."""

import pytest

from finance_api.resources import RECORDS
from support.ledger import account, an_id, document, record

BASE = [
    account(name="Giro"),
    document("Category", 3, name="Food"),
    document("Label", 4, name="one"),
    document("Label", 5, name="two"),
]
RECORD = record(9, categoryId=an_id(3), labelIds=[an_id(5), an_id(4)])


@pytest.mark.parametrize(
    ("row", "field", "value"),
    [
        (account(name="Main"), "accountName", "Main"),
        (document("Category", 3, name="Meals"), "category", "Meals"),
        (document("Label", 4, name="three"), "labels", ("two", "three")),
        (account(currencyCode="USD", name="Giro"), "currencyCode", "USD"),
    ],
    ids=["account", "category", "label", "currency"],
)
def test_change_is_carried_over(person, row, field, value):
    person.native(*BASE, RECORD)
    person.native(row)
    assert person.row(RECORDS, 9)[field] == value
    assert person.revision == 2
    person.audit()


def test_labels_keep_the_order_of_their_ids(person):
    person.native(*BASE, RECORD)
    assert person.row(RECORDS, 9)["labels"] == ("two", "one")
    person.native({**RECORD, "labelIds": [an_id(4), an_id(5)]})
    assert person.row(RECORDS, 9)["labels"] == ("one", "two")


def test_change_reaches_more_records_than_are_read_at_once(person):
    person.native(*BASE, *({**RECORD, "id": an_id(n)} for n in range(100, 2600)))
    person.native(
        account(name="Main", currencyCode="CHF"),
        document("Category", 3, name="Meals"),
        document("Label", 4, name="x"),
        document("Label", 5, name="y"),
    )
    person.audit()
    assert {row["labels"] for row in person.rows(RECORDS)} == {("y", "x")}


def test_new_name_and_a_changed_record_in_one_file(person):
    person.native(*BASE, RECORD, {**RECORD, "id": an_id(10)})
    person.native({**RECORD, "amount": 5}, document("Category", 3, name="Meals"))
    person.audit()


@pytest.mark.parametrize("model_type", ["Label", "Category"])
def test_very_many_new_names_at_once_are_carried_over(person, model_type):
    def named(word):
        return [document(model_type, n, name=f"{word} {n}") for n in range(1_000, 2_200)]

    refers = {"Label": {"labelIds": [an_id(1_500)]}, "Category": {"categoryId": an_id(1_500)}}
    person.native(account(), *named("old"), record(9, **refers[model_type]))
    person.native(*named("new"))
    assert "new 1500" in (person.row(RECORDS, 9)["category"], *person.row(RECORDS, 9)["labels"])
    person.audit()


def test_two_accounts_may_have_one_name(person):
    person.native(account(1, name="same"), account(2, name="same"), record(9))
    person.native(account(2, name="other"))
    assert person.row(RECORDS, 9)["accountName"] == "same"


def test_import_that_only_renames_reports_what_it_changed(person):
    person.native(*BASE, RECORD)
    report = person.native(document("Category", 3, name="Meals"))
    assert (report.created, report.updated, report.changed) == (0, 1, True)
