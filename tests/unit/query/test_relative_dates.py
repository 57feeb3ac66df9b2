"""Relative dates: against the calendar, in time zones, and as each comparison takes them."""

from calendar import monthrange
from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo, available_timezones

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from finance_api.query.dates import parse_dates, parse_day, parse_moments
from finance_api.query.errors import QueryError
from finance_api.query.model import RELATIVE_DATES
from finance_api.query.parse import parse_conditions
from finance_api.resources import RECORDS
from finance_api.values.time import DAY_SECONDS, date_text, day_in, from_date, parse_date

ZONES = sorted(available_timezones())
#: Clocks go forward, clocks go back, a day that Samoa skipped, and the last day of a leap year.
MOMENTS = [
    ("Europe/Berlin", datetime(2026, 3, 29, 0, 59, tzinfo=UTC)),
    ("America/New_York", datetime(2026, 11, 1, 5, 30, tzinfo=UTC)),
    ("Pacific/Apia", datetime(2011, 12, 30, 10, 0, tzinfo=UTC)),
    ("Pacific/Kiritimati", datetime(2024, 12, 31, 9, 59, tzinfo=UTC)),
]
TABLE = [
    ("today", "2024-02-29", "2024-02-29"),
    ("yesterday", "2024-02-28", "2024-02-28"),
    ("this-week", "2024-02-26", "2024-03-03"),
    ("last-week", "2024-02-19", "2024-02-25"),
    ("this-month", "2024-02-01", "2024-02-29"),
    ("last-month", "2024-01-01", "2024-01-31"),
    ("this-quarter", "2024-01-01", "2024-03-31"),
    ("last-quarter", "2023-10-01", "2023-12-31"),
    ("this-year", "2024-01-01", "2024-12-31"),
    ("last-year", "2023-01-01", "2023-12-31"),
    ("month-to-date", "2024-02-01", "2024-02-29"),
    ("last-month-to-date", "2024-01-01", "2024-01-29"),
]


def days(name: str, today: date) -> tuple[str, str]:
    span = parse_dates(name).on(from_date(today))
    return date_text(span.first), date_text(span.last_day)


@pytest.mark.parametrize(("name", "first", "last"), TABLE)
def test_a_name_means_days_of_the_calendar(name, first, last):
    assert days(name, date(2024, 2, 29)) == (first, last)


def test_every_name_is_in_the_table():
    assert [name for name, _, _ in TABLE] == list(RELATIVE_DATES)


@pytest.mark.parametrize(
    ("today", "name", "first", "last"),
    [
        ("2026-03-31", "last-month-to-date", "2026-02-01", "2026-02-28"),
        ("2026-02-28", "last-month-to-date", "2026-01-01", "2026-01-28"),
        ("2026-01-01", "last-month-to-date", "2025-12-01", "2025-12-01"),
        ("2026-05-31", "last-month", "2026-04-01", "2026-04-30"),
        ("2026-05-31", "last-quarter", "2026-01-01", "2026-03-31"),
        ("2026-01-01", "this-week", "2025-12-29", "2026-01-04"),
        ("2026-01-01", "yesterday", "2025-12-31", "2025-12-31"),
        ("9999-12-31", "this-week", "9999-12-27", "9999-12-31"),
        ("9999-12-31", "this-year", "9999-01-01", "9999-12-31"),
    ],
)
def test_periods_cross_short_months_and_the_end_of_the_year(today, name, first, last):
    assert days(name, date.fromisoformat(today)) == (first, last)


@given(st.sampled_from(ZONES), st.datetimes(datetime(1950, 1, 1), datetime(2100, 1, 1)))
@example(*MOMENTS[0])
@example(*MOMENTS[1])
@example(*MOMENTS[2])
@example(*MOMENTS[3])
def test_names_follow_the_calendar_of_the_time_zone(zone, at):
    moment = at.replace(tzinfo=UTC)
    local = moment.astimezone(ZoneInfo(zone)).date()
    seen = day_in(zone, int(moment.timestamp()))
    spans = {name: parse_dates(name).on(seen) for name in RELATIVE_DATES}
    for name, span in spans.items():
        assert span.first < span.end and span.first % DAY_SECONDS == span.end % DAY_SECONDS == 0
        if name.startswith("this-"):
            assert span.first <= seen < span.end
            last = spans[name.replace("this", "last")]
            assert last.end == span.first
    assert date_text(spans["today"].first) == local.isoformat()
    assert spans["yesterday"].end == spans["today"].first
    first, end = spans["this-week"].first, spans["this-week"].end
    assert date.fromisoformat(date_text(first)).isoweekday() == 1 and end - first == 7 * 86_400
    month, earlier = spans["month-to-date"], spans["last-month-to-date"]
    assert month.first == spans["this-month"].first and month.end == spans["today"].end
    before = local.replace(day=1) - timedelta(days=1)
    day = min(local.day, monthrange(before.year, before.month)[1])
    assert earlier.first == spans["last-month"].first
    assert date_text(earlier.last_day) == before.replace(day=day).isoformat()


@pytest.mark.parametrize("parse", [parse_dates, parse_day])
@pytest.mark.parametrize("text", ["lastmonth", "last_month", "Last-Month"])
def test_a_name_that_is_nearly_right_is_suggested(parse, text):
    with pytest.raises(QueryError, match='did you mean "last-month"'):
        parse(text)
    with pytest.raises(QueryError, match=r"-30d, -12m, -1y$"):
        parse("03/2026")


@pytest.mark.parametrize(
    ("operator", "first", "last"),
    [
        ("eq", "2026-10-01", "2026-10-31"),
        ("gte", "2026-10-01", None),
        ("gt", "2026-11-01", None),
        ("lt", None, "2026-09-30"),
        ("lte", None, "2026-10-31"),
    ],
)
def test_each_comparison_takes_all_days_of_a_period(operator, first, last):
    (condition,) = parse_conditions(RECORDS["recordDate"], f"{operator}.last-month")
    bounds = condition.on(parse_date("2026-11-26")).bounds()
    assert bounds is not None
    if first:
        assert bounds[0] == parse_date(first)
    if last:
        assert bounds[1] == parse_date(last) + DAY_SECONDS - 1


@pytest.mark.parametrize("text", ["lastmonth", "last-moon", "Last-month", "2026-13-01", "", "-3w"])
def test_a_refusal_lists_all_forms_that_are_accepted(text):
    def refusal(parse):
        with pytest.raises(QueryError) as refused:
            parse(text)
        return str(refused.value)

    plain = ("2026-01-31", "2026-01", "2026")
    for form in (*plain, "2026-01-31T10:00:00Z", *RELATIVE_DATES, "-30d", "-12m", "-1y"):
        assert form in refusal(parse_dates)
    assert "last-month-to-date" in refusal(parse_day)
    assert "T10" not in refusal(parse_day)
    assert "last-month" not in refusal(parse_moments).replace(text, "")
