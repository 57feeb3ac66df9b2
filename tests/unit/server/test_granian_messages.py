"""What granian makes of messages: the same as waitress, but for what is listed here."""

import http.client
import json

import pytest

from support.raw_http import AMBIGUOUS, CORPORA, CORPUS, HIDDEN, TAKEN, message

# Neither of one nor of the other, or different with each answer.
OF_THE_SERVER = {"connection", "date", "server", "x-request-id"}
START = b" HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
KIB = 1024


SAME = {
    "plain": b"GET /a" + START + b"\r\n",
    "empty query": b"GET /a?" + START + b"\r\n",
    "queries": b"GET /a?b=c+d%2B%20&e=%ff&f=%zz&g=?/" + START + b"\r\n",
    "bytes in the path": b"GET /a/%ff%2F%2e%00" + START + b"\r\n",
    "malformed percent": b"GET /a/%zz%1" + START + b"\r\n",
    "slashes at the start": b"GET ///a//b" + START + b"\r\n",
    "dots": b"GET /a/../b/./c" + START + b"\r\n",
    "fragment": b"GET /a?b#c" + START + b"\r\n",
    "whole URL": b"GET http://localhost/a?b=c" + START + b"\r\n",
    "URL without a path": b"GET http://localhost" + START + b"\r\n",
    "OPTIONS of everything": b"OPTIONS *" + START + b"\r\n",
    "HTTP/1.0": b"GET /a HTTP/1.0\r\n\r\n",
    "HTTP/1.0 with a host": b"GET /a HTTP/1.0\r\nHost: localhost\r\n\r\n",
    "blanks around values": b"GET /a" + START + b"X:   b c  \r\nY:\r\nZ: \t \r\n\r\n",
    "type": b"GET /a" + START + b"Content-Type: text/plain; charset=x\r\n\r\n",
    "body": b"POST /a" + START + b"Content-Length: 5\r\n\r\nhello",
    "empty body": b"POST /a" + START + b"Content-Length: 0\r\n\r\n",
    "body of 64 KiB": b"POST /a" + START + b"Content-Length: 65536\r\n\r\n" + b"b" * 64 * KIB,
    "body of 64 KiB + 1": b"POST /a" + START + b"Content-Length: 65537\r\n\r\n",
    "Proxy": b"GET /a" + START + b"Proxy: http://x\r\n\r\n",
    "lines before": b"\r\n\r\nGET /a" + START + b"\r\n",
    "failure": b"GET /boom" + START + b"\r\n",
    "exit": b"GET /exit" + START + b"\r\n",
    "failure of the system": b"GET /oserror" + START + b"\r\n",
    "query that is not ASCII": b"GET /a?b=\xc3\xa9" + START + b"\r\n",
}


def comparable(answer):
    headers = {k: v for k, v in answer.headers.items() if k not in OF_THE_SERVER}
    return answer.status, headers, answer.body


@pytest.mark.parametrize("raw", SAME.values(), ids=SAME.keys())
def test_both_servers_answer_the_same(server, granian, raw):
    (of_waitress,) = server.exchange(raw)
    (of_granian,) = granian.ask(raw)
    assert comparable(of_granian) == comparable(of_waitress)


def test_both_servers_answer_the_same_to_head(server, granian):
    raw = b"HEAD /a" + START + b"\r\n"
    (of_waitress,) = server.exchange(raw, bodiless=True)
    (of_granian,) = granian.ask(raw, bodiless=True)
    assert comparable(of_granian) == comparable(of_waitress)
    assert int(of_granian.headers["content-length"]) > 0


def test_the_environ_is_that_of_pep_3333(granian):
    environ = granian.ask(b"GET /environ?a" + START + b"\r\n")[0].json
    assert environ["PATH_INFO"] == "/environ"
    assert environ["SCRIPT_NAME"] == ""
    assert environ["QUERY_STRING"] == "a"
    assert environ["REMOTE_ADDR"] == environ["REMOTE_HOST"] == "127.0.0.1"
    assert environ["SERVER_PROTOCOL"] == "HTTP/1.1"
    assert environ["wsgi.url_scheme"] == "http"
    assert environ["wsgi.version"] == [1, 0]
    assert environ["wsgi.multiprocess"] is True
    assert "CONTENT_LENGTH" not in environ
    # Variables of the process are not headers of the client's.
    assert "PATH" not in environ


def test_granian_names_neither_itself_nor_a_version(granian):
    for path in (b"a", b"boom"):
        (answer,) = granian.ask(b"GET /" + path + START + b"\r\n")
        assert answer.headers["server"] == "finance_api"


def test_a_connection_stays_for_the_next_request(granian):
    connection = granian.connect()
    for _ in range(3):
        connection.send(b"GET /a HTTP/1.1\r\nHost: x\r\n\r\n")
        answer = connection.read_one()
        assert (answer.status, "connection" in answer.headers) == (200, False)


def test_a_body_of_a_request_that_has_none_is_no_second_request(granian):
    hidden = b"GET /hidden HTTP/1.1\r\nHost: x\r\n\r\n"
    head = b"GET /a HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n" % len(hidden)
    last = b"GET /last" + START + b"\r\n"
    answers = granian.ask(head + hidden + last)
    assert "/hidden" not in [answer.json["path"] for answer in answers]


def test_an_answer_in_parts_has_its_length(granian):
    (small,) = granian.ask(b"GET /parts?2" + START + b"\r\n")
    (large,) = granian.ask(b"GET /parts?30" + START + b"\r\n")
    assert (len(small.body), len(large.body)) == (200_000, 3_000_000)


def test_an_answer_that_breaks_off_is_not_taken_for_a_whole_one(granian):
    (answer,) = granian.ask(b"GET /breaks-off" + START + b"\r\n")
    assert answer.status == answer.json["status"] == 500


# -- what is refused


#: Accepted by granian, and why that does no harm, or what has to be before it.
ACCEPTED = {
    "equal lengths": "RFC 9110 section 8.6 allows it: they say the same",
    "two identities": "arrive joined, which is no token",
    "bare LF between headers": "a line end, as RFC 9112 section 2.2 allows; a proxy sends CRLF",
    "only LF": "as the one above",
    "other host in the target": "the Host header counts; a proxy sends a path",
    "other scheme in the target": "the path counts; a proxy sends a path",
}


@pytest.mark.parametrize("name", [name for name in AMBIGUOUS if name not in ACCEPTED])
def test_an_ambiguous_message_is_refused_once_and_ends_the_connection(granian, name):
    (answer,) = granian.ask(AMBIGUOUS[name] + HIDDEN)
    assert answer.status == 400
    assert answer.headers["connection"] == "close"


@pytest.mark.parametrize("name", ACCEPTED)
def test_what_is_accepted_is_what_the_docs_name(granian, name):
    raw = AMBIGUOUS[name] + b"GET /last" + START + b"\r\n"
    assert [answer.status for answer in granian.ask(raw)] == [200, 200]


def test_identities_arrive_joined(granian):
    raw = b"GET /a" + START + b"Authorization: Bearer a\r\nAuthorization: Bearer b\r\n\r\n"
    assert granian.ask(raw)[0].json["headers"]["HTTP_AUTHORIZATION"] == "Bearer a,Bearer b"


def test_a_name_with_an_underscore_passes_for_one_with_a_hyphen(granian):
    """Why the proxy has to drop such names: the docs say so."""
    raw = b"GET /a" + START + b"X-Forwarded-For: 192.0.2.1\r\nX_Forwarded_For: 192.0.2.2\r\n\r\n"
    assert granian.ask(raw)[0].json["headers"]["HTTP_X_FORWARDED_FOR"] == "192.0.2.2"


_REFUSED_FILES = [
    pytest.param(path, id=path.name)
    for path in CORPUS
    # The last one states its length twice.
    if path.parent.name == "invalid" and path.name not in (*TAKEN, "041.http")
]
_NO_CORPUS = pytest.param(None, marks=pytest.mark.skip(reason=f"no corpus at {CORPORA}"))


@pytest.mark.parametrize("path", _REFUSED_FILES or [_NO_CORPUS])
def test_an_invalid_message_of_the_corpus_is_never_answered_well(granian, path):
    connection = granian.connect()
    connection.send(message(path))
    # Many are unfinished: what comes at once is all there is.
    connection.socket.settimeout(0.2)
    try:
        raw = connection.read_to_end()
    except TimeoutError:
        raw = b""
    assert not raw or int(raw[9:12]) >= 400


def test_long_heads_are_refused_by_granian(granian):
    """Shorter ones reach the application, which refuses them with a problem document."""
    long = 64 * KIB
    for raw in (b"GET /" + b"t" * long + START, b"GET /" + START + b"X: " + b"x" * long):
        (answer,) = granian.ask(raw + b"\r\n\r\n")
        assert (answer.status, answer.body) == (431, b"")


def test_a_hundred_header_lines_are_taken(granian):
    head = b"GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n"
    assert granian.ask(head + b"X: y\r\n" * 98 + b"\r\n")[0].status == 200
    assert granian.ask(head + b"X: y\r\n" * 99 + b"\r\n")[0].status == 431


# -- slow clients


def test_slow_heads_and_idle_connections_are_cut(start_granian):
    granian = start_granian(header_seconds=0.3)
    silent, partial, idle = (granian.connect() for _ in range(3))
    partial.send(b"GET / HTTP/1.1\r\nHos")
    idle.send(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
    assert [c.read_to_end() for c in (silent, partial)] == [b"", b""]
    assert idle.read_to_end().startswith(b"HTTP/1.1 200 ")


def test_slow_bodies_do_not_keep_others_from_being_answered(start_granian):
    granian = start_granian(body_seconds=0.3, threads=1)
    slow = [granian.connect() for _ in range(12)]
    for connection in slow:
        connection.send(b"POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\n")
    answers = []
    for connection in slow:
        head = http.client.HTTPResponse(connection.socket)
        head.begin()
        answers.append((head.status, head.getheader("Retry-After"), json.loads(head.read())))
    assert [status for status, _, _ in answers].count(408) == 4
    assert {(s, r) for s, r, _ in answers} == {(408, None), (503, "1")}
    for _ in range(8):
        assert granian.ask(b"GET /a" + START + b"\r\n")[0].status == 200
    for connection in slow:
        connection.socket.close()
    raw = b"POST /a" + START + b"Content-Length: 5\r\n\r\nhello"
    while granian.ask(raw)[0].status == 503:
        pass
    granian.signal()
    assert granian.exit_code() == 0
