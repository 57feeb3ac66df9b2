"""The loads: for each one its queries in order, the same for every server."""

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from enum import Enum, auto

from bench import data
from bench.sizes import PAGE, Size
from bench.vocabulary import COMMON_WORD, RARE_WORD

FIRST = 30
_JUMPS = 6_000


class Kind(Enum):
    """The list or lookup that a query reads."""

    RECORDS = auto()
    BY_ID = auto()
    CATEGORIES = auto()


@dataclass(frozen=True, slots=True)
class Query:
    """One request; each server has its own URL for it. rows: how many the response must have."""

    person: data.Person
    kind: Kind
    rows: int
    offset: int = 0
    since: date | None = None
    word: str | None = None
    ids: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Target:
    """The ratio to the competitor's throughput that the production server should reach."""

    sqlite: float
    postgresql: float

    def of(self, database: str) -> float:
        return self.postgresql if database == "postgresql" else self.sqlite


@dataclass(frozen=True, slots=True)
class Load:
    """queries: sent in turn. target: none where the service is compared with itself.

    cached: whether the response cache is on.
    follows: each connection has a part of the queries to itself, and sends them in order.
    conditional: sent with the response's ETag and answered 304; competitors have no ETag and
    get the plain request.
    """

    name: str
    title: str
    queries: Callable[[Size, Sequence[data.Person]], list[Query]]
    target: Target | None = None
    cached: bool = False
    follows: bool = False
    conditional: bool = False


def _regular(size: Size, people: Sequence[data.Person]) -> Sequence[data.Person]:
    return people[1 : 1 + size.regular_users]


def _pages_in_turn(size: Size, people: Sequence[data.Person]) -> list[Query]:
    return [
        Query(person, Kind.RECORDS, PAGE, since=data.SINCE) for person in _regular(size, people)
    ]


def _pages_of_large_user(size: Size, people: Sequence[data.Person]) -> list[Query]:
    days = [data.SINCE - timedelta(days=n) for n in range(500)]
    return [Query(people[0], Kind.RECORDS, PAGE, since=day) for day in days]


def _jumps_to(offset_of: Callable[[Size], int]) -> Callable[..., list[Query]]:
    def queries(size: Size, people: Sequence[data.Person]) -> list[Query]:
        middle, radius = offset_of(size), size.large_records // 25
        draw = random.Random(f"{data.SEED} jumps")
        offsets = range(middle - radius, middle + radius)
        chosen = draw.sample(offsets, min(_JUMPS, len(offsets)))
        return [Query(people[0], Kind.RECORDS, PAGE, offset=offset) for offset in chosen]

    return queries


def _following_pages(size: Size, people: Sequence[data.Person]) -> list[Query]:
    offsets = range(size.deep_offset, size.deepest_offset, PAGE)
    return [Query(people[0], Kind.RECORDS, PAGE, offset=offset) for offset in offsets]


def _notes_with(word: str) -> Callable[..., list[Query]]:
    def queries(size: Size, people: Sequence[data.Person]) -> list[Query]:
        every = {COMMON_WORD: 50, RARE_WORD: 3_333}[word]
        found = min(FIRST, size.large_records // every)
        # A part of the word, in another case than it is mostly written in.
        return [Query(people[0], Kind.RECORDS, found, word=word[1:].upper())]

    return queries


def _categories(size: Size, people: Sequence[data.Person]) -> list[Query]:
    return [Query(person, Kind.CATEGORIES, FIRST) for person in _regular(size, people)]


def _by_id(size: Size, people: Sequence[data.Person]) -> list[Query]:
    of_large = [Query(people[0], Kind.BY_ID, len(ids), ids=ids) for ids in people[0].id_sets]
    return of_large + [
        Query(person, Kind.BY_ID, len(person.id_sets[0]), ids=person.id_sets[0])
        for person in _regular(size, people)
    ]


def _one_page(size: Size, people: Sequence[data.Person]) -> list[Query]:
    return _pages_in_turn(size, people)[:1]


LOADS = (
    Load("page", "first page of 100 since a date, users in turn", _pages_in_turn, Target(5, 3)),
    Load("large", "the same of the user with the most records", _pages_of_large_user),
    Load(
        "jump",
        "100 at an offset half-way, jumping there",
        _jumps_to(lambda size: size.deep_offset),
        Target(15, 5),
    ),
    Load(
        "deepest",
        "100 at an offset near the end, jumping there",
        _jumps_to(lambda size: size.deepest_offset),
    ),
    Load(
        "follow",
        "100 from half-way on, following nextOffset",
        _following_pages,
        Target(100, 30),
        follows=True,
    ),
    Load("common", "first 30 with a text in 2 % of notes", _notes_with(COMMON_WORD), Target(3, 3)),
    # Without an index: its speed would tell what other users have.
    Load(
        "rare", "first 30 with a text in 0.03 % of notes", _notes_with(RARE_WORD), Target(2, 0.05)
    ),
    Load("categories", "30 categories, users in turn", _categories, Target(3, 3)),
    Load("ids", "30 records by id, users in turn", _by_id, Target(3.5, 3)),
    Load("cached", "first page, the same again", _one_page, Target(9, 10), cached=True),
    Load(
        "unchanged",
        "first page, If-None-Match that holds",
        _one_page,
        Target(9, 10),
        cached=True,
        conditional=True,
    ),
)
BY_NAME = {load.name: load for load in LOADS}
