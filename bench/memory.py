"""What a worker weighs after every load."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from bench import data
from bench.checking import check
from bench.client import run, write_questions
from bench.ini import has_caches
from bench.loads import LOADS
from bench.places import Place
from bench.servers import Server


@dataclass(frozen=True, slots=True)
class Weight:
    """bytes: memory that is the worker's own, not that of files."""

    server: str
    database: str
    bytes: int


def weigh(place: Place, servers: Sequence[Server]) -> list[Weight]:
    """Each worker after all loads: of the service, the one that keeps answers."""
    people = data.prepare(place)
    for server in servers:
        if not (server.is_ours and has_caches()):
            # It has answered the loads when they were measured, or a sample of them.
            continue
        for load in (replace(load, kept=True) for load in LOADS):
            questions = load.questions(place.size, people)
            expected = check(server, load, questions)
            if place.size.weighing_seconds:
                file = write_questions(place, server, load, questions, expected)
                run(server, load, file, expected, seconds=place.size.weighing_seconds)
    return [
        Weight(server.name, server.database, server.kept.own_memory_bytes()) for server in servers
    ]
