"""Rows against what is derived from them: folded columns, JSON, the list by date, sums, anchors."""

from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from typing import Any

from sqlalchemy import Connection, delete, func, select

from finance_api.resources import RECORDS, RESOURCES
from finance_api.resources.field import Resource
from finance_api.storage.interface import NO_VALUE, REPAIR, Fault, Found
from finance_api.storage.sql.bulk import insert_rows, rows_with
from finance_api.storage.sql.checking.orphans import remove_orphans
from finance_api.storage.sql.projection.rebuilding import rebuild
from finance_api.storage.sql.projection.record_sums import RecordSums
from finance_api.storage.sql.projection.records_by_date import RecordsByDate, projected
from finance_api.storage.sql.tables import (
    DATA_TABLES,
    JSON_TABLES,
    data_states,
    records_by_date,
    users,
)
from finance_api.values import Row

_PAGE = 1_000
_LISTED = [column.name for column in records_by_date.columns if column.name != "user_id"]


def faults_of(connection: Connection, user_id: int, email: str) -> list[Fault]:
    found = Found(email)
    for resource in RESOURCES:
        for row in chain.from_iterable(_differing(connection, user_id, resource)):
            message = f"what is stored of {{}} {resource.name} for searching and showing is not "
            found.add("derived-columns", message + "what the row says", row["id"])
    for row_id in _differing_by_date(connection, user_id):
        found.add("projection", "the list of records differs from the records in {}", row_id)
    faults = found.faults()
    checks = (
        ("sums", "the stored sums are not those of the records", _sums_differ),
        ("anchors", "the positions in the list of records are wrong", _anchors_differ),
        ("state", "the state of the data is not the one that is remembered last", _state_differs),
        ("revisions", "rows are of revisions that have not been", _is_ahead),
    )
    for kind, message, is_wrong in checks:
        if is_wrong(connection, user_id):
            faults.append(Fault(kind, message, REPAIR, email))
    return faults


def _pages(
    connection: Connection, user_id: int, resource: Resource
) -> Iterator[tuple[Sequence[Any], list[Row]]]:
    """The stored rows in the order of their ids: their columns, and what they say."""
    table = DATA_TABLES[resource.name]
    key = table.columns["id"]
    own = select(table.table).where(table.user_id == user_id).order_by(key).limit(_PAGE)
    names = [column.name for column in table.persisted]
    page = connection.execute(own).all()
    while page:
        rows = table.load_persisted([getattr(row, name) for name in names] for row in page)
        yield page, rows
        page = connection.execute(own.where(key > rows[-1]["id"])).all()


def _differing(connection: Connection, user_id: int, resource: Resource) -> Iterator[list[Row]]:
    """Of each page the rows whose other columns do not follow from what they say."""
    table = DATA_TABLES[resource.name]
    for page, rows in _pages(connection, user_id, resource):
        differing = []
        for columns, row in zip(page, rows, strict=True):
            revision = 0 if table.json is None else columns.revision
            expected = _made(table.values, user_id, row, lambda row_id, json, of=revision: of)
            if expected is not None and list(columns) != expected:
                differing.append(row)
        yield differing


def _made(make: Callable[..., Any], *arguments: Any) -> Any:
    """None where a row says what is no value of its field; `finance_api.ledger.checking` tells."""
    try:
        return make(*arguments)
    except NO_VALUE:
        return None


def _differing_by_date(connection: Connection, user_id: int) -> Iterator[str]:
    """The ids of records that the list shows otherwise, or that only one of the two has."""
    listed = records_by_date.c
    own = select(*(listed[name] for name in _LISTED)).where(listed.user_id == user_id)
    after = ""
    for _, rows in _pages(connection, user_id, RECORDS):
        last = rows[-1]["id"]
        of_page = own.where(listed.id > after, listed.id <= last)
        shown = {row.id: tuple(row) for row in connection.execute(of_page)}
        for row in rows:
            found = shown.pop(row["id"], None)
            revision = 0 if found is None else found[-1]
            expected = _made(projected, row, lambda row_id, json, of=revision: of)
            if expected is not None and tuple(getattr(expected, n) for n in _LISTED) != found:
                yield row["id"]
        yield from shown
        after = last
    yield from connection.scalars(
        select(listed.id).where(listed.user_id == user_id, listed.id > after)
    )


def _sums_differ(connection: Connection, user_id: int) -> bool:
    return RecordSums(connection, user_id).differ()


def _anchors_differ(connection: Connection, user_id: int) -> bool:
    return RecordsByDate(connection, user_id).anchors_differ()


def _state_differs(connection: Connection, user_id: int) -> bool:
    remembered = (
        select(data_states.c.revision, data_states.c.tag)
        .where(data_states.c.user_id == user_id)
        .order_by(data_states.c.revision.desc())
        .limit(1)
    )
    present = select(users.c.data_revision, users.c.data_tag).where(users.c.id == user_id)
    return connection.execute(remembered).first() != connection.execute(present).first()


def _is_ahead(connection: Connection, user_id: int) -> bool:
    present = connection.scalar(select(users.c.data_revision).where(users.c.id == user_id))
    assert present is not None
    newest = (
        connection.scalar(select(func.max(t.c.revision)).where(t.c.user_id == user_id))
        for t in JSON_TABLES.values()
    )
    return any(revision is not None and revision > present for revision in newest)


def repair_user(connection: Connection, user_id: int) -> None:
    """Makes everything anew that is derived from the user's rows."""
    # No writer of this user's data meanwhile; on SQLite there is none at all.
    connection.execute(select(users.c.id).where(users.c.id == user_id).with_for_update())
    remove_orphans(connection, user_id)
    for resource in RESOURCES:
        _rewrite(connection, user_id, resource)
    rebuild(connection, user_id)


def _rewrite(connection: Connection, user_id: int, resource: Resource) -> None:
    table = DATA_TABLES[resource.name]
    for rows in filter(None, _differing(connection, user_id, resource)):
        ids = [row["id"] for row in rows]
        replaced = rows_with(connection, table.table, user_id, ids)
        connection.execute(delete(table.table).where(replaced))
        anew = [table.values(user_id, row, lambda row_id, json: 0) for row in rows]
        insert_rows(connection, table.table, anew)
