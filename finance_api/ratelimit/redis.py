"""Limits counted in Redis, for all processes that share it.

A state is a string: the number of a token bucket, or the times of a sliding window as 64-bit
numbers. A process reads the states and computes new ones. A script writes the new states,
unless another process has written meanwhile; in that case the process tries again.
"""

import threading
from array import array
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

import redis
from redis.backoff import NoBackoff
from redis.retry import Retry

from finance_api.ratelimit.counting import COUNTERS, Counter, CountingLimiter, Decide, kinds_of
from finance_api.ratelimit.interface import Algorithm, Decision, LimiterUnavailable, Rule
from finance_api.runtime.settings import SettingError

_URL = "finance_api.ratelimit.redis_url"

#: Short, because a request waits while its limiter waits for Redis.
TIMEOUT_SECONDS = 0.25
#: Keys expire by Redis' clock, which may be ahead of the service's, so they get this much longer.
_SPARE_MS = 60_000
#: An attempt fails only if another one has just succeeded, and fewer than this run at once.
_ATTEMPTS = 1_000

#: Errors after which a new connection may work. A server that became a replica is read-only.
_LOST = (redis.ConnectionError, redis.TimeoutError, redis.ReadOnlyError)

#: ARGV: the strings that were read, then for each key the new string and the milliseconds until it
#: expires. If the stored strings have changed since, the script returns them and writes nothing.
_WRITE = """
local found = redis.call('MGET', unpack(KEYS))
for n = 1, #KEYS do
  if (found[n] or '') ~= ARGV[n] then return found end
end
for n, key in ipairs(KEYS) do
  local value, milliseconds = ARGV[#KEYS + 2 * n - 1], ARGV[#KEYS + 2 * n]
  if value == '' then
    redis.call('DEL', key)
  else
    redis.call('SET', key, value, 'PX', milliseconds)
  end
end
"""


class RedisLimiter(CountingLimiter):
    """Counts in Redis. Connects at the first request; raises Redis errors as LimiterUnavailable.

    url: a redis://, rediss:// or unix:// URL in redis-py's syntax. Raises ValueError for others.

    timeout_seconds: the timeout for connecting, and for each answer.
    """

    is_shared = True

    def __init__(self, url: str, *, timeout_seconds: float = TIMEOUT_SECONDS) -> None:
        self._client = redis.Redis.from_url(
            url,
            socket_connect_timeout=timeout_seconds,
            socket_timeout=timeout_seconds,
            retry=Retry(NoBackoff(), 0),
            # RESP2 without CLIENT SETINFO saves a round trip on connect.
            protocol=2,
            driver_info=None,
        )
        self._write = self._client.register_script(_WRITE)
        self._trying_again = threading.Lock()

    def refuse_cluster(self) -> None:
        """Raise SettingError if Redis is a cluster; do nothing if Redis does not answer."""
        with suppress(redis.RedisError):
            if self._client.info("cluster").get("cluster_enabled"):
                raise SettingError(
                    f"{_URL}: this Redis is part of a cluster, whose keys are on several servers: "
                    "use one without cluster-enabled"
                )

    def close(self) -> None:
        self._client.close()

    def _decide(self, rule: Rule, key: str, now_ms: int, is_free: bool, decide: Decide) -> Decision:
        try:
            return self._decide_in_redis(rule, key, now_ms, is_free, decide)
        except redis.RedisError as error:
            if isinstance(error, _LOST):
                # Drop idle connections to the same server: each would fail once when it is back.
                self._client.connection_pool.disconnect(inuse_connections=False)
            raise LimiterUnavailable(f"Redis: {error}") from error

    def _decide_in_redis(
        self, rule: Rule, key: str, now_ms: int, is_free: bool, decide: Decide
    ) -> Decision:
        kinds = kinds_of(rule, is_free)
        # The braces keep the keys of one request in one slot of a Redis cluster.
        prefix = f"finance_api:ratelimit:{{{rule.name}:{key}}}"
        names = [f"{prefix}:{algorithm.name}:{limit.window_seconds}" for algorithm, limit in kinds]

        def attempt(texts: Any) -> tuple[Decision, Any]:
            """Return the decision; and None, or the stored strings if these are not ``texts``."""
            counters = [
                COUNTERS[algorithm](limit, _state(algorithm, text), now_ms)
                for (algorithm, limit), text in zip(kinds, texts, strict=True)
            ]
            decision = decide(counters)
            if not any(counter.has_changed for counter in counters):
                return decision, None
            arguments: list[bytes | int] = [text or b"" for text in texts]
            for counter in counters:
                arguments += [_text(counter), counter.level().full_ms + _SPARE_MS]
            return decision, self._write(keys=names, args=arguments)

        decision, texts = attempt(self._client.mget(names))
        if texts is None:
            return decision
        # Only one thread of a process tries again at a time, so that few compete.
        with self._trying_again:
            for _ in range(_ATTEMPTS):
                decision, texts = attempt(texts)
                if texts is None:
                    return decision
        raise LimiterUnavailable(f"Redis: {names[0]} is being changed too often")


def _state(algorithm: Algorithm, text: bytes | None) -> Any:
    """Return the state; None for a string that this module did not write."""
    if not text:
        return None
    if algorithm is Algorithm.TOKEN_BUCKET:
        return int(text) if text.lstrip(b"-").isdigit() else None
    return array("q", text) if len(text) % 8 == 0 else None


def _text(counter: Counter) -> bytes:
    state = counter.state
    if state is None:
        return b""
    return state.tobytes() if isinstance(state, array) else b"%d" % state


def from_settings(settings: Mapping[str, Any]) -> RedisLimiter:
    """Return the limiter with the configured URL. Raises SettingError."""
    if not settings[_URL]:
        raise SettingError(f"{_URL}: the backend redis needs it")
    try:
        limiter = RedisLimiter(settings[_URL])
    except ValueError as error:
        raise SettingError(f"{_URL}: {error}") from None
    limiter.refuse_cluster()
    return limiter
