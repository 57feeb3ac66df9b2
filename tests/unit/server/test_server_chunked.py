"""Chunked bodies, cut into packets in every way."""

import pytest
from waitress.buffers import OverflowableBuffer

from finance_api.server.chunked import ChunkedBody

WHOLE = b'5;a=b;c="d;\\"e"\r\nhello\r\n0006\r\n world\r\n00\r\nX-Sum: 1\r\n\r\n'


def read(packets):
    body = ChunkedBody(OverflowableBuffer(1000))
    taken = 0
    for packet in packets:
        taken += body.received(packet)
        if body.completed or body.error:
            break
    return body, taken


@pytest.mark.parametrize("size", [1, 2, 3, 7, 1000])
def test_a_body_is_the_same_however_it_is_cut(size):
    wire = WHOLE + b"GET /next"
    body, taken = read(wire[i : i + size] for i in range(0, len(wire), size))
    assert body.completed
    assert taken == len(WHOLE)
    assert body.getfile().read() == b"hello world"


@pytest.mark.parametrize("end", range(len(WHOLE)))
def test_a_body_that_breaks_off_is_not_complete(end):
    body, _ = read([WHOLE[:end]])
    assert not body.completed
    assert body.error is None
