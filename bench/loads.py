"""The loads. Each has its queries, in the same order for every server."""

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from enum import Enum, auto

from bench import data
from bench.sizes import PAGE, Size
from bench.vocabulary import ACCOUNTS, COMMON_WORD, RARE_WORD, SPENDINGS

FIRST = 30
_JUMPS = 6_000


class Kind(Enum):
    """The list or lookup that a query reads."""

    RECORDS = auto()
    BY_ID = auto()
    CATEGORIES = auto()
    SUMS = auto()
    BALANCES = auto()
    CHANGES = auto()
    WALLET = auto()


@dataclass(frozen=True, slots=True)
class Query:
    """One request; each server has its own URL for it. rows: how many the response must have."""

    person: data.Person
    kind: Kind
    rows: int
    offset: int = 0
    since: date | None = None
    word: str | None = None
    payee: str | None = None
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
    """queries: makes the queries to send in turn. target: None if there is no ratio to reach.

    cached: whether the response cache is on.
    follows: whether each connection sends its own share of the queries, in order.
    conditional: whether requests have the response's ETag, for a 304; competitors have no ETag
    and get plain requests.
    ours_only: whether competitors have no equivalent.
    """

    name: str
    title: str
    queries: Callable[[Size, Sequence[data.Person]], list[Query]]
    target: Target | None = None
    cached: bool = False
    follows: bool = False
    conditional: bool = False
    ours_only: bool = False


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
        # A part of the word, in a different case from the data.
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


def _first_months() -> list[date]:
    """Return the first days of the months of the records' first whole year."""
    year = data.LAST_DAY.year - data.DAYS // 365 + 1
    return [date(year, month, 1) for month in range(1, 13)]


def _sums_of_large_user(size: Size, people: Sequence[data.Person]) -> list[Query]:
    return [
        Query(people[0], Kind.SUMS, PAGE, since=month, offset=offset)
        for month in _first_months()
        for offset in range(0, 3 * PAGE, PAGE)
    ]


def _sums_in_turn(size: Size, people: Sequence[data.Person]) -> list[Query]:
    # Same months and offsets as for the large user, so that only the number of records differs.
    asked = _sums_of_large_user(size, people)
    return [
        replace(asked[at % len(asked)], person=person)
        for at, person in enumerate(_regular(size, people))
    ]


def _sums_of_payees(size: Size, people: Sequence[data.Person]) -> list[Query]:
    payees = sorted({payee for spending in SPENDINGS for payee in spending.payees})
    return [
        Query(people[0], Kind.SUMS, PAGE, since=month, payee=payee)
        for month in _first_months()
        for payee in payees
    ]


def _balances(size: Size, people: Sequence[data.Person]) -> list[Query]:
    last = data.LAST_DAY
    return [
        Query(
            people[0],
            Kind.BALANCES,
            len(ACCOUNTS) * (12 * (last.year - month.year) + last.month - month.month + 1),
            since=month,
        )
        for month in _first_months()
    ]


def _changes_in_turn(size: Size, people: Sequence[data.Person]) -> list[Query]:
    return [Query(person, Kind.CHANGES, PAGE) for person in _regular(size, people)]


def _wallet_pages_in_turn(size: Size, people: Sequence[data.Person]) -> list[Query]:
    return [replace(query, kind=Kind.WALLET) for query in _pages_in_turn(size, people)]


def _one_wallet_page(size: Size, people: Sequence[data.Person]) -> list[Query]:
    return _wallet_pages_in_turn(size, people)[:1]


def _one_page(size: Size, people: Sequence[data.Person]) -> list[Query]:
    return _pages_in_turn(size, people)[:1]


LOADS = (
    Load("page", "first page of 100 since a date, users in turn", _pages_in_turn, Target(3, 3)),
    Load("large", "the same of the user with the most records", _pages_of_large_user),
    Load(
        "jump",
        "100 at an offset half-way, jumping there",
        _jumps_to(lambda size: size.deep_offset),
        Target(100, 100),
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
        Target(100, 100),
        follows=True,
    ),
    Load("common", "first 30 with a text in 2 % of notes", _notes_with(COMMON_WORD), Target(3, 3)),
    # This search uses no index, as an index's speed would reveal other users' data.
    Load(
        "rare", "first 30 with a text in 0.03 % of notes", _notes_with(RARE_WORD), Target(2, 0.05)
    ),
    Load("categories", "30 categories, users in turn", _categories, Target(2, 2)),
    Load("ids", "30 records by id, users in turn", _by_id, Target(1.7, 1.7)),
    Load("sums", "sums by category and month, most records", _sums_of_large_user, Target(20, 12)),
    Load("sums-few", "the same of users with 1,000 records, in turn", _sums_in_turn),
    Load("payee", "the same of one payee, most records", _sums_of_payees, Target(1, 1)),
    Load("balances", "balances by month, most records", _balances, Target(20, 20)),
    Load("changes", "first page of 100 changes, users in turn", _changes_in_turn, ours_only=True),
    Load("wallet", "first page below /wallet, in turn", _wallet_pages_in_turn, ours_only=True),
    Load("cached", "first page, the same again", _one_page, Target(9, 10), cached=True),
    Load(
        "wallet-cached",
        "first page below /wallet, the same again",
        _one_wallet_page,
        cached=True,
        ours_only=True,
    ),
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
