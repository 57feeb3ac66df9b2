"""The metrics of the process: shown only to the addresses in the settings."""

import re

import pytest

from finance_api.storage.memory.data import MemoryData
from support.native_rows import label
from support.service import Service

PATH = "/__metrics__"


@pytest.fixture(scope="module")
def service():
    service = Service(
        "memory",
        {
            "finance_api.storage": "memory",
            "finance_api.metrics.clients": "192.0.2.0/24 2001:db8::/32 198.51.100.7",
            "finance_api.trusted_proxies": "10.0.0.0/8",
        },
    )
    yield service
    service.stop()


def ask(service, address="192.0.2.1", method="GET", path=PATH, **headers):
    environ = {} if address is None else {"REMOTE_ADDR": address}
    return service.web.request(
        path,
        method=method,
        headers={name.replace("_", "-"): value for name, value in headers.items()},
        environ=environ,
        expect_errors=True,
    )


def sample(service, name, /, **labels):
    """Return the value of a sample, or 0 if it does not exist."""
    text = ",".join(f'{label}="{value}"' for label, value in labels.items())
    wanted = re.escape(name + (f"{{{text}}}" if text else ""))
    found = re.search(rf"^{wanted} (\S+)$", ask(service).text, re.MULTILINE)
    return float(found[1]) if found else 0.0


def assert_like_nothing(service, answer, other):
    """Check that a response is the same as for a path where there is nothing."""
    assert answer.status_int == 404
    assert answer.body == other.body
    headers = [
        {k: v for k, v in each.headers.items() if k != "X-Request-Id"} for each in (answer, other)
    ]
    assert headers[0] == headers[1]


@pytest.mark.parametrize(
    "address", ["192.0.2.1", "192.0.2.255", "2001:db8:ffff::1", "198.51.100.7", "::ffff:192.0.2.9"]
)
def test_those_whom_the_settings_name_are_answered(service, address):
    answer = ask(service, address)
    assert answer.status_int == 200
    assert answer.headers["Content-Type"] == "text/plain; version=0.0.4; charset=utf-8"
    assert answer.headers["Cache-Control"] == "no-store"
    assert "# TYPE finance_api_request_seconds histogram" in answer.text
    head = ask(service, address, "HEAD")
    assert (head.status_int, head.body) == (200, b"")
    assert ask(service, address, "POST").status_int == 405


@pytest.mark.parametrize(
    "address", ["192.0.3.1", "127.0.0.1", "::1", "2001:db9::1", "198.51.100.8", "", None, "x"]
)
def test_for_others_there_is_nothing(service, address):
    token = service.client().token
    for method in ("GET", "HEAD", "POST", "OPTIONS"):
        other = ask(service, address, method, path="/__nothing__")
        for headers in ({}, {"Accept": "text/plain"}, {"Authorization": f"Bearer {token}"}):
            assert_like_nothing(service, ask(service, address, method, **headers), other)


def test_only_a_trusted_proxy_says_who_asks(service):
    for address, forwarded, status in (
        ("203.0.113.1", "192.0.2.1", 404),
        ("10.0.0.1", "192.0.2.1", 200),
        ("10.0.0.1", "192.0.2.1, 203.0.113.1", 404),
        ("10.0.0.1", "203.0.113.1, 192.0.2.1", 200),
        ("10.0.0.1", "192.0.2.1, 10.3.3.3", 200),
        ("10.0.0.1", "192.0.2.1, x", 404),
        ("10.0.0.1", "", 404),
        # A proxy that is not trusted hides its client.
        ("192.0.2.1", "203.0.113.1", 404),
        ("192.0.2.1", "192.0.2.1", 404),
        ("192.0.2.1", "", 404),
    ):
        assert ask(service, address, X_Forwarded_For=forwarded).status_int == status


def test_where_nobody_is_named_there_is_nothing(new_settings):
    service = Service("memory", new_settings("memory"))
    for address in ("127.0.0.1", "::1", "", None):
        assert ask(service, address).status_int == 404
    service.stop()


def test_answers_are_counted_by_their_status(service, monkeypatch):
    client = service.client()
    statuses = (200, 304, 400, 401, 405, 500)
    before = {status: count(service, status) for status in statuses}
    unknown = count(service, 404, "-")
    assert client.get("labels").status_int == 200
    assert client.get("labels", headers={"If-None-Match": "*"}).status_int == 304
    assert client.get("labels", limit=0).status_int == 400
    assert client.get("labels", headers={"Authorization": "Bearer x"}).status_int == 401
    assert client.get("nothing").status_int == 404
    assert service.web.post("/v1/api/labels", headers=client.headers, status="*").status_int == 405
    with monkeypatch.context() as patch:
        patch.setattr(MemoryData, "list_rows", lambda *arguments: 1 / 0)
        # A cached response would not need the storage.
        assert client.get("labels", limit=2).status_int == 500
    after = {status: count(service, status) for status in before}
    more = {status: after[status] - before[status] for status in before}
    assert more == dict.fromkeys(statuses, 1)
    assert count(service, 404, "-") - unknown == 1
    assert count(service, 200, PATH) > len(statuses)
    # A route is named by its pattern, and no label names a user or a token.
    assert client.get("labels/11111111-1111-4111-8111-111111111111").status_int == 404
    assert count(service, 404, "/v1/api/labels/{id}") == 1
    text = ask(service).text
    for secret in (client.token, client.token[:8], client.user.email, client.user.uuid):
        assert secret not in text


def count(service, status, route="/v1/api/labels"):
    return sample(service, "finance_api_request_seconds_count", route=route, status=status)


def test_what_the_service_decides_and_looks_for_is_counted(service):
    def figures():
        public = {"rule": "public"}
        token = {"credential": "token"}
        return [
            sample(service, "finance_api_ratelimit_decisions_total", decision="allowed", **public),
            sample(service, "finance_api_ratelimit_decisions_total", decision="refused", **public),
            sample(service, "finance_api_cache_lookups_total", result="hit"),
            sample(service, "finance_api_cache_lookups_total", result="miss"),
            sample(service, "finance_api_authentication_failures_total", **token, reason="absent"),
            sample(service, "finance_api_authentication_failures_total", **token, reason="invalid"),
            sample(service, "finance_api_users"),
            sample(service, "finance_api_revisions"),
        ]

    before = figures()
    client = service.client()
    client.load(label(name="one"))
    for _ in range(3):
        assert client.get("labels").status_int == 200
    assert client.get("labels", headers={"Authorization": ""}).status_int == 401
    assert client.get("labels", headers={"Authorization": "Bearer x"}).status_int == 401
    more = [after - earlier for after, earlier in zip(figures(), before, strict=True)]
    assert more == [3, 0, 2, 1, 1, 1, 1, 1]
    assert sample(service, "finance_api_cache_bytes") > 2_000
    assert sample(service, "finance_api_database_up") == 1
    assert sample(service, "finance_api_breaker_open", service="database") == 0


@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
def test_a_database_says_how_it_is_used(new_settings, kind):
    service = Service(kind, {**new_settings(kind), "finance_api.metrics.clients": "192.0.2.0/24"})
    client = service.client()
    client.load(label(name="one"))
    assert client.get("labels").status_int == 200
    for work in ("read", "write"):
        assert sample(service, "finance_api_database_seconds_sum", work=work) > 0
    # An import first decides in a unit of work that reads.
    assert sample(service, "finance_api_database_seconds_count", work="read") == 2
    assert sample(service, "finance_api_database_seconds_count", work="write") == 2
    connections = "finance_api_database_connections"
    assert sample(service, connections, pool="read", state="used") == 0
    assert sample(service, connections, pool="read", state="free") == 8
    assert sample(service, "finance_api_revisions") == 1
    assert sample(service, "finance_api_projection_version") > 0
    service.stop()


def test_decisions_without_the_shared_limiter_are_counted(new_settings):
    pytest.importorskip("redis")
    service = Service(
        "memory",
        {
            **new_settings("memory"),
            "finance_api.metrics.clients": "192.0.2.0/24",
            "finance_api.ratelimit.backend": "redis",
            # Nothing listens on the discard port.
            "finance_api.ratelimit.redis_url": "redis://127.0.0.1:9/0",
        },
    )
    client = service.client()
    for asked in range(1, 4):
        assert client.get("labels").status_int == 200
        assert sample(service, "finance_api_ratelimit_fallbacks_total") == asked
    service.stop()
