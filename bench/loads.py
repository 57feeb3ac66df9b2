"""What is asked, of everybody alike: for each load the questions, in the order they are asked."""

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
    """What a question is about."""

    RECORDS = auto()
    BY_ID = auto()
    CATEGORIES = auto()


@dataclass(frozen=True, slots=True)
class Question:
    """One request, which each server has its own way to spell. rows: how many must come."""

    person: data.Person
    kind: Kind
    rows: int
    offset: int = 0
    since: date | None = None
    word: str | None = None
    ids: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Target:
    """How many times the peer's throughput the service is to reach, by database and server."""

    sqlite: float
    postgresql: float
    granian_sqlite: float | None = None

    def of(self, database: str, server: str) -> float:
        if database == "postgresql":
            return self.postgresql
        return self.granian_sqlite if server == "granian" and self.granian_sqlite else self.sqlite


@dataclass(frozen=True, slots=True)
class Load:
    """questions: what is asked, in turn. target: none for what is compared with the service's own.

    kept: whether answers may be kept; else the service runs with its caches off.
    follows: each connection goes through a part of the questions of its own, one after another.
    conditional: asked with the ETag of the answer, which is then 304; the peer has none and is
    asked without.
    """

    name: str
    title: str
    questions: Callable[[Size, Sequence[data.Person]], list[Question]]
    target: Target | None = None
    kept: bool = False
    follows: bool = False
    conditional: bool = False


def _regular(size: Size, people: Sequence[data.Person]) -> Sequence[data.Person]:
    return people[1 : 1 + size.regular_users]


def _pages_in_turn(size: Size, people: Sequence[data.Person]) -> list[Question]:
    return [
        Question(person, Kind.RECORDS, PAGE, since=data.SINCE) for person in _regular(size, people)
    ]


def _pages_of_large_user(size: Size, people: Sequence[data.Person]) -> list[Question]:
    days = [data.SINCE - timedelta(days=n) for n in range(500)]
    return [Question(people[0], Kind.RECORDS, PAGE, since=day) for day in days]


def _jumps_to(offset_of: Callable[[Size], int]) -> Callable[..., list[Question]]:
    def questions(size: Size, people: Sequence[data.Person]) -> list[Question]:
        middle, radius = offset_of(size), size.large_records // 25
        draw = random.Random(f"{data.SEED} jumps")
        offsets = range(middle - radius, middle + radius)
        chosen = draw.sample(offsets, min(_JUMPS, len(offsets)))
        return [Question(people[0], Kind.RECORDS, PAGE, offset=offset) for offset in chosen]

    return questions


def _following_pages(size: Size, people: Sequence[data.Person]) -> list[Question]:
    offsets = range(size.deep_offset, size.deepest_offset, PAGE)
    return [Question(people[0], Kind.RECORDS, PAGE, offset=offset) for offset in offsets]


def _notes_with(word: str) -> Callable[..., list[Question]]:
    def questions(size: Size, people: Sequence[data.Person]) -> list[Question]:
        every = {COMMON_WORD: 50, RARE_WORD: 3_333}[word]
        found = min(FIRST, size.large_records // every)
        # A part of the word, in another case than it is mostly written in.
        return [Question(people[0], Kind.RECORDS, found, word=word[1:].upper())]

    return questions


def _categories(size: Size, people: Sequence[data.Person]) -> list[Question]:
    return [Question(person, Kind.CATEGORIES, FIRST) for person in _regular(size, people)]


def _by_id(size: Size, people: Sequence[data.Person]) -> list[Question]:
    of_large = [Question(people[0], Kind.BY_ID, len(ids), ids=ids) for ids in people[0].id_sets]
    return of_large + [
        Question(person, Kind.BY_ID, len(person.id_sets[0]), ids=person.id_sets[0])
        for person in _regular(size, people)
    ]


def _one_page(size: Size, people: Sequence[data.Person]) -> list[Question]:
    return _pages_in_turn(size, people)[:1]


LOADS = (
    Load("page", "first page of 100 since a date, users in turn", _pages_in_turn, Target(4, 3, 5)),
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
    Load("rare", "first 30 with a text in 0.03 % of notes", _notes_with(RARE_WORD), Target(60, 3)),
    Load("categories", "30 categories, users in turn", _categories, Target(2, 3, 3)),
    Load("ids", "30 records by id, users in turn", _by_id, Target(3, 3, 3.5)),
    Load("kept", "first page, the same again", _one_page, Target(6, 10, 9), kept=True),
    Load(
        "unchanged",
        "first page, If-None-Match that holds",
        _one_page,
        Target(6, 10, 9),
        kept=True,
        conditional=True,
    ),
)
BY_NAME = {load.name: load for load in LOADS}
