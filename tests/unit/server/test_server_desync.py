"""Messages that two servers could understand differently: one refusal, and the end."""

import re

import pytest

from support.raw_http import AMBIGUOUS, HIDDEN


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
