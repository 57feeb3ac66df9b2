"""`RateLimiterConformance`: the tests that every limiter must pass.

A test class inherits these tests and has a fixture ``limiter``. The limiter may be a used one,
because every test counts under new keys.
"""

from dataclasses import replace

import pytest
from hypothesis import example, given

from finance_api.ratelimit.interface import Decision, Level, Limit, RateLimiter, Rule
from support.limiter_models import (
    CHECKED,
    DAY,
    HOUR,
    JUMPS,
    MINUTE,
    NOW,
    SECOND,
    STEPS,
    BucketModel,
    WindowModel,
    bucket_rule,
    in_threads,
    make_key,
    take_many,
    window_rule,
)
from support.nightly import count

_rules = [
    bucket_rule("500/hour"),
    bucket_rule("1/minute", "one"),
    bucket_rule("7/second, 11/minute", "two"),
    window_rule("5/minute"),
    window_rule("1/second", "one of a window"),
    window_rule("4/second, 9/minute", "two windows"),
]
#: A fifth of a limit that a test uses up.
_FIFTH = count(20, 100)
_any_rule = pytest.mark.parametrize("rule", _rules, ids=lambda rule: rule.name)


def _agrees(
    limiter: RateLimiter,
    rule: Rule,
    model: BucketModel | WindowModel,
    steps: list[tuple[str, int, int]],
) -> None:
    key, now = make_key(), NOW
    for what, number, passed_ms in steps:
        now += passed_ms
        model.pass_time(now)
        levels = model.levels()
        if what == "peek":
            number = 1
        room = all(level.remaining >= min(number, level.limit.count) for level in levels)
        if what == "peek":
            decision = limiter.peek(rule, key, now)
        else:
            decision = limiter.take(rule, key, now, number=number)
            assert decision.taken == (number if room else 0)
            if room:
                model.add(-number)
        assert decision == Decision(room, model.levels(1 if room else number), now)
        if what == "refund":
            decision = limiter.refund(rule, key, decision, now)
            if room:
                model.add(number)
            assert decision == limiter.peek(rule, key, now)
            assert decision.levels == model.levels()


class RateLimiterConformance:
    """The tests. No implementation overrides or skips one."""

    # -- values

    def test_a_bucket_says_what_is_left(self, limiter: RateLimiter) -> None:
        rule, key = bucket_rule("500/hour"), make_key()
        (limit,) = rule.limits
        assert limiter.peek(rule, key, NOW) == Decision(True, (Level(limit, 500, 0, 0, 0),), NOW)
        # One more request is available after 7.2 s.
        first = limiter.take(rule, key, NOW)
        assert first == Decision(True, (Level(limit, 499, 7_200, 7_200, 0),), NOW)
        later = limiter.take(rule, key, NOW + 1_000)
        assert later.levels == (Level(limit, 498, 13_400, 6_200, 0),)
        assert take_many(limiter, rule, key, 498, NOW + 1_000) == 498
        refused = limiter.take(rule, key, NOW + 1_000)
        assert refused == Decision(
            False, (Level(limit, 0, 498 * 7_200 + 13_400, 6_200, 6_200),), NOW + 1_000
        )
        assert refused.retry_after_seconds == 7

    def test_a_bucket_rounds_times_up(self, limiter: RateLimiter) -> None:
        rule, key = bucket_rule("7/second"), make_key()
        (limit,) = rule.limits
        # A request comes back in 142 6/7 ms.
        assert limiter.take(rule, key, NOW).levels == (Level(limit, 6, 143, 143, 0),)
        assert limiter.take(rule, key, NOW).levels == (Level(limit, 5, 286, 143, 0),)
        assert limiter.peek(rule, key, NOW + 142).levels == (Level(limit, 5, 144, 1, 0),)
        assert limiter.peek(rule, key, NOW + 143).levels == (Level(limit, 6, 143, 143, 0),)
        assert limiter.peek(rule, key, NOW + 286).levels == (Level(limit, 7, 0, 0, 0),)

    def test_a_window_says_what_is_left(self, limiter: RateLimiter) -> None:
        rule, key = window_rule("3/minute"), make_key()
        (limit,) = rule.limits
        assert limiter.peek(rule, key, NOW).levels == (Level(limit, 3, 0, 0, 0),)
        assert limiter.take(rule, key, NOW).levels == (Level(limit, 2, 60_000, 60_000, 0),)
        now = NOW + 20_500
        assert limiter.take(rule, key, now).levels == (Level(limit, 1, 60_000, 39_500, 0),)
        last = limiter.take(rule, key, now)
        assert last == Decision(True, (Level(limit, 0, 60_000, 39_500, 39_500),), now)
        refused = limiter.take(rule, key, now + 1)
        assert refused == Decision(False, (Level(limit, 0, 59_999, 39_499, 39_499),), now + 1)
        assert refused.retry_after_seconds == 40
        # A request counts up to, not at, the end of its window.
        assert not limiter.peek(rule, key, NOW + 59_999).allowed
        assert limiter.peek(rule, key, NOW + 60_000).levels == (Level(limit, 1, 20_500, 20_500, 0),)
        assert limiter.peek(rule, key, now + 60_000).levels == (Level(limit, 3, 0, 0, 0),)

    def test_large_counts_are_exact(self, limiter: RateLimiter) -> None:
        rule, key = bucket_rule("1000000000/hour, 104249991/day"), make_key()
        hour, day = rule.limits
        decision = limiter.take(rule, key, NOW)
        assert decision.levels == (
            Level(hour, 999_999_999, 1, 1, 0),
            Level(day, 104_249_990, 1, 1, 0),
        )
        assert take_many(limiter, rule, key, 9) == 9
        # Ten requests are 864,000,000 units of the limit per day, and 104,249,991 return in a ms.
        assert limiter.peek(rule, key, NOW).levels == (
            Level(hour, 999_999_990, 1, 1, 0),
            Level(day, 104_249_981, 9, 1, 0),
        )
        assert limiter.peek(rule, key, NOW + 8).levels == (
            Level(hour, 1_000_000_000, 0, 0, 0),
            Level(day, 104_249_990, 1, 1, 0),
        )

    # -- exactness

    def test_500_of_1000_are_granted_while_the_clock_stands_still(
        self, limiter: RateLimiter
    ) -> None:
        for rule in (bucket_rule("500/hour"), window_rule("500/hour")):
            key = make_key()
            assert take_many(limiter, rule, key, 1000) == 500
            assert not limiter.peek(rule, key, NOW).allowed
            assert limiter.peek(rule, key, NOW + HOUR - 1).levels[0].remaining < 500
            (level,) = limiter.peek(rule, key, NOW + HOUR).levels
            assert level == Level(rule.limits[0], 500, 0, 0, 0)
            assert take_many(limiter, rule, key, 1000, NOW + HOUR) == 500

    @_any_rule
    def test_waiting_for_retry_after_passes_and_a_second_less_does_not(
        self, limiter: RateLimiter, rule: Rule
    ) -> None:
        key, now = make_key(), NOW
        for _ in range(3):
            take_many(limiter, rule, key, 501, now)
            refused = limiter.take(rule, key, now)
            assert not refused.allowed
            wait_ms = refused.retry_after_seconds * 1000
            assert wait_ms >= 1000
            assert not limiter.take(rule, key, now + wait_ms - 1000).allowed
            assert limiter.take(rule, key, now + wait_ms).allowed
            now += wait_ms

    @pytest.mark.parametrize(
        "rule", [bucket_rule("500/hour"), window_rule("500/minute, 600/hour")], ids=lambda r: r.name
    )
    def test_threads_share_what_there_is(self, limiter: RateLimiter, rule: Rule) -> None:
        key = make_key()
        allowed = in_threads(64, 1000, lambda: limiter.take(rule, key, NOW).allowed)
        assert len(allowed) == 1000
        assert sum(allowed) == 500

    @CHECKED
    @given(steps=STEPS)
    @pytest.mark.parametrize("text", ["5/second", "100/minute", "7/second, 11/minute", "13/hour"])
    def test_buckets_agree_with_fractions(
        self, limiter: RateLimiter, text: str, steps: list[tuple[str, int, int]]
    ) -> None:
        rule = bucket_rule(text, text)
        _agrees(limiter, rule, BucketModel(rule.limits, NOW), steps)

    @CHECKED
    @given(steps=STEPS)
    @pytest.mark.parametrize("text", ["5/second", "20/minute", "4/second, 9/minute", "30/hour"])
    def test_windows_agree_with_their_definition(
        self, limiter: RateLimiter, text: str, steps: list[tuple[str, int, int]]
    ) -> None:
        rule = window_rule(text, text)
        _agrees(limiter, rule, WindowModel(rule.limits, NOW), steps)

    # -- several requests at once

    def test_a_refusal_of_several_requests_says_when_they_are_available(
        self, limiter: RateLimiter
    ) -> None:
        rule, key = bucket_rule("10/hour"), make_key()
        limiter.take(rule, key, NOW, number=8)
        refused = limiter.take(rule, key, NOW, number=5)
        assert refused.retry_after_seconds == 3 * 360
        assert not limiter.take(rule, key, NOW + 3 * 360_000 - 1, number=5).allowed
        assert limiter.take(rule, key, NOW + 3 * 360_000, number=5).allowed
        rule, key = window_rule("10/hour"), make_key()
        for minute in range(10):
            limiter.take(rule, key, NOW + minute * MINUTE)
        refused = limiter.take(rule, key, NOW + 10 * MINUTE, number=3)
        assert refused.retry_after_seconds == 52 * 60
        assert not limiter.take(rule, key, NOW + 62 * MINUTE - 1, number=3).allowed
        assert limiter.take(rule, key, NOW + 62 * MINUTE, number=3).allowed

    # -- several limits, keys and rules

    def test_keys_and_rules_are_counted_apart(self, limiter: RateLimiter) -> None:
        key = make_key()
        rules = [bucket_rule("3/hour", "a"), bucket_rule("3/hour", "b"), window_rule("3/hour")]
        for rule in rules:
            for other in (key, f"{key}:a", f"{key}}}", f"{key} é"):
                assert take_many(limiter, rule, other, 5) == 3

    # -- refunds

    def test_refunding_never_fills_beyond_the_limit(self, limiter: RateLimiter) -> None:
        for rule in (bucket_rule("3/minute"), window_rule("3/minute")):
            key = make_key()
            taken = limiter.take(rule, key, NOW)
            later = NOW + 2 * MINUTE
            back = limiter.refund(rule, key, taken, later)
            assert back.levels == (Level(rule.limits[0], 3, 0, 0, 0),)
            assert take_many(limiter, rule, key, 5, later) == 3

    def test_refunding_a_refusal_changes_nothing(self, limiter: RateLimiter) -> None:
        for rule in (bucket_rule("3/minute"), window_rule("3/minute")):
            key = make_key()
            take_many(limiter, rule, key, 3)
            refused = limiter.take(rule, key, NOW)
            assert limiter.refund(rule, key, refused, NOW) == refused

    def test_a_window_takes_back_the_request_that_was_given(self, limiter: RateLimiter) -> None:
        rule, key = window_rule("3/minute"), make_key()
        limiter.take(rule, key, NOW)
        second = limiter.take(rule, key, NOW + 10_000)
        limiter.take(rule, key, NOW + 20_000)
        back = limiter.refund(rule, key, second, NOW + 30_000)
        assert back.levels == (Level(rule.limits[0], 1, 50_000, 30_000, 0),)
        assert limiter.peek(rule, key, NOW + 60_000).levels[0].remaining == 2

    # -- free requests

    def test_what_is_free_is_taken_first_and_then_the_limits(self, limiter: RateLimiter) -> None:
        for rule in (bucket_rule("3/hour"), window_rule("3/hour, 4/day")):
            rule, key = replace(rule, free=Limit(5, 5)), make_key()
            free = [limiter.take(rule, key, NOW, is_free=True) for _ in range(5)]
            assert free == [limiter.peek(rule, key, NOW)] * 5
            assert [level.remaining for level in free[-1].levels] == [
                limit.count for limit in rule.limits
            ]
            assert not any(decision.taken for decision in free)
            counted = [limiter.take(rule, key, NOW, is_free=True) for _ in range(4)]
            assert [each.allowed for each in counted] == [True, True, True, False]
            assert [each.taken for each in counted] == [True, True, True, False]
            # After a second a request is free again, whatever the limits have left.
            assert not limiter.take(rule, key, NOW + 999, is_free=True).allowed
            again = limiter.take(rule, key, NOW + 1_000, is_free=True)
            assert (again.allowed, again.taken, again.levels[0].remaining) == (True, False, 0)
            assert not limiter.take(rule, key, NOW + 1_000, is_free=True).allowed

    def test_what_is_free_is_refunded_as_long_as_it_is(self, limiter: RateLimiter) -> None:
        for rule in (bucket_rule("9/hour"), window_rule("9/hour, 10/day")):
            rule, key = replace(rule, free=Limit(5, 5)), make_key()

            def ask(rule: Rule = rule, key: str = key, now_ms: int = NOW) -> int:
                taken = limiter.take(rule, key, now_ms)
                back = limiter.refund(rule, key, taken, now_ms, is_free=True)
                assert back == limiter.peek(rule, key, now_ms)
                return back.levels[0].remaining

            assert [ask() for _ in range(8)] == [9, 9, 9, 9, 9, 8, 7, 6]
            later = limiter.peek(rule, key, NOW + 1_000).levels[0].remaining
            assert [ask(now_ms=NOW + 1_000) for _ in range(2)] == [later, later - 1]
            # The refund of a failed request takes no free request in exchange.
            failed = limiter.take(rule, key, NOW + 1_000)
            back = limiter.refund(rule, key, failed, NOW + 1_000)
            assert back.levels[0].remaining == later - 1

    def test_what_was_free_or_refused_is_not_refunded(self, limiter: RateLimiter) -> None:
        for rule in (bucket_rule("3/hour"), window_rule("3/hour")):
            rule, key = replace(rule, free=Limit(5, 5)), make_key()
            assert take_many(limiter, rule, key, 2) == 2
            free = limiter.take(rule, key, NOW, is_free=True)
            assert limiter.refund(rule, key, free, NOW).levels[0].remaining == 1
            assert take_many(limiter, rule, key, 1) == 1
            refused = limiter.take(rule, key, NOW)
            back = limiter.refund(rule, key, refused, NOW, is_free=True)
            assert (back.allowed, back.levels[0].remaining) == (False, 0)
            # The refused refund did not take a free request either.
            assert [limiter.take(rule, key, NOW, is_free=True).allowed for _ in range(5)] == [
                *[True] * 4,
                False,
            ]

    def test_threads_share_what_is_free(self, limiter: RateLimiter) -> None:
        rule, key = replace(bucket_rule("7/hour"), free=Limit(100, 5)), make_key()
        taken = in_threads(16, 200, lambda: limiter.take(rule, key, NOW, is_free=True))
        assert sum(each.allowed for each in taken) == 107
        assert sum(each.taken for each in taken) == 7

    # -- clocks that jump

    @CHECKED
    @example(jumps=[34_296, 1, 1, -12_112, 0, 0, -954])
    @given(jumps=JUMPS)
    @_any_rule
    def test_no_jump_of_the_clock_locks_out_or_overfills(
        self, limiter: RateLimiter, rule: Rule, jumps: list[int]
    ) -> None:
        key, now = make_key(), NOW
        longest = max(limit.window_seconds for limit in rule.limits)
        for jump in jumps:
            now += jump
            decision = limiter.take(rule, key, now)
            for level in decision.levels:
                window_ms = level.limit.window_ms
                assert 0 <= level.remaining <= level.limit.count
                assert 0 <= level.retry_ms <= window_ms
                assert 0 <= level.retry_ms <= level.next_ms <= level.full_ms <= 2 * window_ms
            if not decision.allowed:
                assert 1 <= decision.retry_after_seconds <= longest
                now += decision.retry_after_seconds * 1000
                assert limiter.take(rule, key, now).allowed

    @pytest.mark.nightly
    def test_a_clock_that_goes_back_gives_nothing_away(self, limiter: RateLimiter) -> None:
        for rule in (bucket_rule(f"{5 * _FIFTH}/hour"), window_rule(f"{5 * _FIFTH}/hour")):
            for jump in (1, SECOND, MINUTE, HOUR - 7_200):
                key = make_key()
                assert take_many(limiter, rule, key, 4 * _FIFTH) == 4 * _FIFTH
                assert limiter.peek(rule, key, NOW - jump).levels[0].remaining == _FIFTH
                assert take_many(limiter, rule, key, 2 * _FIFTH, NOW - jump) == _FIFTH

    @pytest.mark.nightly
    def test_two_clocks_in_turn_give_no_more_than_one(self, limiter: RateLimiter) -> None:
        """The clocks of two machines differ by three seconds."""
        for rule in (bucket_rule(f"{5 * _FIFTH}/hour"), window_rule(f"{5 * _FIFTH}/hour")):
            key, tries = make_key(), range(11 * _FIFTH)
            allowed = sum(limiter.take(rule, key, NOW + n % 2 * 3_000).allowed for n in tries)
            assert allowed == 5 * _FIFTH

    def test_a_time_that_was_far_ahead_does_not_stay(self, limiter: RateLimiter) -> None:
        for rule in (bucket_rule("2/minute"), window_rule("2/minute")):
            key = make_key()
            assert take_many(limiter, rule, key, 3, NOW + DAY) == 2
            now = NOW
            if not limiter.take(rule, key, now).allowed:
                now += 30_000
                assert limiter.take(rule, key, now).allowed
            full = limiter.peek(rule, key, now + MINUTE)
            assert full.levels == (Level(rule.limits[0], 2, 0, 0, 0),)
