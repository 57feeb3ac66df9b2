"""Budgets, compared with a simple model that adds up the records of each budget."""

import itertools
from datetime import date, timedelta

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from finance_api.planning.tracking import tracked_budgets
from finance_api.resources import ACCOUNTS, BUDGETS, CATEGORIES, RECORDS
from finance_api.resources.plans import CUSTOM, MONTH, WEEK, YEAR
from finance_api.resources.records import record_type
from finance_api.storage.testing import Unit, make_id, make_row
from finance_api.values.time import from_date, to_date
from support.nightly import count

TODAY = date(2026, 3, 18)
STORAGES = ["memory", "sqlite", "postgresql"]
NAMES = ("periodStart", "periodEnd", "spent", "income", "recordCount")

days = st.integers(-400, 20).map(lambda n: TODAY + timedelta(days=n))
ids = st.integers(1, 4).map(make_id)
id_lists = st.lists(ids, max_size=3, unique=True).map(tuple)
currencies = st.sampled_from(["EUR", "EUR", "EUR", "CHF"])
amounts = st.integers(-3, 3) | st.sampled_from([2**63 - 1, 1 - 2**63])

budgets = st.fixed_dictionaries(
    {
        "type": st.sampled_from([WEEK, MONTH, YEAR, CUSTOM, CUSTOM]),
        "startDate": st.none() | days.map(from_date),
        "endDate": st.none() | days.map(lambda day: from_date(day + timedelta(days=400))),
        "currencyCode": st.none() | currencies,
        "accountIds": id_lists,
        "categoryIds": id_lists,
        "labelIds": id_lists,
    }
)
records = st.fixed_dictionaries(
    {
        "recordDate": st.tuples(days, st.sampled_from([0, 1, 86_399])).map(
            lambda pair: from_date(pair[0]) + pair[1]
        ),
        "amount": amounts,
        "currencyCode": currencies,
        "accountId": ids,
        "categoryId": st.none() | ids,
        "labelIds": id_lists,
        "recordState": st.sampled_from([None, "cleared", "void"]),
        "transferId": st.sampled_from([None, None, make_id(9)]),
    }
).map(lambda row: {**row, "recordType": record_type(row["amount"])})
kinds = st.lists(st.sampled_from([None, None, "income", "expense"]), min_size=4, max_size=4)


def numbered(resource, rows):
    return [make_row(resource, number, **row) for number, row in enumerate(rows, start=1)]


def expected(budget, rows, accounts, categories):
    """Return the period, the amount spent, the income, and the number of records that count as
    spent. None outside of the budget's dates.
    """
    first, last = (
        None if seconds is None else to_date(seconds)
        for seconds in (budget["startDate"], budget["endDate"])
    )
    if (first and first > TODAY) or (last and last < TODAY):
        return None
    if budget["type"] == WEEK:
        first, last = date(2026, 3, 16), date(2026, 3, 22)
    elif budget["type"] == MONTH:
        first, last = date(2026, 3, 1), date(2026, 3, 31)
    elif budget["type"] == YEAR:
        first, last = date(2026, 1, 1), date(2026, 12, 31)
    excluded = {row["id"] for row in accounts if row["excludeFromStats"]}
    parents = {row["id"]: row["parentId"] for row in categories}
    kinds = {row["id"]: row["kind"] for row in categories}

    def counts(record):
        day = to_date(record["recordDate"])
        category = record["categoryId"]
        above = set()
        while category is not None:
            above.add(category)
            category = parents[category]
        return (
            record["recordState"] != "void"
            and record["transferId"] is None
            and record["accountId"] not in excluded
            and record["currencyCode"] == budget["currencyCode"]
            and (first is None or first <= day)
            and (last is None or day <= last)
            and (not budget["accountIds"] or record["accountId"] in budget["accountIds"])
            and (not budget["categoryIds"] or above & set(budget["categoryIds"]))
            and (not budget["labelIds"] or set(record["labelIds"]) & set(budget["labelIds"]))
        )

    def is_income(record):
        kind = kinds.get(record["categoryId"])
        is_unknown = kind is None and not budget["categoryIds"]
        return kind == "income" or (is_unknown and record["amount"] >= 0)

    found = [record for record in rows if counts(record)]
    income = [record["amount"] for record in found if is_income(record)]
    spent = [-record["amount"] for record in found if not is_income(record)]
    ends = (None if day is None else from_date(day) for day in (first, last))
    return (*ends, sum(spent), sum(income), len(spent))


@pytest.mark.nightly
@pytest.mark.parametrize("storage", STORAGES)
def test_random_budgets_count_as_the_model_does(new_backend, storage):
    backend = new_backend(storage)
    users = itertools.count(1)
    hidden = st.lists(st.booleans(), min_size=4, max_size=4)
    parents = st.tuples(
        *(st.integers(0, n).map(lambda n: make_id(n) if n else None) for n in range(4))
    )

    @settings(max_examples=count(60, 1_000), suppress_health_check=list(HealthCheck))
    @given(st.lists(records, max_size=30), st.lists(budgets, max_size=12), hidden, parents, kinds)
    def check(some_records, some_budgets, hidden, parents, kinds):
        unit = Unit(backend, f"user{next(users)}")
        accounts = numbered(ACCOUNTS, [{"excludeFromStats": each} for each in hidden])
        above = zip(parents, kinds, strict=True)
        categories = numbered(CATEGORIES, [{"parentId": p, "kind": kind} for p, kind in above])
        unit.put(ACCOUNTS, *accounts)
        unit.put(CATEGORIES, *categories)
        rows = numbered(RECORDS, some_records)
        unit.put(RECORDS, *rows)
        asked = numbered(BUDGETS, some_budgets)
        with unit.reading() as reading:
            found = tracked_budgets(reading, unit.user.id, from_date(TODAY), asked)
        for budget, tracked in zip(asked, found, strict=True):
            values = [tracked[name] for name in NAMES]
            model = expected(budget, rows, accounts, categories)
            assert values == ([None] * 5 if model is None else list(model))

    check()


@pytest.mark.parametrize("storage", STORAGES)
def test_each_record_is_read_once_however_many_budgets_there_are(new_backend, storage, monkeypatch):
    unit = Unit(new_backend(storage))
    unit.put(ACCOUNTS, make_row(ACCOUNTS, 1))
    dates = [TODAY - timedelta(days=n) for n in range(60)]
    unit.put(
        RECORDS,
        *(
            make_row(
                RECORDS,
                n,
                accountId=make_id(1),
                currencyCode="EUR",
                recordDate=from_date(d),
                amount=-1,
                recordType="expense",
            )
            for n, d in enumerate(dates)
        ),
    )
    euros = {"currencyCode": "EUR", "labelIds": ()}
    undated = [make_row(BUDGETS, n, type=CUSTOM, **euros) for n in range(60)]
    dated = [
        make_row(BUDGETS, n, type=CUSTOM, startDate=from_date(day), **euros)
        for n, day in enumerate(dates)
    ]
    for asked, counts in ((undated, [60] * 60), (dated, range(1, 61))):
        with unit.reading() as reading:
            sums, sum_by = [], reading.data.sum_by
            monkeypatch.setattr(
                reading.data, "sum_by", lambda *a, do=sum_by, s=sums: s.append(do(*a)) or s[-1]
            )
            found = tracked_budgets(reading, unit.user.id, from_date(TODAY), asked)
        assert [budget["recordCount"] for budget in found] == list(counts)
        assert sum(each.number for groups in sums for each in groups.values()) == 60


def test_only_budgets_with_labels_read_records_with_theirs(new_backend):
    unit = Unit(new_backend("memory"))
    unit.put(ACCOUNTS, make_row(ACCOUNTS, 1))
    own = {"accountId": make_id(1), "currencyCode": "EUR", "recordType": "expense"}
    labels = [(make_id(n % 6),) for n in range(60)]
    unit.put(
        RECORDS, *(make_row(RECORDS, n, amount=-1, labelIds=s, **own) for n, s in enumerate(labels))
    )
    some = make_row(BUDGETS, 1, type=CUSTOM, currencyCode="EUR", labelIds=labels[0])
    every = make_row(BUDGETS, 2, type=CUSTOM, currencyCode="EUR", labelIds=())
    with unit.reading() as reading:
        read, sum_by = [], reading.data.sum_by
        reading.data.sum_by = lambda user_id, names, conditions: (
            read.append((names, sum_by(user_id, names, conditions))) or read[-1][1]
        )
        found = tracked_budgets(reading, unit.user.id, from_date(TODAY), [some, every])
    assert [budget["recordCount"] for budget in found] == [10, 60]
    by_labels = {"labelIds" in names: sums for names, sums in read}
    assert sum(each.number for each in by_labels[True].values()) == 10
    assert len(by_labels[False]) == 1
