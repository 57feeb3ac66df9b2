"""The periods of usage: days, ISO weeks and months of the calendar, the current one included."""

from datetime import UTC, date, datetime
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from finance_api.usage.periods import UsagePeriodError, parse_usage_period, sums_between
from finance_api.values.time import parse_time

DAY = 86_400


def boundaries(period, at):
    """The calendar dates of the boundaries of a period that is asked for at a time."""
    found = parse_usage_period(period).boundaries(parse_time(at))
    assert all(second % DAY == 0 for second in found)
    return [str(day(second)) for second in found]


def day(second):
    return datetime.fromtimestamp(second, UTC).date()


@pytest.mark.parametrize(
    ("period", "at", "expected"),
    [
        ("1days", "2026-03-18T00:00:00Z", ["2026-03-18", "2026-03-19"]),
        ("1days", "2026-03-18T23:59:59Z", ["2026-03-18", "2026-03-19"]),
        ("2days", "2026-03-01T12:00:00Z", ["2026-02-28", "2026-03-01", "2026-03-02"]),
        ("2days", "2028-03-01T12:00:00Z", ["2028-02-29", "2028-03-01", "2028-03-02"]),
        ("2days", "2028-02-29T12:00:00Z", ["2028-02-28", "2028-02-29", "2028-03-01"]),
        ("2days", "2026-01-01T00:00:00Z", ["2025-12-31", "2026-01-01", "2026-01-02"]),
        # A Monday, the Sunday before it, and a Wednesday.
        ("1weeks", "2026-03-16T00:00:00Z", ["2026-03-16", "2026-03-23"]),
        ("1weeks", "2026-03-15T23:59:59Z", ["2026-03-09", "2026-03-16"]),
        ("1weeks", "2026-03-18T12:00:00Z", ["2026-03-16", "2026-03-23"]),
        # ISO week 2026-W01 begins in 2025, and 2020-W53 ends in 2021.
        ("2weeks", "2026-01-01T00:00:00Z", ["2025-12-22", "2025-12-29", "2026-01-05"]),
        ("2weeks", "2021-01-03T23:59:59Z", ["2020-12-21", "2020-12-28", "2021-01-04"]),
        ("2weeks", "2021-01-04T00:00:00Z", ["2020-12-28", "2021-01-04", "2021-01-11"]),
        ("1months", "2026-02-28T23:59:59Z", ["2026-02-01", "2026-03-01"]),
        ("2months", "2028-02-29T12:00:00Z", ["2028-01-01", "2028-02-01", "2028-03-01"]),
        ("2months", "2026-01-31T12:00:00Z", ["2025-12-01", "2026-01-01", "2026-02-01"]),
        ("1months", "2026-12-31T23:59:59Z", ["2026-12-01", "2027-01-01"]),
    ],
)
def test_boundaries_are_those_of_the_calendar(period, at, expected):
    assert boundaries(period, at) == expected


def test_the_longest_periods_cover_what_they_say():
    days = boundaries("366days", "2026-03-18T12:00:00Z")
    assert (len(days), days[0], days[-1]) == (367, "2025-03-18", "2026-03-19")
    weeks = boundaries("53weeks", "2026-03-18T12:00:00Z")
    assert (len(weeks), weeks[0], weeks[-1]) == (54, "2025-03-17", "2026-03-23")
    months = boundaries("13months", "2026-03-18T12:00:00Z")
    assert (len(months), months[0], months[-1]) == (14, "2025-03-01", "2026-04-01")


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
    "text", ["1days", "30days", "99days", "366days", "1weeks", "53weeks", "1months", "13months"]
)
def test_a_period_is_written_as_it_was_read(text):
    assert str(parse_usage_period(text)) == text


@pytest.mark.parametrize(
    "text",
    ["", "days", "30", "0days", "367days", "1000days", "54weeks", "99weeks", "0weeks", "14months"]
    + ["007days", "07days", "-1days", "+1days", "1.5days", "1e1days", "30 days", " 30days"]
    + ["30days ", "30days\n", "30day", "30Days", "30DAYS", "30d", "30hours", "1years", "٣days"]
    + ["3０days", "30days,1weeks", "30daysx", "x30days", "9" * 1_000 + "days", "30\x00days"],
)
def test_what_is_no_period_is_refused(text):
    with pytest.raises(
        UsagePeriodError, match="1days to 366days, 1weeks to 53weeks, 1months to 13mon"
    ):
        parse_usage_period(text)


def test_granularities_have_names():
    found = [parse_usage_period(f"1{unit}").granularity for unit in ("days", "weeks", "months")]
    assert found == ["daily", "weekly", "monthly"]


# -- sums --------------------------------------------------------------------------------------


def test_days_are_added_up_between_boundaries_and_empty_stretches_left_out():
    found = [0, 7 * DAY, 14 * DAY, 21 * DAY, 28 * DAY]
    days = [(0, 1), (6 * DAY, 2), (7 * DAY, 4), (20 * DAY, 8), (21 * DAY, 16), (27 * DAY, 32)]
    assert sums_between(found, days) == [
        (0, 7 * DAY, 3),
        (7 * DAY, 14 * DAY, 4),
        (14 * DAY, 21 * DAY, 8),
        (21 * DAY, 28 * DAY, 48),
    ]
    assert sums_between(found, [(14 * DAY, 5)]) == [(14 * DAY, 21 * DAY, 5)]
    assert sums_between(found, []) == []


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
