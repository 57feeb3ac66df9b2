"""Messages that two servers could understand differently: one refusal, and the end."""

import re

import pytest

HIDDEN = b"GET /hidden HTTP/1.1\r\nHost: x\r\n\r\n"


def with_fields(fields, body=b"", line=b"POST /x HTTP/1.1"):
    return line + b"\r\n" + fields + b"\r\n" + body


CHUNKED = b"Host: x\r\nTransfer-Encoding: chunked\r\n"
AMBIGUOUS = {
    "length and coding": with_fields(CHUNKED + b"Content-Length: 4\r\n", b"0\r\n\r\n"),
    "coding and length": with_fields(
        b"Host: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n", b"0\r\n\r\n"
    ),
    "differing lengths": with_fields(
        b"Host: x\r\nContent-Length: 0\r\nContent-Length: 5\r\n", b"hello"
    ),
    "equal lengths": with_fields(
        b"Host: x\r\nContent-Length: 5\r\nContent-Length: 5\r\n", b"hello"
    ),
    "listed lengths": with_fields(b"Host: x\r\nContent-Length: 5, 5\r\n", b"hello"),
    "signed length": with_fields(b"Host: x\r\nContent-Length: +5\r\n", b"hello"),
    "negative length": with_fields(b"Host: x\r\nContent-Length: -1\r\n"),
    "empty length": with_fields(b"Host: x\r\nContent-Length:\r\n"),
    "hexadecimal length": with_fields(b"Host: x\r\nContent-Length: 0x5\r\n", b"hello"),
    "length with underscore": with_fields(b"Host: x\r\nContent-Length: 1_0\r\n", b"0123456789"),
    "identity coding": with_fields(b"Host: x\r\nTransfer-Encoding: identity\r\n"),
    "two codings": with_fields(b"Host: x\r\nTransfer-Encoding: gzip, chunked\r\n", b"0\r\n\r\n"),
    "chunked twice": with_fields(CHUNKED + b"Transfer-Encoding: chunked\r\n", b"0\r\n\r\n"),
    "coding hidden behind VT": with_fields(b"Host: x\r\nTransfer-Encoding: \x0bchunked\r\n"),
    "empty coding": with_fields(b"Host: x\r\nTransfer-Encoding:\r\n"),
    "chunked in HTTP/1.0": with_fields(CHUNKED, b"0\r\n\r\n", b"POST /x HTTP/1.0"),
    "two hosts": with_fields(b"Host: x\r\nHost: y\r\n"),
    "host missing": with_fields(b"Accept: */*\r\n"),
    "host empty": with_fields(b"Host:\r\n"),
    "host with a path": with_fields(b"Host: x/y\r\n"),
    "host with a user": with_fields(b"Host: a@x\r\n"),
    "two identities": with_fields(b"Host: x\r\nAuthorization: a\r\nAuthorization: b\r\n"),
    "blank before the colon": with_fields(b"Host: x\r\nContent-Length : 5\r\n", b"hello"),
    "blank in a name": with_fields(b"Host: x\r\nX Y: z\r\n"),
    "no name": with_fields(b"Host: x\r\n: z\r\n"),
    "no colon": with_fields(b"Host: x\r\nnonsense\r\n"),
    "folded line": with_fields(b"Host: x\r\nX: a\r\n b\r\n"),
    "folded first line": with_fields(b" Host: x\r\n"),
    "bare LF between headers": with_fields(b"Host: x\r\nX: a\nContent-Length: 5\r\n", b"hello"),
    "bare CR in a header": with_fields(b"Host: x\r\nX: a\rY: b\r\n"),
    "NUL in a header": with_fields(b"Host: x\r\nX: a\0b\r\n"),
    "DEL in a header": with_fields(b"Host: x\r\nX: a\x7fb\r\n"),
    "only LF": b"GET / HTTP/1.1\nHost: x\n\n",
    "no version": with_fields(b"Host: x\r\n", line=b"GET /x"),
    "two blanks": with_fields(b"Host: x\r\n", line=b"GET  /x HTTP/1.1"),
    "tab in the request line": with_fields(b"Host: x\r\n", line=b"GET\t/x HTTP/1.1"),
    "blank at the end": with_fields(b"Host: x\r\n", line=b"GET /x HTTP/1.1 "),
    "blank at the start": with_fields(b"Host: x\r\n", line=b" GET /x HTTP/1.1"),
    "blank in the target": with_fields(b"Host: x\r\n", line=b"GET /x y HTTP/1.1"),
    "method in lower case": with_fields(b"Host: x\r\n", line=b"get /x HTTP/1.1"),
    "control byte in the target": with_fields(b"Host: x\r\n", line=b"GET /\x01 HTTP/1.1"),
    "relative target": with_fields(b"Host: x\r\n", line=b"GET x HTTP/1.1"),
    "asterisk for GET": with_fields(b"Host: x\r\n", line=b"GET * HTTP/1.1"),
    "other host in the target": with_fields(b"Host: x\r\n", line=b"GET http://y/ HTTP/1.1"),
    "broken host in the target": with_fields(b"Host: x\r\n", line=b"GET http://[/ HTTP/1.1"),
    "other scheme in the target": with_fields(b"Host: x\r\n", line=b"GET ftp://x/ HTTP/1.1"),
    "TLS": b"\x16\x03\x01\x02\x00\x01\x00",
    "signed chunk size": with_fields(CHUNKED, b"+5\r\nhello\r\n0\r\n\r\n"),
    "chunk size with underscore": with_fields(CHUNKED, b"1_0\r\n"),
    "prefixed chunk size": with_fields(CHUNKED, b"0x5\r\nhello\r\n0\r\n\r\n"),
    "blank after the chunk size": with_fields(CHUNKED, b"5 \r\nhello\r\n0\r\n\r\n"),
    "LF after the chunk size": with_fields(CHUNKED, b"5\nhello\r\n0\r\n\r\n"),
    "LF before an extension": with_fields(CHUNKED, b"5\n;\r\nhello\r\n0\r\n\r\n"),
    "LF in an extension": with_fields(CHUNKED, b"5;a\nb\r\nhello\r\n0\r\n\r\n"),
    "CR in an extension": with_fields(CHUNKED, b"5;a=b\rc\r\nhello\r\n0\r\n\r\n"),
    "empty extension": with_fields(CHUNKED, b"5;\r\nhello\r\n0\r\n\r\n"),
    "no chunk size": with_fields(CHUNKED, b"\r\n5\r\nhello\r\n0\r\n\r\n"),
    "chunk too long": with_fields(CHUNKED, b"5\r\nhello!\r\n0\r\n\r\n"),
    "chunk too short": with_fields(CHUNKED, b"5\r\nhell\r\n0\r\n\r\n"),
    "length as a trailer": with_fields(CHUNKED, b"0\r\nContent-Length: 5\r\n\r\n"),
    "folded trailer": with_fields(CHUNKED, b"0\r\nX: a\r\n b\r\n\r\n"),
}


@pytest.mark.parametrize("raw", AMBIGUOUS.values(), ids=AMBIGUOUS.keys())
def test_an_ambiguous_message_is_refused_once_and_ends_the_connection(server, raw):
    assert server.refused(raw + HIDDEN).status == 400


@pytest.mark.parametrize("version", [b"0.9", b"1.2", b"2.0"])
def test_other_versions_of_http_are_refused(server, version):
    raw = b"GET / HTTP/" + version + b"\r\nHost: x\r\n\r\n"
    assert server.refused(raw + HIDDEN).status == 505


def test_a_refusal_comes_after_the_answers_to_what_came_before_it(server):
    raw = HIDDEN + AMBIGUOUS["length and coding"] + HIDDEN
    assert [answer.status for answer in server.exchange(raw)] == [200, 400]


@pytest.mark.parametrize("name", ["length and coding", "chunk too long", "folded line"])
def test_a_message_is_refused_however_it_is_cut_into_packets(server, name):
    connection = server.connect()
    for byte in AMBIGUOUS[name]:
        connection.send(bytes([byte]))
    assert connection.read_to_end().count(b"HTTP/1.1 400 ") == 1


def test_a_refusal_is_a_problem_document_without_traces_of_the_server(server):
    answer = server.refused(b"GET / HTTP/1.1\r\nX-Odd\x01: <tell-tale>\r\n\r\n")
    assert answer.headers["content-type"] == "application/problem+json"
    assert re.fullmatch("[0-9a-f]{32}", answer.headers["x-request-id"])
    assert "date" in answer.headers
    assert not {"server", "via"} & set(answer.headers)
    assert answer.json["error"] == answer.json["detail"]
    assert b"tell-tale" not in answer.body
    assert b"waitress" not in answer.body


@pytest.mark.parametrize(
    "raw",
    [
        b"HEAD / HTTP/1.1\r\nBad Header: x\r\n\r\n",
        b"HEAD /" + b"t" * 20000,
        b"HEAD /boom HTTP/1.1\r\nHost: x\r\n\r\n",
    ],
)
def test_a_refused_head_gets_the_length_and_no_body(server, raw):
    answer = server.refused(raw, bodiless=True)
    assert answer.status >= 400
    assert int(answer.headers["content-length"]) > 0


@pytest.mark.parametrize("path", [b"/boom", b"/exit", b"/oserror"])
def test_a_failing_application_shows_nothing_of_itself(server, path):
    answer = server.refused(b"GET " + path + b" HTTP/1.1\r\nHost: x\r\n\r\n")
    assert answer.status == 500
    assert answer.headers["content-type"] == "application/problem+json"
    assert b"secret" not in answer.body
    assert b"Traceback" not in answer.body


@pytest.mark.parametrize(
    ("line", "path"),
    [
        (b"GET http://x HTTP/1.1", "/"),
        (b"GET http://X/a?b=c HTTP/1.1", "/a"),
        (b"OPTIONS * HTTP/1.1", "/"),
        (b"GET //a HTTP/1.1", "/a"),
    ],
)
def test_a_target_leads_to_its_path(server, line, path):
    (answer,) = server.exchange(line + b"\r\nHost: x\r\n\r\n")
    assert answer.json["path"] == path


def test_proxy_headers_reach_the_application_as_they_came(server):
    fields = (
        b"X-Forwarded-For: 192.0.2.1, 192.0.2.2\r\nForwarded: for=a\r\nX-Forwarded-Proto: b\r\n"
    )
    (answer,) = server.exchange(b"GET / HTTP/1.1\r\nHost: x\r\n" + fields + b"\r\n")
    assert answer.json["headers"]["HTTP_X_FORWARDED_FOR"] == "192.0.2.1, 192.0.2.2"
    assert answer.json["headers"]["HTTP_FORWARDED"] == "for=a"
    assert answer.json["headers"]["HTTP_X_FORWARDED_PROTO"] == "b"
    assert "server" not in answer.headers


def test_headers_with_an_underscore_do_not_reach_the_application(server):
    (answer,) = server.exchange(b"GET / HTTP/1.1\r\nHost: x\r\nX_Forwarded_For: 192.0.2.1\r\n\r\n")
    assert "HTTP_X_FORWARDED_FOR" not in answer.json["headers"]


def test_one_connection_serves_many_requests(server):
    assert [answer.status for answer in server.exchange(HIDDEN * 5)] == [200] * 5


def test_blank_lines_before_a_request_are_passed_over(server):
    (answer,) = server.exchange(b"\r\n\r\n" + HIDDEN + b"\r\n")
    assert answer.status == 200
