"""Every load on every server, in turn, so that all of them see the same moods of the machine."""

import statistics
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from bench import data
from bench.checking import Expectation, WrongAnswerError, check
from bench.client import CONNECTIONS, Run, run, write_questions
from bench.loads import Load, Question
from bench.places import Place
from bench.servers import Server


@dataclass(frozen=True, slots=True)
class Result:
    """The median run, by throughput; seconds: of one answer, asked alone."""

    load: str
    server: str
    database: str
    per_second: float
    p50: float
    p99: float
    seconds: float


@dataclass(frozen=True, slots=True)
class _Prepared:
    server: Server
    questions: Path
    expected: Expectation


def measure(
    place: Place,
    servers: Sequence[Server],
    loads: Sequence[Load],
    *,
    runs: int,
    seconds: int,
    connections: int = CONNECTIONS,
) -> Iterator[Result]:
    """The results, load by load. Raises WrongAnswerError."""
    people = data.prepare(place)
    for load in loads:
        questions = load.questions(place.size, people)
        prepared = [_prepare(place, server, load, questions) for server in servers]
        _check_that_all_agree(load, prepared)
        found: dict[int, list[Run]] = {n: [] for n in range(len(prepared))}
        for _ in range(runs):
            for n, each in enumerate(prepared):
                found[n].append(
                    run(
                        each.server,
                        load,
                        each.questions,
                        each.expected,
                        seconds=seconds,
                        connections=connections,
                    )
                )
        for n, each in enumerate(prepared):
            middle = statistics.median_low(sorted(r.per_second for r in found[n]))
            median = next(r for r in found[n] if r.per_second == middle)
            yield Result(
                load.name,
                each.server.name,
                each.server.database,
                median.per_second,
                median.p50,
                median.p99,
                each.expected.seconds,
            )


def _prepare(place: Place, server: Server, load: Load, questions: Sequence[Question]) -> _Prepared:
    expected = check(server, load, questions)
    file = write_questions(place, server, load, questions, expected)
    return _Prepared(server, file, expected)


def _check_that_all_agree(load: Load, prepared: Sequence[_Prepared]) -> None:
    """The same rows in the same order, whoever is asked."""
    for each in prepared[1:]:
        if each.expected.ids != prepared[0].expected.ids:
            raise WrongAnswerError(
                f"{load.name}: {each.server.name} ({each.server.database}) gives other rows than "
                f"{prepared[0].server.name} ({prepared[0].server.database})"
            )
