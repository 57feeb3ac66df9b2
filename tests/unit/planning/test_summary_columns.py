"""The further columns of summaries and their changes, against a model in Fractions."""

from calendar import monthrange
from collections import defaultdict
from contextlib import nullcontext
from datetime import date, timedelta
from fractions import Fraction

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from finance_api.planning.answers import ParametersRefused
from finance_api.planning.summaries.declaration import COMPARED, SummaryQuery
from finance_api.planning.summaries.summary import summarize
from finance_api.query.dates import parse_days_between
from finance_api.query.dimensions import DIMENSIONS
from finance_api.query.parse import parse_conditions
from finance_api.query.sums import SUMS, Compare
from finance_api.resources import RECORDS
from finance_api.values.time import Period, from_date, start_of, to_date
from support.modelled_data import (
    ModelledData,
    accounts,
    categories,
    days,
    labels,
    records,
    values_of,
)
from support.nightly import count
from support.small_limits import small_limits

pytestmark = pytest.mark.nightly

STORAGES = ["memory", "sqlite", "postgresql"]
#: What is left depends on payments to come, too.
ALL = tuple([column for column in SUMS.values() if not column.by_payments])
NUMBERS = [column.name for column in ALL if column.name in COMPARED]
MONTHS = {"month": 1, "quarter": 3, "year": 12}
ENDED = ("eq.", "lte.", "lt.")
#: Times to compare with that do not depend on the requested days.
NAMED = {
    "2025-12": (date(2025, 12, 1), date(2025, 12, 31)),
    "2025-11-20/2025-12-05": (date(2025, 11, 20), date(2025, 12, 5)),
}
#: Conditions on dates: calendar units, open ends, relative dates, and other days.
dates = st.one_of(
    st.sampled_from(
        ["eq.2026-01", "eq.2026", "eq.2025-12", "gte.2025-12,lte.2026-02", "eq.month-to-date"]
        + ["eq.last-month", "eq.last-month-to-date", "gte.2026-01", "eq.2026-02-28", "gte.-30d"]
        + ["eq.this-year", "gte.2025-11-20,lt.2026-02", "eq.this-week", "eq.this-quarter"]
        + ["eq.quarter-to-date", "eq.year-to-date", "eq.2026-Q1", "eq.2026-W05", "lte.+10d,gte.-1m"]
    ),
    st.tuples(days, st.integers(0, 60)).map(
        lambda pair: f"gte.{pair[0]},lte.{pair[0] + timedelta(days=pair[1])}"
    ),
)
some_dimensions = st.lists(
    st.sampled_from(["category", "label", "payee", "weekday", "hour", *Period]),
    max_size=2,
    unique=True,
).filter(lambda names: not ("week" in names and {*names} & MONTHS.keys()))


def rounded(value):
    """Return a fraction as the nearest whole number, halves away from zero."""
    size = int(abs(value) + Fraction(1, 2))
    return -size if value < 0 else size


def months_before(day, number):
    at = day.year * 12 + day.month - 1 - number
    year, month = at // 12, at % 12 + 1
    return date(year, month, min(day.day, monthrange(year, month)[1]))


def ends_month(day):
    return (day + timedelta(days=1)).day == 1


def start(period, day):
    return to_date(start_of(Period(period), from_date(day)))


class Model:
    """A summary's rows, computed record by record. first, last: the requested days.

    sizes: how many records the requested and the earlier time have, once there are `rows`.
    """

    def __init__(self, data, names, text, today):
        self.data, self.names, self.today = data, names, today
        self.periods = [name for name in names if name in list(Period)]
        self.shortest = min(self.periods, key=[*Period].index, default=None)
        self.is_ended = text.startswith(ENDED) or ",l" in text
        self.to_date = next((period for period in MONTHS if f"{period}-to-date" in text), None)
        spans = [
            condition.on(from_date(today)).bounds()
            for condition in parse_conditions(RECORDS["recordDate"], text)
        ]
        self.first = to_date(max(low for low, _ in spans))
        high = min(high for _, high in spans)
        self.last = to_date(high) if self.is_ended else None
        self.counted = [row for row in data.records if not data.left_out(row)]

    def between(self, first, last):
        return [
            row
            for row in self.counted
            if first <= to_date(row["recordDate"])
            and (not last or to_date(row["recordDate"]) <= last)
        ]

    def groups(self, rows):
        return self.data.groups(rows, lambda row: [self.values(row, name) for name in self.names])

    def values(self, row, name):
        if name in self.periods:
            return [start(name, to_date(row["recordDate"]))]
        # A weekday has its number before its name, other dimensions their id after it.
        at = 0 if name == "weekday" else -1
        return [value[at] for value in values_of(self.data, row, name)]

    # -- the earlier time

    def compares_a_week_twice(self, compare):
        """Whether weeks 52 and 53 may have the same earlier week: see `test_compared_days`."""
        return (
            compare == "year"
            and self.shortest == "week"
            and 53 in [day.isocalendar().week for day in (self.first, self.last or self.today)]
        )

    def earlier(self, compare):
        if compare in NAMED:
            return NAMED[compare]
        first, last = self.first, self.last
        is_whole = first.day == 1 and ends_month(last) and not self.to_date
        if compare == "year":
            if self.shortest == "week":
                return tuple(
                    self.week_before(d) + timedelta(days=d.weekday()) for d in (first, last)
                )
            number = 12
            is_whole = not self.to_date and ends_month(last)
            is_whole = is_whole and (self.shortest is not None or first.day == 1)
        elif self.shortest in MONTHS:
            number, is_whole = MONTHS[self.shortest], ends_month(last) and not self.to_date
        elif self.shortest is not None:
            back = timedelta(days=7 if self.shortest == "week" else 1)
            return first - back, last - back
        elif self.to_date:
            number = MONTHS[self.to_date]
        elif is_whole:
            number = (last.year - first.year) * 12 + last.month - first.month + 1
        else:
            back = last - first + timedelta(days=1)
            return first - back, last - back
        end = months_before(last, number)
        if is_whole:
            end = end.replace(day=monthrange(end.year, end.month)[1])
        return months_before(first, number), end

    def overlaps(self, compare):
        first, last = NAMED.get(compare, (date.max, date.min))
        return max(first, self.first) <= min(last, self.last or self.today)

    def week_before(self, day):
        year, week, _ = day.isocalendar()
        try:
            return date.fromisocalendar(year - 1, week, 1)
        except ValueError:
            return date.fromisocalendar(year - 1, week - 1, 1)

    def period_before(self, day, compare):
        if compare == "previous":
            return start(self.shortest, day - timedelta(days=1))
        return self.week_before(day) if self.shortest == "week" else months_before(day, 12)

    def at(self, key, day):
        """Return the key with the periods of a day."""
        currency, *values = key
        weekday = "day" in self.names
        return (
            currency,
            *(
                start(name, day)
                if name in self.periods
                else day.isoweekday()
                if name == "weekday" and weekday
                else value
                for name, value in zip(self.names, values, strict=True)
            ),
        )

    def time_of(self, key):
        return max(v for n, v in zip(self.names, key[1:], strict=True) if n in self.periods)

    # -- columns

    def columns(self, keys, groups, rows, first, last):
        """Return the columns of each group."""
        so_far = defaultdict(int)
        found = {}
        for key in sorted(keys, key=lambda k: self.time_of(k) if self.periods else 0):
            of_group = groups.get(key, ())
            amounts = sorted(row["amount"] for row in of_group)
            sums = self.data.sums(of_group)
            net, number = sums["net"], sums["count"]
            series = key[0], *self.series(key)
            so_far[series] += net
            total = sum(
                r["amount"] for r in rows if r["currencyCode"] == key[0] and r["amount"] < 0
            )
            earned = sum(
                r["amount"] for r in rows if r["currencyCode"] == key[0] and r["amount"] > 0
            )
            whole = self.data.sums([row for row in rows if row["currencyCode"] == key[0]])

            def part_of_all(flow, own=sums, whole=whole):
                return (
                    rounded(Fraction(own[flow] * 10_000, whole[flow])) if whole[flow] > 0 else None
                )

            middle = amounts[(number - 1) // 2 : number // 2 + 1]
            newest = max((to_date(row["recordDate"]) for row in of_group), default=self.today)
            length, months = self.elapsed(key, first, last, max(self.today, newest))
            found[key] = {
                **sums,
                "avg": rounded(Fraction(net, number)) if number else None,
                "median": rounded(Fraction(sum(middle), len(middle))) if middle else None,
                "min": min(amounts, default=None),
                "max": max(amounts, default=None),
                "incomeShare": rounded(Fraction(net * 10_000, earned)) if earned else None,
                "spentShare": part_of_all("spent"),
                "receivedShare": part_of_all("received"),
                "share": rounded(Fraction(sums["expense"] * 10_000, total)) if total else None,
                "cumulative": so_far[series],
                "perDay": rounded(Fraction(net, length)) if length else None,
                "perWeek": rounded(Fraction(net * 7, length)) if length else None,
                "perMonth": rounded(net / months) if months else None,
            }
        return found

    def series(self, key):
        follows = [*self.periods, *(["weekday"] if "day" in self.names else [])]
        return [v for n, v in zip(self.names, key[1:], strict=True) if n not in follows]

    def elapsed(self, key, first, last, newest):
        """The days and months of a group's period up to newest, or all if it has not begun.

        newest: the day of the group's newest record, or today if that is later.
        """
        # A period that has not begun has all its days, also after its newest record.
        last = last or newest + timedelta(days=366 if self.periods else 0)
        of_group = [
            day
            for day in (first + timedelta(days=n) for n in range((last - first).days + 1))
            if not self.periods or start(self.shortest, day) == self.time_of(key)
        ]
        has_begun = any(day <= self.today for day in of_group)
        over = [day for day in of_group if day <= newest or not has_begun]
        months = sum(Fraction(1, monthrange(day.year, day.month)[1]) for day in over)
        return len(over), months

    def rows(self, compare):
        self.sizes = [0]
        if compare and self.last is None:
            self.last = self.today
        current_rows = self.between(self.first, self.last)
        self.sizes = [len(current_rows)]
        current = self.groups(current_rows)
        if compare is None:
            return self.columns(current, current, current_rows, self.first, self.last)
        first, last = self.earlier(compare)
        earlier_rows = self.between(first, last)
        self.sizes.append(len(earlier_rows))
        earlier = self.groups(earlier_rows)
        keys = {*current}
        if not self.periods:
            keys |= {*earlier}
        then = {}
        if self.periods:
            of_time = {
                start(self.shortest, self.first + timedelta(days=n))
                for n in range((self.last - self.first).days + 1)
            }
            for key in earlier:
                for time in of_time:
                    if self.period_before(time, compare) == self.time_of(key):
                        keys.add(self.at(key, time))
        for key in keys:
            before = self.period_before(self.time_of(key), compare) if self.periods else None
            then[key] = self.at(key, before) if self.periods else key
        now = self.columns(keys, current, current_rows, self.first, self.last)
        before = self.columns({*then.values(), *earlier}, earlier, earlier_rows, first, last)
        return {key: now[key] | changes(now[key], before[then[key]]) for key in keys}


def changes(now, before):
    found = {}
    for name in NUMBERS:
        old, new = before[name], now[name]
        change = None if old is None or new is None else new - old
        percent = None
        if change is not None and old:
            percent = rounded(Fraction(change * 10_000, abs(old)))
        columns = (field.name for field in COMPARED[name])
        found |= zip(columns, (old, change, percent), strict=True)
    return found


def key_of(row, names):
    values = [row[f"{n}Id" if n in ("category", "label") else n] for n in names]
    for at, name in enumerate(names):
        if name in list(Period):
            values[at] = start(name, to_date(row["periodStart"]))
    return row["currencyCode"], *values


def raises_if(condition, error):
    return pytest.raises(error) if condition else nullcontext()


@pytest.mark.parametrize("limit", [None, 4])
@pytest.mark.parametrize("storage", STORAGES)
def test_further_columns_and_changes_are_those_of_the_model(new_backend, storage, limit):
    """limit: the number of amounts that a median may be taken of; None: the usual one."""
    backend = new_backend(storage)
    compares = st.sampled_from([None, "previous", "year", *NAMED])
    questions = st.lists(st.tuples(dates, some_dimensions, compares, days), min_size=1, max_size=4)

    @settings(max_examples=count(12, 2_500), suppress_health_check=list(HealthCheck))
    @given(accounts, categories, labels, records, questions)
    def check(some_accounts, some_categories, some_labels, some_records, some_questions):
        data = ModelledData(backend, some_accounts, some_categories, some_labels, some_records)
        for text, names, compare, today in some_questions:
            assume(compare not in NAMED or not {*names} & {*Period})
            conditions = parse_conditions(RECORDS["recordDate"], text)
            query = SummaryQuery(
                tuple(condition.on(from_date(today)) for condition in conditions),
                tuple(DIMENSIONS[name] for name in names),
                limit=100_000,
                sums=ALL,
                compare=parse_days_between(compare)
                if compare in NAMED
                else compare and Compare(compare),
                to_date=next((Period(p) for p in MONTHS if f"{p}-to-date" in text), None),
                today=from_date(today),
            )
            model = Model(data, names, text, today)
            if model.compares_a_week_twice(compare):
                continue
            is_ahead = compare and not model.is_ended and model.first > today
            expected = {} if is_ahead else model.rows(compare)
            is_refused = is_ahead or model.overlaps(compare)
            is_refused = is_refused or (limit is not None and max(model.sizes) > limit)
            with data.unit.reading() as reading, raises_if(is_refused, ParametersRefused):
                found = summarize(reading, data.unit.user.id, query)
            if is_refused:
                continue
            assert {key_of(row, names) for row in found.groups} == expected.keys()
            assert found.group_count == len(found.groups) == len(expected)
            for row in found.groups:
                of_group = expected[key_of(row, names)]
                assert {name: row[name] for name in of_group} == of_group, (text, names, compare)

    with small_limits(limit, {"MAX_AMOUNTS"}):
        check()
