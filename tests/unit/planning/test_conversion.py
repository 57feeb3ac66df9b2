"""Converted amounts, compared with a simple model that converts each record in Decimal."""

import itertools
import re
from collections import Counter, defaultdict
from dataclasses import replace
from datetime import date, timedelta
from decimal import ROUND_HALF_UP, Decimal, localcontext

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from finance_api.planning.answers import ParametersRefused
from finance_api.planning.conversion import Conversion, with_converted
from finance_api.planning.summaries.declaration import SummaryQuery
from finance_api.planning.summaries.summary import summarize
from finance_api.query.dimensions import DIMENSIONS
from finance_api.query.model import Span, condition_on
from finance_api.query.operators import Operator
from finance_api.query.sums import LEFT_OUT, SUMS, Compare
from finance_api.resources import ACCOUNTS, RECORDS
from finance_api.resources.currencies import DayRates
from finance_api.storage.testing import Unit, make_id
from finance_api.values.number import MAX_UNITS
from finance_api.values.time import from_date, to_date
from support.modelled_data import ModelledData, record_of, sums_of, values_of
from support.nightly import count
from support.small_limits import small_limits

STORAGES = ["memory", "sqlite", "postgresql"]
DAY = 86_400
FIRST = date(2026, 2, 20)
CODES = ["EUR", "USD", "CHF", "JPY", "AED"]
#: Base currencies, the preferred ones first.
BASES = ["EUR", "GBP", "USD"]

NUMBER_OF_DAYS = 25
days = st.integers(0, NUMBER_OF_DAYS - 1).map(lambda n: FIRST + timedelta(days=n))
codes = st.sampled_from(CODES)
rates = st.sampled_from(
    ["1", "2", "0.5", "1.0842", "0.93125", "160.12", "3.6725", "0.0000000123", "98765432109.87"]
)
quotes = st.dictionaries(
    st.tuples(days, st.sampled_from(BASES), codes).filter(lambda quote: quote[1] != quote[2]),
    rates,
    min_size=5,
    max_size=40,
)
amounts = st.integers(-30, 30) | st.sampled_from(
    [MAX_UNITS, -MAX_UNITS, -(2**32), 5, -5, 15, -15, 12_345_678]
)
NUMBER = 4
accounts = st.lists(
    st.fixed_dictionaries(
        {
            "name": st.just("x"),
            "currencyCode": codes,
            "excludeFromStats": st.sampled_from([False, False, True]),
            "initialBalance": amounts,
        }
    ),
    min_size=NUMBER,
    max_size=NUMBER,
)
records = st.lists(record_of(days, amounts, NUMBER), min_size=3, max_size=25)

LABELS = [{"name": "x"}] * 3
CATEGORIES = [{"name": "x", "parentId": None, "group": None, "kind": None}] * 3

#: Currencies with a rate, with a rate that becomes too old, and without a rate.
EXAMPLE = (
    {
        **{(FIRST + timedelta(days=at), "EUR", "USD"): f"1.0{at}" for at in range(NUMBER_OF_DAYS)},
        (FIRST, "USD", "CHF"): "0.9",
    },
    [
        {"name": "x", "currencyCode": code, "excludeFromStats": False, "initialBalance": 0}
        for code in ("EUR", "USD", "CHF", "AED")
    ],
    [
        {
            "recordDate": from_date(FIRST) + at * DAY,
            "amount": amount,
            "accountId": make_id(account),
            "labelIds": tuple(map(make_id, range(1, at % 3 + 1))),
            "payee": "a" if at % 2 else None,
            **dict.fromkeys(("categoryId", "recordState", "transferId", "paymentType")),
        }
        for at in range(NUMBER_OF_DAYS)
        for account, amount in ((1, -15), (2, 15), (3, -(2**32)), (4, 1))
    ],
    [(["month"], set(), FIRST, target) for target in ("EUR", "CHF")]
    + [(["label", "day"], set(LEFT_OUT), FIRST, "EUR")],
)


def set_rates(unit, quoted):
    """Replace all stored rates. Every base currency is a base on every day."""
    by_day = {(at, base): {} for at in range(NUMBER_OF_DAYS) for base in BASES}
    for (day, base, code), rate in quoted.items():
        by_day[(day - FIRST).days, base][code] = Decimal(rate)
    with unit.writing() as storage:
        storage.rates.put(
            [
                DayRates(from_date(FIRST + timedelta(days=at)), base, found)
                for (at, base), found in by_day.items()
            ]
        )


# -- the model


def between(quoted, day, code, other):
    """Return the rate as a pair of numbers, whose quotient is the rate."""
    if (day, code, other) in quoted:
        return Decimal(quoted[day, code, other]), Decimal(1)
    if (day, other, code) in quoted:
        return Decimal(1), Decimal(quoted[day, other, code])
    return None


def cross(quoted, day, code, target):
    """Return the rate by the first of the shortest ways, found by trying all of them."""
    for length in range(len(BASES) + 1):
        for middle in itertools.permutations(BASES, length):
            way = [code, *middle, target]
            steps = [between(quoted, day, *pair) for pair in itertools.pairwise(way)]
            if len(set(way)) == len(way) and None not in steps:
                return steps
    return None


def converted(quoted, amount, code, day, target):
    """Return the amount in 1/10,000, or None if there is no rate."""
    if code == target:
        return amount
    for age in range(8):
        steps = cross(quoted, day - timedelta(days=age), code, target)
        if steps is not None:
            with localcontext(prec=400):
                numerator = denominator = Decimal(1)
                for up, down in steps:
                    numerator, denominator = numerator * up, denominator * down
                exact = amount * numerator / denominator
                return int(exact.quantize(Decimal(1), rounding=ROUND_HALF_UP))
    return None


def expected_summary(data, quoted, group_by, include, since, target):
    """Return the sums of the columns by group, and the records that could not be converted."""
    counted, in_target, missing = [], {}, Counter()
    for record in data.records:
        day, code = to_date(record["recordDate"]), record["currencyCode"]
        if day >= since and include.issuperset(data.left_out(record)):
            counted.append(record)
            amount = converted(quoted, record["amount"], code, day, target)
            in_target[record["id"]] = amount
            missing.update([(code, day)] if amount is None else [])
    groups = {}
    for key, found in data.groups(counted, lambda row: group_values(data, row, group_by)).items():
        those = [in_target[row["id"]] for row in found if in_target[row["id"]] is not None]
        own = sums_of([row["amount"] for row in found]).values()
        groups[key] = *own, *(sums_of(those).values() if those else (0, None, None, None))
    return groups, missing


def merged_amounts(data, quoted, group_by, include, dates, target):
    """Return the converted amounts of all currencies by group; None for each without a rate."""
    groups = defaultdict(list)
    for record in data.records:
        day, code = to_date(record["recordDate"]), record["currencyCode"]
        if day in dates and include.issuperset(data.left_out(record)):
            amount = converted(quoted, record["amount"], code, day, target)
            for key in itertools.product(*group_values(data, record, group_by)):
                groups[target, *key].append(amount)
    return groups


def merged_sums(amounts):
    """Return the sums, the median, the smallest and the largest; and how many have no rate."""
    those = [amount for amount in amounts if amount is not None]
    if amounts and not those:
        return 0, *[None] * 6, len(amounts)
    middle = sorted(those)[(len(those) - 1) // 2 : len(those) // 2 + 1]
    total, number = sum(middle), len(middle)
    # Half a unit goes away from zero.
    median = (abs(total) + number // 2) // number * (1 if total > 0 else -1) if middle else None
    ends = min(those, default=None), max(those, default=None)
    return *sums_of(those).values(), median, *ends, len(amounts) - len(those)


def group_values(data, row, group_by):
    return [[value[-1] for value in values_of(data, row, name)] for name in group_by]


def missing_in(error):
    """Return how many records an error says could not be converted."""
    return int(re.match(r"(\d+) of", error)[1]) if error else 0


_SUMS = ("count", "income", "expense", "net")
_MERGED = (*_SUMS, "median", "min", "max")
_SUMS += ("convertedCount", "convertedIncome", "convertedExpense", "convertedNet")
_SHOWN = {"account": "accountId", "label": "labelId"}


@pytest.mark.nightly
@pytest.mark.parametrize("limit", [None, 6])
@pytest.mark.parametrize("storage", STORAGES)
def test_converted_amounts_and_their_sums_are_those_of_the_model(new_backend, storage, limit):
    """limit: the number of amounts that a summary converts; None: the usual one."""
    found_ways: Counter[bool] = Counter()
    refused: Counter[bool] = Counter()
    questions = st.tuples(
        st.lists(
            st.sampled_from(["account", "label", "month", "day", "payee", "recordType"]),
            max_size=2,
            unique=True,
        ),
        st.sets(st.sampled_from(LEFT_OUT)),
        days,
        codes,
    )
    backend = new_backend(storage)

    @settings(max_examples=count(20, 1_000), suppress_health_check=list(HealthCheck))
    @example(*EXAMPLE)
    @given(quotes, accounts, records, st.lists(questions, min_size=1, max_size=3))
    def check(quoted, some_accounts, some_records, asked):
        data = ModelledData(backend, some_accounts, CATEGORIES, LABELS, some_records)
        set_rates(data.unit, quoted)
        user = data.unit.user.id
        for group_by, include, since, target in asked:
            with data.unit.reading() as reading:
                rows = with_converted(reading, RECORDS, data.records, target, 0)
                on = from_date(since)
                query = SummaryQuery(
                    (condition_on(RECORDS, "recordDate", Operator.GTE, Span(on, on + DAY)),),
                    tuple(DIMENSIONS[name] for name in group_by),
                    frozenset(include),
                    limit=1_000,
                    convert_to=target,
                )
                try:
                    summary = summarize(reading, user, query)
                except ParametersRefused:
                    summary = None
                balances = with_converted(reading, ACCOUNTS, data.accounts, target, on)
            for row in rows:
                day = to_date(row["recordDate"])
                amount, code = row["amount"], row["currencyCode"]
                wanted = converted(quoted, amount, code, day, target)
                assert row["convertedAmount"] == wanted
                assert row["convertedCurrencyCode"] == target
                assert (row["conversionError"] is None) == (wanted is not None)
                found_ways[wanted is not None] += 1
            for row in balances:
                wanted = converted(quoted, row["balance"], row["currencyCode"], since, target)
                assert row["convertedBalance"] == wanted
            others = [
                row
                for row in data.records
                if row["currencyCode"] != target
                and row["recordDate"] >= on
                and include.issuperset(data.left_out(row))
            ]
            assert (summary is None) == (limit is not None and len(others) > limit)
            refused[summary is None] += 1
            if summary is None:
                continue
            names = [_SHOWN.get(name, name) for name in group_by]
            groups = {
                (row["currencyCode"], *(row[name] for name in names)): tuple(
                    row[name] for name in _SUMS
                )
                for row in summary.groups
            }
            assert {row["convertedCurrencyCode"] for row in summary.groups} <= {target}
            wanted_groups, missing = expected_summary(
                data, quoted, group_by, include, since, target
            )
            assert groups == wanted_groups
            sums = tuple(SUMS[name] for name in _MERGED)
            merging = replace(query, merges=True, sums=sums)
            with data.unit.reading() as reading:
                merged = summarize(reading, user, merging).groups
            dates = [since + timedelta(days=n) for n in range(NUMBER_OF_DAYS)]
            amounts = merged_amounts(data, quoted, group_by, include, dates, target)
            assert {
                (row["currencyCode"], *(row[name] for name in names)): (
                    *(row[name] for name in _MERGED),
                    missing_in(row["conversionError"]),
                )
                for row in merged
            } == {key: merged_sums(found) for key, found in amounts.items()}
            found_missing = Counter(
                (code, to_date(day))
                for code, those in summary.not_converted.items()
                for day in those
            )
            assert found_missing == missing

    with small_limits(limit, {"MAX_CONVERTED"}):
        check()
    assert min(found_ways[True], found_ways[False]) > 50
    assert bool(refused[True]) == (limit is not None) and refused[False]


@pytest.mark.nightly
def test_merged_sums_are_compared_with_those_of_the_model(new_backend):
    """The dates and those before them have five days each."""
    backend, partly, dates = (
        new_backend("memory"),
        0,
        [FIRST + timedelta(days=n) for n in range(15)],
    )
    names = ["account", "payee"]
    sums = tuple(SUMS[name] for name in _MERGED)

    @settings(max_examples=count(40, 1_000), suppress_health_check=list(HealthCheck))
    @given(quotes, accounts, records, st.sets(st.sampled_from(names)), codes)
    def check(quoted, some_accounts, some_records, group_by, target):
        nonlocal partly
        data = ModelledData(backend, some_accounts, CATEGORIES, LABELS, some_records)
        set_rates(data.unit, quoted)
        first, end = from_date(dates[10]), from_date(dates[-1]) + DAY
        query = SummaryQuery(
            (condition_on(RECORDS, "recordDate", Operator.EQ, Span(first, end)),),
            tuple(DIMENSIONS[name] for name in group_by),
            limit=1_000,
            convert_to=target,
            sums=sums,
            compare=Compare.PREVIOUS,
            merges=True,
        )
        with data.unit.reading() as reading:
            summary = summarize(reading, data.unit.user.id, query)
        now, before = (
            merged_amounts(data, quoted, group_by, set(), those, target)
            for those in (dates[10:], dates[5:10])
        )
        found = {
            (row["currencyCode"], *(row[_SHOWN.get(name, name)] for name in group_by)): row
            for row in summary.groups
        }
        assert found.keys() == {*now, *before}
        for key, row in found.items():
            wanted, earlier = merged_sums(now[key]), merged_sums(before[key])
            assert tuple(row[name] for name in _MERGED) == wanted[:-1]
            titles = [name[0].upper() + name[1:] for name in _MERGED]
            assert tuple(row[f"previous{title}"] for title in titles) == earlier[:-1]
            for title, value, other in zip(titles, wanted, earlier, strict=False):
                change = None if value is None or other is None else value - other
                assert row[f"change{title}"] == change
            errors = re.findall(r"(in the earlier period )?(\d+) of", row["conversionError"] or "")
            by_time = {bool(is_earlier): int(number) for is_earlier, number in errors}
            assert (by_time.get(False, 0), by_time.get(True, 0)) == (wanted[-1], earlier[-1])
            partly += bool(earlier[-1])
        counted = [row for row in data.records if not data.left_out(row)]
        missing = [
            row["currencyCode"]
            for row in counted
            if (day := to_date(row["recordDate"])) in dates[5:]
            and converted(quoted, row["amount"], row["currencyCode"], day, target) is None
        ]
        assert {code: len(days) for code, days in summary.not_converted.items()} == Counter(missing)

    check()
    assert partly


# -- one by one


@pytest.fixture
def convert(new_backend):
    """Return a function that converts an amount on a day of March 2026 by the given rates."""
    unit = Unit(new_backend("memory"))

    def convert(amount, code, target, day, *quoted):
        by_day = defaultdict(dict)
        for number, base, other, rate in quoted:
            by_day[from_date(date(2026, 3, number)), base][other] = Decimal(rate)
        with unit.writing() as storage:
            storage.rates.put([DayRates(*key, found) for key, found in by_day.items()])
            at = from_date(date(2026, 3, day))
            return Conversion(storage, target, [at]).convert(amount, code, at)

    return convert


@pytest.mark.parametrize(
    ("amount", "rate", "expected"),
    [
        (1, "0.5", 1),
        (-1, "0.5", -1),
        (3, "0.5", 2),
        (-3, "0.5", -2),
        (1, "0.4999999999999999999999999999", 0),
        (-1, "0.5000000000000000000000000001", -1),
        (1, "1.5", 2),
        (5, "0.1", 1),
        (-5, "0.1", -1),
        (4, "0.1", 0),
        (0, "0.5", 0),
        (MAX_UNITS, "0.5", 2**62),
        (-MAX_UNITS, "1000000000000", -MAX_UNITS * 10**12),
        (10_000_000_000_000_001, "0.5", 5_000_000_000_000_001),
    ],
)
def test_halves_are_rounded_away_from_zero_and_nothing_is_a_float(convert, amount, rate, expected):
    assert convert(amount, "EUR", "USD", 2, (2, "EUR", "USD", rate)) == expected


@pytest.mark.parametrize(("day", "expected"), [(1, None), (2, 20), (8, 20), (9, 20), (10, None)])
def test_a_rate_counts_for_seven_days_after_its_own(convert, day, expected):
    assert convert(10, "EUR", "USD", day, (2, "EUR", "USD", "2")) == expected


def test_both_sides_of_a_cross_rate_are_of_one_day(convert):
    """The newest day with both rates counts."""
    quoted = [(2, "EUR", "USD", "2"), (2, "EUR", "GBP", "4"), (4, "EUR", "USD", "3")]
    assert convert(100, "USD", "GBP", 4, *quoted) == 200


@pytest.mark.parametrize(
    ("quoted", "expected"),
    [
        # The quoted direction comes first, then the inverse rate.
        (["USD CHF 2", "CHF USD 4"], 200),
        (["CHF USD 4"], 25),
        # A rate through a base; the first base is EUR.
        (["EUR USD 2", "AED USD 1", "AED CHF 7", "EUR CHF 6"], 300),
        (["GBP USD 2", "AED USD 1", "AED CHF 7", "GBP CHF 6"], 700),
        # One rate is preferred to two, and two rates to three.
        (["EUR USD 2", "EUR CHF 6", "USD CHF 5"], 500),
        (["USD EUR 2", "EUR GBP 3", "GBP CHF 4"], 2_400),
        (["USD GBP 2", "CHF JPY 4"], None),
        # A currency that is not a base cannot link two rates.
        (["EUR USD 2", "EUR JPY 2", "GBP JPY 4", "GBP CHF 1"], None),
    ],
)
def test_ways_from_one_currency_to_another(convert, quoted, expected):
    assert convert(100, "USD", "CHF", 2, *((2, *each.split()) for each in quoted)) == expected
