"""The earlier time of a summary, by tables of days."""

import pytest

from finance_api.planning.summaries.comparing import Comparison, with_end
from finance_api.planning.summaries.declaration import SummaryQuery
from finance_api.query.dimensions import DIMENSIONS
from finance_api.query.parse import parse_conditions
from finance_api.query.sums import Compare
from finance_api.resources import RECORDS
from finance_api.values.time import MONTHS, date_text, parse_date

TODAY = parse_date("2026-11-26")


def comparison(text, compare, by=""):
    conditions = parse_conditions(RECORDS["recordDate"], text)
    query = SummaryQuery(
        tuple(condition.on(TODAY) for condition in conditions),
        tuple(DIMENSIONS[name] for name in by.split(",") if name),
        compare=Compare(compare),
        to_date=next((period for period in MONTHS if f"{period}-to-date" in text), None),
        today=TODAY,
    )
    return Comparison(with_end(query))


@pytest.mark.parametrize(
    ("text", "compare", "by", "first", "last"),
    [
        ("eq.2026-03", "previous", "", "2026-02-01", "2026-02-28"),
        ("eq.this-quarter", "previous", "", "2026-07-01", "2026-09-30"),
        ("eq.2024", "previous", "", "2023-01-01", "2023-12-31"),
        ("gte.2026-03,lt.2026-05", "previous", "", "2026-01-01", "2026-02-28"),
        ("eq.this-week", "previous", "", "2026-11-16", "2026-11-22"),
        ("eq.month-to-date", "previous", "", "2026-10-01", "2026-10-26"),
        ("eq.last-month-to-date", "previous", "", "2026-09-01", "2026-09-26"),
        ("eq.quarter-to-date", "previous", "", "2026-07-01", "2026-08-26"),
        ("eq.year-to-date", "previous", "", "2025-01-01", "2025-11-26"),
        ("eq.year-to-date", "year", "", "2025-01-01", "2025-11-26"),
        ("eq.quarter-to-date", "previous", "month", "2026-09-01", "2026-10-26"),
        ("eq.2026-Q3", "previous", "", "2026-04-01", "2026-06-30"),
        ("eq.2026-W30", "previous", "", "2026-07-13", "2026-07-19"),
        ("eq.today", "previous", "", "2026-11-25", "2026-11-25"),
        ("gte.-30d", "previous", "", "2026-09-26", "2026-10-26"),
        ("gte.2026-11", "previous", "", "2026-10-06", "2026-10-31"),
        ("gte.2026-03-10,lte.2026-03-12", "previous", "", "2026-03-07", "2026-03-09"),
        ("eq.2025-02", "year", "", "2024-02-01", "2024-02-29"),
        ("eq.2024-02-29", "year", "", "2023-02-28", "2023-02-28"),
        ("gte.2025-02-10,lte.2025-02-28", "year", "", "2024-02-10", "2024-02-28"),
        ("eq.month-to-date", "year", "", "2025-11-01", "2025-11-26"),
        ("gte.2026-03-10,lte.2026-04-15", "previous", "month", "2026-02-10", "2026-03-15"),
        ("gte.2026-03-31,lte.2026-04-30", "previous", "month", "2026-02-28", "2026-03-31"),
        ("eq.2026", "previous", "day", "2025-12-31", "2026-12-30"),
        ("eq.2026", "previous", "year,month", "2025-12-01", "2026-11-30"),
        ("gte.2026-10-15", "year", "month", "2025-10-15", "2025-11-26"),
        ("gte.2026-09", "previous", "month", "2026-08-01", "2026-10-26"),
        ("eq.2021", "year", "week", "2019-12-27", "2020-12-25"),
    ],
)
def test_the_earlier_days(text, compare, by, first, last):
    earlier = comparison(text, compare, by).spans[None]
    assert earlier is not None
    assert (date_text(earlier.first), date_text(earlier.last_day)) == (first, last)


@pytest.mark.parametrize(
    ("text", "compare", "by"),
    [
        ("eq.0001-03", "year", ""),
        ("eq.0001", "previous", ""),
        ("gte.0002,lt.9999", "previous", ""),
        ("eq.0001-01-01", "previous", "day"),
        ("gte.2026-03,lt.2026-02", "previous", ""),
        ("eq.0002", "year", "week"),
    ],
)
def test_there_is_no_earlier_time_before_the_calendar_or_of_no_days(text, compare, by):
    assert comparison(text, compare, by).spans == {None: None}


def test_the_last_year_of_the_calendar_can_be_compared():
    earlier = comparison("eq.9999", "year", "month").spans[None]
    assert earlier is not None
    assert (date_text(earlier.first), date_text(earlier.last_day)) == ("9998-01-01", "9998-12-31")


@pytest.mark.parametrize(
    ("by", "start", "earlier"),
    [
        ("week", "2021-01-04", "2019-12-30"),
        # 2020 has 53 weeks, 2019 has 52.
        ("week", "2020-12-28", "2019-12-23"),
        ("week", "2020-12-21", "2019-12-23"),
        ("day", "2024-02-29", "2023-02-28"),
        ("day", "2024-03-01", "2023-03-01"),
        ("month", "2024-02-01", "2023-02-01"),
        ("quarter", "2024-04-01", "2023-04-01"),
        ("year", "2024-01-01", "2023-01-01"),
    ],
)
def test_each_period_has_one_a_year_before_and_is_found_from_it(by, start, earlier):
    found = comparison("gte.2019,lte.2026", "year", by)
    key, before = ("EUR", parse_date(start)), ("EUR", parse_date(earlier))
    assert found.earlier_key(key) == before
    assert key in found.later_keys(before)
