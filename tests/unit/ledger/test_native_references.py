"""A file with an unknown or contradictory reference is refused, with the line."""

import pytest

from finance_api.importers.interface import ImportRefused
from finance_api.resources import CATEGORIES, RECORDS
from support.ledger import account, an_id, document, record

MISSING = an_id(0xDEAD)
DANGLING = [
    record(9, accountId=MISSING),
    record(9, categoryId=MISSING),
    record(9, labelIds=[an_id(4), MISSING]),
    document("Category", 9, parentId=MISSING),
    document("Budget", 9, categoryIds=[MISSING]),
    document("Budget", 9, accountIds=[an_id(1), MISSING]),
    document("Budget", 9, labelIds=[MISSING]),
    document("StandingOrder", 9, accountId=MISSING),
    document("StandingOrder", 9, categoryId=MISSING),
    document("StandingOrder", 9, labelIds=[MISSING]),
    document("RecordRule", 9, accountId=MISSING),
    document("RecordRule", 9, categoryId=MISSING),
    document("RecordRule", 9, labelIds=[MISSING]),
]
BASE = [account(), document("Category", 3), document("Label", 4)]


def refusal(person, *rows):
    before = person.snapshot()
    with pytest.raises(ImportRefused) as refused:
        person.native(*rows)
    assert person.snapshot() == before
    return refused.value


@pytest.mark.parametrize("row", DANGLING, ids=lambda r: f"{r['reserved_model_type']}")
def test_dangling_reference_refuses_the_file_with_its_line(person, row):
    error = refusal(person, *BASE, row, record(10))
    assert error.line == 4
    assert MISSING in error.reason


@pytest.mark.parametrize("row", DANGLING, ids=lambda r: f"{r['reserved_model_type']}")
def test_other_users_rows_are_as_if_they_were_not_there(new_person, row):
    other, person = new_person(), new_person()
    ids = {"Account": an_id, "Category": an_id, "Label": an_id}
    for model_type in ids:
        values = {"currencyCode": "EUR"} if model_type == "Account" else {}
        other.native(document(model_type, 0xDEAD, **values))
    assert MISSING in refusal(person, *BASE, row).reason


def test_levels_of_categories_are_limited(person):
    chain = [document("Category", n, parentId=an_id(n - 1)) for n in range(2, 22)]
    error = refusal(person, *reversed(chain), document("Category", 1))
    assert error.line == 1
    assert "at most 20 levels" in error.reason
    person.native(*reversed(chain[:-1]), document("Category", 1))
    # The stored categories below a category move with it.
    error = refusal(person, document("Category", 30), document("Category", 1, parentId=an_id(30)))
    assert "would be on level 21" in error.reason


def test_references_may_point_forward_and_to_stored_data(person):
    person.native(
        record(9, categoryId=an_id(5), labelIds=[an_id(4)]),
        document("RecordRule", 9, categoryId=an_id(5), labelIds=[an_id(4)], accountId=an_id(1)),
        document("StandingOrder", 9, accountId=an_id(1), categoryId=an_id(3)),
        document("Budget", 9, categoryIds=[an_id(3), an_id(5)], accountIds=[an_id(1)]),
        document("Category", 5, parentId=an_id(3)),
        *reversed(BASE),
    )
    person.native(record(10, categoryId=an_id(5), labelIds=[an_id(4)]))
    person.audit()


@pytest.mark.parametrize("length", [1, 2, 3])
def test_categories_that_go_in_a_circle_are_refused(person, length):
    numbers = range(10, 10 + length)
    circle = [
        document("Category", n, parentId=an_id(10 + (n - 9) % length), name=f"c{n}")
        for n in numbers
    ]
    assert refusal(person, *BASE, *circle).line is not None


def test_circle_that_closes_over_stored_categories_is_refused(person):
    person.native(document("Category", 3), document("Category", 4, parentId=an_id(3)))
    assert refusal(person, account(), document("Category", 3, parentId=an_id(4))).line == 2


def test_branches_may_be_moved_around_in_one_file(person):
    person.native(document("Category", 3), document("Category", 4, parentId=an_id(3)))
    person.native(document("Category", 3, parentId=an_id(4)), document("Category", 4))
    assert person.row(CATEGORIES, 3)["parentId"] == an_id(4)


def test_currency_that_is_not_the_accounts_is_refused_with_its_line(person):
    error = refusal(person, account(), record(9), record(10, currencyCode="USD"))
    assert (error.line, "currencyCode" in error.reason) == (3, True)
    order = document("StandingOrder", 9, accountId=an_id(1), currencyCode="USD")
    assert refusal(person, account(), order).line == 2


def test_record_without_a_currency_has_its_accounts(person):
    person.native(account(currencyCode="JPY"), record(9))
    assert person.row(RECORDS, 9)["currencyCode"] == "JPY"


@pytest.mark.parametrize(
    "rule",
    [
        *("nonsense", "FREQ=SECONDLY", "FREQ=HOURLY", "FREQ=MONTHLY;COUNT=2;UNTIL=20270101"),
        *("FREQ=DAILY;FREQ=DAILY", "FREQ=DAILY\nRRULE:FREQ=DAILY"),
        *("FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30", "BYDAY=MO"),
    ],
)
def test_recurrence_rules_are_checked_with_their_line(person, rule):
    order = document("StandingOrder", 9, recurrenceRule=rule, startDate="2026-01-01")
    error = refusal(person, *BASE, order)
    assert (error.line, "recurrenceRule" in error.reason) == (4, True)


@pytest.mark.parametrize(
    "rule",
    [
        "FREQ=DAILY",
        "FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,FR",
        "FREQ=MONTHLY;BYMONTHDAY=-1",
        "FREQ=MONTHLY;BYDAY=2TU;COUNT=5",
        "FREQ=YEARLY;UNTIL=20300101T000000Z",
    ],
)
def test_recurrence_rules_from_daily_to_yearly_come_in(person, rule):
    person.native(document("StandingOrder", 9, recurrenceRule=rule, startDate="2026-01-01"))
    assert rule.encode() in person.dump()
