"""Asks PostgreSQL about a connection, without beginning a transaction."""

import select
import time
from typing import Any

import psycopg
from psycopg import pq

#: Time limit for an answer.
_ANSWER_SECONDS = 3.0


def ask(connection: "psycopg.Connection[Any]", query: bytes) -> bytes | None:
    """Run a query that reads one value, and return its text; a pooler may make this wait.

    Raises psycopg.Error, also if there is no answer in time.
    """
    libpq, poll, value = connection.pgconn, select.poll(), None
    until = time.monotonic() + _ANSWER_SECONDS
    poll.register(libpq.socket, select.POLLIN)
    libpq.send_query(query)
    libpq.flush()
    while True:
        while libpq.is_busy():
            if not poll.poll(max(0, until - time.monotonic()) * 1000):
                raise psycopg.OperationalError("the database does not answer")
            libpq.consume_input()
        result = libpq.get_result()
        if result is None:
            return value
        if result.status != pq.ExecStatus.TUPLES_OK:
            raise psycopg.OperationalError(pq.error_message(result))
        value = result.get_value(0, 0)
