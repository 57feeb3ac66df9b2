"""The map of sockets asks those at work in every turn, the settled ones when something happens."""

import select
import socket

import pytest

from finance_api.server.sockets import Sockets


class Dispatcher:
    """What ``Sockets`` and ``wasyncore`` ask of one; it counts the questions."""

    accepting = False
    settled = False
    reading = True
    writing = False

    def __init__(self, end):
        self.end = end
        self.asked = 0
        self.happened = []

    def readable(self):
        self.asked += 1
        return self.reading

    def writable(self):
        return self.writing

    def handle_read_event(self):
        self.happened.append(self.end.recv(10))

    def handle_write_event(self):
        self.happened.append("written")


@pytest.fixture
def ends():
    pair = socket.socketpair()
    yield pair
    for end in pair:
        end.close()


def test_what_a_socket_waits_for_may_change_in_every_turn(ends):
    sockets, dispatcher = Sockets(), Dispatcher(ends[0])
    sockets[ends[0].fileno()] = dispatcher
    for reading, writing, happened in (
        (True, False, [b"x"]),
        (True, True, ["written"]),
        (False, True, ["written"]),
        (False, False, []),
        (True, False, []),
    ):
        dispatcher.reading, dispatcher.writing, dispatcher.happened = reading, writing, []
        if happened == [b"x"]:
            ends[1].send(b"x")
        sockets.turn(0)
        assert dispatcher.happened == happened


def test_a_settled_socket_is_asked_again_after_something_happened(ends):
    sockets, dispatcher = Sockets(), Dispatcher(ends[0])
    dispatcher.settled = True
    sockets[ends[0].fileno()] = dispatcher
    for _ in range(3):
        sockets.turn(0)
    assert dispatcher.asked == 1
    ends[1].send(b"x")
    for _ in range(3):
        sockets.turn(0)
    assert dispatcher.happened == [b"x"]
    assert dispatcher.asked == 2
    sockets.ask_all()
    sockets.turn(0)
    assert dispatcher.asked == 3


def test_a_removed_socket_is_waited_for_no_more(ends):
    sockets, dispatcher = Sockets(), Dispatcher(ends[0])
    sockets[ends[0].fileno()] = dispatcher
    sockets.turn(0)
    del sockets[ends[0].fileno()]
    ends[1].send(b"x")
    sockets.turn(0)
    assert dispatcher.happened == []


def test_systems_without_epoll_are_served_by_poll(ends, monkeypatch):
    monkeypatch.setattr("finance_api.server.sockets._POLL", select.poll)
    monkeypatch.setattr("finance_api.server.sockets._UNITS_PER_SECOND", 1000)
    sockets, dispatcher = Sockets(), Dispatcher(ends[0])
    sockets[ends[0].fileno()] = dispatcher
    sockets.turn(0)
    ends[1].send(b"x")
    sockets.turn(10)
    assert dispatcher.happened == [b"x"]
