"""Summaries of one request convert the same amounts only once."""

from dataclasses import replace
from decimal import Decimal

import pytest

from finance_api.planning.conversion import Conversion
from finance_api.planning.summaries.declaration import SummaryQuery
from finance_api.planning.summaries.summary import summarize
from finance_api.query.dimensions import DIMENSIONS
from finance_api.query.sums import SUMS
from finance_api.resources import ACCOUNTS, RECORDS
from finance_api.resources.currencies import DayRates
from finance_api.storage.testing import Unit, make_row

DAY = 86_400
GROUPS = ((), ("category",), ("month",), ("category", "month"), ("day",), ("recordType", "year"))


def franc(number, amount):
    return make_row(
        RECORDS,
        number,
        amount=amount,
        recordType="expense" if amount < 0 else "income",
        currencyCode="CHF",
        recordDate=(number % 70) * DAY,
        categoryId=None,
    )


@pytest.fixture(params=["memory", "sqlite", "postgresql"])
def unit(new_backend, request):
    unit = Unit(new_backend(request.param), "mine")
    unit.put(ACCOUNTS, make_row(ACCOUNTS, 1, currencyCode="CHF"))
    unit.put(RECORDS, *(franc(n, 10_001 * (n % 7 - 3) or 5) for n in range(1, 90)))
    rates = [DayRates(n * DAY, "EUR", {"CHF": Decimal(11 + n % 5) / 10}) for n in range(60)]
    with unit.writing() as storage:
        storage.rates.put(rates)
    return unit


def asked(group_by):
    dimensions = tuple(map(DIMENSIONS.get, group_by))
    sums = tuple(SUMS[name] for name in ("count", "income", "expense", "spent"))
    return SummaryQuery((), dimensions, sums=sums, convert_to="EUR", limit=1_000)


def test_converted_sums_are_the_same_alone_and_after_others(unit, monkeypatch):
    alone = []
    for group_by in GROUPS:
        with unit.reading() as storage:
            alone.append(summarize(storage, unit.user.id, asked(group_by)))
    assert len(alone[0].not_converted["CHF"]) > 0
    reads = []
    with unit.reading() as storage:
        read = type(storage.data).list_amounts
        monkeypatch.setattr(
            type(storage.data), "list_amounts", lambda *a, **b: reads.append(a) or read(*a, **b)
        )
        assert [summarize(storage, unit.user.id, asked(g)) for g in GROUPS] == alone
    # Sums of days are not shared with those of months. The memory storage has one class for reading
    # and writing.
    assert len(reads) == (6 if "Memory" in type(storage.data).__name__ else 2)


@pytest.mark.parametrize("group_by", [("payee",), ("payee", "month"), ("payee", "day"), ("day",)])
@pytest.mark.parametrize("merges", [False, True])
def test_converted_sums_are_those_of_amounts_converted_one_by_one(unit, group_by, merges):
    names = ("count", "income", "expense", "median", "firstDate", "lastDate")
    query = replace(asked(group_by), sums=tuple(SUMS[name] for name in names), merges=merges)
    with unit.reading() as storage:
        found = summarize(storage, unit.user.id, query)
        rows = storage.data.scan_rows(unit.user.id, RECORDS)
        conversion = Conversion(storage, "EUR", [row["recordDate"] for row in rows])
        converted = [conversion.convert(r["amount"], "CHF", r["recordDate"]) for r in rows]
    income, expense = ("income", "expense") if merges else ("convertedIncome", "convertedExpense")
    known = [amount for amount in converted if amount is not None]
    assert sum(row[income] or 0 for row in found.groups) == sum(a for a in known if a > 0)
    assert sum(row[expense] or 0 for row in found.groups) == sum(a for a in known if a < 0)
    assert len(found.not_converted["CHF"]) == converted.count(None)


def test_what_is_changed_meanwhile_is_converted_again(unit):
    with unit.writing() as storage:
        before = summarize(storage, unit.user.id, asked(()))
        storage.data.put_rows(unit.user.id, RECORDS, new=[franc(1_000, 99_000)], changed=[])
        after = summarize(storage, unit.user.id, asked(()))
    assert after.groups[0]["convertedIncome"] > before.groups[0]["convertedIncome"]
