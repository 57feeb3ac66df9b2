"""Answers looked at before a load: their rows and lengths, and that everybody gives the same."""

import http.client
import json
import statistics
import time
from collections.abc import Sequence
from dataclasses import dataclass

from bench.loads import Load, Question
from bench.servers import Server

#: How many questions of a load are asked beforehand; the others are like them.
_SAMPLE = 16
_FIELDS = {True: 15, False: 9}
#: What the length of an answer may be off those of the sample.
_MARGIN = 0.25


class WrongAnswerError(Exception):
    """A server answers something else than was asked."""


@dataclass(frozen=True, slots=True)
class Expectation:
    """What the answers of a load look like.

    least, most: bytes of a body. bytes: the mean length, heads included. seconds: the median of
    how long one took alone. ids: of the rows of each question of the sample, in order.
    """

    status: int
    least: int
    most: int
    bytes: float
    seconds: float
    ids: tuple[tuple[str, ...], ...]
    tag: str | None


def sample_of(questions: Sequence[Question]) -> list[Question]:
    """Some of the questions, from all over."""
    step = max(1, len(questions) // _SAMPLE)
    return list(questions[::step][:_SAMPLE])


def check(server: Server, load: Load, questions: Sequence[Question]) -> Expectation:
    """Asks some of the questions. Raises WrongAnswerError."""
    connection = http.client.HTTPConnection("127.0.0.1", server.process_for(load).port, timeout=60)
    sizes, totals, durations, ids = [], [], [], []
    tag = None
    conditional = load.conditional and server.is_ours
    try:
        for question in sample_of(questions):
            path = server.dialect.path(question)
            headers = {}
            if server.dialect.authenticates:
                headers["Authorization"] = f"Bearer {question.person.token}"
            answer, body, seconds = _ask(connection, path, headers)
            if answer.status != 200:
                raise WrongAnswerError(
                    f"{server.name}: {path} gives {answer.status}: {body[:300]!r}"
                )
            ids.append(_ids_of_rows(server, question, path, body))
            if conditional:
                tag = answer.headers["ETag"]
                answer, body, seconds = _ask(connection, path, {**headers, "If-None-Match": tag})
                if answer.status != 304:
                    raise WrongAnswerError(f"{server.name}: {path} gives {answer.status}, not 304")
            sizes.append(len(body))
            totals.append(len(body) + len(str(answer.headers)) + 20)
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


def _ask(
    connection: http.client.HTTPConnection, path: str, headers: dict[str, str]
) -> tuple[http.client.HTTPResponse, bytes, float]:
    begin = time.perf_counter()
    connection.request("GET", path, headers=headers)
    answer = connection.getresponse()
    body = answer.read()
    return answer, body, time.perf_counter() - begin


def _ids_of_rows(server: Server, question: Question, path: str, body: bytes) -> tuple[str, ...]:
    rows = server.dialect.rows(question, json.loads(body))
    if len(rows) != question.rows:
        raise WrongAnswerError(
            f"{server.name}: {path} gives {len(rows)} rows instead of {question.rows}"
        )
    if len(rows[0]) < _FIELDS["amount" in rows[0]]:
        raise WrongAnswerError(f"{server.name}: {path} gives rows of {len(rows[0])} fields")
    found = tuple(row["id"] for row in rows)
    # Datasette gives them in another order than they were asked for.
    return tuple(sorted(found)) if question.ids else found
