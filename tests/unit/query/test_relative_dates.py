"""Relative dates: against the calendar, in time zones, and as each comparison takes them."""

import re
from calendar import monthrange
from contextlib import suppress
from datetime import UTC, date, datetime, timedelta
from math import floor
from zoneinfo import ZoneInfo, available_timezones

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from finance_api.query.dates import parse_dates, parse_day, parse_moments
from finance_api.query.errors import QueryError
from finance_api.query.model import RELATIVE_DATES
from finance_api.query.parse import parse_conditions
from finance_api.query.patterns import TIME_SPAN
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
    ("tomorrow", "2024-03-01", "2024-03-01"),
    ("this-week", "2024-02-26", "2024-03-03"),
    ("last-week", "2024-02-19", "2024-02-25"),
    ("next-week", "2024-03-04", "2024-03-10"),
    ("this-month", "2024-02-01", "2024-02-29"),
    ("last-month", "2024-01-01", "2024-01-31"),
    ("next-month", "2024-03-01", "2024-03-31"),
    ("this-quarter", "2024-01-01", "2024-03-31"),
    ("last-quarter", "2023-10-01", "2023-12-31"),
    ("next-quarter", "2024-04-01", "2024-06-30"),
    ("this-year", "2024-01-01", "2024-12-31"),
    ("last-year", "2023-01-01", "2023-12-31"),
    ("next-year", "2025-01-01", "2025-12-31"),
    ("month-to-date", "2024-02-01", "2024-02-29"),
    ("last-month-to-date", "2024-01-01", "2024-01-29"),
    ("quarter-to-date", "2024-01-01", "2024-02-29"),
    ("last-quarter-to-date", "2023-10-01", "2023-11-29"),
    ("year-to-date", "2024-01-01", "2024-02-29"),
    ("last-year-to-date", "2023-01-01", "2023-02-28"),
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
        ("2026-12-31", "tomorrow", "2027-01-01", "2027-01-01"),
        ("2026-10-31", "next-month", "2026-11-01", "2026-11-30"),
        ("2026-10-31", "next-quarter", "2027-01-01", "2027-03-31"),
        ("2026-12-31", "next-week", "2027-01-04", "2027-01-10"),
        ("2026-05-31", "last-quarter-to-date", "2026-01-01", "2026-02-28"),
        ("2026-01-31", "+1m", "2026-02-28", "2026-02-28"),
        ("2024-02-29", " 1y", "2025-02-28", "2025-02-28"),
        ("2026-12-25", "+7d", "2027-01-01", "2027-01-01"),
        ("2026-12-25", "+0m", "2026-12-25", "2026-12-25"),
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
@example("UTC", datetime(1969, 1, 1, 23, 59, 59, 1))
def test_names_follow_the_calendar_of_the_time_zone(zone, at):
    moment = at.replace(tzinfo=UTC)
    local = moment.astimezone(ZoneInfo(zone)).date()
    seen = day_in(zone, floor(moment.timestamp()))
    spans = {name: parse_dates(name).on(seen) for name in RELATIVE_DATES}
    for name, span in spans.items():
        assert span.first < span.end and span.first % DAY_SECONDS == span.end % DAY_SECONDS == 0
        if name.startswith("this-"):
            assert span.first <= seen < span.end
            last = spans[name.replace("this", "last")]
            assert last.end == span.first
            assert spans[name.replace("this", "next")].first == span.end
    assert date_text(spans["today"].first) == local.isoformat()
    assert spans["yesterday"].end == spans["today"].first
    assert spans["tomorrow"].first == spans["today"].end
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
    with pytest.raises(QueryError, match=r"-30d, -12m, -1y, .*, \+7d$"):
        parse("03/2026")


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [
        ("2026-Q1", "2026-01-01", "2026-03-31"),
        ("2026-Q3", "2026-07-01", "2026-09-30"),
        ("2026-Q4", "2026-10-01", "2026-12-31"),
        ("2026-W01", "2025-12-29", "2026-01-04"),
        ("2026-W30", "2026-07-20", "2026-07-26"),
        ("2026-W53", "2026-12-28", "2027-01-03"),
        ("0001-W01", "0001-01-01", "0001-01-07"),
        ("9999-W52", "9999-12-27", "9999-12-31"),
        ("2026-09", "2026-09-01", "2026-09-30"),
        ("2026", "2026-01-01", "2026-12-31"),
    ],
)
@pytest.mark.parametrize("parse", [parse_dates, parse_day])
def test_periods_are_operands_as_summaries_write_them(parse, text, first, last):
    span = parse(text)
    assert (date_text(span.first), date_text(span.last_day)) == (first, last)
    moments = parse_moments(text)
    assert (moments[0], floor(moments[1]) + 1) == (span.first, span.end)


def test_schemas_have_week_53_of_every_year_that_has_one():
    matching, taken = set(), set()
    for text in (f"{year:04}-W53" for year in range(10_000)):
        if re.fullmatch(TIME_SPAN, text):
            matching.add(text)
        with suppress(QueryError):
            parse_day(text)
            taken.add(text)
    assert "2026-W53" in taken and len(taken) == 1775
    assert matching == taken


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("2025-W53", "is not a week of the calendar"),
        ("2026-W00", "is not a week of the calendar"),
        ("2026-Q5", "YYYY-MM-DD; it takes 2026-01-31, 2026-01, 2026-Q1, 2026-W05, 2026"),
        ("2026Q3", 'did you mean "2026-Q3"?'),
        ("2026-q3", 'did you mean "2026-Q3"?'),
        ("2026-w5", 'did you mean "2026-W05"?'),
        ("2026W30", 'did you mean "2026-W30"?'),
        ("+36526d", '"+36526d" is further ahead than +36525d'),
        (" 101y", '"+101y" is further ahead than +100y'),
        ("+7w", 'did you mean "+49d"?'),
        (" 7w", 'did you mean "+49d"?'),
        ("-2w", 'did you mean "-14d"?'),
        ("7d", 'did you mean "-7d" or "+7d"?'),
        ("nextweek", 'did you mean "next-week"?'),
    ],
)
def test_a_period_or_day_ahead_that_is_wrong_is_refused_with_a_suggestion(text, part):
    with pytest.raises(QueryError) as refused:
        parse_dates(text)
    assert part in str(refused.value)


@pytest.mark.parametrize("text", ["+7d", " 7d", "tomorrow", "next-week"])
def test_what_lies_ahead_is_no_time_of_the_past(text):
    with pytest.raises(QueryError) as refused:
        parse_conditions(RECORDS["createdAt"], f"gte.{text}")
    shown = text.replace(" ", "+")
    sentence = f'"{shown}" lies ahead, and this field has only times of the past; it takes today, '
    assert str(refused.value).startswith(sentence)
    assert "next-" not in str(refused.value).replace(text, "")
    assert parse_conditions(RECORDS["recordDate"], f"lte.{text}")
    with pytest.raises(QueryError, match=r"-1y$"):
        parse_conditions(RECORDS["createdAt"], "gte.nothing")


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
