"""Summaries with compare, against a model that looks up the earlier days of each period.

The model knows nothing of spans of seconds: it lists the days of each group, finds the days that
they are compared with, and adds up the records of both.
"""

from calendar import monthrange
from collections import Counter, defaultdict
from datetime import date, timedelta
from itertools import product

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from finance_api.planning.answers import ParametersRefused
from finance_api.planning.summaries.declaration import SummaryQuery
from finance_api.planning.summaries.summary import summarize
from finance_api.query.dates import parse_days_between
from finance_api.query.dimensions import DIMENSIONS
from finance_api.query.parse import parse_conditions
from finance_api.query.sums import SUMS, Compare
from finance_api.resources import RECORDS
from finance_api.storage.testing import make_id
from finance_api.values.time import Period, from_date, start_of, to_date
from support.modelled_data import ModelledData, accounts, categories, labels, record_of, values_of
from support.nightly import count

pytestmark = pytest.mark.nightly

STORAGES = ["memory", "sqlite", "postgresql"]
NAMES = ("count", "income", "expense", "net", "spent", "received")
COLUMNS = tuple([SUMS[name] for name in NAMES])
MONTHS = {"month": 1, "quarter": 3, "year": 12}
DAY = timedelta(days=1)


def around(day, number):
    return st.integers(-number, number).map(lambda n: day + n * DAY)


#: Days near the ends of years with 53 weeks and of February, and any days of these years.
days = st.one_of(
    *(around(date(year, 12, 27), 12) for year in (2019, 2020, 2021)),
    *(around(date(year, 2, 28), 6) for year in (2019, 2020, 2021)),
    around(date(2020, 8, 1), 280),
)
#: First and last day; None if the dates have no end. Lengths of weeks and months are frequent.
spans = st.one_of(
    st.tuples(days, st.none()),
    st.tuples(days.map(lambda day: day.replace(day=1)), st.none()),
    st.tuples(days, st.integers(0, 70)).map(lambda pair: (pair[0], pair[0] + pair[1] * DAY)),
    st.tuples(days, st.integers(0, 2)).map(
        lambda pair: (pair[0].replace(day=1), month_end(months_on(pair[0], pair[1])))
    ),
)
some_records = st.lists(record_of(days, st.integers(-9, 9)), max_size=25)
dimensions = st.lists(
    st.sampled_from(["category", "label", "payee", "weekday", *Period, *Period]),
    max_size=3,
    unique=True,
).filter(lambda names: not ("week" in names and {*names} & MONTHS.keys()))
questions = st.lists(
    st.tuples(spans, dimensions, st.sampled_from([*Compare]), st.booleans(), days), max_size=5
)


def months_on(day, number):
    at = day.year * 12 + day.month - 1 + number
    year, month = at // 12, at % 12 + 1
    return date(year, month, min(day.day, monthrange(year, month)[1]))


def month_end(day):
    return day.replace(day=monthrange(day.year, day.month)[1])


def days_from(first, last):
    return [first + n * DAY for n in range((last - first).days + 1)]


def start(period, day):
    return to_date(start_of(Period(period), from_date(day)))


def year_before(day):
    """Return the same day of the same week a year before; week 53 is like week 52."""
    year, week, weekday = day.isocalendar()
    last = date(year - 1, 12, 28).isocalendar().week
    return date.fromisocalendar(year - 1, min(week, last), weekday)


def whole(period, day):
    """Return all days of the period with this day."""
    first = start(period, day)
    found = [first]
    while start(period, found[-1] + DAY) == first:
        found.append(found[-1] + DAY)
    return found


class Earlier:
    """Finds the days that a group's days are compared with."""

    def __init__(self, first, last, shortest, compare):
        self.first, self.last, self.shortest, self.compare = first, last, shortest, compare

    def before(self, day):
        """Return the day that a day at an end of the dates is compared with."""
        if self.compare is Compare.YEAR:
            return year_before(day) if self.shortest == "week" else months_on(day, -12)
        if self.shortest in MONTHS:
            return months_on(day, -MONTHS[self.shortest])
        return day - (7 if self.shortest == "week" else 1) * DAY

    def last_before(self, day):
        found, by_month = self.before(day), self.shortest not in ("day", "week")
        return month_end(found) if by_month and day == month_end(day) else found

    def without_periods(self):
        first, last = self.first, self.last
        is_whole = first.day == 1 and last == month_end(last)
        if self.compare is Compare.YEAR:
            end = months_on(last, -12)
            return days_from(months_on(first, -12), month_end(end) if is_whole else end)
        if is_whole:
            number = (last.year - first.year) * 12 + last.month - first.month + 1
            return days_from(months_on(first, -number), first - DAY)
        return days_from(first - ((last - first) + DAY), first - DAY)

    def of_period(self, begin):
        """Return the days that the period with this first day is compared with."""
        own = whole(self.shortest, begin)
        earlier = whole(self.shortest, self.before(begin))
        low = self.before(self.first) if own[0] < self.first else earlier[0]
        high = self.last_before(self.last) if self.last < own[-1] else earlier[-1]
        return [day for day in earlier if low <= day <= high]


class NamedDays:
    """Finds the days that a group's days are compared with, if they are named: those of the
    period with the same number.
    """

    def __init__(self, first, last, shortest, named):
        self.shortest, self.named = shortest, days_from(*named)
        if shortest:
            self.starts, self.earlier = (
                sorted({start(shortest, day) for day in those})
                for those in (days_from(first, last), self.named)
            )

    def has_as_many(self):
        return not self.shortest or len(self.starts) == len(self.earlier)

    def without_periods(self):
        return self.named

    def of_period(self, begin):
        earlier = self.earlier[self.starts.index(begin)]
        return [day for day in self.named if start(self.shortest, day) == earlier]


class Model:
    """The groups of a question, with their sums and those of the days before."""

    def __init__(self, data, names, span, compare, today):
        self.data, self.names, (self.first, self.last) = data, names, span
        if self.last is None:
            self.last = today
        self.periods = [name for name in names if name in list(Period)]
        self.shortest = min(self.periods, key=[*Period].index, default=None)
        days_before = Earlier if isinstance(compare, Compare) else NamedDays
        self.earlier = days_before(self.first, self.last, self.shortest, compare)
        self.by_day = defaultdict(list)
        for row in data.records:
            if not data.left_out(row):
                self.by_day[to_date(row["recordDate"])].append(row)

    def groups(self, some_days, at=None):
        """Group the records of these days. at: the day whose periods they are put into."""
        found = defaultdict(list)
        for day in some_days:
            for row in self.by_day[day]:
                values = [self.values(row, name, at or day) for name in self.names]
                for those in product(*values):
                    found[row["currencyCode"], *those].append(row)
        return found

    def values(self, row, name, day):
        if name in self.periods:
            return [start(name, day)]
        if name == "weekday":
            # A weekday beside days is the weekday of that day.
            return [(day if "day" in self.names else to_date(row["recordDate"])).isoweekday()]
        return [value[-1] for value in values_of(self.data, row, name)]

    def times(self):
        """Return the first days of the shortest periods; None if there are no periods."""
        if self.shortest is None:
            return [None]
        return sorted({start(self.shortest, day) for day in days_from(self.first, self.last)})

    def rows(self, fill):
        now, then = {}, {}
        for begin in self.times():
            if begin is None:
                own, before = days_from(self.first, self.last), self.earlier.without_periods()
            else:
                own = [d for d in whole(self.shortest, begin) if self.first <= d <= self.last]
                before = self.earlier.of_period(begin)
            now |= self.groups(own, begin and own[0])
            then |= self.groups(before, begin and own[0])
        keys = {*now, *then}
        if fill and self.periods:
            keys |= {self.at(key, begin) for key in keys for begin in self.starts()}
        return {
            key: (self.data.sums(now.get(key, ())), self.data.sums(then.get(key, ())))
            for key in keys
        }

    def starts(self):
        """Return the first day within the dates of each part with one set of periods."""
        found, before = [], None
        for day in days_from(self.first, self.last):
            now = [start(name, day) for name in self.periods]
            found += [day] if now != before else []
            before = now
        return found

    def at(self, key, day):
        currency, *values = key
        moved = {name: start(name, day) for name in self.periods}
        if "day" in self.names:
            moved["weekday"] = day.isoweekday()
        pairs = zip(self.names, values, strict=True)
        return currency, *(moved.get(name, value) for name, value in pairs)


def key_of(row, names):
    values = [row[f"{n}Id" if n in ("category", "label") else n] for n in names]
    for at, name in enumerate(names):
        if name in list(Period):
            values[at] = start(name, to_date(row["periodStart"]))
    return row["currencyCode"], *values


def ask(data, names, span, compare, today, **options):
    first, last = span
    text = f"gte.{first}" if last is None else f"gte.{first},lte.{last}"
    if not isinstance(compare, Compare):
        compare = parse_days_between("/".join(map(str, compare)))
    query = SummaryQuery(
        tuple(parse_conditions(RECORDS["recordDate"], text)),
        tuple(DIMENSIONS[name] for name in names),
        limit=100_000,
        sums=COLUMNS,
        compare=compare,
        today=from_date(today),
        **options,
    )
    with data.unit.reading() as reading:
        return summarize(reading, data.unit.user.id, query).groups


def every_day(first, last):
    """Return data with a record of a different amount on each day."""
    one = {"name": "x", "currencyCode": "EUR", "excludeFromStats": False, "initialBalance": 0}
    blank = dict.fromkeys(("categoryId", "recordState", "transferId", "paymentType", "payee"))
    dated = [
        {
            "recordDate": from_date(day),
            "amount": -(n + 1),
            "accountId": make_id(1),
            "labelIds": (),
            **blank,
        }
        for n, day in enumerate(days_from(first, last))
    ]
    named = {"name": "x", "parentId": None, "group": None, "kind": None}
    return [one] * 3, (named,) * 3, [{"name": "x"}] * 3, dated


#: Part of the last week of a year with 53 weeks, part of the week before, and both.
WEEKS = [
    ((date(2020, 12, 1), date(2020, 12, 29)), ["week"], Compare.YEAR, False, date(2021, 1, 1)),
    ((date(2020, 12, 23), date(2021, 1, 3)), ["week"], Compare.YEAR, False, date(2021, 1, 1)),
    ((date(2020, 12, 23), None), ["week"], Compare.YEAR, True, date(2020, 12, 29)),
    ((date(2020, 12, 1), None), ["month"], Compare.PREVIOUS, False, date(2020, 12, 29)),
]


@pytest.mark.parametrize("storage", STORAGES)
def test_compared_sums_are_those_of_the_model(new_backend, storage):
    backend = new_backend(storage)

    @settings(max_examples=count(25, 600), suppress_health_check=list(HealthCheck))
    @example(*every_day(date(2019, 11, 1), date(2021, 1, 20)), WEEKS)
    @given(accounts, categories, labels, some_records, questions)
    def check(some_accounts, some_categories, some_labels, records, asked):
        data = ModelledData(backend, some_accounts, some_categories, some_labels, records)
        for span, names, compare, fill, today in asked:
            fill = fill and (not names or any(name in list(Period) for name in names))
            if span[1] is None and span[0] > today:
                with pytest.raises(ParametersRefused):
                    ask(data, names, span, compare, today, fill=fill)
                continue
            rows = ask(data, names, span, compare, today, fill=fill)
            expected = Model(data, names, span, compare, today).rows(fill)
            if fill and not any(row["count"] or row["previousCount"] for row in rows):
                # What a summary without records shows is not about comparing.
                assert all(key[0] in ("EUR", "CHF") for key in expected)
                continue
            check_rows(rows, names, expected, (span, names, compare, fill, today))

    check()


def check_rows(rows, names, expected, case):
    """expected: by the key of each group its sums, and those of the earlier time."""
    found = {key_of(row, names): row for row in rows}
    assert len(found) == len(rows)
    assert found.keys() == expected.keys(), case
    for key, (now, before) in expected.items():
        row = found[key]
        assert {name: row[name] for name in NAMES} == now, (key, case)
        previous = {name: row[f"previous{name.capitalize()}"] for name in NAMES}
        assert previous == before, (key, case)


#: Quarters by month and by week, and days around a leap day.
NAMED = [
    ((date(2020, 7, 1), date(2020, 9, 30)), ["month"], (date(2020, 1, 1), date(2020, 3, 31))),
    ((date(2020, 1, 1), date(2020, 3, 31)), ["week"], (date(2020, 7, 1), date(2020, 9, 30))),
    ((date(2020, 8, 1), date(2020, 8, 5)), ["day", "month"], (date(2020, 2, 27), date(2020, 3, 2))),
    (
        (date(2020, 8, 1), date(2020, 9, 1)),
        ["month", "weekday"],
        (date(2019, 1, 3), date(2019, 3, 1)),
    ),
]
named_days = st.tuples(days, st.integers(0, 70)).map(
    lambda pair: (pair[0], pair[0] + pair[1] * DAY)
)
#: Mostly as many months or days as are compared.
named_questions = st.tuples(named_days, dimensions, named_days, st.integers(-20, 20)).map(
    lambda each: (
        (each[0], each[1], each[2])
        if each[3] > 0
        else (each[0], each[1], tuple(months_on(day, each[3] or -24) for day in each[0]))
    )
)


@pytest.mark.parametrize("storage", STORAGES)
def test_named_days_are_compared_period_by_period(new_backend, storage):
    backend = new_backend(storage)
    compared = Counter()

    @settings(max_examples=count(25, 600), suppress_health_check=list(HealthCheck))
    @example(*every_day(date(2018, 11, 1), date(2021, 1, 20)), NAMED)
    @given(accounts, categories, labels, some_records, st.lists(named_questions, max_size=5))
    def check(some_accounts, some_categories, some_labels, records, asked):
        data = ModelledData(backend, some_accounts, some_categories, some_labels, records)
        for span, names, named in asked:
            if max(span[0], named[0]) <= min(span[1], named[1]):
                continue
            model = Model(data, names, span, named, span[1])
            compared[bool(model.shortest), model.earlier.has_as_many()] += 1
            if not model.earlier.has_as_many():
                with pytest.raises(ParametersRefused, match="the first is compared with the first"):
                    ask(data, names, span, named, span[1])
                continue
            rows = ask(data, names, span, named, span[1])
            check_rows(rows, names, model.rows(fill=False), (span, names, named))

    check()
    assert min(compared[True, True], compared[True, False], compared[False, True]) > 0


@pytest.mark.parametrize("compare", Compare)
def test_dates_without_an_end_are_compared_as_if_they_ended_today(new_backend, compare):
    data = ModelledData(new_backend("memory"), *every_day(date(2019, 1, 1), date(2021, 3, 1)))
    today = date(2020, 11, 28)
    for first, names in product(
        (date(2020, 9, 1), date(2020, 11, 28), date(2020, 2, 29)),
        ([], ["day"], ["week"], ["month"], ["weekday"], ["quarter", "month"], ["year"]),
    ):
        open_end = ask(data, names, (first, None), compare, today)
        assert open_end == ask(data, names, (first, today), compare, today)
        assert open_end
    with pytest.raises(ParametersRefused, match="begins after today, on 2020-11-29"):
        ask(data, [], (date(2020, 11, 29), None), compare, today)
