"""Calendar periods, from the first day of the calendar to the last."""

import pytest

from finance_api.values.time import (
    DAY_SECONDS,
    MAX_SECONDS,
    MIN_SECONDS,
    Period,
    date_text,
    end_of,
    parse_date,
    period_text,
    start_of,
)


@pytest.mark.parametrize(
    ("day", "period", "first", "last", "text"),
    [
        ("2026-03-18", Period.DAY, "2026-03-18", "2026-03-18", "2026-03-18"),
        ("2026-03-18", Period.WEEK, "2026-03-16", "2026-03-22", "2026-W12"),
        ("2027-01-01", Period.WEEK, "2026-12-28", "2027-01-03", "2026-W53"),
        ("2024-12-31", Period.WEEK, "2024-12-30", "2025-01-05", "2025-W01"),
        ("2024-02-29", Period.MONTH, "2024-02-01", "2024-02-29", "2024-02"),
        ("2026-12-31", Period.MONTH, "2026-12-01", "2026-12-31", "2026-12"),
        ("2026-06-30", Period.QUARTER, "2026-04-01", "2026-06-30", "2026-Q2"),
        ("2026-11-01", Period.QUARTER, "2026-10-01", "2026-12-31", "2026-Q4"),
        ("2026-11-01", Period.YEAR, "2026-01-01", "2026-12-31", "2026"),
        ("0001-01-01", Period.WEEK, "0001-01-01", "0001-01-07", "0001-W01"),
        ("0001-02-03", Period.YEAR, "0001-01-01", "0001-12-31", "0001"),
        ("9999-12-31", Period.WEEK, "9999-12-27", "9999-12-31", "9999-W52"),
        ("9999-12-31", Period.MONTH, "9999-12-01", "9999-12-31", "9999-12"),
        ("9999-12-31", Period.QUARTER, "9999-10-01", "9999-12-31", "9999-Q4"),
        ("9999-12-31", Period.YEAR, "9999-01-01", "9999-12-31", "9999"),
    ],
)
def test_a_day_is_in_a_period(day, period, first, last, text):
    for seconds in (parse_date(day), parse_date(day) + DAY_SECONDS - 1):
        start, end = start_of(period, seconds), end_of(period, seconds)
        assert (date_text(start), date_text(end - 1)) == (first, last)
        assert end % DAY_SECONDS == 0
    assert period_text(period, start) == text


@pytest.mark.parametrize("period", Period)
def test_periods_follow_on_each_other(period):
    for at in (MIN_SECONDS, parse_date("1969-11-30"), parse_date("9998-12-01")):
        for _ in range(40):
            end = end_of(period, at)
            if end > MAX_SECONDS:
                break
            assert start_of(period, end) == end > at
            assert start_of(period, end - 1) == start_of(period, at)
            at = end
