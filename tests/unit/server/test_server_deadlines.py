"""Slow clients are cut, whatever single bytes they send or take."""

import select
import socket
import threading
import time
from types import SimpleNamespace

import pytest
from waitress.adjustments import Adjustments

from finance_api.server.channel import Channel
from finance_api.server.deadlines import ANSWER_BYTES, Phase, limits
from finance_api.server.settings import ServerSettings


def drip(connection, byte):
    """Send single bytes until the server answers or closes; its answers."""
    while not select.select([connection.socket], [], [], 0.05)[0]:
        connection.send(byte)
    return connection.read_answers()


def test_slow_clients_are_cut_and_others_are_served_meanwhile(start_server):
    server = start_server(header_seconds=0.6, body_seconds=0.6)
    started = time.monotonic()
    silent = server.connect()
    stalled = server.connect()
    stalled.send(b"GET / HTTP/1.1\r\nHost")
    blank = server.connect()
    half_body = server.connect()
    half_body.send(b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nabc")
    slow_header = server.connect()
    slow_header.send(b"GET / HTTP/1.1\r\nX: ")
    slow_chunks = server.connect()
    slow_chunks.send(b"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n1;")
    received = {}
    drips = [
        threading.Thread(target=lambda c, b: received.update({c: drip(c, b)}), args=pair)
        for pair in ((blank, b"\r\n"), (slow_header, b"x"), (slow_chunks, b"x"))
    ]
    for thread in drips:
        thread.start()
    assert server.exchange(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")[0].status == 200
    for thread in drips:
        thread.join()
    for answers in (
        stalled.read_answers(),
        half_body.read_answers(),
        received[slow_header],
        received[slow_chunks],
    ):
        (answer,) = answers
        assert answer.status == 408
        assert answer.headers["connection"] == "close"
    assert silent.read_answers() == received[blank] == []
    assert time.monotonic() - started < 10


def test_a_slow_application_is_no_slow_client(start_server):
    server = start_server(header_seconds=0.2, body_seconds=0.2)
    (connection,) = server.hold(1)
    late = server.connect()
    # When this one is cut, the sweep has passed over the other too.
    assert late.read_to_end() == b""
    server.release()
    assert connection.read_one().status == 200


@pytest.fixture
def channel():
    """A channel that nothing moves but the test, whose server allows the default times."""
    ours, theirs = socket.socketpair()
    server = SimpleNamespace(
        active_channels={},
        limits=limits(ServerSettings()),
        crew=SimpleNamespace(is_in_turn=True),
        add_task=lambda task: None,
        pull_trigger=lambda: None,
        ask=lambda channel: None,
        draining=False,
        adj=Adjustments(ident=None),
    )
    made = Channel(server, ours, ("127.0.0.1", 1), server.adj, map={})
    yield made
    if made.connected:
        made.handle_close()
    theirs.close()


def seconds_until_cut(channel, touch=lambda: None):
    """How long the channel lives when it is looked at once a second, a thousand times."""
    start = channel._since
    for second in range(1000):
        touch()
        channel.cut_if_overdue(start + second)
        if not channel.connected or channel.lingering or channel.close_when_flushed:
            return second
    return 1000


def test_a_silent_connection_lives_as_long_as_headers_may_take(channel):
    assert seconds_until_cut(channel) == pytest.approx(10, abs=1)


def test_an_idle_connection_is_closed_after_a_minute(channel):
    channel.answered = 1
    assert seconds_until_cut(channel) == pytest.approx(60, abs=1)


def test_blank_lines_do_not_keep_an_idle_connection(channel):
    channel.answered = 1
    cut = seconds_until_cut(channel, touch=lambda: channel.received(b"\r\n"))
    assert cut == pytest.approx(60, abs=1)


def test_bytes_do_not_keep_an_unfinished_head(channel):
    channel.received(b"GET / HTTP/1.1\r\nX: ")
    assert seconds_until_cut(channel, touch=lambda: channel.received(b"x")) == pytest.approx(
        10, abs=1
    )


def test_an_answer_must_be_taken_at_a_least_rate(channel):
    channel.total_outbufs_len = 50 * ANSWER_BYTES

    def take(share):
        channel.sent_bytes += ANSWER_BYTES // share

    assert channel.place().phase is Phase.ANSWER
    assert seconds_until_cut(channel, touch=lambda: take(20)) == 1000
    assert seconds_until_cut(channel, touch=lambda: take(10000)) < 62
