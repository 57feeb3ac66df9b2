"""Every statement that reads data for the driver: would it be noticed if it forgot the user?

Two users have records with the same ids, dates and texts, more than places and rounds of the search
are apart. One of them is asked before and after the other has data, and must see no difference;
with a statement that forgets whose data it is to read, a difference must be seen.
"""

import inspect
from types import SimpleNamespace

import pytest
from psycopg.errors import CardinalityViolation

from finance_api.query.model import Query
from finance_api.query.parse import parse_conditions, parse_sort
from finance_api.resources import ACCOUNTS, CATEGORIES, LABELS, RECORD_RULES, RECORDS
from finance_api.storage.interface import DataState
from finance_api.storage.sql import json_rows, parts
from finance_api.storage.sql.driver import StatementCache
from finance_api.storage.sql.projection import reading, searching, writing
from finance_api.storage.testing import Unit, make_id, make_row
from support.forgetting import builds_of, forgetting, is_bound

DATABASES = pytest.mark.parametrize("database", ["sqlite", "postgresql"])
DAY = 86_400
WITH_BODIES = (ACCOUNTS, CATEGORIES, LABELS, RECORD_RULES)


def builders():
    """The functions that make statements."""
    return [
        function
        for module in (json_rows, reading, parts, searching)
        for _, function in inspect.getmembers(module, inspect.isfunction)
        if function.__module__ == module.__name__
        and next(iter(inspect.signature(function).parameters), "") == "database"
    ]


def name_of(builder):
    return f"{builder.__module__.rpartition('.')[2]}.{builder.__name__}"


def query(resource, sort=None, *, limit=4, offset=0, total=False, **filters):
    conditions = [
        condition
        for name, texts in filters.items()
        for text in (texts if isinstance(texts, list) else [texts])
        for condition in parse_conditions(resource.get_field(name), text)
    ]
    keys = parse_sort(resource, sort or resource.default_sort)
    return Query(resource, tuple(conditions), keys, limit, offset, total)


def questions():
    for resource in WITH_BODIES:
        for offset in (0, 2):
            yield query(resource, offset=offset, total=True)
        yield query(resource, limit=100, id=f"{make_id(1)},{make_id(2)}")
    bounds = ({}, {"recordDate": "gte.1970-01-10"}, {"recordDate": "lt.1970-01-20"})
    for bound in (*bounds, {"recordDate": ["gte.1970-01-10", "lt.1970-01-20"]}):
        for offset in (0, 1, 3, 7, 11, 30, 60):
            yield query(RECORDS, offset=offset, total=offset == 3, **bound)
        yield query(RECORDS, limit=100, **bound)
        for text in ("contains.ommon", "contains-i.COMMON", "contains-i.rare", "contains.Rare"):
            for offset in (0, 5):
                yield query(RECORDS, offset=offset, note=text, **bound)
        for text in (
            "contains.Twin",
            "contains-i.twin",
            "contains-i.tw",
            "contains.Tw",
            "contains.absent",
        ):
            yield query(RECORDS, limit=100, payee=text, **bound)
        yield query(RECORDS, payee="contains-i.pay", note="contains-i.rare", **bound)
        yield query(RECORDS, payee="contains.Twin", limit=1, **bound)
        for text in ("contains-i.once", "contains.once", "contains.ONCE"):
            yield query(RECORDS, note=text, **bound)
    # Past the oldest date there is no place.
    yield query(RECORDS, offset=4, limit=2, recordDate="lt.1970-01-03")
    for sort in ("+amount", "-payee", "+recordDate"):
        yield query(RECORDS, sort, total=True)
        yield query(RECORDS, sort, offset=20, limit=100)


class Pair:
    """mine: the user who is asked about. The other one is in the database before."""

    def __init__(self, backend):
        self.other = Unit(backend, "other")
        self.mine = Unit(backend, "mine")
        for resource in WITH_BODIES:
            self.mine.put(resource, *(make_row(resource, n, name=f"mine {n}") for n in (1, 2, 4)))
        self.mine.put(RECORDS, *(record(n, "mine") for n in range(1, 41)))
        with self.mine.writing() as storage:
            storage.set_data_state(self.mine.user.id, DataState(3, 33))

    def let_other_in(self):
        for resource in WITH_BODIES:
            rows = (make_row(resource, n, name=f"{n} theirs") for n in (1, 2, 3, 5))
            self.other.put(resource, *rows)
        self.other.put(RECORDS, *(record(n, "Theirs") for n in range(1, 71)))
        with self.other.writing() as storage:
            storage.set_data_state(self.other.user.id, DataState(7, 77))

    def answers(self):
        """What is asked, and what it is answered with."""
        user_id = self.mine.user.id
        ids = [make_id(n) for n in (1, 3, 5, 39, 60)]
        asked = [("list_json", each) for each in questions()]
        asked += [("get_json", resource, ids) for resource in (RECORDS, *WITH_BODIES)]
        asked += [("get_data_state",)]
        return [(question, self.answer(user_id, *question)) for question in asked]

    def answer(self, user_id, method, *arguments):
        with self.mine.reading() as storage:
            try:
                return getattr(storage, method)(user_id, *arguments)
            except (LookupError, CardinalityViolation) as error:
                # What one statement found of another user, the next one does not find of this one.
                return type(error)


def record(number, whose):
    # With regard to case only the other one has what is looked for; what is rare is rare in both.
    twin = "Twin" if whose == "Theirs" else "tWIN"
    return make_row(
        RECORDS,
        number,
        recordDate=(number % 29) * DAY,
        amount=number if whose == "mine" else -number,
        payee=f"pay {twin} {whose}",
        note=("rare " if number % 13 == 0 else "")
        + ("" if number != 20 else "ONCE " if whose == "Theirs" else "once ")
        + f"Common {number} {whose}",
    )


@pytest.fixture
def pair(new_backend, monkeypatch):
    for module in (reading, writing, searching):
        monkeypatch.setattr(module, "ANCHOR_INTERVAL", 3, raising=False)
    monkeypatch.setattr(searching, "ROUNDS", (1, 2))
    monkeypatch.setattr(searching, "_SPARE", 0)
    made = {}

    def make(database):
        if database not in made:
            made[database] = SimpleNamespace(pair=Pair(new_backend(database)))
        return made[database].pair

    return make


@DATABASES
def test_what_another_user_has_makes_no_difference_to_any_statement(pair, database):
    both = pair(database)
    before = both.answers()
    both.let_other_in()
    assert both.answers() == before


def test_every_statement_is_asked_for(pair, monkeypatch):
    asked = set()
    get = StatementCache.get

    def note(self, build, *shape):
        asked.update(builds_of(build, shape))
        return get(self, build, *shape)

    monkeypatch.setattr(StatementCache, "get", note)
    for database in ("sqlite", "postgresql"):
        pair(database).answers()
    assert set(builders()) <= asked


#: Of one row: without the user it is the first one that the database comes by. Here, another's.
OF_ONE_ROW = {"reading._anchor", "parts.state_statement", "parts.with_state"}
#: What the index finds for anybody is the user's only by the next statement, and what that one
#: reads of anybody's is the user's only by the index.
TOGETHER = {"searching._candidates", "searching._chosen"}


@DATABASES
@pytest.mark.parametrize(
    "builder",
    sorted(set(map(name_of, builders()))),
)
def test_a_statement_that_forgets_the_user_is_noticed(pair, monkeypatch, database, builder):
    both = pair(database)
    before = both.answers()
    both.let_other_in()
    careless = TOGETHER if builder in TOGETHER else {builder}
    used = set()

    def is_careless(build):
        used.update({name_of(build)} & careless)
        return name_of(build) in careless

    # The state is the user's: if it is not, the index is not believed.
    table = "records_by_date|chosen" if builder in TOGETHER else r"\w*"
    get = forgetting(StatementCache.get, is_careless, table, others=builder in OF_ONE_ROW)
    monkeypatch.setattr(StatementCache, "get", get)
    after = both.answers()
    if not used:
        pytest.skip(f"{database} is not asked this")
    assert after != before


@DATABASES
@pytest.mark.parametrize(
    "builder", [f"searching.{name}" for name in ("_scan_in_order", "_chosen", "_planned")]
)
def test_a_text_of_another_user_s_record_of_the_same_id_is_no_match(
    pair, monkeypatch, database, builder
):
    """With regard to case the text is compared in another table: there too, it is the user's."""
    both = pair(database)
    before = both.answers()
    both.let_other_in()
    used = set()

    def is_careless(build):
        used.update({name_of(build)} & {builder})
        return name_of(build) == builder

    get = forgetting(StatementCache.get, is_careless, table="records", others=True)
    monkeypatch.setattr(StatementCache, "get", get)
    after = both.answers()
    if not used:
        pytest.skip(f"{database} is not asked this")
    assert after != before


@DATABASES
def test_every_table_in_a_statement_is_bound_to_the_user(pair, monkeypatch, database):
    texts = set()
    get = StatementCache.get

    def note(self, build, *shape):
        statement = get(self, build, *shape)
        texts.add(statement.text)
        return statement

    monkeypatch.setattr(StatementCache, "get", note)
    pair(database).answers()
    assert len(texts) > 20
    assert [text for text in texts if not is_bound(text)] == []
