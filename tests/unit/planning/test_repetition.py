"""How often something repeats, in words, and its RRULE."""

import pytest

from finance_api.planning.recurrence import check_rule, next_due
from finance_api.planning.repetition import PATTERNS, Repetition, parse_repetition
from finance_api.values.time import date_text, parse_date

START = parse_date("2026-01-03")

CHOICES = [
    ("FREQ=DAILY", "every day"),
    ("FREQ=WEEKLY;INTERVAL=2;BYDAY=FR", "every second week on Friday"),
    ("FREQ=MONTHLY", "every month"),
    ("FREQ=MONTHLY;BYMONTHDAY=3", "every month on the 3rd"),
    ("FREQ=MONTHLY;BYMONTHDAY=11", "every month on the 11th"),
    ("FREQ=MONTHLY;BYMONTHDAY=22", "every month on the 22nd"),
    ("FREQ=MONTHLY;BYMONTHDAY=31", "every month on the 31st, if the month has it"),
    ("FREQ=MONTHLY;INTERVAL=3;BYMONTHDAY=-1", "every 3 months on the last day"),
    ("FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1", "every month on the last working day"),
    ("FREQ=MONTHLY;BYDAY=2TU", "every month on the second Tuesday"),
    ("FREQ=MONTHLY;BYDAY=-1FR", "every month on the last Friday"),
    ("FREQ=YEARLY;INTERVAL=2", "every second year"),
]


@pytest.mark.parametrize(("rule", "words"), CHOICES)
def test_a_rule_is_read_as_choices_and_written_back(rule, words):
    found = parse_repetition(rule)
    assert found is not None
    assert found.words == words
    assert found.rule == rule


@pytest.mark.parametrize("every", [1, 2, 1000])
@pytest.mark.parametrize("pattern", PATTERNS)
def test_every_choice_makes_a_valid_rule_that_is_read_back(pattern, every):
    chosen = Repetition(pattern, every)
    check_rule(chosen.rule, START)
    assert parse_repetition(chosen.rule) == chosen


@pytest.mark.parametrize(
    "rule",
    [
        *("FREQ=MONTHLY;BYMONTHDAY=1,15", "FREQ=WEEKLY;COUNT=3;UNTIL=20300101"),
        *("FREQ=WEEKLY;COUNT=0", "FREQ=WEEKLY;COUNT=10001", "FREQ=WEEKLY;COUNT=3;COUNT=4"),
        *("FREQ=WEEKLY;UNTIL=20300231", "FREQ=WEEKLY;INTERVAL=0", "FREQ=WEEKLY;INTERVAL=1001"),
        *("FREQ=YEARLY;BYMONTH=3;BYMONTHDAY=1", "FREQ=DAILY;BYDAY=MO", ""),
    ],
)
def test_other_rules_are_no_choice(rule):
    assert parse_repetition(rule) is None


@pytest.mark.parametrize(
    "rule", ["INTERVAL=2;BYDAY=FR;FREQ=WEEKLY", "RRULE:FREQ=WEEKLY;INTERVAL=2;BYDAY=FR"]
)
def test_the_order_of_the_parts_does_not_matter(rule):
    assert parse_repetition(rule) == Repetition("FREQ=WEEKLY;BYDAY=FR", 2)


@pytest.mark.parametrize(
    ("rule", "times", "until"),
    [
        ("FREQ=WEEKLY;INTERVAL=2;BYDAY=FR;COUNT=10000", 10_000, None),
        ("FREQ=WEEKLY;INTERVAL=2;BYDAY=FR;UNTIL=20300101", None, parse_date("2030-01-01")),
    ],
)
def test_the_end_of_a_rule_is_read_and_written_back(rule, times, until):
    found = parse_repetition(rule)
    assert found == Repetition("FREQ=WEEKLY;BYDAY=FR", 2, times, until)
    assert found.rule == rule
    check_rule(rule, START)
    # A time on the last day changes nothing, because the whole day belongs to the rule.
    assert parse_repetition(f"{rule}T120000Z") == (None if times else found)


@pytest.mark.parametrize(
    ("rule", "day"),
    [
        ("FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1", "2026-02-27"),
        ("FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=1", "2026-03-02"),
        ("FREQ=MONTHLY;BYMONTHDAY=-1", "2026-02-28"),
    ],
)
def test_working_days_fall_on_the_right_dates(rule, day):
    assert date_text(next_due(rule, START, parse_date("2026-02-26"))) == day
