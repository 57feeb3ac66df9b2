"""Finds faults of the database: wrong derived data, and references to rows that do not exist.

Reads in pages, or lets the database count. Reads each user's data in one snapshot.
"""

import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy.exc import DatabaseError, NotSupportedError, ProgrammingError

from finance_api.resources import RECORDS, RESOURCES
from finance_api.resources.field import Resource
from finance_api.storage.errors import StorageError
from finance_api.storage.interface import (
    NO_VALUE,
    REPAIR,
    RESTORE,
    UNCHECKED,
    DataState,
    Fault,
    Found,
    after_repair,
)
from finance_api.storage.sql.connections.engine import writing
from finance_api.storage.sql.connections.unit import connect
from finance_api.storage.sql.data_tables import DATA_TABLES
from finance_api.storage.sql.placement import LAYOUT, faults_of_places
from finance_api.storage.sql.room import Room
from finance_api.storage.sql.tables import (
    STATE_COLUMNS,
    before_images,
    data_states,
    history,
    metadata,
    proposals,
    tombstones,
    user_data,
    users,
)
from finance_api.values import Row
from finance_api.values.text import counted

_NOT_READ = "data was not checked, because tables are misplaced: fix that first, then check again"
#: Report a disk with less free space than this.
MIN_FREE_BYTES = 100 << 20

_PAGE = 1_000

_Check = Callable[[sa.Connection, bool], Iterator[Fault]]


def find_faults(engine: sa.Engine, room: Room, *, repair: bool) -> Iterator[Fault]:
    """Yield faults, as `StorageBackend.find_faults` says."""
    yield from _disk(engine)
    yield from _checked(engine, _file, repair)
    missing = list(_checked(engine, partial(_missing, room=room), repair))
    yield from missing
    misplaced = list(_checked(engine, lambda found, _: faults_of_places(found), repair))
    yield from misplaced
    if any(fault.kind == "tables" and not fault.repaired for fault in missing):
        return
    if any(fault.kind == LAYOUT for fault in misplaced):
        # No query can join misplaced tables.
        yield Fault(UNCHECKED, _NOT_READ, "finance-api check")
        return
    for check in (partial(_without_counterpart, room=room), _orphans_without_user):
        yield from _checked(engine, check, repair)
    try:
        with connect(engine, engine.connect) as connection:
            known = connection.execute(
                sa.select(users.c.id, users.c.email).order_by(users.c.id)
            ).all()
            stored = set(connection.scalars(sa.select(user_data.c.user_id)))
    except (StorageError, *NO_VALUE) as error:
        yield Fault.unreadable(error)
        return
    for user_id, email in known:
        if user_id in stored:
            yield from _checked(engine, _of_user(room, user_id, email), repair)


def _checked(engine: sa.Engine, check: _Check, repair: bool) -> Iterator[Fault]:
    """Run a check in one snapshot or transaction; yield its faults.

    If reading fails, yield that as a fault.
    """
    try:
        if not repair:
            with _snapshot(engine) as connection:
                found = list(check(connection, False))
        else:
            with writing(engine).begin() as connection:
                found = list(check(connection, True))
    except (StorageError, *NO_VALUE) as error:
        found = [Fault.unreadable(error)]
    except (ProgrammingError, NotSupportedError):
        # The SQL is at fault, not the data.
        raise
    except DatabaseError as error:
        found = [Fault("unreadable", f"the database cannot be read: {error.orig}", RESTORE)]
    yield from found


def _snapshot(engine: sa.Engine) -> sa.Connection:
    if engine.dialect.name == "postgresql":
        engine = engine.execution_options(isolation_level="REPEATABLE READ")
    connection = connect(engine, engine.connect)
    if engine.dialect.name == "postgresql":
        connection.exec_driver_sql("SET LOCAL statement_timeout = 0")
    return connection


def _of_user(room: Room, user_id: int, email: str) -> _Check:
    def faults(connection: sa.Connection) -> list[Fault]:
        derived = _faults_of(connection, room, user_id, email)
        return [*derived, *_orphans_of(connection, user_id, email)]

    def check(connection: sa.Connection, repair: bool) -> Iterator[Fault]:
        found = faults(connection)
        if not repair or not any(fault.command == REPAIR for fault in found):
            yield from found
            return
        try:
            with connection.begin_nested():
                _repair_user(connection, room, user_id)
        except NO_VALUE:
            # A row's value is impossible for its field, so rebuilding fails.
            yield from found
            return
        yield from after_repair(found, faults(connection))

    return check


def _disk(engine: sa.Engine) -> Iterator[Fault]:
    """Check the free space on the disk of SQLite's file; PostgreSQL may run elsewhere."""
    database = engine.url.database
    if engine.dialect.name != "sqlite" or not database or database == ":memory:":
        return
    folder = Path(database).absolute().parent
    free = shutil.disk_usage(folder).free
    if free < MIN_FREE_BYTES:
        yield Fault("disk", f"only {free >> 20} MiB are free in {folder}", f"df -h {folder}")


def _file(connection: sa.Connection, repair: bool) -> Iterator[Fault]:
    """Run SQLite's checks of its file; PostgreSQL has no checks that every role may run."""
    if connection.dialect.name != "sqlite":
        return
    found = _integrity(connection)
    if repair and found and all("index" in message for message in found):
        connection.exec_driver_sql("REINDEX")
        left = _integrity(connection)
        yield from (_index_fault(m).as_repaired() for m in found if m not in left)
        found = left
    for message in found:
        if "index" in message:
            yield _index_fault(message)
        else:
            yield Fault("file", f"the database's file is damaged: {message}", RESTORE)


def _missing(connection: sa.Connection, repair: bool, room: Room) -> Iterator[Fault]:
    stored = sa.inspect(connection).get_table_names()
    for table in room.tables:
        if table.name in stored:
            continue
        if repair:
            # It is filled when the data of each user is checked.
            table.create(connection)
        message = f"the table {table.name} of the read model is missing"
        yield Fault("tables", message, REPAIR, repaired=repair)


def _index_fault(message: str) -> Fault:
    return Fault("index", f"an index of the database is damaged: {message}", REPAIR)


def _integrity(connection: sa.Connection) -> list[str]:
    found = connection.exec_driver_sql("PRAGMA integrity_check(20)").scalars().all()
    return [" ".join(message.split()) for message in found if message != "ok"]


def _faults_of(connection: sa.Connection, room: Room, user_id: int, email: str) -> list[Fault]:
    """Return the faults of data derived from the user's rows."""
    found = Found(email)
    for resource in RESOURCES:
        message = f"prepared JSON or search text differs from the row, for {{}} {resource.name}"
        for row_id in _differing(connection, user_id, resource):
            found.add("derived-columns", message, row_id)
    faults = [*found.faults(), *room.find_faults(connection, user_id, email)]
    own = sa.select(*STATE_COLUMNS).where(user_data.c.user_id == user_id)
    present = DataState(*tuple(connection.execute(own).one()))
    if _newest_state(connection, user_id) != present:
        message = "the state of the data differs from the newest stored state"
        faults.append(Fault("state", message, REPAIR, email))
    if _is_ahead(connection, user_id, present):
        message = "rows have revisions that the data has not reached"
        faults.append(Fault("revisions", message, REPAIR, email))
    return faults


def stored_pages(
    connection: sa.Connection, user_id: int, resource: Resource
) -> Iterator[tuple[Sequence[Any], list[Row]]]:
    """Yield stored rows ordered by id, a page at a time: (values of the columns, rows)."""
    table = DATA_TABLES[resource.name]
    key = table.columns["id"]
    own = sa.select(table.table).where(table.user_id == user_id).order_by(key).limit(_PAGE)
    names = [column.name for column in table.persisted]
    page = connection.execute(own).all()
    while page:
        rows = table.load_persisted([getattr(row, name) for name in names] for row in page)
        yield page, rows
        page = connection.execute(own.where(key > rows[-1]["id"])).all()


def _differing(connection: sa.Connection, user_id: int, resource: Resource) -> Iterator[str]:
    """Yield the ids of the rows with wrong derived columns."""
    table = DATA_TABLES[resource.name]
    for page, rows in stored_pages(connection, user_id, resource):
        for columns, row in zip(page, rows, strict=True):
            # An impossible value is reported by `ledger.checking`.
            with suppress(*NO_VALUE):
                expected = table.values(user_id, row, table.encode(row), columns[-1])
                if list(columns) != expected:
                    yield row["id"]


def _newest_state(connection: sa.Connection, user_id: int) -> DataState | None:
    """Return the newest of the user's stored states."""
    columns = (data_states.c[column.name] for column in STATE_COLUMNS)
    own = sa.select(*columns).where(data_states.c.user_id == user_id)
    found = connection.execute(own.order_by(data_states.c.revision.desc()).limit(1)).first()
    return None if found is None else DataState(*tuple(found))


def _is_ahead(connection: sa.Connection, user_id: int, present: DataState) -> bool:
    newest = (
        connection.scalar(sa.select(sa.func.max(data.revision)).where(data.user_id == user_id))
        for data in DATA_TABLES.values()
        if data.revision is not None
    )
    return any(revision is not None and revision > present.revision for revision in newest)


def _repair_user(connection: sa.Connection, room: Room, user_id: int) -> None:
    """Rebuild everything derived from the user's rows."""
    # Lock out other writers of this user's data; on SQLite there are none during a transaction.
    own = user_data.c.user_id == user_id
    connection.execute(sa.select(user_data.c.user_id).where(own).with_for_update())
    for table, condition, _ in _lost_parts(user_id):
        connection.execute(sa.delete(table).where(table.c.user_id == user_id, condition))
    room.rebuild(connection, user_id)


def _without_counterpart(connection: sa.Connection, repair: bool, room: Room) -> Iterator[Fault]:
    """Yield users without data and data without a user, which no foreign key prevents."""
    if repair and connection.dialect.name == "postgresql":
        # Wait until users who are being added or deleted are in both tables or in neither.
        connection.exec_driver_sql(f"LOCK TABLE {users.name} IN SHARE ROW EXCLUSIVE MODE")
    known = connection.execute(sa.select(users.c.id, users.c.email, users.c.created_at)).all()
    stored = set(connection.scalars(sa.select(user_data.c.user_id)))
    for user_id, email, created_at in known:
        if user_id in stored:
            stored.remove(user_id)
            continue
        if repair:
            _add_state(connection, room, user_id, created_at)
        yield Fault("state", "the state of the data is missing", REPAIR, email, repair)
    if stored:
        for user_id in stored if repair else ():
            connection.execute(sa.delete(user_data).where(user_data.c.user_id == user_id))
        yield _orphans(len(stored), user_data, users, repair)


def _add_state(connection: sa.Connection, room: Room, user_id: int, created_at: int) -> None:
    """Add a user's missing state: the newest in `data_states`, or that of a new user."""
    state = _newest_state(connection, user_id) or DataState(0, created_at)
    connection.execute(sa.insert(user_data).values(user_id=user_id, **asdict(state)))
    room.rebuild(connection, user_id)


def _count(connection: sa.Connection, table: sa.Table, *which: sa.ColumnElement[bool]) -> int:
    return connection.execute(
        sa.select(sa.func.count()).select_from(table).where(*which)
    ).scalar_one()


def _orphans(number: int, table: sa.Table, parent: sa.Table, is_repaired: bool) -> Fault:
    belong = "belongs" if number == 1 else "belong"
    rows = counted(number, "row")
    message = f"{rows} of {table.name} {belong} to no row of {parent.name}"
    return Fault("orphans", message, REPAIR, repaired=is_repaired)


def _orphans_without_user(connection: sa.Connection, repair: bool) -> Iterator[Fault]:
    """Yield violated foreign keys. A database has some if it was damaged or edited."""
    for table in metadata.sorted_tables:
        for key in table.foreign_key_constraints:
            condition = _has_no_parent(table, key)
            number = _count(connection, table, condition)
            if not number:
                continue
            if repair:
                # Delete the rows, as the foreign key would have done.
                connection.execute(sa.delete(table).where(condition))
            yield _orphans(number, table, key.referred_table, repair)


def _has_no_parent(table: sa.Table, key: sa.ForeignKeyConstraint) -> Any:
    parent = key.referred_table.alias("parent")
    pairs = [(table.c[e.parent.name], parent.c[e.column.name]) for e in key.elements]
    found = sa.exists().where(sa.and_(*(own == of for own, of in pairs))).correlate(table)
    return sa.and_(*(own.is_not(None) for own, _ in pairs), ~found)


def _lost_parts(user_id: int) -> Iterator[tuple[sa.Table, Any, str]]:
    """Yield (table, condition for rows that contradict another table, name of such rows)."""
    entry = sa.exists().where(
        history.c.user_id == before_images.c.user_id, history.c.number == before_images.c.number
    )
    yield before_images, ~entry, "before-images without an entry of the history"
    records = DATA_TABLES[RECORDS.name]
    sides = [
        sa.exists().where(records.user_id == proposals.c.user_id, records.columns["id"] == side)
        for side in (proposals.c.first_id, proposals.c.second_id)
    ]
    yield proposals, ~sa.and_(*sides), "proposed pairs of records that do not exist"
    for name, data in DATA_TABLES.items():
        row = sa.exists().where(
            data.user_id == tombstones.c.user_id, data.columns["id"] == tombstones.c.row_id
        )
        of_resource = sa.and_(tombstones.c.resource == name, row)
        yield tombstones, of_resource, f"deletions of {name} that still exist"


def _orphans_of(connection: sa.Connection, user_id: int, email: str) -> Iterator[Fault]:
    for table, condition, what in _lost_parts(user_id):
        number = _count(connection, table, table.c.user_id == user_id, condition)
        if number:
            yield Fault("orphans", f"there are {number:,} {what}", REPAIR, email)
