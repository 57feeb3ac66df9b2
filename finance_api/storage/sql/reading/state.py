"""The state of a user's data, read alone or together with JSON rows."""

from collections.abc import Callable
from typing import Any

from sqlalchemy import LargeBinary, Select, cast, func, select, true
from sqlalchemy.sql import Executable

from finance_api.storage.errors import NotFound
from finance_api.storage.interface import DataState
from finance_api.storage.sql.connections.unit import ReadConnection
from finance_api.storage.sql.parameters import USER
from finance_api.storage.sql.tables import STATE_COLUMNS, users


def data_state(database: str) -> Executable:
    return select(*STATE_COLUMNS).where(users.c.id == USER)


def get_data_state(connection: ReadConnection, user_id: int) -> DataState:
    """`DataReader.get_state`. Raises NotFound."""
    connection.begin_snapshot()
    found = connection.fetch(data_state, values={"user": user_id})
    if not found:
        raise NotFound("there is no such user")
    return DataState(*found[0])


def fetch_lines(
    connection: ReadConnection,
    build: Callable[..., Select[Any]],
    *shape: Any,
    values: dict[str, Any],
) -> tuple[DataState, bytes]:
    """Return the JSON rows that ``build`` selects, one a line, and their state. Raises NotFound."""
    found = connection.fetch_lines(with_state, build, shape, values=values)
    if found is None:
        raise NotFound("there is no such user")
    state, lines = found
    return DataState(*state), lines


def with_state(
    database: str, build: Callable[..., Select[Any]], shape: tuple[Any, ...]
) -> Executable:
    """Select the state of the data and the JSON rows of ``build``; see `Driver.lines`.

    One query reads one state, also outside a transaction.
    """
    rows = build(database, *shape).subquery("rows")
    (row,) = rows.c
    if database == "sqlite":
        # SQLite's driver takes a lock for each row, so all rows come joined in one. They keep the
        # order of ``build``: with a limit SQLite cannot drop an ORDER BY, and without one ``build``
        # must select them in order by itself. As bytes, which saves decoding them.
        joined = select(cast(func.group_concat(row, "\n"), LargeBinary)).scalar_subquery()
        return select(*STATE_COLUMNS, joined).where(users.c.id == USER)
    # PostgreSQL joins texts more slowly than it sends rows, so each row has the state. Without JSON
    # rows one row has the state alone. Only a nested loop can do this join, and it keeps the order.
    joined_rows = users.outerjoin(rows, true())
    return select(*STATE_COLUMNS, row).select_from(joined_rows).where(users.c.id == USER)
