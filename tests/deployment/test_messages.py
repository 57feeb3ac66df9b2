"""A18 and F10: ambiguous and oversized requests that reach the service through nginx."""

import gzip
import re
import socket
from concurrent.futures import ThreadPoolExecutor

import pytest
from redis import Redis

from support.deployment import HSTS, LABELS, Answer, Site, split_answers
from support.nginx import HOST
from support.raw_http import AMBIGUOUS, CORPORA, CORPUS, TAKEN, message

KIB = 1024
#: Messages that nginx reads in only one way, and forwards in its own words, a body with a length:
#: the service never sees anything ambiguous.
REWRITTEN = {
    "no colon": "the line is dropped",
    "bare LF between headers": "a line may end so",
    "two blanks": "blanks in the request line",
    "blank at the end": "blanks in the request line",
    "blank after the chunk size": "chunks",
    "LF after the chunk size": "chunks",
    "empty extension": "chunks",
    "chunk too short": "a chunk may end with a bare LF",
    "length as a trailer": "trailers are dropped",
    "folded trailer": "trailers are dropped",
}
CORPUS_REWRITTEN = {
    "041.http": "two headers Content-Type",
    "rfc9110_field_value_ctl_del_01.http": "refused by granian",
    "rfc9110_trailer_forbidden_cl_01.http": "trailers are dropped",
    "rfc9110_trailer_forbidden_te_01.http": "trailers are dropped",
    "rfc9112_chunked_missing_final_crlf_01.http": "what follows is taken for trailers",
}
#: Messages that are understood, and that the service refuses for the host or the missing token.
UNDERSTOOD = {
    "host with a user",
    "DEL in a header",
    "only LF",
    "other host in the target",
    "other scheme in the target",
}


def of_a_user(raw: bytes, token: str) -> bytes:
    """Turn a message of the collection into a request for the user's data."""
    for old, new in {
        b"POST /x": f"GET {LABELS}".encode(),
        b" /x": f" {LABELS}".encode(),
        b"Host: x\r\n": f"Host: {HOST}\r\n".encode(),
    }.items():
        raw = raw.replace(old, new)
    return raw.replace(b"\r\n\r\n", f"\r\nAuthorization: Bearer {token}\r\n\r\n".encode(), 1)


def hidden(number: int) -> bytes:
    """Return a second request, which ends the connection; twice, in case a message swallows one."""
    line = f"GET /hidden-{number} HTTP/1.1\r\nHost: {HOST}\r\nConnection: close\r\n\r\n"
    return line.encode() * 2


def seen(site: Site, path: str) -> int:
    """Return how many requests for a path the service has logged."""
    text = "".join(server.said for server in (*site.running, *site.ended))
    return len(re.findall(rf"finance_api\.access \S+ \S+ \S+ {re.escape(path)} ", text))


def test_a18_no_ambiguous_message_reaches_data(served: Site) -> None:
    # The guard: nginx. For granian alone "length and coding" is one request, for waitress two.
    client = served.client()

    def exchange(number: int) -> list[Answer]:
        raw = list(AMBIGUOUS.values())[number]
        return served.exchange(of_a_user(raw, client.token) + hidden(number))

    with ThreadPoolExecutor(16) as pool:
        answered = dict(zip(AMBIGUOUS, pool.map(exchange, range(len(AMBIGUOUS))), strict=True))
    for number, (name, answers) in enumerate(answered.items()):
        statuses = [answer.status for answer in answers]
        # The service has seen the second request if, and only if, nginx treated it as one.
        assert seen(served, f"/hidden-{number}") == statuses[1:].count(404), name
        if name in REWRITTEN:
            assert statuses == [200, 404], name
            client.check(answers[0])
        elif name in UNDERSTOOD:
            assert statuses == [400, 404], name
        else:
            assert len(answers) == 1 and 400 <= statuses[0] <= 505, (name, statuses)
            assert answers[0].headers["connection"] == "close", name
            assert answers[0].json["status"] == statuses[0], name


@pytest.mark.skipif(not CORPUS, reason=f"there is no corpus in {CORPORA}")
def test_a18_raw_requests_of_another_project(served: Site) -> None:
    def exchange(number: int) -> list[Answer]:
        return served.exchange(message(CORPUS[number]) + hidden(1000 + number))

    with ThreadPoolExecutor(32) as pool:
        answered = list(pool.map(exchange, range(len(CORPUS))))
    for number, (path, answers) in enumerate(zip(CORPUS, answered, strict=True)):
        statuses = [answer.status for answer in answers]
        assert not any(status >= 500 and status not in (501, 505) for status in statuses), path
        assert seen(served, f"/hidden-{1000 + number}") == statuses[1:].count(404), path
        # No response has data: the service sends 400 for messages that nginx accepts. Only the
        # index may be read, by HTTP/1.0 requests without a host.
        assert statuses, path
        index = [answer for answer in answers if answer.status < 400]
        assert all(answer.json["name"] == "finance-api" for answer in index), path
        assert not index or message(path).startswith(b"GET / HTTP/1.0"), path
        if path.parent.name == "invalid" and path.name not in {*TAKEN, *CORPUS_REWRITTEN}:
            assert len(statuses) == 1, path


# -- sizes


def get(target: str, fields: str) -> bytes:
    head = f"GET {target} HTTP/1.1\r\nHost: {HOST}\r\nConnection: close\r\n{fields}\r\n"
    return head.encode()


def post(size: int, fields: str = "", body: bytes | None = None) -> bytes:
    head = (
        f"POST /settings/login HTTP/1.1\r\nHost: {HOST}\r\nConnection: close\r\n{fields}"
        f"Content-Type: application/x-www-form-urlencoded\r\nContent-Length: {size}\r\n\r\n"
    )
    return head.encode() + (b"b" * size if body is None else body)


def lines(number: int) -> str:
    return "".join(f"X-{n}: y\r\n" for n in range(number))


def chunked(size: int) -> bytes:
    head = f"POST /settings/login HTTP/1.1\r\nHost: {HOST}\r\nConnection: close\r\n"
    head += "Content-Type: application/x-www-form-urlencoded\r\n"
    chunk = f"Transfer-Encoding: chunked\r\n\r\n{size:x}\r\n"
    return (head + chunk).encode() + b"b" * size + b"\r\n0\r\n\r\n"


def target(size: int) -> str:
    return f"{LABELS}?name=".ljust(size, "a")


#: Each status, and the request. The service and nginx refuse requests in their own words.
SIZES = {
    # An operand of more than 256 characters is a fault, but not one of the URL's length.
    "target of 8 KiB": (400, lambda user: get(target(8 * KIB), user)),
    "target of 8 KiB + 1": (414, lambda user: get(target(8 * KIB + 1), user)),
    "target of 21 KiB": (414, lambda user: get(target(21 * KIB), user)),
    "endless target": (414, lambda user: b"GET /" + b"t" * 100 * KIB),
    "headers of 15 KiB": (200, lambda user: get(LABELS, f"{user}X: {'p' * 15 * KIB}\r\n")),
    "headers of 16 KiB + 1": (431, lambda user: get(LABELS, f"{user}X: {'p' * 16 * KIB}\r\n")),
    "headers of 21 KiB": (431, lambda user: get(LABELS, f"{user}X: {'p' * 21 * KIB}\r\n")),
    "many long headers": (
        431,
        lambda user: get(LABELS, user + "".join(f"X-{n}: {'p' * KIB}\r\n" for n in range(80))),
    ),
    "90 headers": (200, lambda user: get(LABELS, user + lines(86))),
    "101 headers": (431, lambda user: get(LABELS, user + lines(97))),
    "100 parameters": (400, lambda user: get(f"{LABELS}?{'&'.join(['x=1'] * 100)}", user)),
    "101 parameters": (400, lambda user: get(f"{LABELS}?{'&'.join(['x=1'] * 101)}", user)),
    "body of 64 KiB": (403, lambda user: post(64 * KIB)),
    "body of 64 KiB + 1": (413, lambda user: post(64 * KIB + 1)),
    "body of 128 KiB + 1": (413, lambda user: post(128 * KIB + 1)),
    "chunked body of 64 KiB": (403, lambda user: chunked(64 * KIB)),
    "chunked body of 64 KiB + 1": (413, lambda user: chunked(64 * KIB + 1)),
    "length of 40 digits": (
        400,
        lambda user: post(0, body=b"").replace(b"h: 0", b"h: " + b"9" * 40),
    ),
    "compressed body": (403, lambda user: post(len(BOMB), "Content-Encoding: gzip\r\n", BOMB)),
    "token of 9 MB": (
        431,
        lambda user: get(LABELS, f"Authorization: Bearer {'t' * 9_000_000}\r\n"),
    ),
}
BOMB = gzip.compress(b"a=" + b"0" * 50_000_000)


def test_f10_sizes_are_refused_at_their_edges(served: Site) -> None:
    # The guard: the limits in finance_api.http.tweens and, above them, those in deploy/nginx.conf.
    user = f"Authorization: Bearer {served.client().token}\r\n"
    assert len(BOMB) < 64 * KIB
    before = served.memory_bytes()
    for name, (status, raw) in SIZES.items():
        (answer,) = served.exchange(raw(user))
        assert answer.status == status, name
        if name == "101 headers":
            # granian's own response, without a body: nginx adds three headers to the client's.
            continue
        if status >= 400 and status != 403:
            assert answer.headers["content-type"] == "application/problem+json", name
            assert answer.json["status"] == status
        assert re.fullmatch("[0-9a-f]{32}", answer.headers["x-request-id"]), name
        assert answer.headers["server"] == "nginx"
    assert served.memory_bytes() - before < 20_000_000


def test_errors_of_nginx_itself_are_problem_documents(served: Site) -> None:
    (answer,) = served.exchange(b"GET / HTTP/1.1\r\n\r\n")
    assert answer.status == 400
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.headers["cache-control"] == "no-store"
    # nginx' own responses once lacked this header.
    assert answer.headers["strict-transport-security"] == HSTS
    assert answer.json == {
        "type": "about:blank",
        "title": "Bad Request",
        "status": 400,
        "detail": answer.json["error"],
        "error": answer.json["detail"],
    }
    (internal,) = served.exchange(get("/.problem", ""))
    assert (internal.status, internal.json["title"]) == (404, "Not Found")


def test_plain_http_is_refused_and_not_led_on(served: Site) -> None:
    for port, status in ((served.nginx.plain_port, 403), (served.nginx.port, 400)):
        with socket.create_connection(("127.0.0.1", port), timeout=60) as connection:
            connection.sendall(get(LABELS, ""))
            raw = b"".join(iter(lambda: connection.recv(65536), b""))
        (answer,) = split_answers(raw)
        assert answer.status == answer.json["status"] == status
        assert answer.headers["content-type"] == "application/problem+json"
        assert not {"location", "strict-transport-security"} & set(answer.headers)


def test_the_service_sees_the_client_that_nginx_saw(served: Site, redis_url: str) -> None:
    """An address that fails too often is refused, whatever headers it sends."""
    with Redis.from_url(redis_url) as redis:
        # Other tests have failed from this address, too.
        redis.flushall()
    # The guards: "underscores_in_headers off" and "proxy_set_header X-Forwarded-For".
    statuses = []
    for number in range(40):
        name = ("X-Forwarded-For", "X_Forwarded_For", "x-forwarded_for")[number % 3]
        fields = f"Authorization: Bearer x\r\n{name}: 192.0.2.{number}\r\n"
        (answer,) = served.exchange(get(LABELS, fields))
        statuses.append(answer.status)
    assert set(statuses) == {401, 429}
    assert statuses.count(401) <= 35
