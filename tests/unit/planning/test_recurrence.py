"""Recurrence rules: checked at import, asked for the next day."""

import pytest

from finance_api.planning.recurrence import RuleError, check_rule, next_due
from finance_api.values.time import date_text, parse_date


def due(rule, start, today):
    check_rule(rule, parse_date(start))
    found = next_due(rule, parse_date(start), parse_date(today))
    return found and date_text(found)


@pytest.mark.parametrize(
    ("rule", "start", "today", "expected"),
    [
        ("FREQ=DAILY", "2026-01-01", "2026-03-18", "2026-03-18"),
        ("FREQ=DAILY;INTERVAL=3", "2026-03-16", "2026-03-18", "2026-03-19"),
        ("FREQ=DAILY", "0001-01-01", "2026-03-18", "2026-03-18"),
        ("FREQ=WEEKLY;BYDAY=MO,FR", "2020-01-01", "2026-03-18", "2026-03-20"),
        ("FREQ=WEEKLY;INTERVAL=2;BYDAY=MO", "2026-03-02", "2026-03-17", "2026-03-30"),
        ("FREQ=MONTHLY;BYMONTHDAY=-1", "2020-01-01", "2026-02-10", "2026-02-28"),
        ("FREQ=MONTHLY", "2026-01-31", "2026-02-01", "2026-03-31"),
        ("FREQ=MONTHLY;BYDAY=-1FR", "2020-01-01", "2026-03-18", "2026-03-27"),
        ("RRULE:FREQ=YEARLY", "2024-02-29", "2026-03-18", "2028-02-29"),
        ("FREQ=MONTHLY;COUNT=2", "2026-02-18", "2026-03-18", "2026-03-18"),
        ("FREQ=MONTHLY;COUNT=2", "2026-02-18", "2026-03-19", None),
        ("FREQ=DAILY;UNTIL=20260318", "2026-01-01", "2026-03-18", "2026-03-18"),
        ("FREQ=DAILY;UNTIL=20260317T235959Z", "2026-01-01", "2026-03-18", None),
        ("FREQ=DAILY", "2026-03-18", "2026-03-18", "2026-03-18"),
        ("FREQ=DAILY", "2026-05-01", "2026-03-18", "2026-05-01"),
    ],
)
def test_the_next_occurrence_is_on_or_after_today(rule, start, today, expected):
    assert due(rule, start, today) == expected


def test_without_a_rule_the_start_is_the_only_occurrence():
    day = parse_date("2026-03-18")
    assert next_due(None, day, day) == day
    assert next_due(None, day, day + 86_400) is None
    assert next_due("FREQ=DAILY", None, day) is None


@pytest.mark.parametrize(
    "rule",
    [
        "",
        "FREQ=SECONDLY",
        "FREQ=HOURLY",
        "INTERVAL=2",
        "FREQ=DAILY;FREQ=DAILY",
        "FREQ=DAILY;INTERVAL=0",
        "FREQ=DAILY;INTERVAL=99999",
        "FREQ=DAILY;COUNT=0",
        "FREQ=DAILY;COUNT=3;UNTIL=20260101",
        "FREQ=DAILY;UNTIL=20260230",
        "FREQ=DAILY;BYHOUR=3",
        "FREQ=MONTHLY;BYMONTHDAY=32",
        "FREQ=MONTHLY;BYMONTHDAY=0",
        "FREQ=YEARLY;BYMONTH=13",
        "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30",
        "FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30;UNTIL=20300101",
        "FREQ=DAILY\nRRULE:FREQ=DAILY",
        "DTSTART:20260101\nFREQ=DAILY",
        "FREQ=DAILY;;",
        "x" * 5_000,
    ],
)
def test_a_rule_that_cannot_be_kept_is_refused(rule):
    with pytest.raises(RuleError):
        check_rule(rule, parse_date("2026-01-01"))


def test_a_rule_needs_a_start():
    with pytest.raises(RuleError, match="startDate"):
        check_rule("FREQ=DAILY", None)
