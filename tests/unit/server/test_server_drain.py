"""The end of the server: nothing that was accepted is lost."""

import signal

import pytest

HOLD = b"GET /hold HTTP/1.1\r\nHost: x\r\n\r\n"


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_every_accepted_request_is_answered_whole(start_server, number):
    server = start_server(threads=4)
    working = server.hold(4)
    queued = [server.connect() for _ in range(46)]
    for connection in queued:
        connection.send(HOLD)
    server.signal(number)
    server.wait_until_not_listening()
    server.release()
    for connection in working + queued:
        (answer,) = connection.read_answers()
        assert answer.status == 200
        assert answer.json["path"] == "/hold"
        assert answer.headers["connection"] == "close"
    assert server.exit_code() == 0


def test_a_large_answer_is_sent_to_its_end(start_server):
    server = start_server(threads=1)
    (working,) = server.hold(1)
    large = server.connect()
    large.send(b"GET /big?bytes=30000000 HTTP/1.1\r\nHost: x\r\n\r\n")
    server.signal()
    server.wait_until_not_listening()
    server.release()
    working.read_to_end()
    (answer,) = large.read_answers()
    assert len(answer.body) == 30_000_000
    assert server.exit_code() == 0


def test_pipelined_requests_are_all_answered_and_the_last_one_closes(start_server):
    server = start_server(threads=1)
    connection = server.connect()
    connection.send(HOLD * 3)
    assert server.lines.get(timeout=15) == "held"
    server.signal()
    server.wait_until_not_listening()
    server.release()
    answers = connection.read_answers()
    assert [answer.headers.get("connection") for answer in answers] == [None, None, "close"]
    assert server.exit_code() == 0


def test_an_old_client_that_wants_to_stay_is_told_to_close(start_server):
    server = start_server()
    connection = server.connect()
    connection.send(b"GET /hold HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")
    assert server.lines.get(timeout=15) == "held"
    server.signal()
    server.wait_until_not_listening()
    server.release()
    (answer,) = connection.read_answers()
    assert answer.headers["connection"] == "close"


def test_idle_and_half_sent_connections_are_closed(start_server):
    server = start_server()
    idle, silent, partial = server.connect(), server.connect(), server.connect()
    idle.send(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
    assert "connection" not in idle.read_one().headers
    partial.send(b"GET / HTTP/1.1\r\nHos")
    server.signal()
    assert [connection.read_to_end() for connection in (idle, silent, partial)] == [b""] * 3
    assert server.exit_code() == 0


def test_the_applications_hooks_are_called_after_the_last_answer(start_server):
    server = start_server()
    (working,) = server.hold(1)
    server.signal()
    server.wait_until_not_listening()
    assert server.lines.empty()
    server.release()
    working.read_to_end()
    assert server.exit_code() == 0
    assert server.lines.get(timeout=15) == "hook called"
    assert "a shutdown hook failed" in server.errors()


def test_past_the_drain_limit_the_server_ends_with_a_failure(start_server):
    server = start_server(drain_seconds=0.3)
    (working,) = server.hold(1)
    server.signal()
    assert server.exit_code() == 1
    assert server.lines.get(timeout=15) == "hook called"
    working.socket.close()


def test_work_whose_client_has_gone_is_waited_for(start_server):
    server = start_server()
    (working,) = server.hold(1)
    working.socket.close()
    server.signal()
    server.wait_until_not_listening()
    assert server.process.poll() is None
    server.release()
    assert server.exit_code() == 0


@pytest.mark.parametrize("second", [signal.SIGTERM, signal.SIGINT])
def test_a_second_signal_ends_the_process_at_once(start_server, second):
    server = start_server()
    (working,) = server.hold(1)
    server.signal()
    server.wait_until_not_listening()
    server.signal(second)
    assert server.exit_code() == 1
    assert "second signal" in server.errors()
    working.socket.close()
