"""If the shared limiter is unavailable or does not respond, no request waits long."""

import logging
import socket
import threading
import time

import pytest

from finance_api.ratelimit.fallback import FallbackLimiter
from finance_api.ratelimit.interface import LimiterUnavailable, RateLimiter
from finance_api.ratelimit.memory import MemoryLimiter
from finance_api.ratelimit.redis import RedisLimiter
from support.limiter_models import HOUR, NOW, bucket_rule, in_threads, make_key, take_many
from support.programs import redis_server

RULE = bucket_rule("500/hour")
LOGGER = "finance_api.ratelimit.fallback"


class Seconds:
    """A monotonic clock that moves only when a test moves it."""

    def __init__(self):
        self.now = 1_000.0

    def __call__(self):
        return self.now


class Flaky(RateLimiter):
    """A limiter that can be switched off, and that counts its calls."""

    def __init__(self):
        self.limiter = MemoryLimiter()
        self.away = False
        self.asked = 0
        self.closed = False

    def _ask(self):
        self.asked += 1
        if self.away:
            raise LimiterUnavailable("it is switched off")
        return self.limiter

    def take(self, rule, key, now_ms, *, number=1, is_free=False):
        return self._ask().take(rule, key, now_ms, number=number, is_free=is_free)

    def refund(self, rule, key, decision, now_ms, *, is_free=False):
        return self._ask().refund(rule, key, decision, now_ms, is_free=is_free)

    def peek(self, rule, key, now_ms):
        return self._ask().peek(rule, key, now_ms)

    def close(self):
        self.closed = True


class Fallback:
    """A FallbackLimiter with its parts at hand."""

    def __init__(self, shared):
        self.shared = shared
        self.local = MemoryLimiter()
        self.seconds = Seconds()
        self.count = 0
        self.limiter = FallbackLimiter(
            shared, self.local, self._on_fallback, monotonic=self.seconds
        )

    def _on_fallback(self):
        self.count += 1

    def take(self, key="key", now_ms=NOW):
        return self.limiter.take(RULE, key, now_ms)


@pytest.fixture
def flaky():
    return Fallback(Flaky())


@pytest.fixture
def logged(caplog):
    caplog.set_level(logging.INFO, logger=LOGGER)
    return lambda: [(r.levelname, r.getMessage()) for r in caplog.records if r.name == LOGGER]


WARNING = "the shared rate limiter does not respond: {}; each process counts on its own"
BACK = ("INFO", "the shared rate limiter responds again")


def test_the_local_limiter_decides_while_the_shared_one_is_away(flaky):
    assert flaky.take().levels[0].remaining == 499
    flaky.shared.away = True
    assert flaky.take().levels[0].remaining == 499
    assert flaky.take().levels[0].remaining == 498
    assert flaky.limiter.peek(RULE, "key", NOW).levels[0].remaining == 498
    assert flaky.count == 3


def test_the_shared_limiter_rests_after_a_failure_and_is_asked_again(flaky):
    flaky.shared.away = True
    for _ in range(10):
        flaky.take()
    assert flaky.shared.asked == 1
    flaky.seconds.now += 0.99
    flaky.take()
    assert flaky.shared.asked == 1
    flaky.seconds.now += 0.01
    for _ in range(10):
        flaky.take()
    assert flaky.shared.asked == 2
    flaky.shared.away = False
    flaky.seconds.now += 1
    flaky.take()
    flaky.take()
    assert flaky.shared.asked == 4
    assert flaky.count == 21


def test_what_is_taken_is_refunded_where_it_was_taken(flaky):
    shared = flaky.take()
    flaky.shared.away = True
    local = flaky.take()
    asked = flaky.shared.asked
    # A refund does not wait for a limiter that is considered down, nor fail if it is unavailable.
    assert flaky.limiter.refund(RULE, "key", shared, NOW) == shared
    assert flaky.shared.asked == asked
    assert flaky.limiter.refund(RULE, "key", local, NOW).levels[0].remaining == 500
    flaky.seconds.now += 1
    assert flaky.limiter.refund(RULE, "key", shared, NOW) == shared
    assert flaky.shared.asked == asked + 1
    flaky.shared.away = False
    flaky.seconds.now += 1
    late = flaky.take()
    assert late.levels[0].remaining == 498
    assert flaky.limiter.refund(RULE, "key", late, NOW).levels[0].remaining == 499
    assert flaky.local.peek(RULE, "key", NOW).levels[0].remaining == 500


def test_one_warning_a_minute_and_a_line_when_it_is_back(flaky, logged):
    flaky.shared.away = True
    for _ in range(600):
        flaky.take()
        flaky.seconds.now += 0.2
    warning = ("WARNING", WARNING.format("it is switched off"))
    assert logged() == [warning] * 2
    flaky.shared.away = False
    flaky.seconds.now += 1
    flaky.take()
    assert logged() == [warning] * 2 + [BACK]
    flaky.take()
    assert len(logged()) == 3
    # A limiter that often changes its state is not logged each time.
    for _ in range(50):
        flaky.shared.away = not flaky.shared.away
        flaky.take()
        flaky.seconds.now += 1
    assert [level for level, _ in logged()[3:]] == ["WARNING", "INFO"]
    flaky.limiter.close()
    assert flaky.shared.closed


def test_a_redis_killed_under_load_stops_nobody_and_is_used_again_when_it_is_back(logged):
    key = make_key()
    with redis_server() as server:
        fallback = Fallback(RedisLimiter(server.url))
        started = threading.Barrier(9)
        stopping = threading.Event()
        answers, failures = [], []

        def load():
            started.wait()
            try:
                while not stopping.is_set():
                    answers.append(fallback.take(key))
            except BaseException as error:
                failures.append(error)

        threads = [threading.Thread(target=load) for _ in range(8)]
        for thread in threads:
            thread.start()
        started.wait()
        _wait_for(lambda: len(answers) > 300)
        server.kill()
        _wait_for(lambda: sum(a.allowed for a in answers if a.made_by is fallback.local) >= 500)
        server.start()
        # No request uses the shared limiter while the circuit is open.
        fallen_back = fallback.count
        _wait_for(lambda: fallback.count > fallen_back + 100)
        assert answers[-1].made_by is fallback.local
        fallback.seconds.now += 1
        _wait_for(lambda: answers[-1].made_by is fallback.shared)
        fallen_back = fallback.count
        reached = len(answers)
        _wait_for(lambda: len(answers) > reached + 100)
        stopping.set()
        for thread in threads:
            thread.join()
        assert failures == []
        # It has lost its counts, so it grants the whole limit once more.
        assert sum(a.allowed for a in answers) <= 3 * 500
        assert sum(a.allowed for a in answers if a.made_by is fallback.local) == 500
        assert fallback.count == sum(a.made_by is fallback.local for a in answers)
        assert fallback.take(key).made_by is fallback.shared
        levels = [level for level, _ in logged()]
        assert levels == ["WARNING", "INFO"]
        fallback.limiter.close()


def test_a_redis_that_stays_away_grants_the_limit_once_more_at_most(logged):
    key = make_key()
    with redis_server() as server:
        fallback = Fallback(RedisLimiter(server.url))
        assert take_many(fallback.limiter, RULE, key, 400) == 400
        server.kill()
        granted = in_threads(16, 2000, lambda: fallback.take(key).allowed)
        assert len(granted) == 2000
        assert sum(granted) == 500
        assert fallback.count == 2000
        assert [level for level, _ in logged()] == ["WARNING"]
        fallback.limiter.close()


def test_stale_connections_do_not_fail_one_after_the_other_when_redis_is_back():
    with redis_server() as server:
        limiter = RedisLimiter(server.url)
        in_threads(8, 400, lambda: limiter.take(RULE, "key", NOW))
        server.stop()
        with pytest.raises(LimiterUnavailable, match="Redis: "):
            limiter.take(RULE, "key", NOW)
        server.start()
        assert len(in_threads(8, 400, lambda: limiter.take(RULE, "key", NOW))) == 400
        limiter.close()


def test_an_error_that_redis_answers_is_unavailability(redis_url):
    limiter = RedisLimiter(redis_url.replace("/0?", "/99999?"))
    with pytest.raises(LimiterUnavailable, match="Redis: "):
        limiter.peek(RULE, "key", NOW)
    limiter.close()


@pytest.fixture
def black_hole():
    """An address that accepts connections and never sends anything."""
    with socket.create_server(("127.0.0.1", 0), backlog=128) as listening:
        yield f"redis://127.0.0.1:{listening.getsockname()[1]}/0"


def test_a_redis_that_never_answers_slows_one_request_a_second(black_hole, logged):
    fallback = Fallback(RedisLimiter(black_hole))
    asked = []
    take = fallback.shared.take

    def take_and_count(*arguments, **options):
        asked.append(arguments)
        return take(*arguments, **options)

    fallback.shared.take = take_and_count
    # Callers before the first failure wait for it; nobody does afterwards.
    answers = in_threads(16, 1000, fallback.take)
    assert 1 <= len(asked) <= 16
    assert (len(answers), sum(a.allowed for a in answers)) == (1000, 500)
    for turn in range(1, 4):
        fallback.seconds.now += 1
        first = len(asked)
        in_threads(16, 100, lambda: fallback.take(now_ms=NOW + HOUR))
        assert len(asked) == first + 1, turn
    assert fallback.count == 1300
    assert logged() == [("WARNING", WARNING.format("Redis: Timeout reading from socket"))]
    fallback.limiter.close()


def _wait_for(what):
    deadline = time.monotonic() + 60
    while not what():
        assert time.monotonic() < deadline
        time.sleep(0.005)
