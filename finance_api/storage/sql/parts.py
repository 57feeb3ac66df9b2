"""Parts that many statements for the driver are made of.

``build`` functions get the name of the database and a shape, and return the statement; what they
bind is named here, or p0, p1 ... by `clauses.BindNames`.
"""

from collections.abc import Callable
from typing import Any

from sqlalchemy import BigInteger, LargeBinary, Select, bindparam, cast, func, select, true
from sqlalchemy.sql import ColumnElement, Executable

from finance_api.storage.sql.columns import CodePointText
from finance_api.storage.sql.tables import records_by_date, users

#: Makes a statement.
Build = Callable[..., Executable]
#: Makes one that selects.
BuildSelect = Callable[..., Select[Any]]

USER: ColumnElement[int] = bindparam("user", type_=BigInteger())
COUNT: ColumnElement[int] = bindparam("count", type_=BigInteger())
SKIP: ColumnElement[int] = bindparam("skip", type_=BigInteger())
#: A JSON list of ids.
IDS: ColumnElement[str] = bindparam("ids", type_=CodePointText)

#: Bounds of records_by_date.newest_first.
FIRST: ColumnElement[int] = bindparam("first", type_=BigInteger())
LAST: ColumnElement[int] = bindparam("last", type_=BigInteger())


def of_user(
    has_first: bool, has_last: bool, listed: Any = records_by_date.c
) -> list[ColumnElement[bool]]:
    """What restricts `records_by_date` to the user's, and to bounds where there are some.

    listed: its columns, or those of a part of it.
    """
    restriction = [listed.user_id == USER]
    if has_first:
        restriction.append(listed.newest_first >= FIRST)
    if has_last:
        restriction.append(listed.newest_first <= LAST)
    return restriction


def state_statement(database: str) -> Executable:
    """The revision and the time of the last change."""
    return select(users.c.data_revision, users.c.data_changed_at).where(users.c.id == USER)


def with_state(database: str, build: BuildSelect, shape: tuple[Any, ...]) -> Executable:
    """The state of the data, and the rows that ``build`` selects; see `Driver.lines`.

    One statement is of one state, also outside a transaction.
    """
    inner = build(database, *shape)
    return _WITH_STATE[database](inner).execution_options(**inner.get_execution_options())


def _in_one_row(inner: Select[Any]) -> Select[Any]:
    """SQLite's driver takes a lock for each row, so there is one, with all rows in one text.

    They are in the order in which they are selected. With a limit SQLite cannot leave an ORDER BY
    out; without one, what is selected must come in order by itself.
    """
    (body,) = inner.subquery("rows").c
    # As bytes, which spares decoding them.
    joined = select(cast(func.group_concat(body, "\n"), LargeBinary)).scalar_subquery()
    return select(users.c.data_revision, users.c.data_changed_at, joined).where(users.c.id == USER)


def _in_rows(inner: Select[Any]) -> Select[Any]:
    """PostgreSQL is slower at joining texts than at sending rows; each has the state.

    Without rows there is one row all the same. Nothing but a nested loop, which keeps the order,
    can do this join.
    """
    rows = inner.subquery("rows")
    (body,) = rows.c
    return (
        select(users.c.data_revision, users.c.data_changed_at, body)
        .select_from(users.outerjoin(rows, true()))
        .where(users.c.id == USER)
    )


_WITH_STATE: dict[str, Callable[[Select[Any]], Select[Any]]] = {
    "sqlite": _in_one_row,
    "postgresql": _in_rows,
}
