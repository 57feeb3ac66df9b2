"""A Redis with a replica that takes its place, and a Redis cluster."""

from urllib.parse import urlsplit

import pytest
import redis

from finance_api.ratelimit.interface import LimiterUnavailable
from finance_api.ratelimit.redis import RedisLimiter, from_settings
from finance_api.runtime.settings import SettingError
from support.limiter_models import NOW, bucket_rule, make_key
from support.programs import CLOSED_PORT, free_port, redis_server, wait_until

RULE = bucket_rule("500/hour")


def test_a_promoted_replica_goes_on_counting():
    key = make_key()
    with redis_server("--repl-diskless-sync-delay", "0") as primary:
        address = urlsplit(primary.url)
        with redis_server("--replicaof", f"{address.hostname} {address.port}") as replica:
            before, after = RedisLimiter(primary.url), RedisLimiter(replica.url)
            for _ in range(10):
                before.take(RULE, key, NOW)
            wait_until(lambda: after.peek(RULE, key, NOW).levels[0].remaining == 490)
            with pytest.raises(LimiterUnavailable, match="read only replica"):
                after.take(RULE, key, NOW)
            primary.kill()
            with redis.Redis.from_url(replica.url) as admin:
                admin.replicaof("NO", "ONE")
            assert after.take(RULE, key, NOW).levels[0].remaining == 489
            before.close()
            after.close()


def test_connections_to_a_server_that_became_a_replica_are_dropped():
    """The host name in the URL may now lead to the new primary."""
    # The guard: ReadOnlyError in _LOST of ratelimit/redis.py.
    with redis_server() as server, redis.Redis.from_url(server.url) as admin:
        limiter = RedisLimiter(server.url)
        limiter.take(RULE, "key", NOW)
        assert len(admin.client_list(_type="normal")) == 2
        admin.replicaof("127.0.0.1", str(CLOSED_PORT))
        with pytest.raises(LimiterUnavailable, match="read only replica"):
            limiter.take(RULE, "key", NOW)
        wait_until(lambda: len(admin.client_list(_type="normal")) == 1, 20)
        limiter.close()


def test_a_cluster_is_refused_at_start():
    with redis_server("--cluster-enabled", "yes", "--cluster-port", str(free_port())) as server:
        with pytest.raises(SettingError) as refused:
            from_settings({"finance_api.ratelimit.redis_url": server.url})
        said = "finance_api.ratelimit.redis_url: this Redis is part of a cluster"
        assert str(refused.value).startswith(said)
        server.stop()
        # A Redis that does not respond does not stop the start.
        from_settings({"finance_api.ratelimit.redis_url": server.url}).close()
