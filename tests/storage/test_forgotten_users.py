"""Would tests notice if a query lost the predicate that restricts it to a user?

Two users have rows with the same ids, dates and texts, more than anchors are apart. One user reads
before and after the other has data, and must see no difference. Then the tests remove each
predicate in turn: a read must return, or a write must store, something else.
"""

import inspect
from collections import defaultdict
from typing import Any

import pytest
from sqlalchemy import Select, event
from sqlalchemy.sql import Executable

from finance_api.storage.sql.connections import unit
from finance_api.storage.sql.read_model import (
    by_date,
    changes,
    counting,
    finding,
    lists,
    projection,
)
from finance_api.storage.sql.read_model import connection as fast
from finance_api.storage.sql.read_model import sums as stored_sums
from finance_api.storage.sql.read_model.connection import FastConnection
from finance_api.storage.sql.read_model.drivers import SqlCache
from finance_api.storage.sql.reading import rows, sums
from finance_api.storage.sql.roles import activity, users
from finance_api.storage.sql.tables import user_data
from finance_api.storage.testing import Unit
from support.forgetting import Statements, builds_of, is_bound, names_user, placements, predicates
from support.nightly import count
from support.user_pair import Pair

DATABASES = pytest.mark.parametrize("database", ["sqlite", "postgresql"])
#: Functions whose predicates make no difference. The ids that a search finds are looked up among
#: the user's own records. Numbers of records are only compared with each other, once for a user.
HARMLESS = {"read_model.finding._found", "read_model.counting._numbers"}

#: The modules with the queries that read users' rows in the room of the read model.
MODULES = (
    *(rows, by_date, counting, finding, unit, fast, lists, sums, stored_sums, changes),
    activity,
)


def builders():
    """Return the queries on a user's rows, and the functions that build such queries."""
    found = [users._of_user, users._QUESTION]
    for module in MODULES:
        for _, function in inspect.getmembers(module, inspect.isfunction):
            signature = inspect.signature(function)
            makes_statement = signature.return_annotation in (Select[Any], Executable)
            if function.__module__ == module.__name__ and "database" in signature.parameters:
                found += [function] if makes_statement else []
        found += [each for _, each in inspect.getmembers(module) if isinstance(each, Select)]
    # It reads the audit log of all users.
    return [function for function in found if function is not activity._NEWEST_AUDITED]


@pytest.fixture
def pair(new_backend, monkeypatch):
    for module in (by_date, counting, lists, projection):
        monkeypatch.setattr(module, "ANCHOR_INTERVAL", 3)
    return lambda database: Pair(new_backend(database))


@DATABASES
def test_what_another_user_has_makes_no_difference_to_any_statement(pair, database):
    both = pair(database)
    before = both.answers()
    both.let_other_in()
    assert both.answers() == before


@pytest.fixture
def compiled(monkeypatch):
    """Collect every query built from now on for reading: the functions that built it, and its
    text.
    """
    found = []
    get = SqlCache.get

    def note(self, build, *shape):
        statement = get(self, build, *shape)
        found.append((builds_of(build, shape), statement.text))
        return statement

    monkeypatch.setattr(SqlCache, "get", note)
    return found


def test_every_statement_is_run(pair, compiled):
    for database in ("sqlite", "postgresql"):
        pair(database).answers()
    assert set(builders()) <= {build for builds, _ in compiled for build in builds}


@pytest.mark.nightly
@pytest.mark.parametrize("database", count(["sqlite"], ["sqlite", "postgresql"]))
def test_a_predicate_that_is_left_out_is_noticed(pair, monkeypatch, database, figures):
    both = pair(database)
    both.let_other_in()
    run = Statements(monkeypatch, both.mine.backend)
    works = {name: lambda read=read: both.answer(read) for name, read in both.reads().items()}
    works |= {name: lambda write=write: both.effect(write) for name, write in both.writes().items()}
    expected, users_of, places = {}, defaultdict(list), {}
    for name, work in works.items():
        run.used.clear()
        expected[name] = work()
        for place, function in run.used.items():
            users_of[place].append(name)
            places[place] = function
    noticed_by = {}
    for place, names in users_of.items():
        run.left_out = place
        text, number = place
        all_of_it = predicates(text)
        if f"+{all_of_it[number]}" in text:
            # SQLite looks up ids among the user's rows; this only says again whose rows they are.
            continue
        # By function: a predicate in queries of several shapes needs to be noticed in only one.
        what = f"{places[place]}: {all_of_it[number]}, {number + 1} of {len(all_of_it)}"
        for name in names:
            if noticed_by.setdefault(what, None):
                break
            # A query of one row without the user may return either row, so try the opposite, too.
            for run.opposite in (False, True):
                if works[name]() != expected[name]:
                    noticed_by[what] = name
                    break
    assert len(noticed_by) > 50
    unnoticed = [what for what, name in noticed_by.items() if name is None]
    # On a busy machine a time-out may make a harmless one look noticed.
    assert {what.partition(":")[0] for what in unnoticed} <= HARMLESS, unnoticed
    figures(f"{len(noticed_by)} predicates left out in turn, {len(unnoticed)} of them harmless")


@DATABASES
def test_every_table_in_a_statement_is_bound_to_the_user(pair, compiled, database):
    both = pair(database)
    both.answers()
    texts = {text for _, text in compiled}
    assert len(texts) > 20
    assert [text for text in texts if not is_bound(text)] == []

    @event.listens_for(both.mine.backend.engine, "before_cursor_execute")
    def note_write(connection, cursor, text, *others):
        texts.add(text)

    for name, write in both.writes().items():
        if name != "rebuild":
            both.effect(write, looks=False)
    assert sum("DELETE FROM" in text for text in texts) > 20
    assert [text for text in texts if not names_user(text)] == []


@DATABASES
def test_no_query_on_citus_reads_users_and_their_data_together(
    pair, compiled, monkeypatch, database
):
    """Citus keeps local tables on the coordinator, and distributed tables on all machines."""
    both = pair(database)
    both.let_other_in()
    expected = both.answers()
    monkeypatch.setattr(FastConnection, "is_cluster", True)
    compiled.clear()
    assert both.answers() == expected
    backend, new = both.mine.backend, Unit(both.mine.backend, "new")
    texts = {text for _, text in compiled}

    @event.listens_for(backend.engine, "before_cursor_execute")
    @event.listens_for(backend.read_engine, "before_cursor_execute")
    def note(connection, cursor, text, *others):
        texts.add(text)

    for write in both.writes().values():
        both.effect(write, looks=False)
    with new.writing() as storage:
        storage.users.lock(new.user.id)
        assert len(storage.users.list_all()) == 3
        storage.usage.prune(2)
        storage.audit.prune(2)
        storage.users.prune_jwts(2)
        storage.users.prune_sessions(created_before=2, seen_before=2)
        storage.uploads.prune(created_before=2, alive_before=2)
        assert storage.users.list_with_past_states(99) != []
        storage.users.delete(new.user.id)
    with backend.engine.begin() as connection:
        connection.execute(user_data.update().values(record_count=7))
    assert {fault.repaired for fault in backend.find_faults(repair=True)} == {True}
    assert list(backend.find_faults()) == []
    backend.totals()
    assert len(texts) > 200
    mixed = [text for text in texts if len(placements(text)) > 1]
    assert mixed == []
