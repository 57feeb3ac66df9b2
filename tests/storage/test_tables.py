"""The tables can be distributed by user, and each query reads one user's rows only."""

import re
from types import SimpleNamespace

import pytest
from sqlalchemy import UniqueConstraint

from finance_api.query.model import Query, SortKey
from finance_api.resources import ACCOUNTS, CATEGORIES, LABELS, RECORDS
from finance_api.storage.errors import StorageDamaged, StorageNotReady, StorageUnavailable
from finance_api.storage.interface import QuestionLink, Session, Token
from finance_api.storage.sql.backend import SqlBackend
from finance_api.storage.sql.indexes import metadata
from finance_api.storage.sql.placement import is_of_users
from finance_api.storage.sql.read_model import counting, lists
from finance_api.storage.sql.read_model.changes import _lines
from finance_api.storage.sql.read_model.connection import FastConnection, with_state
from finance_api.storage.sql.read_model.drivers import SqlCache
from finance_api.storage.sql.read_model.tables import GRAINS
from finance_api.storage.sql.reading import rows, sums
from finance_api.storage.sql.reading.conditions import Predicate, order_keys
from finance_api.storage.sql.roles.users import _and_owner
from finance_api.storage.sql.tables import user_data
from finance_api.storage.testing import Unit, make_id, make_row
from finance_api.storage.testing.units import DAY, make_query
from support.citus import CITUS_URL

DATABASES = pytest.mark.parametrize("database", ["sqlite", "postgresql"])


@pytest.mark.parametrize("table", metadata.sorted_tables, ids=lambda table: table.name)
def test_every_table_can_be_placed_on_citus(table):
    referred = {key.column.table for key in table.foreign_keys}
    # Citus allows no foreign keys between the two kinds; each machine checks its own rows.
    assert {is_of_users(other) for other in referred} <= {is_of_users(table)}
    if not is_of_users(table):
        return
    keys = [list(table.primary_key.columns), *(list(index.expressions) for index in table.indexes)]
    keys += [list(c.columns) for c in table.constraints if isinstance(c, UniqueConstraint)]
    keys += [[element.parent for element in key.elements] for key in table.foreign_key_constraints]
    assert [columns[0] for columns in keys] == [table.c.user_id] * len(keys)
    assert table is user_data or referred


def plan_of(backend, build, *shape, **values):
    """Return the database's plan of a query, as text."""
    statement = SqlCache(backend.engine.dialect).get(build, *shape)
    given = statement.parameters({"user": 1, **values})
    is_sqlite = backend.engine.dialect.name == "sqlite"
    explain = "EXPLAIN QUERY PLAN" if is_sqlite else "EXPLAIN"
    with backend.read_engine.connect() as connection:
        found = connection.exec_driver_sql(
            f"{explain} {statement.text}", tuple(given) if is_sqlite else given
        )
        return "\n".join(str(row[-1]) for row in found)


def test_an_index_serves_the_default_order_of_records(new_backend):
    backend = new_backend("sqlite")
    with backend.engine.connect() as connection:
        plan = connection.exec_driver_sql(
            "EXPLAIN QUERY PLAN SELECT * FROM records WHERE user_id = 1 "
            "ORDER BY record_date DESC, id LIMIT 10"
        ).all()
    assert re.search("ix_records_(by_date|searched) ", str(plan))
    assert "TEMP B-TREE" not in str(plan)
    assert RECORDS.default_sort == "-recordDate"


@pytest.mark.parametrize(
    "predicate",
    [
        Predicate("transferId", "eq"),
        Predicate("transferId", "in", 2),
        Predicate("transferId", "in_json"),
    ],
)
def test_an_index_serves_the_records_of_transfers(new_backend, predicate):
    keys = order_keys([SortKey(RECORDS["amount"])])
    shape = (RECORDS.name, (predicate,), keys, False, "reference")
    given = {"p0": "[]", "p1": "b", "limit": 9, "offset": 0}
    plan = plan_of(new_backend("sqlite"), rows.chosen, *shape, **given)
    assert "USING INDEX ix_records_transfers (user_id=? AND transfer_id=?)" in plan


@pytest.mark.parametrize("name", ["amount", "payee"])
@pytest.mark.parametrize("descending", [False, True])
@pytest.mark.parametrize("read", [rows.chosen, lists._json_page])
def test_an_index_has_the_order_of_all_records_and_another_one_serves_filters(
    new_backend, name, descending, read
):
    """An index in the order of the first key would require a look-up of each record for the
    filters.
    """
    backend = new_backend("sqlite")
    keys = order_keys([SortKey(RECORDS[name], descending)])
    words = (Predicate("q", "word"),)
    for predicates, wanted in (
        ((), rf"COVERING INDEX ix_records_by_{name} "),
        (words, rf"COVERING INDEX ix_records_by_{name} (.|\n)*COVERING INDEX ix_records_searched "),
        ((Predicate("categoryId", "eq"),), "COVERING INDEX ix_records_by_date "),
        ((Predicate("note", "is_null"),), "ix_records_(user_id|by_date) "),
    ):
        shape = (RECORDS.name, predicates, keys, False, *(["id"] if read is rows.chosen else []))
        plan = plan_of(backend, read, *shape, limit=31, offset=0, p0="x")
        assert re.search(wanted, plan), (predicates, plan)


def test_sums_of_a_range_of_dates_read_no_rows(new_backend):
    """Reading only the index takes a fifth of the time for the range of a year."""
    names = (
        *("currencyCode", "accountId", "categoryId", "recordType", "recordDate", "isVoid"),
        "isTransfer",
    )
    predicates = (Predicate("recordDate", "ge"), Predicate("recordDate", "le"))
    plan = plan_of(new_backend("sqlite"), sums._of_rows, names, predicates, p0=1, p1=2)
    assert "USING COVERING INDEX ix_records_by_date (" in plan


def test_changes_of_a_resource_are_read_in_the_order_of_their_index(new_backend):
    """Sorting texts, or reading all rows of a user, would be most of a page's cost."""
    after = {
        f"{what}_{of}_records": 0 for what in ("rows", "deletions") for of in ("revision", "id")
    }
    plan = plan_of(new_backend("sqlite"), _lines, (RECORDS.name,), ids="[]", limit=9, **after)
    assert "COVERING INDEX ix_records_user_id_revision_id (user_id=? AND (revision,id)>" in plan
    assert "TEMP B-TREE" not in plan


@pytest.mark.parametrize("resource", [ACCOUNTS, CATEGORIES, LABELS])
def test_a_list_in_order_of_name_is_read_in_the_order_of_its_index(new_backend, resource):
    keys = order_keys([SortKey(resource["name"])])
    plan = plan_of(
        new_backend("sqlite"), lists._json_page, resource.name, (), keys, False, limit=9, offset=0
    )
    assert f"ix_{resource.name}_by_name (user_id=?)" in plan
    assert "TEMP B-TREE" not in plan


@pytest.mark.parametrize("operator", ["eq", "in", "in_json"])
def test_the_parts_of_splits_are_found_by_their_index(new_backend, operator):
    predicates = (Predicate("splitId", operator),)
    given = {"p0": "[]" if operator == "in_json" else "x", "after_id": "", "limit": 1000}
    plan = plan_of(new_backend("sqlite"), rows._scan, RECORDS.name, predicates, **given)
    assert "ix_records_splits (user_id=? AND split_id=?)" in plan


@pytest.mark.parametrize(
    ("kind", "table"), [(Token, "tokens"), (QuestionLink, "question_links"), (Session, "sessions")]
)
def test_a_credential_is_found_by_its_index(new_backend, kind, table):
    plan = plan_of(new_backend("sqlite"), _and_owner, False, kind, digest="0")
    assert re.search(rf"SEARCH {table} USING INDEX \w+ \(sha256=\?\)", plan), plan


def test_a_database_without_tables_is_not_ready(tmp_path):
    backend = SqlBackend(f"sqlite:///{tmp_path / 'new.db'}")
    with pytest.raises(StorageNotReady, match="db upgrade"):
        backend.check()
    backend.upgrade()
    backend.upgrade()
    backend.check()
    backend.close()


def test_tables_of_another_version_are_not_ready(new_backend):
    backend = new_backend("sqlite")
    with backend.engine.begin() as connection:
        connection.exec_driver_sql("UPDATE alembic_version SET version_num = '9999'")
    with pytest.raises(StorageNotReady, match="9999"):
        backend.check()


def test_a_damaged_file_is_never_an_empty_answer(new_sqlite_url):
    url = new_sqlite_url()
    path = url.removeprefix("sqlite:///")
    backend = SqlBackend(url)
    unit = Unit(backend)
    unit.put(RECORDS, *(make_row(RECORDS, n) for n in range(500)))
    backend.close()
    with open(path, "r+b") as file:
        size = file.seek(0, 2)
        file.seek(4096)
        file.write(b"\xff" * (size - 4096))
    backend = SqlBackend(url)
    unit.backend = backend
    with pytest.raises((StorageUnavailable, StorageNotReady)):
        unit.ids(RECORDS)
    backend.close()


@pytest.mark.parametrize(
    ("url", "read_url", "reason"),
    [
        ("nonsense", "", "sqlalchemy.url"),
        ("mysql://x/y", "", "neither sqlite nor postgresql"),
        ("sqlite:///a", "nonsense", "sqlalchemy.read_url: "),
        ("sqlite:///a", "mysql://x/y", "sqlalchemy.read_url: mysql is neither"),
        (
            "sqlite:///a",
            "postgresql://x/y",
            "read_url: postgresql cannot be a replica of .* sqlite",
        ),
    ],
)
def test_a_url_that_cannot_be_used_is_named(url, read_url, reason):
    with pytest.raises(StorageNotReady, match=reason):
        SqlBackend(url, read_url=read_url)


@pytest.mark.parametrize("resource", ["records", "accounts"])
def test_json_of_ids_are_looked_up_one_by_one(new_backend, resource):
    """A join, with one plan for all users, would read all rows of some; SQLite keeps the order of
    ids.
    """
    for database, wanted in (("postgresql", "SubPlan"), ("sqlite", "CORRELATED SCALAR SUBQUERY")):
        shape = (with_state, lists._json_by_id, (resource,))
        plan = plan_of(new_backend(database), *shape, ids="[]")
        assert wanted in plan
        assert not re.search(r"Hash|Merge|TEMP B-TREE", plan), plan


def test_a_page_of_records_is_looked_up_in_the_order_of_the_list(new_backend):
    """The records of a page lie together there; by ids they would be looked up one by one."""
    shape = (RECORDS.name, (), order_keys((SortKey(RECORDS["recordDate"], True),)), False)
    values = {"limit": 31, "offset": 0}
    for database, wanted in (
        ("postgresql", r"SubPlan(.|\n)*Index Scan using \w+ on records_by_date"),
        ("sqlite", r"records_by_date USING PRIMARY KEY \(user_id=\? AND newest_first=\? AND id>"),
    ):
        plan = plan_of(new_backend(database), with_state, lists._json_page, shape, **values)
        assert re.search(wanted, plan), plan


@DATABASES
@pytest.mark.parametrize(
    "predicate", [Predicate("transferId", "in", 9), Predicate("transferId", "in_json")]
)
def test_transfers_are_found_by_their_index(new_backend, database, predicate):
    """The database must not read all of the user's records in the order of their ids."""
    if CITUS_URL and database == "postgresql":
        pytest.skip("Citus knows that its tables are empty, and reads them whole")
    given = {f"p{n}": "[]" for n in range(9)} | {"after_id": "", "limit": 1000}
    plan = plan_of(new_backend(database), rows._scan, RECORDS.name, (predicate,), **given)
    assert "ix_records_transfers" in plan


@DATABASES
def test_a_record_missing_in_the_list_is_never_left_out(new_backend, database):
    backend = new_backend(database)
    unit = Unit(backend)
    unit.put(RECORDS, *(make_row(RECORDS, n) for n in (1, 2, 3)))
    query = Query(RECORDS)
    # Numbers of records are compared now, and not again soon.
    assert len(unit.list_json(query).rows) == 3
    with backend.engine.begin() as connection:
        connection.exec_driver_sql(f"DELETE FROM records_by_date WHERE id = '{make_id(2)}'")
    with unit.reading() as storage, pytest.raises(StorageDamaged, match="not in records_by_"):
        storage.data.list_json(unit.user.id, query)
    with unit.reading() as storage, pytest.raises(StorageDamaged, match="not in records_by_"):
        list(storage.data.stream_json(unit.user.id, query))


#: By part: SQL that removes something of the read model, and a read that would leave it out.
LOST = {
    "record of the list": ("records_by_date WHERE id = '{id}'", "list_json"),
    "record of the list, in a stream": ("records_by_date WHERE id = '{id}'", "stream_json"),
    "record of the list, and its number": ("records_by_date WHERE id = '{id}'", "count_rows"),
    "record of the list, by its id": ("records_by_date WHERE id = '{id}'", "get_json"),
    "anchor": ("record_anchors WHERE position = 256", "far page"),
    **{
        f"sum of grain {grain}": (f"record_sums WHERE grain = {grain} AND month = 0", "sum_by")
        for grain in range(len(GRAINS))
    },
    **{
        f"all sums of grain {grain}": (f"record_sums WHERE grain = {grain}", "sum_by")
        for grain in range(len(GRAINS))
    },
}


@DATABASES
@pytest.mark.parametrize("part", LOST)
def test_a_lost_part_of_the_read_model_is_damage_until_it_is_repaired(
    new_backend, database, part, monkeypatch
):
    backend = new_backend(database)
    unit = Unit(backend)
    number = 600 if part == "anchor" else 3
    unit.put(RECORDS, *(make_row(RECORDS, n, recordDate=n * 40 * DAY) for n in range(number)))
    lost, read = LOST[part]
    arguments = {
        "sum_by": (["accountId"], ()),
        "get_json": (RECORDS, [make_id(2)]),
        "far page": (make_query(RECORDS, offset=300, limit=100),),
    }.get(read, (make_query(RECORDS),))
    method = "list_json" if read == "far page" else read

    def reads():
        with unit.reading() as storage:
            found = getattr(storage.data, method)(unit.user.id, *arguments)
            if read == "get_json":
                return found[1]
            return list(found) if read == "stream_json" else found

    monkeypatch.setattr(counting, "SECONDS", 0)
    monkeypatch.setattr(counting, "DAMAGED_SECONDS", 0)
    before = reads()
    with backend.engine.begin() as connection:
        connection.exec_driver_sql(f"DELETE FROM {lost.format(id=make_id(2))}")
    for _ in range(2):
        with pytest.raises(StorageDamaged, match="different numbers of records"):
            reads()
    assert [fault.repaired for fault in backend.find_faults(repair=True)].count(False) == 0
    assert list(backend.find_faults()) == []
    after = reads()
    assert getattr(after, "lines", after) == getattr(before, "lines", before)


def note_builds(monkeypatch):
    """Return a list that receives what each query is built by."""
    asked = []
    fetch = FastConnection.fetch

    def note(self, build, *shape, values):
        asked.append(build)
        return fetch(self, build, *shape, values=values)

    monkeypatch.setattr(FastConnection, "fetch", note)
    return asked


def test_the_numbers_of_the_read_model_are_compared_now_and_then(new_backend, monkeypatch):
    unit = Unit(new_backend("sqlite"))
    unit.put(RECORDS, *(make_row(RECORDS, n) for n in (1, 2, 3)))
    asked = note_builds(monkeypatch)
    for _ in range(3):
        unit.list_json(make_query(RECORDS))
    assert asked.count(counting._numbers) == 1
    unit.backend.room.comparisons.forget()
    unit.list_json(make_query(RECORDS))
    assert asked.count(counting._numbers) == 2


def test_a_difference_is_remembered_for_some_seconds_and_names_its_user(new_backend, monkeypatch):
    backend = new_backend("sqlite")
    units = [Unit(backend), Unit(backend, "two")]
    for unit in units:
        unit.put(RECORDS, *(make_row(RECORDS, n) for n in (1, 2, 3)))
    with backend.engine.begin() as connection:
        connection.exec_driver_sql("DELETE FROM record_sums")
    asked, now = note_builds(monkeypatch), [0.0]
    monkeypatch.setattr(counting, "time", SimpleNamespace(monotonic=lambda: now[0]))
    for unit in units * 3:
        with pytest.raises(StorageDamaged, match=rf"\buser {unit.user.id}\b"):
            unit.list_json(make_query(RECORDS))
    assert asked.count(counting._numbers) == len(units)
    assert list(backend.find_faults())
    assert {fault.repaired for fault in backend.find_faults(repair=True)} == {True}
    now[0] += counting.DAMAGED_SECONDS
    for unit in units:
        assert len(unit.list_json(make_query(RECORDS)).rows) == 3
