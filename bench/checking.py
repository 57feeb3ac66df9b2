"""The check before a load: the rows and lengths of a sample of responses."""

import http.client
import json
import statistics
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from bench.loads import Load, Query
from bench.servers import Server

#: How many queries of a load are sent beforehand; the other queries are similar.
_SAMPLE = 16
_FIELDS = {True: 15, False: 8}
#: The members that are compared in rows without an id.
_COMPARED = (
    "currencyCode",
    "accountId",
    "categoryId",
    "period",
    "month",
    "count",
    "net",
    "balance",
)
#: Allowed difference of a response's length from the lengths in the sample.
_MARGIN = 0.25


class WrongResponseError(Exception):
    """A server sends something other than requested."""


@dataclass(frozen=True, slots=True)
class Expectation:
    """The responses that a load must give.

    least, most: limits of the length of a body. bytes: mean length with headers. seconds: median
    time of a request alone. ids: ids of the rows, in order, for each query of the sample.
    """

    status: int
    least: int
    most: int
    bytes: float
    seconds: float
    ids: tuple[tuple[str, ...], ...]
    tag: str | None


def sample_of(queries: Sequence[Query]) -> list[Query]:
    """Return a sample that is spread evenly over the queries."""
    step = max(1, len(queries) // _SAMPLE)
    return list(queries[::step][:_SAMPLE])


def check(server: Server, load: Load, queries: Sequence[Query]) -> Expectation:
    """Send a sample of the queries. Raises WrongResponseError."""
    connection = http.client.HTTPConnection("127.0.0.1", server.process_for(load).port, timeout=60)
    sizes, totals, durations, ids = [], [], [], []
    tag = None
    conditional = load.conditional and server.is_ours
    try:
        for query in sample_of(queries):
            path = server.dialect.path(query)
            headers = {}
            if server.dialect.authenticates:
                headers["Authorization"] = f"Bearer {query.person.token}"
            response, body, seconds = _send(connection, path, headers)
            if response.status != 200:
                raise WrongResponseError(
                    f"{server.name}: {path} gives {response.status}: {body[:300]!r}"
                )
            ids.append(_ids_of_rows(server, query, path, body))
            if conditional:
                tag = response.headers["ETag"]
                response, body, seconds = _send(connection, path, {**headers, "If-None-Match": tag})
                if response.status != 304:
                    raise WrongResponseError(
                        f"{server.name}: {path} gives {response.status}, not 304"
                    )
            sizes.append(len(body))
            totals.append(len(body) + len(str(response.headers)) + 20)
            durations.append(seconds)
    finally:
        connection.close()
    return Expectation(
        304 if conditional else 200,
        int(min(sizes) * (1 - _MARGIN)),
        int(max(sizes) * (1 + _MARGIN)),
        statistics.mean(totals),
        statistics.median(durations),
        tuple(ids),
        tag,
    )


def _send(
    connection: http.client.HTTPConnection, path: str, headers: dict[str, str]
) -> tuple[http.client.HTTPResponse, bytes, float]:
    begin = time.perf_counter()
    connection.request("GET", path, headers=headers)
    response = connection.getresponse()
    body = response.read()
    return response, body, time.perf_counter() - begin


def _ids_of_rows(server: Server, query: Query, path: str, body: bytes) -> tuple[str, ...]:
    rows = server.dialect.rows(query, json.loads(body))
    if len(rows) != query.rows:
        raise WrongResponseError(
            f"{server.name}: {path} gives {len(rows)} rows instead of {query.rows}"
        )
    if len(rows[0]) < _FIELDS["amount" in rows[0]]:
        raise WrongResponseError(f"{server.name}: {path} gives rows of {len(rows[0])} fields")
    found = tuple(_identity(row) for row in rows)
    # Datasette returns rows in a different order from the requested one.
    return tuple(sorted(found)) if query.ids else found


def _identity(row: dict[str, Any]) -> str:
    if "id" in row:
        return str(row["id"])
    # A number is the same with or without a decimal point.
    values = (row[name] for name in _COMPARED if name in row)
    return repr([float(v) if isinstance(v, int | float) else v for v in values])
