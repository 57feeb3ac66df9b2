"""Limits of single periods of a budget: what is refused, and with which sentence."""

import pytest

from finance_api.importers.interface import ChangeRefused, ImportRefused
from finance_api.ledger.edits.objects import add_object, set_object
from finance_api.resources import BUDGETS
from support.edits import edited
from support.ledger import document


def limit(day, amount=1, **more):
    return {"periodStart": day, "limit": amount, **more}


REFUSED = {
    "no list": ({}, "limitOverrides is not a list"),
    "no object": (["2026-01-01=1"], "has an element that is no object with periodStart and limit"),
    "unknown member": (
        [limit("2026-01-01", note="x")],
        "has an object with periodStart, limit, note: each has periodStart and limit alone",
    ),
    "missing member": ([{"limit": 1}], "has an object with limit: each has periodStart and limit"),
    "empty object": ([{}], "has an object with nothing in it: each has periodStart and limit"),
    "twice": ([limit("2026-01-01"), limit("2026-01-01", 2)], "has two limits for 2026-01-01"),
    "negative": ([limit("2026-01-01", -5)], "has the limit -5, which is below 0"),
    "no number": ([limit("2026-01-01", "5")], "has a limit that is not a number"),
    "null": ([limit("2026-01-01", None)], "has a limit that is not a number"),
    "too exact": ([limit("2026-01-01", 0.00001)], "a limit that has more than 4 decimal places"),
    "too large": ([limit("2026-01-01", 10**15)], "has a limit that is out of range"),
    "no day": ([limit("2026-02-31")], "has a periodStart that is not a day of the calendar"),
    "no date": ([limit("2026-02")], "has a periodStart that is not a date in the form YYYY-MM-DD"),
    "within a month": (
        [limit("2026-01-01"), limit("2026-01-15")],
        "the limit of 2026-01-15 does not fit, because no month starts on this day: give "
        "2026-01-01, or remove this limit",
    ),
    "too many": ([limit("2026-01-01")] * 1001, "has 1001 elements; at most 1000 are allowed"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_limits_that_cannot_be_right_are_refused_with_their_line(person, case):
    value, sentence = REFUSED[case]
    with pytest.raises(ImportRefused) as refused:
        person.native(document("Budget", 1), document("Budget", 2, limitOverrides=value))
    assert sentence in str(refused.value)
    assert str(refused.value).startswith("line 2: ")
    assert person.rows(BUDGETS) == []


@pytest.mark.parametrize(
    ("kind", "day", "sentence"),
    [
        ("INTERVAL_WEEK", "2026-01-01", "because no week starts on this day: give 2025-12-29"),
        ("INTERVAL_YEAR", "2026-02-01", "because no year starts on this day: give 2026-01-01"),
        ("CUSTOM", "2026-01-01", "has one period: remove its limits of single periods"),
    ],
)
def test_limits_start_a_period_of_the_budget_s_type(person, kind, day, sentence):
    with pytest.raises(ImportRefused, match=sentence):
        person.native(document("Budget", 1, type=f"BUDGET_{kind}", limitOverrides=[limit(day)]))


def test_people_give_limits_with_the_period_or_its_first_day(person):
    given = {"name": "Food", "currencyCode": "EUR", "limitOverrides": "2026-12=450, 2026-11-01=0"}
    edited(person, add_object, BUDGETS, given)
    (row,) = person.rows(BUDGETS)
    assert row["limitOverrides"] == ("2026-11-01=0", "2026-12-01=450")
    for typed in ("2026-12", "2026-12=", "x=5", "2026-12=4,50", "2026-13=1"):
        with pytest.raises(ChangeRefused, match="is not a list such as 2026-11=400,2026-12=450"):
            edited(person, set_object, BUDGETS, "Food", {"limitOverrides": typed})
    week = {"type": "BUDGET_INTERVAL_WEEK"}
    with pytest.raises(ChangeRefused, match="no week starts on this day"):
        edited(person, set_object, BUDGETS, "Food", week)
    edited(person, set_object, BUDGETS, "Food", {**week, "limitOverrides": ""})
    (row,) = person.rows(BUDGETS)
    assert (row["type"], row["limitOverrides"]) == ("BUDGET_INTERVAL_WEEK", ())
