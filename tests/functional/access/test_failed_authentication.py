"""Guessing tokens: limited for each client address, and refused without a query."""

import itertools
from types import SimpleNamespace

import pytest

from finance_api.auth.personal_tokens import new_token
from finance_api.storage.errors import StorageUnavailable
from finance_api.storage.interface import Token
from support.service import USUAL_LIMITS, Service

TRUSTED = "10.0.0.0/8 2001:db8:ffff::/48 127.0.0.1"
ATTEMPTS = 30

#: Every test uses addresses of its own, because the counts of an address outlast a test.
_networks = itertools.count(1)


@pytest.fixture(scope="module")
def shared():
    settings = {
        "finance_api.storage": "memory",
        "finance_api.trusted_proxies": TRUSTED,
        **USUAL_LIMITS,
    }
    service = Service("memory", settings)
    yield service
    service.stop()


@pytest.fixture
def service(shared):
    shared.clock.set("2026-03-18T12:00:00Z")
    return shared


@pytest.fixture
def net():
    """The first three numbers of IPv4 addresses that no other test has."""
    number = next(_networks)
    return f"198.{51 + number // 256}.{number % 256}"


@pytest.fixture
def net6():
    """The first three groups of IPv6 addresses that no other test has."""
    return f"2001:db8:{next(_networks):x}"


def status(service, address, token="x", *, forwarded=None, path="/v1/api/records"):
    return ask(service, address, token, forwarded=forwarded, path=path).status_int


def ask(service, address, token="x", *, forwarded=None, path="/v1/api/records"):
    """address: of the peer of the connection. token: None sends none."""
    headers = {} if token is None else {"Authorization": f"Bearer {token}"}
    if forwarded is not None:
        headers["X-Forwarded-For"] = forwarded
    environ = {} if address is None else {"REMOTE_ADDR": address}
    return service.web.get(path, headers=headers, extra_environ=environ, status="*")


def exhaust(service, address, *, forwarded=None):
    statuses = [status(service, address, forwarded=forwarded) for _ in range(ATTEMPTS + 1)]
    assert statuses == [401] * ATTEMPTS + [429]


# -- how many ----------------------------------------------------------------------------------


def test_the_31st_failure_of_a_minute_is_429_whatever_is_sent(service, net):
    address = f"{net}.1"
    tokens = [None, "x", new_token(), "fin_", "a.b.c"]
    for token, _ in zip(itertools.cycle(tokens), range(ATTEMPTS), strict=False):
        assert status(service, address, token) == 401
    for token in tokens:
        for path in ("/v1/api/records", "/v1/api/nothing", "/v1/api/records?access_token=x"):
            assert status(service, address, token, path=path) == 429


def test_the_429_of_a_guesser_says_when_to_come_back(service, net):
    address = f"{net}.1"
    exhaust(service, address)
    response = ask(service, address)
    assert response.headers["Content-Type"] == "application/problem+json"
    assert response.headers["Retry-After"] == "2"
    assert "2 seconds" in response.json["detail"]
    assert response.json["error"] == response.json["detail"]
    assert "WWW-Authenticate" not in response.headers
    assert address not in response.text + str(response.headers)
    service.clock.advance(1)
    assert status(service, address) == 429
    service.clock.advance(1)
    assert [status(service, address) for _ in range(2)] == [401, 429]
    service.clock.advance(60)
    exhaust(service, address)


def test_a_valid_token_passes_from_an_address_that_may_no_longer_guess(service, net):
    client = service.client()
    address = f"{net}.1"
    exhaust(service, address)
    for _ in range(40):
        assert status(service, address, client.token) == 200
    jwt = service.jwt(client.user)
    assert status(service, address, jwt, path="/internal/v1/get-records") == 200
    assert status(service, address) == 429


def test_requests_with_a_valid_token_are_no_failures(service, net):
    poor = service.client(premium=False)
    for path, expected in (
        ("/v1/api/records", 403),
        ("/v1/api/nothing", 404),
        ("/v1/api/records?limit=0", 403),
    ):
        for _ in range(ATTEMPTS):
            assert status(service, f"{net}.1", poor.token, path=path) == expected
    exhaust(service, f"{net}.1")


def test_both_surfaces_share_the_failures_of_an_address(service, net):
    paths = ("/v1/api/records", "/internal/v1/get-records")
    for path, _ in zip(itertools.cycle(paths), range(ATTEMPTS), strict=False):
        assert status(service, f"{net}.1", path=path) == 401
    assert [status(service, f"{net}.1", path=path) for path in paths] == [429, 429]


def test_a_token_of_the_other_surface_is_a_failure(service, net):
    client = service.client()
    jwt = service.jwt(client.user)
    for _ in range(ATTEMPTS // 2):
        assert status(service, f"{net}.1", jwt) == 401
        assert status(service, f"{net}.1", client.token, path="/internal/v1/get-docs") == 401
    assert status(service, f"{net}.1", jwt) == 429
    assert status(service, f"{net}.1", client.token) == 200


def test_revoked_and_expired_tokens_are_failures_too(service, net):
    client = service.client(expires_in_days=1)
    (token,) = service.change(lambda s: s.users.list_owned(Token, client.user.id))
    service.change(lambda s: s.users.revoke(Token, token.id, service.clock.now()))
    expired = service.client(expires_in_days=1)
    service.clock.advance(86_400)
    for _ in range(ATTEMPTS // 2):
        assert status(service, f"{net}.1", client.token) == 401
        assert status(service, f"{net}.1", expired.token) == 401
    assert status(service, f"{net}.1", expired.token) == 429


def test_a_token_in_the_query_is_a_failure_too(service, net):
    path = "/v1/api/records?access_token=x"
    answers = [status(service, f"{net}.1", None, path=path) for _ in range(ATTEMPTS + 1)]
    assert answers == [400] * ATTEMPTS + [429]


def test_paths_of_no_surface_are_neither_counted_nor_refused(service, net):
    for path in ("/nothing", "/v1/apiary", "/v1/ap", "/internal/v2/x", "/__metrics__"):
        for _ in range(ATTEMPTS):
            assert status(service, f"{net}.1", path=path) == 404
    exhaust(service, f"{net}.1")
    assert status(service, f"{net}.1", path="/nothing") == 404
    assert status(service, f"{net}.1", path="/__lbheartbeat__") == 200


def test_head_and_post_count_like_get(service, net):
    def by(method):
        return service.web.request(
            "/v1/api/records",
            method=method,
            environ={"REMOTE_ADDR": f"{net}.1"},
            expect_errors=True,
        ).status_int

    methods = itertools.cycle(["HEAD", "POST", "DELETE", "OPTIONS", "GET"])
    assert [by(next(methods)) for _ in range(ATTEMPTS + 5)] == [401] * ATTEMPTS + [429] * 5


# -- whose -------------------------------------------------------------------------------------


def test_every_ipv4_address_has_attempts_of_its_own(service, net):
    exhaust(service, f"{net}.1")
    assert status(service, f"{net}.2") == 401


def test_an_ipv6_network_of_64_bits_is_one_client(service, net6):
    exhaust(service, f"{net6}:1::1")
    for same in (f"{net6}:1:ffff:ffff:ffff:ffff", f"{net6}:1:8000::"):
        assert status(service, same) == 429
    for other in (f"{net6}:2::1", f"{net6}::1", f"{net6}:11::1"):
        assert status(service, other) == 401


def test_without_an_address_there_is_still_a_limit(service):
    assert "REMOTE_ADDR" not in service.web.extra_environ
    statuses = [status(service, "") for _ in range(ATTEMPTS + 1)]
    assert statuses == [401] * ATTEMPTS + [429]
    assert status(service, None) == 429
    assert status(service, None, forwarded="198.51.100.7") == 429
    # The server calls the peer of a socket without addresses localhost.
    assert status(service, "localhost") == 429
    client = service.client()
    assert status(service, "", client.token) == 200


# -- behind a proxy ----------------------------------------------------------------------------


def test_nobody_but_a_trusted_proxy_says_who_asks(service, net):
    stranger = f"{net}.1"
    statuses = [
        status(service, stranger, forwarded=f"203.0.113.{n % 256}") for n in range(ATTEMPTS + 1)
    ]
    assert statuses == [401] * ATTEMPTS + [429]
    for forwarded in ("10.0.0.1", "127.0.0.1, 10.0.0.1", "", "x"):
        assert status(service, stranger, forwarded=forwarded) == 429


def test_a_trusted_proxy_says_who_asks(service, net):
    for proxy in ("10.1.2.3", "::ffff:10.1.2.3", "2001:db8:ffff::1", "127.0.0.1", "10.1.2.3:80"):
        client = f"{net}.{len(proxy)}"
        exhaust(service, proxy, forwarded=client)
        assert status(service, client) == 429
        assert status(service, "10.9.9.9", forwarded=client) == 429
        assert status(service, proxy, forwarded=f"{net}.200") == 401


# -- without the storage -----------------------------------------------------------------------


@pytest.fixture
def no_storage(service, monkeypatch):
    """The storage must not be asked for anything."""
    asked = []

    def away(*arguments, **options):
        asked.append(arguments)
        raise StorageUnavailable("away")

    monkeypatch.setattr(service.backend, "read", away)
    return asked


def test_what_is_no_token_never_reaches_the_storage(service, net, no_storage):
    token = new_token()
    for text in ("", "x", "fin_", token.upper(), f"{token} {token}", token + "=", "9" * 9_000):
        assert status(service, f"{net}.1", text) == 401
    assert status(service, f"{net}.1", None) == 401
    assert no_storage == []
    assert status(service, f"{net}.1", token) == 503
    assert len(no_storage) == 1


def test_a_jwt_that_is_not_signed_here_never_reaches_the_storage(service, net, no_storage):
    client_jwt = service.jwt(_nobody(), jti="one")
    head, claims, signature = client_jwt.split(".")
    flipped = ("A" if signature[0] != "A" else "B") + signature[1:]
    for text in (
        "x",
        "a.b.c",
        "..",
        f"{head}.{claims}",
        f"{head}.{claims}.",
        f"{head}.{claims}.{flipped}",
        f"{head}.{claims}.{signature}A",
        f"{head}.{claims[:-2]}.{signature}",
        f"{claims}.{head}.{signature}",
        f"eyJhbGciOiJub25lIn0.{claims}.",
        f"eyJhbGciOiJub25lIn0.{claims}.AA",
        service.jwt(_nobody(), issued_at=0, expires_at=1),
        service.jwt(_nobody(), jti=""),
        new_token(),
    ):
        assert status(service, f"{net}.1", text, path="/internal/v1/get-records") == 401
    assert no_storage == []
    assert status(service, f"{net}.1", client_jwt, path="/internal/v1/get-records") == 503
    assert len(no_storage) == 1


def _nobody():
    return SimpleNamespace(uuid="00000000-0000-4000-8000-000000000000")


def test_a_guesser_who_is_refused_learns_nothing_about_a_token(service, net):
    client = service.client()
    revoked = service.client()
    (token,) = service.change(lambda s: s.users.list_owned(Token, revoked.user.id))
    service.change(lambda s: s.users.revoke(Token, token.id, service.clock.now()))
    exhaust(service, f"{net}.1")
    bodies = {
        ask(service, f"{net}.1", text).text for text in ("x", new_token(), revoked.token, None)
    }
    assert len(bodies) == 1
    assert status(service, f"{net}.1", client.token) == 200
