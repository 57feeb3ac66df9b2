"""The work of a search does not depend on other users' data."""

import json
from dataclasses import replace

import pytest

from finance_api.query.model import any_of, condition_on
from finance_api.query.operators import Operator
from finance_api.query.words import parse_words
from finance_api.resources import RECORDS
from finance_api.storage.sql.data_tables import DATA_TABLES
from finance_api.storage.sql.read_model.connection import with_state
from finance_api.storage.sql.read_model.drivers import SqlCache
from finance_api.storage.sql.read_model.lists import _json_page
from finance_api.storage.sql.reading.conditions import order_keys, shape_and_values
from finance_api.storage.sql.reading.rows import _scan
from finance_api.storage.testing import Unit, make_id, make_row
from finance_api.storage.testing.units import make_query

DAY = 86_400
COUNT = 600
#: Nobody has the first word; all records of the other user have the second.
WORDS = ("nowhere", "theirs")


@pytest.fixture
def unit(new_backend):
    def make(database):
        backend = new_backend(database)
        unit, other = Unit(backend, "mine"), Unit(backend, "other")
        for each, note in ((unit, "some of mine"), (other, "common: theirs")):
            rows = (make_row(RECORDS, n, recordDate=n * DAY, note=note) for n in range(COUNT))
            each.put(RECORDS, *rows)
        return unit

    return make


def search(unit, word):
    query = make_query(RECORDS, note=f"contains-i.{word}")
    with unit.reading() as storage:
        assert storage.data.list_json(unit.user.id, query).rows == []


def test_sqlite_takes_as_many_steps_for_a_word_that_others_have(unit):
    unit = unit("sqlite")
    steps = {}
    for word in WORDS:
        search(unit, word)
        connection = unit.backend.read_engine.raw_connection()
        count = []
        connection.driver_connection.set_progress_handler(lambda c=count: c.append(1), 1)
        connection.close()
        search(unit, word)
        steps[word] = len(count)
    assert steps["theirs"] == steps["nowhere"] > COUNT


def plan(unit, word, explain):
    return plan_of(unit, make_query(RECORDS, note=f"contains-i.{word}"), explain)


def plan_of(unit, query, explain, *, is_near=False):
    predicates, values = shape_and_values(query.conditions)
    page = (_json_page, (RECORDS.name, predicates, order_keys(query.sort), is_near))
    return explained(unit, explain, values | {"limit": 31, "offset": 0}, with_state, *page)


def explained(unit, explain, values, *shape):
    backend = unit.backend
    statement = SqlCache(backend.engine.dialect).get(*shape)
    values = statement.parameters(values | {"user": unit.user.id})
    if isinstance(values, list):
        values = tuple(values)
    with backend.read_engine.connect() as connection:
        return connection.exec_driver_sql(f"{explain} {statement.text}", values).all()


def nodes(node):
    """Yield a plan's nodes; with Citus, those of the worker's plan."""
    if "Distributed Query" in node:
        ((plan,),) = node["Distributed Query"]["Job"]["Tasks"][0]["Remote Plan"]
        yield from nodes(plan["Plan"])
        return
    yield node
    for inner in node.get("Plans", ()):
        yield from nodes(inner)


def test_postgresql_reads_as_many_rows_and_pages_for_a_word_that_others_have(unit):
    unit = unit("postgresql")
    with unit.backend.engine.begin() as connection:
        connection.exec_driver_sql("ANALYZE")
    seen = {}
    for word in WORDS:
        for _ in range(2):
            ((found,),) = plan(unit, word, "EXPLAIN (ANALYZE, BUFFERS, TIMING OFF, FORMAT JSON)")
        found = found if isinstance(found, list) else json.loads(found)
        seen[word] = [
            (
                node["Node Type"],
                node["Shared Hit Blocks"] + node["Shared Read Blocks"],
                node["Actual Rows"],
                node.get("Rows Removed by Filter"),
            )
            for node in nodes(found[0]["Plan"])
        ]
    assert seen["theirs"] == seen["nowhere"]
    assert COUNT in [removed for *_, removed in seen["theirs"]]


@pytest.mark.parametrize("text", [None, "x", "x OR y z"])
def test_sqlite_searches_in_an_index_without_the_json(unit, text):
    query = make_query(RECORDS, note="contains-i.x")
    if text is not None:
        query = replace(query, conditions=parse_words(text))
    rows = [row[-1] for row in plan_of(unit("sqlite"), query, "EXPLAIN QUERY PLAN")]
    assert "SEARCH records USING COVERING INDEX ix_records_searched (user_id=?)" in rows
    assert not [row for row in rows if row.startswith(("SCAN records", "USE TEMP B-TREE"))]


def test_sqlite_walks_the_order_of_a_page_if_a_search_finds_many_records(unit):
    unit, steps = unit("sqlite"), {}
    query = replace(make_query(RECORDS, "amount"), conditions=parse_words("mine"), limit=9)
    for is_near in (False, True):
        rows = [row[-1] for row in plan_of(unit, query, "EXPLAIN QUERY PLAN", is_near=is_near)]
        assert any("USING COVERING INDEX ix_records_by_amount (user_id=?)" in row for row in rows)
        assert ("CORRELATED LIST SUBQUERY" in " ".join(rows)) == is_near
        with unit.reading() as storage:
            if is_near:
                storage.data.connection.found_ids[unit.user.id, query.conditions] = None
            driver, count = storage.data.connection.driver.connection, []
            driver.set_progress_handler(lambda c=count: c.append(1), 1)
            rows = storage.data.list_json(unit.user.id, query).rows
            driver.set_progress_handler(None, 1)
        steps[is_near] = len(count), rows
    assert steps[True][1] == steps[False][1] != []
    assert 10 * steps[True][0] < steps[False][0]


@pytest.mark.parametrize("test", ["is.null", "is.not_null"])
def test_sqlite_finds_records_without_a_note_in_an_index(unit, test):
    query = make_query(RECORDS, note=test)
    rows = [row[-1] for row in plan_of(unit("sqlite"), query, "EXPLAIN QUERY PLAN")]
    assert "SEARCH records USING COVERING INDEX ix_records_searched (user_id=?)" in rows


@pytest.mark.parametrize("number", [2, 60])
@pytest.mark.parametrize("sort", ["recordDate", "amount"])
def test_sqlite_looks_up_each_of_a_list_of_ids(unit, number, sort):
    """Otherwise a page and its sums, after a search, would each read an index of all records."""
    ids = any_of("id", [make_id(n) for n in range(1, number + 1)])
    query = replace(make_query(RECORDS, sort), conditions=(ids,))
    rows = [row[-1] for row in plan_of(unit("sqlite"), query, "EXPLAIN QUERY PLAN")]
    assert [row for row in rows if row.startswith("SEARCH records USING")] == [
        "SEARCH records USING INTEGER PRIMARY KEY (rowid=?)"
    ]
    own = "INDEX sqlite_autoindex_records_1 (user_id=? AND id=?)"
    assert {row for row in rows if row.startswith("SEARCH whole")} == {
        f"SEARCH whole USING COVERING {own}"
    }


def test_the_texts_that_searches_read_are_the_first_columns_of_records():
    """PostgreSQL reads a row's columns up to the last one that a query needs."""
    columns = DATA_TABLES[RECORDS.name].table.columns.keys()
    words, texts = columns[1:4], columns[4:8]
    assert words == ["payee_plain", "note_plain", "names_plain"]
    assert texts == ["payee", "payee_folded", "note", "note_folded"]


def test_sqlite_finds_the_records_of_an_import_in_an_index(unit):
    made = condition_on(RECORDS, "importId", Operator.ANY_OF, (1,))
    predicates, values = shape_and_values([made])
    values |= {"after_id": "", "limit": 10}
    shape = _scan, RECORDS.name, predicates
    found = explained(unit("sqlite"), "EXPLAIN QUERY PLAN", values, *shape)
    searches = [row[-1].partition(" (")[0] for row in found if "SEARCH" in row[-1]]
    assert searches == [
        "SEARCH records USING INDEX sqlite_autoindex_records_1",
        "SEARCH records USING COVERING INDEX ix_records_by_date",
    ]


def test_the_records_of_an_import_are_looked_for_once(unit):
    unit, ran = unit("sqlite"), []
    made = condition_on(RECORDS, "importId", Operator.ANY_OF, (1,))
    query = replace(make_query(RECORDS), conditions=(made,), with_total=True)
    with unit.reading() as storage:
        storage.data.list_json(unit.user.id, make_query(RECORDS))
        driver = storage.data.connection.driver.connection
        driver.set_trace_callback(ran.append)
        storage.data.list_json(unit.user.id, query)
        storage.data.sum_by(unit.user.id, ["currencyCode"], [made])
        driver.set_trace_callback(None)
    assert len([each for each in ran if "import_id = 1" in each]) == 1
