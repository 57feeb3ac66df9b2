"""The notation of limits, and the values in decisions."""

import pytest

from finance_api.ratelimit.interface import Decision, Level, Limit, parse_limits

MINUTE = Limit(100, 60)
HOUR = Limit(1000, 3600)


@pytest.mark.parametrize(
    ("text", "limits"),
    [
        ("500/hour", (Limit(500, 3600),)),
        ("100/minute, 1000/hour", (MINUTE, HOUR)),
        ("1000/hour,100/minute", (HOUR, MINUTE)),
        ("  100 / minute ,\n 1000/hour ", (MINUTE, HOUR)),
        ("1/second", (Limit(1, 1),)),
        ("1000000000/hour", (Limit(1_000_000_000, 3600),)),
        ("1000000000/day", (Limit(1_000_000_000, 86_400),)),
        ("007/day", (Limit(7, 86_400),)),
    ],
)
def test_limits_are_read(text, limits):
    assert parse_limits(text) == limits
    assert all(limit.name in text for limit in limits)


@pytest.mark.parametrize(
    "text",
    [
        *("", " ", ",", "100/minute,", "100", "/minute", "minute", "100/", "100/fortnight"),
        *("100/minutes", "100/Minute", "100 per minute", "1e3/hour", "1.5/hour", "-1/hour"),
        *("+1/hour", "1_0/hour", "٣/hour", "100/minute 1000/hour", "100/minute; 1000/hour"),
        *("0/hour", "1000000001/second", "99999999999999999999/hour", "9" * 5000 + "/hour"),
        *("1/minute, 2/minute", "1/hour, 2/minute, 1/hour"),
    ],
)
def test_what_is_no_limit_is_refused_with_a_reason(text):
    with pytest.raises(ValueError, match=r"^is (not|ambiguous)") as refusal:
        parse_limits(text)
    assert len(str(refusal.value)) < 120


def decision(allowed, *levels):
    return Decision(allowed, levels, 0)


def test_the_wait_is_that_of_the_limit_that_takes_longest_and_a_second_at_least():
    levels = (Level(MINUTE, 0, 60_000, 1_001, 1_001), Level(HOUR, 0, 3_600_000, 9_000, 9_000))
    assert decision(False, *levels).retry_after_seconds == 9
    assert decision(False, levels[0]).retry_after_seconds == 2
    full = Level(MINUTE, 1, 60_000, 600, 0)
    assert decision(False, full).retry_after_seconds == 1
    assert decision(True, full).retry_after_seconds == 0


@pytest.mark.parametrize(
    "hour", [Level(HOUR, 6, 50_000, 600, 0), Level(HOUR, 7, 70_000, 600, 0)], ids=["fewer", "later"]
)
def test_the_tightest_level_has_the_fewest_requests_left_or_is_full_last(hour):
    minute = Level(MINUTE, 7, 60_000, 600, 0)
    assert decision(True, minute, hour).tightest is hour
    assert decision(True, hour, minute).tightest is hour


def test_who_decided_is_no_part_of_what_was_decided():
    level = Level(MINUTE, 7, 60_000, 600, 0)
    assert Decision(True, (level,), 1, made_by="one") == Decision(True, (level,), 1)
