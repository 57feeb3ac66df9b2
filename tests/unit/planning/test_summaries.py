"""Summaries and balances, compared with a simple model that adds records one by one."""

import itertools
from collections import defaultdict
from datetime import timedelta

import pytest
from hypothesis import HealthCheck, assume, example, given, settings
from hypothesis import strategies as st

from finance_api.planning.answers import ParametersRefused
from finance_api.planning.balances import BalancesQuery, list_balances
from finance_api.planning.counted import counted_only, with_flow
from finance_api.planning.summaries.declaration import SummaryQuery
from finance_api.planning.summaries.summary import summarize
from finance_api.query.dimensions import DIMENSIONS
from finance_api.query.model import SortKey
from finance_api.query.sums import LEFT_OUT, SUMS
from finance_api.resources import RECORDS
from finance_api.storage.testing import make_id
from finance_api.values.time import Period, end_of, from_date, start_of, to_date
from support.modelled_data import (
    FIRST,
    NUMBER,
    ModelledData,
    accounts,
    categories,
    conditions_of,
    days,
    dimensions,
    filters,
    labels,
    records,
    values_of,
)
from support.nightly import count
from support.small_limits import small_limits

pytestmark = pytest.mark.nightly

STORAGES = ["memory", "sqlite", "postgresql"]
#: Another model has the columns that this one lacks.
_NAMES = ("count", "income", "expense", "net", "spent", "received", "firstDate", "lastDate")
ALL_SUMS = tuple([SUMS[name] for name in _NAMES])


def expected(data, parameters, group_by, include):
    """Return the groups in order with their sums, and the records left out."""
    named = {text for name, text in parameters if name == "accountId"}
    left_out = dict.fromkeys(LEFT_OUT, 0)
    counted = []
    for record in data.matching(parameters):
        is_named = record["accountId"] in named
        kept = {*include, "excluded"} if is_named else {*include}
        if reasons := [why for why in data.left_out(record) if why not in kept]:
            left_out[reasons[0]] += 1
        else:
            counted.append(record)
    groups = data.groups(counted, lambda row: [values_of(data, row, name) for name in group_by])

    def order(key):
        currency, *values = key
        return currency, *((value[0] is None, tuple(map(str, value))) for value in values)

    rows = []
    for currency, *values in sorted(groups, key=order):
        found = groups[currency, *values]
        days_of = [start_of(Period.DAY, record["recordDate"]) for record in found]
        sums = (*data.sums(found).values(), min(days_of), max(days_of))
        rows.append((currency, *(each for value in values for each in value), *sums))
    return rows, left_out


def shown(query, rows):
    """The rows as the model has them: without periodStart."""
    names = [column.name for column in query.columns if column.name != "periodStart"]
    return [tuple(row[name] for name in names) for row in rows]


def some_of_everything():
    """Combines values that random data rarely has together: every value with every other one."""
    some_accounts = [
        {"name": name, "currencyCode": code, "excludeFromStats": name == "c", "initialBalance": 7}
        for name, code in (("a", "EUR"), ("b", "CHF"), ("c", "EUR"))
    ]
    parents = (None, make_id(1), None)
    groups, kinds = ("Living", None, "Income"), ("expense", None, "income")
    some_categories = [
        {"name": name, "parentId": parent, "group": group, "kind": kind}
        for name, parent, group, kind in zip("xyz", parents, groups, kinds, strict=True)
    ]
    numbers = itertools.count()
    some_records = [
        {
            "recordDate": from_date(FIRST + timedelta(days=next(numbers) * 3 % 140)),
            "amount": amount * 10_000,
            "accountId": make_id(account),
            "categoryId": category and make_id(category),
            "labelIds": tuple(map(make_id, those)),
            "payee": "a" if amount > 1 else None,
            "recordState": "void" if amount == 5 else None,
            "transferId": make_id(9) if amount == 4 else None,
            "paymentType": "cash" if amount < 0 else None,
        }
        for amount in (-3, -2, 1, 2, 4, 5)
        for account in (1, 2, 3)
        for category in (None, 1, 2, 3)
        for those in ((), (1,), (1, 2))
    ]
    return some_accounts, some_categories, [{"name": name} for name in "pqr"], some_records


#: None: the usual limits, which the data never reaches.
LIMITS = [None, 3]


@pytest.mark.parametrize("limit", LIMITS)
@pytest.mark.parametrize("storage", STORAGES)
def test_summaries_are_those_of_the_model(new_backend, storage, limit):
    """With a small limit, groups are read in parts, and a summary of many records is refused."""
    backend = new_backend(storage)
    refused = set()
    pages = st.sampled_from([(1_000, 0), (1_000, 0), (1_000, 0), (1, 0), (2, 1), (3, 4)])
    questions = st.lists(
        st.tuples(filters, dimensions, st.sets(st.sampled_from(LEFT_OUT)), pages), max_size=6
    )

    @settings(max_examples=count(12, 1_500), suppress_health_check=list(HealthCheck))
    @given(accounts, categories, labels, records, questions)
    @example(*some_of_everything(), [([], ["day"], set(), (1_000, 0))])
    def check(some_accounts, some_categories, some_labels, some_records, some_questions):
        data = ModelledData(backend, some_accounts, some_categories, some_labels, some_records)
        for parameters, names, include, (size, offset) in some_questions:
            query = SummaryQuery(
                conditions_of(parameters),
                tuple(DIMENSIONS[name] for name in names),
                frozenset(include),
                limit=size,
                offset=offset,
                sums=ALL_SUMS,
            )
            rows, left_out = expected(data, parameters, names, include)
            try:
                with data.unit.reading() as reading:
                    found = summarize(reading, data.unit.user.id, query)
            except ParametersRefused:
                # A sum has at least one record, and a record has up to two labels.
                assert limit is not None and 2 * len(data.matching(parameters)) > limit
                refused.add(True)
                continue
            refused.add(False)
            assert limit is None or len(rows) <= max(limit, size)
            assert shown(query, found.groups) == rows[offset : offset + size]
            assert found.has_more == (len(rows) > offset + size)
            assert found.left_out == left_out

    with small_limits(limit):
        check()
    assert False in refused
    assert (True in refused) == (limit is not None)


@pytest.mark.parametrize("storage", STORAGES)
def test_every_two_dimensions_give_the_groups_of_the_model(new_backend, storage):
    data = ModelledData(new_backend(storage), *some_of_everything())
    for names in itertools.permutations(DIMENSIONS, 2):
        query = SummaryQuery(
            group_by=tuple(DIMENSIONS[name] for name in names), limit=100_000, sums=ALL_SUMS
        )
        with data.unit.reading() as reading:
            found = summarize(reading, data.unit.user.id, query)
        rows, left_out = expected(data, (), names, ())
        assert shown(query, found.groups) == rows, names
        assert found.left_out == left_out
        assert found.overlapping == ("label" in names)


@pytest.mark.parametrize("storage", STORAGES)
def test_the_best_of_each_group_are_those_of_the_model(new_backend, storage):
    data = ModelledData(new_backend(storage), *some_of_everything())
    for names, top in itertools.product(itertools.permutations(DIMENSIONS, 2), (1, 3)):
        first, second = (DIMENSIONS[name] for name in names)
        net = SortKey(SUMS["net"].field)
        query = SummaryQuery(
            group_by=(first, second), limit=100_000, sums=ALL_SUMS, sort=(net,), top=top
        )
        with data.unit.reading() as reading:
            found = summarize(reading, data.unit.user.id, query)
        rows, _ = expected(data, (), names, ())
        outer = 1 + len(first.fields)
        net_at = outer + len(second.fields) + _NAMES.index("net")
        best = [
            row
            for _, group in itertools.groupby(rows, lambda row, outer=outer: row[:outer])
            for row in sorted(group, key=lambda row, at=net_at: row[at])[:top]
        ]
        assert shown(query, found.groups) == best, names
        assert found.group_count == len(best)


@pytest.mark.parametrize("storage", STORAGES)
def test_the_records_of_a_flow_have_the_sum_of_its_column(new_backend, storage):
    backend = new_backend(storage)

    @settings(max_examples=count(10, 1_000), suppress_health_check=list(HealthCheck))
    @example(*some_of_everything(), [("recordDate", "gte.2025-12-01")])
    @given(accounts, categories, labels, records, filters)
    def check(a, c, la, r, parameters):
        data = ModelledData(backend, a, c, la, r)
        user_id, conditions = data.unit.user.id, conditions_of(parameters)
        with data.unit.reading() as reading:
            figures = summarize(reading, user_id, SummaryQuery(conditions, sums=ALL_SUMS)).groups
            for flow, sign in (("spent", -1), ("received", 1)):
                of_flow = with_flow(reading, user_id, flow, conditions)
                listed = reading.data.scan_rows(
                    user_id, RECORDS, conditions=counted_only(reading, user_id, of_flow)
                )
                assert {data.flow(row) for row in listed} <= {flow}
                own = summarize(reading, user_id, SummaryQuery(of_flow, sums=ALL_SUMS)).groups
                assert sum(group["count"] for group in own) == len(listed)
                for group in figures:
                    amounts = [
                        row["amount"]
                        for row in listed
                        if row["currencyCode"] == group["currencyCode"]
                    ]
                    assert sign * sum(amounts) == group[flow]

    check()


@pytest.mark.parametrize("storage", STORAGES)
def test_filled_summaries_have_every_period_once_and_the_same_sums(
    new_backend, storage, monkeypatch
):
    monkeypatch.setattr("finance_api.planning.summaries.reading.MAX_GROUPS", 100_000)
    backend = new_backend(storage)
    periods = st.sampled_from(sorted(Period))
    others = st.sampled_from([[], ["category"], ["account"]])

    @settings(max_examples=count(10, 1_000), suppress_health_check=list(HealthCheck))
    @given(accounts, categories, labels, records, filters, periods, others, st.booleans())
    def check(a, c, la, r, parameters, period, other, sorts):
        data = ModelledData(backend, a, c, la, r)
        group_by = tuple(DIMENSIONS[name] for name in [*other, period])
        net = next(c for c in SummaryQuery(group_by=group_by).columns if c.name == "net")
        sort = (SortKey(net, descending=True),) if sorts else ()
        query = SummaryQuery(
            conditions_of(parameters), group_by, fill=True, sort=sort, limit=100_000, sums=ALL_SUMS
        )
        with data.unit.reading() as reading:
            found = summarize(reading, data.unit.user.id, query).groups
        rows, _ = expected(data, parameters, [*other, period], set())
        filled = sorted(shown(query, [row for row in found if row["count"]]), key=repr)
        assert filled == sorted(rows, key=repr)
        if sorts:
            assert [row["net"] for row in found] == sorted((x["net"] for x in found), reverse=True)
        starts = defaultdict(list)
        for row in found:
            key = row["currencyCode"], *(row[f"{name}Id"] for name in other)
            starts[key].append(row["periodStart"])
        wanted = {tuple(sorted(each)) for each in starts.values()}
        assert len(wanted) <= 1
        for each in wanted:
            assert len(set(each)) == len(each)
            assert each[1:] == tuple(end_of(period, start) for start in each[:-1])

    check()


@pytest.mark.parametrize("storage", STORAGES)
def test_balances_are_those_of_the_model_and_end_in_the_balance(new_backend, storage):
    backend = new_backend(storage)
    periods = st.sampled_from(list(Period))
    bounds = st.tuples(st.none() | days, st.none() | days)
    kept = st.sampled_from(
        [
            (None, None, lambda account: True),
            ("accountId", make_id(1), lambda account: account["id"] == make_id(1)),
            ("accountName", "eq.Giro", lambda account: account["name"] == "Giro"),
            ("accountName", "ne.Giro", lambda account: account["name"] != "Giro"),
        ]
    )

    @settings(max_examples=count(12, 1_500), suppress_health_check=list(HealthCheck))
    @given(accounts, records, st.lists(st.tuples(periods, bounds, kept), max_size=4), days)
    def check(some_accounts, some_records, questions, today):
        named = [{"name": "x", "parentId": None, "group": None}] * NUMBER
        data = ModelledData(backend, some_accounts, named, [{"name": "x"}] * NUMBER, some_records)
        assume(data.is_sound)
        every = [row for row in data.records if row["recordState"] != "void"]
        for period, (first, last), (name, text, is_kept) in questions:
            shown_accounts = [account for account in data.accounts if is_kept(account)]
            ids = {account["id"] for account in shown_accounts}
            counted = [row for row in every if row["accountId"] in ids]
            if first is not None and last is not None and first > last:
                first, last = last, first
            newest = max((to_date(row["recordDate"]) for row in counted), default=today)
            default_last = max(today, newest)
            if first is not None and last is None and first > default_last:
                continue
            query = BalancesQuery(
                period,
                first and from_date(first),
                last and from_date(last),
                conditions_of([(name, text)] if name else []),
            )
            with data.unit.reading() as reading:
                found = list_balances(reading, data.unit.user.id, query, from_date(today))
                assert to_date(found.points[-1].last_day) == (last or default_last)
                begin = found.points[0].start if first is None else from_date(first)
                assert found.points[0].start == start_of(period, begin)
                ends = [to_date(point.last_day) for point in found.points]
                assert found.of.keys() == ids
                for account in shown_accounts:
                    own = [row for row in counted if row["accountId"] == account["id"]]
                    balances = [
                        account["initialBalance"]
                        + sum(row["amount"] for row in own if to_date(row["recordDate"]) <= end)
                        for end in ends
                    ]
                    assert found.of[account["id"]] == balances
                    if last is None:
                        whole = account["initialBalance"] + sum(row["amount"] for row in own)
                        assert balances[-1] == whole
                    oldest = min((row["recordDate"] for row in own), default=None)
                    assert found.first_dates.get(account["id"]) == oldest

    check()
