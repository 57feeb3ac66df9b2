"""The periods of usage: days, ISO weeks and months of the calendar, the current one included."""

from datetime import UTC, date, datetime
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from finance_api.usage.periods import parse_usage_period, sums_between
from finance_api.values.time import parse_time

DAY = 86_400


def day(second):
    return datetime.fromtimestamp(second, UTC).date()


@given(
    unit=st.sampled_from(["days", "weeks", "months"]),
    count=st.integers(1, 53),
    now=st.integers(0, 4_000_000_000),
)
def test_boundaries_follow_each_other_and_the_last_stretch_holds_now(unit, count, now):
    count = min(count, 13) if unit == "months" else count
    found = parse_usage_period(f"{count}{unit}").boundaries(now)
    assert len(found) == count + 1
    assert found == sorted(set(found))
    assert found[-2] <= now < found[-1]
    for start, end in pairwise(found):
        length = (day(end) - day(start)).days
        if unit == "days":
            assert length == 1
        elif unit == "weeks":
            assert (length, day(start).isoweekday()) == (7, 1)
        else:
            assert (day(start).day, day(end).day) == (1, 1)
            assert 28 <= length <= 31


@pytest.mark.parametrize(
    ("period", "granularity", "today", "start", "end"),
    [
        ("1days", "daily", "2026-03-18", "2026-03-18", "2026-03-19"),
        ("366days", "daily", "2028-03-18", "2027-03-19", "2028-03-19"),
        ("1weeks", "weekly", "2021-01-06", "2021-01-04", "2021-01-11"),
        ("3weeks", "weekly", "2021-01-06", "2020-12-21", "2021-01-11"),
        ("1months", "monthly", "2028-03-01", "2028-03-01", "2028-04-01"),
        ("13months", "monthly", "2028-03-31", "2027-03-01", "2028-04-01"),
    ],
)
def test_a_period_ends_with_the_current_day_week_or_month(period, granularity, today, start, end):
    found = parse_usage_period(period)
    assert (str(found), found.granularity) == (period, granularity)
    boundaries = found.boundaries(parse_time(f"{today}T12:00:00Z"))
    assert (str(day(boundaries[0])), str(day(boundaries[-1]))) == (start, end)


@given(
    period=st.sampled_from(["10days", "6weeks", "2months"]),
    counts=st.dictionaries(st.integers(0, 60), st.integers(1, 10**9), max_size=20),
)
def test_nothing_is_lost_or_counted_twice(period, counts):
    now = parse_time("2028-03-05T00:00:00Z")
    found = parse_usage_period(period).boundaries(now)
    start = date(2028, 1, 1)
    seconds = {
        (date.fromordinal(start.toordinal() + n) - date(1970, 1, 1)).days * DAY: count
        for n, count in counts.items()
    }
    days = sorted((at, n) for at, n in seconds.items() if found[0] <= at < found[-1])
    sums = sums_between(found, days)
    assert sum(total for _, _, total in sums) == sum(count for _, count in days)
    for start_at, end_at, total in sums:
        assert total == sum(count for at, count in days if start_at <= at < end_at) > 0
