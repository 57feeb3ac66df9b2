"""Limits counted in Redis, for all processes that share it.

A token bucket is a string, "<units used> <when that was so>"; a sliding window is a list of
times. Both are described in `finance_api.ratelimit.counters`, which does the same in Python. Each
call is one script, which Redis runs alone: nobody sees or takes anything in between.
"""

from collections.abc import Mapping
from typing import Any

import redis
from redis.backoff import NoBackoff
from redis.retry import Retry

from finance_api.ratelimit.interface import LimiterUnavailable, RateLimiter
from finance_api.ratelimit.limits import Algorithm, Decision, Level, Rule
from finance_api.ratelimit.script import SCRIPT
from finance_api.runtime.settings import SettingError

#: Who waits for Redis keeps a request waiting.
TIMEOUT_SECONDS = 0.25

_ALGORITHMS = {Algorithm.TOKEN_BUCKET: "bucket", Algorithm.SLIDING_WINDOW: "log"}


class RedisLimiter(RateLimiter):
    """url: redis://, rediss:// or unix://, as redis-py reads it; ValueError if it cannot.

    timeout_seconds: for connecting, and again for the answer.

    Connects when it is first asked. An error of Redis is LimiterUnavailable.
    """

    is_shared = True

    def __init__(self, url: str, *, timeout_seconds: float = TIMEOUT_SECONDS) -> None:
        self._client = redis.Redis.from_url(
            url,
            socket_connect_timeout=timeout_seconds,
            socket_timeout=timeout_seconds,
            retry=Retry(NoBackoff(), 0),
            # The older protocol, and no name: nothing is said before the first question.
            protocol=2,
            driver_info=None,
        )
        self._script = self._client.register_script(SCRIPT)

    def take(
        self, rule: Rule, key: str, now_ms: int, *, number: int = 1, is_free: bool = False
    ) -> Decision:
        return self._run("take", rule, key, now_ms, now_ms, is_free, number)

    def give_back(
        self, rule: Rule, key: str, decision: Decision, now_ms: int, *, is_free: bool = False
    ) -> Decision:
        if not decision.taken:
            return self.peek(rule, key, now_ms)
        at_ms, number = decision.taken_at_ms, decision.taken
        return self._run("give back", rule, key, now_ms, at_ms, is_free, number)

    def peek(self, rule: Rule, key: str, now_ms: int) -> Decision:
        return self._run("peek", rule, key, now_ms, now_ms, False)

    def close(self) -> None:
        self._client.close()

    def _run(
        self,
        what: str,
        rule: Rule,
        key: str,
        now_ms: int,
        taken_at_ms: int,
        is_free: bool,
        number: int = 1,
    ) -> Decision:
        # The braces keep the keys of one question in one slot of a cluster.
        prefix = f"finance_api:ratelimit:{{{rule.name}:{key}}}"
        keys = [f"{prefix}:{limit.name}" for limit in rule.limits]
        args: list[str | int] = [what, _ALGORITHMS[rule.algorithm], now_ms, taken_at_ms]
        args.append(number)
        for limit in rule.limits:
            args += [limit.count, limit.window_ms]
        if is_free:
            assert rule.free is not None
            keys.append(f"{prefix}:free")
            args += [rule.free.count, rule.free.window_ms, "free"]
        try:
            answer: Any = self._script(keys=keys, args=args)
        except redis.RedisError as error:
            if isinstance(error, redis.ConnectionError | redis.TimeoutError):
                # The others are of the same server; each would fail once when it is back.
                self._client.connection_pool.disconnect(inuse_connections=False)
            raise LimiterUnavailable(f"Redis: {error}") from error
        allowed, taken, *numbers = answer
        levels = zip(rule.limits, *(numbers[n::4] for n in range(4)), strict=True)
        found = tuple([Level(*level) for level in levels])
        return Decision(bool(allowed), found, now_ms, taken)


def from_settings(settings: Mapping[str, Any]) -> RedisLimiter:
    """Raises SettingError."""
    name = "finance_api.ratelimit.redis_url"
    if not settings[name]:
        raise SettingError(f"{name}: is needed by the backend redis")
    try:
        return RedisLimiter(settings[name])
    except ValueError as error:
        raise SettingError(f"{name}: {error}") from None
