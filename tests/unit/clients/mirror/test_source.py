"""Requests of a mirror, to a small server that sends the responses of a test."""

import gzip
import threading
import time
import tracemalloc
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

from finance_api.clients.mirror import source as source_module
from finance_api.clients.mirror.source import Source, SourceError, StartOver

PAGE = b'{"changes":[],"next":"1.a","hasMore":false,"revision":1}'


@pytest.fixture
def service():
    """Return a function that takes answers (status, headers, body) and returns a source."""
    servers = []

    def answering(*answers):
        left = list(answers)

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self):
                source.asked.append((self.path, self.headers["Authorization"]))
                status, headers, body = left.pop(0) if len(left) > 1 else left[0]
                self.send_response(status)
                for name, value in headers.items():
                    self.send_header(name, value)
                self.end_headers()
                if callable(body):
                    body(self.wfile)
                else:
                    self.wfile.write(body)

            def log_message(self, *_):
                pass

        server = HTTPServer(("127.0.0.1", 0), Handler)
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        servers.append((server, thread))
        source = Asking(f"http://127.0.0.1:{server.server_port}")
        return source

    yield answering
    for server, thread in servers:
        server.shutdown()
        thread.join()
        server.server_close()


class Asking(Source):
    """A source that records. said: messages. waited: seconds. asked: path and token of each
    request.
    """

    def __init__(self, base):
        said, waited, asked = [], [], []
        super().__init__(base, "fin_1", said.append, waited.append)
        for name, value in {"said": said, "waited": waited, "asked": asked}.items():
            object.__setattr__(self, name, value)


def problem(status, detail, **headers):
    return status, headers, b'{"detail":"%b"}' % detail.encode()


def test_a_page_may_be_compressed(service):
    packed = (200, {"Content-Encoding": "gzip"}, gzip.compress(PAGE))
    source = service((200, {}, PAGE), packed)
    assert [source.read_page("0"), source.read_page("1.a")] == [PAGE, PAGE]
    assert source.asked == [
        (f"/v1/api/changes?since={since}&limit=1000", "Bearer fin_1") for since in ("0", "1.a")
    ]


def test_it_waits_as_long_as_the_limits_say(service):
    refused, down = (problem(status, "", **{"Retry-After": "7"}) for status in (429, 503))
    source = service(refused, down, (200, {}, PAGE))
    assert source.read_page("0") == PAGE
    assert source.waited == [7, 7]
    assert source.said == [f"waiting 7 seconds: {source.base} limits requests"] * 2


def test_it_gives_up_after_20_tries(service):
    source = service(problem(429, "", **{"Retry-After": "1"}))
    with pytest.raises(SourceError, match="still refuses after 20 tries"):
        source.read_page("0")
    assert source.waited == [1] * 20


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (problem(401, "No such token."), "401: No such token; create a personal token"),
        (problem(403, "No access."), "403: No access; the token in FINANCE_TOKEN may not"),
        (problem(503, "Later."), "503: Later."),
        (problem(429, "Tomorrow.", **{"Retry-After": "86400"}), "429: Tomorrow."),
        (problem(429, "Never.", **{"Retry-After": "9" * 5_000}), "429: Never."),
        ((404, {}, b"<html>"), "404: is this the address of finance_api?"),
    ],
)
def test_a_refusal_is_repeated(service, answer, message):
    with pytest.raises(SourceError) as caught:
        service(answer).read_page("0")
    assert message in str(caught.value)


def test_a_redirect_is_not_followed_since_it_would_take_the_token_along(service):
    other = service((200, {}, PAGE))
    source = service((302, {"Location": f"{other.base}/v1/api/changes"}, b""))
    with pytest.raises(SourceError, match="302"):
        source.read_page("0")
    assert other.asked == []


def test_410_means_to_start_over(service):
    with pytest.raises(StartOver):
        service(problem(410, "")).read_page("5")


def test_an_address_without_a_service_is_named():
    source = Asking("http://127.0.0.1:9")
    with pytest.raises(SourceError, match=r"http://127.0.0.1:9 does not respond: .*refused"):
        source.read_page("0")


# -- what a service sends that means harm -------------------------------------------------------


def many(parts, part, pause=0.0):
    """Return a body of many parts, sent for as long as somebody reads it."""

    def write(file):
        with suppress(OSError):
            for _ in range(parts):
                file.write(part)
                time.sleep(pause)

    return write


def test_a_body_without_an_end_is_refused(service, monkeypatch):
    monkeypatch.setattr(source_module, "MAX_PAGE_BYTES", 2**20)
    with pytest.raises(SourceError, match="a page has more than 1 MB"):
        service((200, {}, many(10_000, b" " * 2**16))).read_page("0")


def test_a_small_body_that_unpacks_to_a_large_one_is_refused(service, monkeypatch):
    monkeypatch.setattr(source_module, "MAX_PAGE_BYTES", 2**20)
    bomb = gzip.compress(bytes(2**26))
    tracemalloc.start()
    with pytest.raises(SourceError, match="a page has more than 1 MB"):
        service((200, {"Content-Encoding": "gzip"}, bomb)).read_page("0")
    assert tracemalloc.get_traced_memory()[1] < 2**23
    tracemalloc.stop()


def test_a_body_that_trickles_in_ends_at_the_time_limit(service, monkeypatch):
    monkeypatch.setattr(source_module, "_SECONDS", 0.3)
    with pytest.raises(SourceError, match="sends no page in"):
        service((200, {}, many(20, b" ", pause=0.05))).read_page("0")


@pytest.mark.parametrize("body", [b"{", gzip.compress(b"{}", mtime=0)[:-4], b"not gzip"])
def test_a_damaged_packed_body_is_refused(service, body):
    with pytest.raises(SourceError):
        service((200, {"Content-Encoding": "gzip"}, body)).read_page("0")


def test_a_problem_that_is_too_deep_is_no_traceback(service):
    with pytest.raises(SourceError, match="500: is this the address"):
        service((500, {}, b"[" * 60_000)).read_page("0")
