"""Proxy headers that clients forge: on each server alone, and behind nginx's sample.

The service trusts only the proxy, so the address that it counts, the scheme and the host are the
client's real ones.
"""

import http.client
from collections.abc import Iterator
from contextlib import ExitStack, closing
from dataclasses import dataclass
from email.message import Message
from typing import Any

import pytest

from support.nginx import HOST, Nginx, nginx
from support.nightly import count
from support.process import ServerProcess
from support.programs import free_port

LABELS, PAGE = "/v1/api/labels", "/settings/login"
#: Failed authentications of an address before it gets 429.
FAILURES = 3

Headers = list[tuple[str, str]]


def spellings(name: str) -> list[str]:
    """Return spellings of a header that are all the same header in CGI."""
    first, _, second = name.removeprefix("X-").partition("-")
    return [
        name,
        name.lower(),
        name.replace("-", "_"),
        name.lower().replace("-", "_"),
        f"X_{first}-{second}",
        f"X-{first}_{second}",
    ]


def forged(value: str, *names: str) -> list[Headers]:
    """Each spelling alone, two of them, and one twice."""
    found: list[Headers] = []
    for name in names:
        each = spellings(name)
        found += [[(spelling, value)] for spelling in each]
        found += [[(name, value), (name, value)], [(name, value), (each[2], value)]]
        found += [[(each[2], value), (name, "")]]
    return found


ADDRESSES = [
    *forged("127.0.0.9", "X-Forwarded-For"),
    *forged("127.0.0.9, 127.0.0.1", "X-Forwarded-For"),
    [("X-Real-IP", "127.0.0.9")],
    [("X-Client-IP", "127.0.0.9")],
    [("Forwarded", "for=127.0.0.9")],
    [("Forwarded", "for=127.0.0.9"), ("X-Forwarded-For", "127.0.0.9")],
    [("X-Forwarded-By", "127.0.0.9")],
]


def schemes(scheme: str, port: str) -> list[Headers]:
    return [
        *forged(scheme, "X-Forwarded-Proto", "X-Forwarded-Scheme", "X-Url-Scheme"),
        *forged(port, "X-Forwarded-Port"),
        [("Forwarded", f"proto={scheme}")],
        [("Front-End-Https", "on" if scheme == "https" else "off")],
        [("X-Forwarded-Ssl", "on" if scheme == "https" else "off")],
    ]


HOSTS = [
    *forged("evil.example", "X-Forwarded-Host", "X-Forwarded-Server", "X-Original-Host"),
    [("Forwarded", "host=evil.example")],
    [("X-Host", "evil.example")],
    [("X-Original-URL", "/evil.example")],
]


@dataclass
class Answer:
    status: int
    headers: Message
    body: bytes


@dataclass
class Place:
    """One server, alone or behind nginx. proxy: None if it is alone."""

    server: ServerProcess
    proxy: Nginx | None

    def get(self, path: str, source: str, headers: Headers, host: str = HOST) -> Answer:
        """source: the address of the client, one of this machine's."""
        options: dict[str, Any] = {"timeout": 60, "source_address": (source, 0)}
        connection: http.client.HTTPConnection
        if self.proxy is None:
            connection = http.client.HTTPConnection("127.0.0.1", self.server.port, **options)
        else:
            options["context"] = self.proxy.tls
            connection = http.client.HTTPSConnection("127.0.0.1", self.proxy.port, **options)
        with closing(connection):
            connection.putrequest("GET", path, skip_host=True, skip_accept_encoding=True)
            for name, value in [("Host", host), *headers]:
                connection.putheader(name, value)
            connection.endheaders()
            response = connection.getresponse()
            return Answer(response.status, response.headers, response.read())


#: Server and place -> its ini file. By day, each server in one of the two places.
INI_FILES = count(
    {"waitress alone": "development.ini", "granian behind nginx": "production.ini"},
    {
        f"{server} {where}": ini
        for server, ini in (("waitress", "development.ini"), ("granian", "production.ini"))
        for where in ("alone", "behind nginx")
    },
)


@pytest.fixture(scope="module", params=INI_FILES)
def place(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Place]:
    with ExitStack() as stack:
        port = free_port()
        proxy = None
        if "nginx" in request.param:
            proxy = stack.enter_context(nginx([port, free_port()]))
        settings = {
            "finance_api.storage": "memory",
            "finance_api.jwt.keys": "",
            "finance_api.allowed_hosts": HOST,
            "finance_api.require_https": "false",
            # A server without nginx trusts only a proxy at another address.
            "finance_api.trusted_proxies": "127.0.0.1" if proxy else "192.0.2.1",
            "finance_api.metrics.clients": "127.0.0.0/8",
            "finance_api.ratelimit.failed_auth": f"{FAILURES}/day",
        }
        directory = tmp_path_factory.mktemp("forwarded")
        ini = INI_FILES[request.param]
        server = ServerProcess(directory, ini=ini, settings=settings, port=port)
        try:
            yield Place(server.wait(), proxy)
        finally:
            assert server.stop() == 0, server.said


def test_the_address_that_is_counted_is_the_clients(place: Place) -> None:
    wrong = ("Authorization", "Bearer x")
    for source in ("127.0.0.2", "127.0.0.3"):
        statuses = [place.get(LABELS, source, [wrong]).status for _ in range(FAILURES + 1)]
        assert statuses == [401] * FAILURES + [429]
    for headers in ADDRESSES:
        assert (headers, place.get(LABELS, "127.0.0.2", [wrong, *headers]).status) == (headers, 429)
    assert place.get(LABELS, "127.0.0.9", [wrong]).status == 401
    assert "127.0.0.2 GET /v1/api/labels 429" in place.server.said
    assert "127.0.0.9 GET /v1/api/labels 429" not in place.server.said


def is_https(answer: Answer) -> bool:
    """Whether the service considers the connection encrypted."""
    secure = "; secure" in answer.headers["Set-Cookie"].lower()
    assert secure == ("Strict-Transport-Security" in answer.headers)
    return secure


def test_the_scheme_is_that_of_the_connection(place: Place) -> None:
    https = place.proxy is not None
    assert is_https(place.get(PAGE, "127.0.0.2", [])) is https
    for headers in schemes("http", "80") if https else schemes("https", "443"):
        answer = place.get(PAGE, "127.0.0.2", headers)
        assert (headers, is_https(answer)) == (headers, https)


def test_the_host_is_the_one_that_was_asked_for(place: Place) -> None:
    for headers in HOSTS:
        answer = place.get(PAGE, "127.0.0.2", headers)
        assert (headers, answer.status) == (headers, 200)
        assert b"evil" not in answer.body + bytes(str(answer.headers), "utf-8")
        assert place.get(PAGE, "127.0.0.2", headers, host="evil.example").status == 400
    for twice in ([("Host", "evil.example")], [("host", "evil.example")]):
        answer = place.get(PAGE, "127.0.0.2", twice, host=HOST)
        assert b"evil" not in answer.body + bytes(str(answer.headers), "utf-8")


def test_metrics_are_for_clients_of_this_machine_and_not_of_its_proxies(place: Place) -> None:
    assert place.get("/__metrics__", "127.0.0.2", []).status == 200
    if place.proxy is None:
        for address in ("203.0.113.9", "127.0.0.2"):
            sent = [("X-Forwarded-For", address)]
            assert place.get("/__metrics__", "127.0.0.2", sent).status == 404
