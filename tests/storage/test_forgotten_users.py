"""Every statement that reads a user's rows: would it be noticed if it forgot the user?

Two users have records with the same ids, dates and texts, more than anchors and rounds of the
search are apart. One of them reads before and after the other has data, and must see no difference;
with a statement that forgets whose data it is to read, a difference must be seen.
"""

import inspect
from types import SimpleNamespace
from typing import Any

import pytest
from psycopg.errors import CardinalityViolation
from sqlalchemy import Select
from sqlalchemy.sql import Executable

from finance_api.query.model import Query
from finance_api.query.parse import parse_conditions, parse_sort
from finance_api.resources import ACCOUNTS, CATEGORIES, LABELS, RECORD_RULES, RECORDS
from finance_api.storage.interface import DataState, Jwt, Session
from finance_api.storage.sql import json_rows, jwts, reading, sessions, statements, tokens, usage
from finance_api.storage.sql.driver import StatementCache
from finance_api.storage.sql.projection import reading as by_date
from finance_api.storage.sql.projection import records_by_date, searching
from finance_api.storage.testing import Unit, make_id, make_row
from finance_api.storage.testing.units import make_token
from support.forgetting import builds_of, forgetting, is_bound

DATABASES = pytest.mark.parametrize("database", ["sqlite", "postgresql"])
DAY = 86_400
WITH_JSON = (ACCOUNTS, CATEGORIES, LABELS, RECORD_RULES)


def builders():
    """The functions that make statements on a user's rows."""
    found = [tokens._tokens_of_user, jwts._jwts_of_user, sessions._sessions_of_user, usage._days]
    for module in (json_rows, reading, by_date, statements, searching):
        for _, function in inspect.getmembers(module, inspect.isfunction):
            signature = inspect.signature(function)
            makes_statement = signature.return_annotation in (Select[Any], Executable)
            if function.__module__ == module.__name__ and "database" in signature.parameters:
                found += [function] if makes_statement else []
    return found


def name_of(builder):
    return ".".join([*builder.__module__.split(".")[-2:], builder.__name__])


def query(resource, sort=None, *, limit=4, offset=0, total=False, **filters):
    conditions = [
        condition
        for name, texts in filters.items()
        for text in (texts if isinstance(texts, list) else [texts])
        for condition in parse_conditions(resource.get_field(name), text)
    ]
    keys = parse_sort(resource, sort or resource.default_sort)
    return Query(resource, tuple(conditions), keys, limit, offset, total)


def queries():
    for resource in WITH_JSON:
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
    # Past the oldest date there is no anchor.
    yield query(RECORDS, offset=4, limit=2, recordDate="lt.1970-01-03")
    for sort in ("+amount", "-payee", "+recordDate"):
        yield query(RECORDS, sort, total=True)
        yield query(RECORDS, sort, offset=20, limit=100)


class Pair:
    """mine: the user whose data is read. The other one is in the database before."""

    def __init__(self, backend):
        self.other = Unit(backend, "other")
        self.mine = Unit(backend, "mine")
        for resource in WITH_JSON:
            rows = (make_row(resource, n, name=f"mine {n}", **source(n)) for n in (1, 2, 4))
            self.mine.put(resource, *rows)
        self.mine.put(RECORDS, *(record(n, "mine") for n in range(1, 41)))
        add_credentials(self.mine, 1, DataState(3, 33))

    def let_other_in(self):
        for resource in WITH_JSON:
            rows = (make_row(resource, n, name=f"{n} theirs", **source(n)) for n in (1, 2, 3, 5))
            self.other.put(resource, *rows)
        self.other.put(RECORDS, *(record(n, "Theirs") for n in range(1, 71)))
        add_credentials(self.other, 2, DataState(7, 77))

    def answers(self):
        """Every read, and what it returns."""
        ids = [make_id(n) for n in (1, 3, 5, 39, 60)]
        reads = [("data", "list_json", each) for each in queries()]
        for resource in (RECORDS, *WITH_JSON):
            reads += [("data", "get_json", resource, ids), ("data", "get_rows", resource, ids)]
            reads += [("data", "get_rows_by_source", resource, "bank", ids)]
            reads += [("data", "scan_rows", resource)]
            for total, offset in ((True, 0), (False, 1_000), (False, 39)):
                reads += [("data", "list_rows", query(resource, offset=offset, total=total))]
        conditions = query(RECORDS, note="contains-i.rare").conditions
        reads += [("data", "sum_by", ["accountId"], each) for each in ((), conditions)]
        reads += [("data", "get_state"), ("usage", "list_days", 0, 100)]
        reads += [(role, "list_by_user") for role in ("tokens", "jwts", "sessions")]
        return [(read, self.answer(*read)) for read in reads]

    def answer(self, role, method, *arguments):
        with self.mine.reading() as storage:
            try:
                return getattr(getattr(storage, role), method)(self.mine.user.id, *arguments)
            except (LookupError, CardinalityViolation) as error:
                # What one statement finds of the other user, the next does not find of this one.
                return type(error)


def source(number):
    return {"source": "bank", "sourceId": make_id(number)}


def add_credentials(unit, number, state):
    user = unit.user
    with unit.writing() as storage:
        storage.data.set_state(user.id, state)
        storage.tokens.add(make_token(user, number))
        storage.jwts.add(Jwt(f"{number}", user.id, 10, 100))
        storage.sessions.add(Session(f"{number}", user.id, 10, 10))
        storage.usage.add({(user.id, number): number})


def record(number, whose):
    # With regard to case only the other one has what is looked for; what is rare is rare in both.
    twin = "Twin" if whose == "Theirs" else "tWIN"
    return make_row(
        RECORDS,
        number,
        recordDate=(number % 29) * DAY,
        amount=number if whose == "mine" else -number,
        **source(number),
        payee=f"pay {twin} {whose}",
        note=("rare " if number % 13 == 0 else "")
        + ("" if number != 20 else "ONCE " if whose == "Theirs" else "once ")
        + f"Common {number} {whose}",
    )


@pytest.fixture
def pair(new_backend, monkeypatch):
    for module in (by_date, records_by_date, searching):
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


def test_every_statement_is_run(pair, monkeypatch):
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
OF_ONE_ROW = {
    "projection.reading._anchor",
    "sql.statements.data_state",
    "sql.statements.with_state",
}
#: What the index finds for anybody is the user's only by the next statement, and what that one
#: reads of anybody's is the user's only by the index.
TOGETHER = {"projection.searching._candidates", "projection.searching._chosen"}


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
        pytest.skip(f"{database} does not run this")
    assert after != before


@DATABASES
@pytest.mark.parametrize("name", ["_scan_in_order", "_chosen", "_planned"])
def test_a_text_of_another_user_s_record_of_the_same_id_is_no_match(
    pair, monkeypatch, database, name
):
    """With regard to case the text is compared in another table: there too, it is the user's."""
    both = pair(database)
    before = both.answers()
    both.let_other_in()
    used = set()

    def is_careless(build):
        is_meant = build is getattr(searching, name)
        used.update([name] if is_meant else [])
        return is_meant

    get = forgetting(StatementCache.get, is_careless, table="records", others=True)
    monkeypatch.setattr(StatementCache, "get", get)
    after = both.answers()
    if not used:
        pytest.skip(f"{database} does not run this")
    assert after != before


@DATABASES
def test_every_table_in_a_statement_is_bound_to_the_user(pair, monkeypatch, database):
    both = pair(database)
    texts = set()
    get = StatementCache.get

    def note(self, build, *shape):
        statement = get(self, build, *shape)
        texts.add(statement.text)
        return statement

    monkeypatch.setattr(StatementCache, "get", note)
    both.answers()
    assert len(texts) > 20
    assert [text for text in texts if not is_bound(text)] == []
