"""The caps on what a request may weigh, at their edges."""

import psutil
import pytest

KIB = 1024


def get(target=b"/x", fields=b"Host: x\r\n"):
    return b"GET " + target + b" HTTP/1.1\r\n" + fields + b"\r\n"


def fields_of(size):
    """Header lines of that many bytes in all."""
    start = b"Host: x\r\nX-Padding: "
    return start + b"p" * (size - len(start) - 2) + b"\r\n"


def post(body_bytes):
    head = f"POST /x HTTP/1.1\r\nHost: x\r\nContent-Length: {body_bytes}\r\n\r\n"
    return head.encode() + b"b" * body_bytes


def post_chunked(sizes, end=b"0\r\n\r\n"):
    head = b"POST /x HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
    return head + b"".join(b"%x\r\n%s\r\n" % (size, b"b" * size) for size in sizes) + end


@pytest.mark.parametrize(
    "raw",
    [
        pytest.param(get(b"/" + b"t" * (8 * KIB - 1)), id="target of 8 KiB"),
        pytest.param(get(fields=fields_of(16 * KIB)), id="headers of 16 KiB"),
        pytest.param(get(b"/" + b"t" * (8 * KIB - 1), fields_of(16 * KIB)), id="both"),
        pytest.param(get(fields=b"Host: x\r\n" + b"X: y\r\n" * 99), id="100 header lines"),
        pytest.param(post(64 * KIB), id="body of 64 KiB"),
        pytest.param(post_chunked([64 * KIB]), id="chunked body of 64 KiB"),
        pytest.param(post_chunked([1] * 1000), id="1000 chunks"),
    ],
)
def test_a_request_at_the_edge_of_a_cap_is_answered(server, raw):
    (answer,) = server.exchange(raw)
    assert answer.status == 200


@pytest.mark.parametrize(
    ("status", "raw"),
    [
        pytest.param(414, get(b"/" + b"t" * 8 * KIB), id="target of 8 KiB + 1"),
        pytest.param(414, b"GET /" + b"t" * 20 * KIB, id="endless target"),
        pytest.param(431, get(fields=fields_of(16 * KIB + 1)), id="headers of 16 KiB + 1"),
        pytest.param(431, b"GET / HTTP/1.1\r\nX: " + b"p" * 40 * KIB, id="endless header line"),
        pytest.param(431, get(fields=b"Host: x\r\n" + b"X: y\r\n" * 100), id="101 header lines"),
        pytest.param(413, post(64 * KIB + 1), id="body of 64 KiB + 1"),
        pytest.param(
            413,
            b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: " + b"9" * 5000 + b"\r\n\r\n",
            id="length of 5000 digits",
        ),
        pytest.param(413, post_chunked([64 * KIB, 1]), id="chunked body of 64 KiB + 1"),
        pytest.param(413, post_chunked([], b"fffffffff\r\n"), id="chunk of 64 GiB"),
        pytest.param(400, post_chunked([], b"1;" + b"e" * 300), id="endless chunk extension"),
        pytest.param(431, post_chunked([], b"0\r\n" + b"X: y\r\n" * 2000), id="endless trailers"),
    ],
)
def test_a_request_past_a_cap_is_refused(server, status, raw):
    answer = server.refused(raw)
    assert answer.status == answer.json["status"] == status


def test_a_refused_body_is_refused_before_it_is_sent(server):
    connection = server.connect()
    connection.send(
        b"POST / HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 65537\r\n\r\n"
    )
    assert connection.read_to_end().startswith(b"HTTP/1.1 413 ")


def test_an_expected_body_is_asked_for(server):
    connection = server.connect()
    connection.send(
        b"POST / HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\n"
    )
    assert connection.socket.recv(1000) == b"HTTP/1.1 100 Continue\r\n\r\n"
    connection.send(b"abc")
    assert connection.read_one().json["body_bytes"] == 3


def test_an_expectation_without_a_body_is_answered_at_once(server):
    (answer,) = server.exchange(b"GET / HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\n\r\n")
    assert answer.status == 200


def test_the_answer_survives_a_client_that_goes_on_sending(server):
    connection = server.connect()
    connection.send(b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\n")
    connection.send(b"b" * 1_000_000)
    assert connection.read_to_end().startswith(b"HTTP/1.1 413 ")


def test_memory_stays_bounded_while_too_much_is_sent(server):
    process = psutil.Process(server.process.pid)
    before = process.memory_info().rss
    for start in (b"GET /", b"GET / HTTP/1.1\r\nX: ", post_chunked([], b"1;")):
        for _ in range(10):
            connection = server.connect()
            connection.send(start + b"e" * 1_000_000)
            connection.read_to_end()
    assert process.memory_info().rss - before < 20_000_000
