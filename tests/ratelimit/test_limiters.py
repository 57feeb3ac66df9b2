"""Every limiter of this project passes the shared tests, and stores no more than it needs."""

import gc
import tracemalloc

import pytest
import redis

from finance_api.ratelimit.fallback import FallbackLimiter
from finance_api.ratelimit.interface import Algorithm
from finance_api.ratelimit.memory import MemoryLimiter
from finance_api.ratelimit.redis import RedisLimiter
from support.limiter_models import (
    DAY,
    HOUR,
    MINUTE,
    NOW,
    bucket_rule,
    make_key,
    take_many,
    window_rule,
)
from support.limiters import RateLimiterConformance

pytestmark = pytest.mark.nightly


@pytest.fixture
def memory():
    return MemoryLimiter()


@pytest.fixture
def shared(redis_url):
    # The URL has long timeouts, because answers may be slow on a busy machine.
    limiter = RedisLimiter(redis_url)
    yield limiter
    limiter.close()


@pytest.fixture
def server(redis_url):
    """A client that shows the stored keys."""
    client = redis.Redis.from_url(redis_url, decode_responses=True)
    client.flushall()
    yield client
    client.close()


class TestMemory(RateLimiterConformance):
    @pytest.fixture
    def limiter(self, memory):
        return memory


class TestRedis(RateLimiterConformance):
    @pytest.fixture
    def limiter(self, shared):
        return shared


class TestFallback(RateLimiterConformance):
    @pytest.fixture
    def limiter(self, shared, memory):
        fallen_back = []
        yield FallbackLimiter(shared, memory, lambda: fallen_back.append(1))
        assert not fallen_back


def state_count(limiter):
    return sum(len(store) for store in limiter._stores.values())


@pytest.mark.parametrize("rule", [bucket_rule("500/hour"), window_rule("500/hour")])
def test_memory_lets_go_of_what_is_full_again(memory, rule):
    for number in range(100):
        memory.take(rule, f"{number}", NOW)
    assert state_count(memory) == 100
    memory.take(rule, "0", NOW + HOUR)
    assert state_count(memory) <= 100
    memory.take(rule, "0", NOW + 2 * HOUR)
    assert state_count(memory) == 1
    memory.peek(rule, "1", NOW + 4 * HOUR)
    assert state_count(memory) == 0


@pytest.mark.parametrize("rule", [bucket_rule("500/hour"), window_rule("500/hour")])
def test_nothing_is_kept_for_what_was_not_taken(memory, shared, server, rule):
    for limiter in (memory, shared):
        limiter.peek(rule, "peeked", NOW)
        limiter.refund(rule, "given back", limiter.take(rule, "given back", NOW), NOW)
    assert state_count(memory) == 0
    assert list(server.scan_iter()) == []


def test_memory_keeps_what_counts_for_a_whole_window(memory):
    """This holds in whatever part of the window the state was written."""
    for rule in (bucket_rule("60/minute"), window_rule("60/minute")):
        for start in range(0, 3 * MINUTE, 7_000):
            key = make_key()
            assert take_many(memory, rule, key, 60, NOW + start) == 60
            (level,) = memory.peek(rule, key, NOW + start + MINUTE - 1).levels
            assert level.remaining == (59 if rule.algorithm is Algorithm.TOKEN_BUCKET else 0)


def test_an_idle_bucket_takes_at_most_200_bytes(memory):
    rule, count = bucket_rule("500/hour"), 22_000  # just more than a dict holds before it grows
    gc.collect()
    tracemalloc.start()
    try:
        for number in range(count):
            # Keys are as long as ids of tokens, and new strings each time.
            memory.take(rule, f"{number:08x}-0000-4000-8000-000000000000", NOW)
        assert state_count(memory) == count
        assert tracemalloc.get_traced_memory()[0] / count <= 200
    finally:
        tracemalloc.stop()


def test_redis_keeps_the_limits_of_a_rule_in_one_slot(shared, server):
    shared.take(window_rule("2/minute, 9/hour", "internal"), "user 1", NOW)
    assert sorted(server.scan_iter()) == [
        "finance_api:ratelimit:{internal:user 1}:SLIDING_WINDOW:3600",
        "finance_api:ratelimit:{internal:user 1}:SLIDING_WINDOW:60",
    ]


@pytest.mark.parametrize("make_rule", [bucket_rule, window_rule])
def test_redis_lets_go_of_what_is_full_again_but_not_early(shared, server, make_rule):
    rule, key = make_rule("500/hour"), make_key()
    for count, now in ((1, NOW), (300, NOW + 1_000), (300, NOW + 2_000), (1, NOW - 1_000)):
        take_many(shared, rule, key, count, now)
        (level,) = shared.peek(rule, key, now).levels
        (name,) = server.scan_iter()
        assert level.full_ms < server.pttl(name) <= level.full_ms + MINUTE


@pytest.mark.parametrize("make_rule", [bucket_rule, window_rule])
def test_redis_keeps_what_counts_while_its_clock_is_ahead(shared, server, make_rule):
    """Redis' clock goes on, while the service's clock stands still or was set back."""
    rule, key = make_rule("1/second"), make_key()
    assert shared.take(rule, key, NOW).allowed
    (name,) = server.scan_iter()
    # Pretend that half a minute has passed in Redis.
    server.pexpire(name, server.pttl(name) - MINUTE // 2)
    assert not shared.take(rule, key, NOW).allowed


def test_redis_need_not_have_forgotten_what_no_longer_counts(shared, server):
    """Redis' clock differs from ours, so an outdated key must make no difference."""
    for rule in (bucket_rule("3/minute"), window_rule("3/minute")):
        key = make_key()
        take_many(shared, rule, key, 3)
        kept = shared.peek(rule, key, NOW + MINUTE)
        server.flushall()
        assert shared.peek(rule, key, NOW + MINUTE) == kept


@pytest.mark.parametrize("make_rule", [bucket_rule, window_rule])
def test_redis_goes_by_a_limit_or_an_algorithm_that_was_changed(shared, server, make_rule):
    many, few, key = make_rule("10/minute"), make_rule("4/minute"), make_key()
    take_many(shared, many, key, 8)
    refused = shared.take(few, key, NOW)
    assert not refused.allowed
    assert refused.levels[0].remaining == 0
    wait_ms = refused.retry_after_seconds * 1000
    assert 0 < wait_ms <= MINUTE
    assert shared.take(few, key, NOW + wait_ms).allowed
    # With another algorithm, counting starts over.
    other = {bucket_rule: window_rule, window_rule: bucket_rule}[make_rule]
    assert take_many(shared, other("3/minute", many.name), key, 5) == 3


@pytest.mark.parametrize("make_limiter", [MemoryLimiter, RedisLimiter])
def test_no_unit_of_the_largest_bucket_is_lost(redis_url, make_limiter):
    limiter = MemoryLimiter() if make_limiter is MemoryLimiter else RedisLimiter(redis_url)
    rule, key = bucket_rule("1000000000/day"), make_key()
    limiter.take(rule, key, NOW, number=1_000_000_000)
    # In a millisecond 11.57 requests come back.
    for passed_ms, remaining in ((0, 0), (1, 11), (2, 23), (108, 1_250), (DAY - 1, 999_999_988)):
        assert limiter.peek(rule, key, NOW + passed_ms).levels[0].remaining == remaining
    limiter.close()


@pytest.mark.parametrize("rule", [window_rule("3/minute"), bucket_rule("3/minute")])
@pytest.mark.parametrize("members", [["xx", "yy"], ["xx"], ["1", "xx", "2"], ["xx", str(NOW)]])
def test_what_others_wrote_into_redis_is_no_more(redis_url, rule, members):
    client = redis.Redis.from_url(redis_url)
    key = make_key()
    name = f"finance_api:ratelimit:{{{rule.name}:{key}}}:{rule.algorithm.name}:60"
    if len(members) == 1:
        client.set(name, members[0])
    else:
        client.rpush(name, *members)
    limiter = RedisLimiter(redis_url)
    granted = [limiter.take(rule, key, NOW).allowed for _ in range(4)]
    assert granted[-1] is False
    assert granted.count(True) in (2, 3)
    limiter.close()
    client.close()
