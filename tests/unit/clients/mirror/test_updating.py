"""The file of a mirror after a run, and after a run that was killed."""

import json
import os
import signal
import sqlite3
import stat
from contextlib import closing

import pytest

from finance_api.clients.mirror import updating
from finance_api.clients.mirror.source import SourceError, StartOver
from finance_api.clients.mirror.updating import TABLES, MirrorRefused, update


class Pages:
    """A source that has pages. pages: since -> the page, or an error to raise."""

    def __init__(self, pages, *, base="http://a.example", token="fin_1"):
        self.pages, self.base, self.token, self.asked = pages, base, token, []

    def read_page(self, since):
        self.asked.append(since)
        page = self.pages[since]
        if isinstance(page, Exception):
            raise page
        return json.dumps(page, default=float).encode()


def page(following, *changes, more=False):
    return {"changes": list(changes), "next": following, "hasMore": more, "revision": 1}


def put(number, type_="records", **data):
    fields = TABLES[type_].resource.fields if type_ in TABLES else ()
    row = {field.name: None if field.nullable else field.example for field in fields}
    row |= {"id": f"r{number}", **data}
    return {"type": type_, "id": row["id"], "op": "put", "revision": 1, "data": row}


def delete(number, type_="records"):
    return {"type": type_, "id": f"r{number}", "op": "delete", "revision": 2}


@pytest.fixture
def path(tmp_path):
    return tmp_path / "finance.db"


def rows(path, query="SELECT id, payee FROM records ORDER BY id"):
    with closing(sqlite3.connect(path)) as file:
        return file.execute(query).fetchall()


def test_later_runs_read_only_what_has_changed(path):
    first = page("5", put(1, payee="a"), more=True)
    done = update(path, Pages({"0": first, "5": page("7", put(2, payee="b"))}))
    assert (done.put, done.deleted, done.started_over) == (2, 0, True)
    source = Pages({"7": page("9", put(1, payee="c"), delete(2), delete(3), put(4, payee="d"))})
    done = update(path, source)
    assert source.asked == ["7"]
    assert (done.put, done.deleted, done.started_over) == (2, 1, False)
    assert rows(path) == [("r1", "c"), ("r4", "d")]


@pytest.mark.parametrize("other", [{"base": "http://b.example"}, {"token": "fin_2"}])
def test_another_token_or_service_starts_over(path, other):
    update(path, Pages({"0": page("5", put(1, payee="a"))}))
    update(path, Pages({"0": page("6", put(2, payee="b"))}, **other))
    assert rows(path) == [("r2", "b")]


def test_expired_changes_start_over_and_remove_what_is_gone(path):
    update(path, Pages({"0": page("5", put(1, payee="a"), put(2, payee="b"))}))
    again = {"0": page("8", put(2, payee="c"), more=True), "8": page("9", put(3, payee="d"))}
    source = Pages({"5": StartOver(), **again})
    assert update(path, source).started_over
    assert (source.asked, rows(path)) == (["5", "0", "8"], [("r2", "c"), ("r3", "d")])


def test_changes_that_expire_again_and_again_leave_the_file(path):
    update(path, Pages({"0": page("5", put(1, payee="a"))}))
    with pytest.raises(SourceError, match="try again later"):
        update(path, Pages({"5": StartOver(), "0": StartOver()}))
    assert rows(path) == [("r1", "a")]


def test_other_tables_of_this_version_start_over(path, monkeypatch):
    update(path, Pages({"0": page("5", put(1, payee="a"))}))
    monkeypatch.setattr(updating, "_TABLES", "of a later version")
    update(path, Pages({"0": page("6", put(2, payee="b"))}))
    assert rows(path) == [("r2", "b")]


def test_fields_of_a_newer_service_are_left_out_and_its_types_reported(path):
    new = put(1, payee="a", mood="good", **{"no name": [1]})
    done = update(path, Pages({"0": page("5", put(2, payee="b"), new, put(3, type_="pets"))}))
    assert done.unknown == {"pets"}
    assert rows(path) == [("r1", "a"), ("r2", "b")]


def test_amounts_beyond_a_float_are_exact_in_units(path):
    text = json.dumps(page("1.x", put(1, amount="AMOUNT")), default=float)
    body = text.replace('"AMOUNT"', "900719925474099.3001").encode()
    source = Pages({})
    source.read_page = lambda since: body
    update(path, source)
    assert rows(path, "SELECT amount_units FROM records") == [(9007199254740993001,)]


def test_views_name_categories_labels_and_what_counts(path):
    update(
        path,
        Pages(
            {
                "0": page(
                    "5",
                    put(1, "categories", name="Living", parentId=None),
                    put(2, "categories", name="Food", parentId="r1"),
                    put(3, "categories", name="Bread", parentId="r2"),
                    put(8, "accounts", name="Hidden", excludeFromStats=True),
                    put(9, "accounts", name="Giro", excludeFromStats=False),
                    *(
                        put(n, amount=-n, recordDate="2026-03-01", labels=["a", "b"], **more)
                        for n, more in enumerate(
                            (
                                {"accountId": "r9", "categoryId": "r3", "category": "Bread"},
                                {"accountId": "r9", "recordState": "void"},
                                {"accountId": "r9", "transferId": "x"},
                                {"accountId": "r8"},
                                {"accountId": "unknown", "currencyCode": "EUR"},
                            ),
                            start=10,
                        )
                    ),
                )
            }
        ),
    )
    query = "SELECT amount, counted, topCategory, labels FROM records_view ORDER BY id"
    assert rows(path, query) == [
        (-10, 1, "Living", "a, b"),
        (-11, 0, None, "a, b"),
        (-12, 0, None, "a, b"),
        (-13, 0, None, "a, b"),
        (-14, 1, None, "a, b"),
    ]
    query = "SELECT month, category, topCategory, count, income, expense FROM monthly_by_category"
    assert sorted(rows(path, query), key=str) == [
        ("2026-03", "Bread", "Living", 1, 0, -10),
        ("2026-03", None, None, 1, 0, -14),
    ]


def test_files_of_other_programs_are_refused_and_left_alone(path):
    for content in (b"hello", b"SQLite format 3\0" + b"x" * 200):
        path.write_bytes(content)
        with pytest.raises(MirrorRefused, match="cannot be read as a SQLite file"):
            update(path, Pages({}))
        assert path.read_bytes() == content
    path.unlink()
    with closing(sqlite3.connect(path)) as file:
        file.execute("CREATE TABLE mine (x)")
    with pytest.raises(MirrorRefused, match="not a mirror: name another file"):
        update(path, Pages({}))
    assert rows(path, "SELECT name FROM sqlite_master") == [("mine",)]


def test_a_file_that_cannot_be_written_is_named(tmp_path):
    for path in (tmp_path / "missing" / "finance.db", tmp_path):
        with pytest.raises(MirrorRefused, match=rf"{path} cannot be"):
            update(path, Pages({}))


def test_only_its_owner_can_read_a_new_file(path):
    update(path, Pages({"0": page("5")}))
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_when_two_runs_overlap_the_slower_one_stores_nothing(path):
    update(path, Pages({"0": page("5", put(1, payee="a"))}))
    slow = Pages({"5": page("6", put(1, payee="b"))})
    read = slow.read_page

    def slowly(since):
        update(path, Pages({"5": page("7", put(1, payee="c"))}))
        return read(since)

    slow.read_page = slowly
    with pytest.raises(MirrorRefused, match="another run"):
        update(path, slow)
    assert rows(path) == [("r1", "c")]


def killed_at(path, source, number):
    """Run in a child process, which dies at this SQL command. Return whether it died."""
    child = os.fork()
    if child == 0:
        left = iter(range(number))
        connect = sqlite3.connect

        def traced(*arguments, **options):
            file = connect(*arguments, **options)
            file.set_trace_callback(
                lambda _: next(left, None) is None and os.kill(os.getpid(), signal.SIGKILL)
            )
            return file

        sqlite3.connect = traced
        try:
            update(path, source)
        finally:
            os._exit(0)
    return os.WIFSIGNALED(os.waitpid(child, 0)[1])


@pytest.mark.parametrize("is_first", [True, False])
def test_a_killed_run_leaves_the_old_state_or_the_new(path, is_first):
    old, new = [("r1", "a"), ("r2", "b")], [("r1", "c"), ("r3", "d")]
    source = Pages({"0": page("5", put(1, payee="c"), put(3, payee="d"))})
    if not is_first:
        update(path, Pages({"0": page("4", put(1, payee="a"), put(2, payee="b"))}))
        source = Pages({"4": page("5", put(1, payee="c"), delete(2), put(3, payee="d"))})
    number = 0
    while killed_at(path, source, number):
        number += 1
        exists = rows(path, "SELECT name FROM sqlite_master WHERE name = 'records'")
        if is_first and not exists:
            continue
        found = rows(path)
        assert found in (old, new)
        if found == new:
            break
    assert number > 5
    if rows(path) != new:
        update(path, source)
    assert rows(path) == new
