"""Numbers of requests by user and day, and by token; and the audit log."""

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import (
    BigInteger,
    Table,
    bindparam,
    cast,
    delete,
    func,
    insert,
    literal,
    select,
)

from finance_api.storage.interface import (
    AuditAction,
    AuditEntry,
    AuditWriter,
    UsageWriter,
)
from finance_api.storage.sql.bulk import upsert
from finance_api.storage.sql.connections.unit import Part
from finance_api.storage.sql.parameters import LIMIT, NO_LIMIT, USER, number_parameter
from finance_api.storage.sql.tables import audit, token_usage, usage, users

_START, _END, _SINCE = map(number_parameter, ("start", "end", "since"))


_DAYS = (
    select(usage.c.day, usage.c.requests)
    .where(usage.c.user_id == USER, usage.c.day >= _START, usage.c.day < _END)
    .order_by(usage.c.day)
)


# In PostgreSQL the sum of a bigint column is numeric.
_SUMS_BY_TOKEN = (
    select(token_usage.c.token_id, cast(func.sum(token_usage.c.requests), BigInteger))
    .where(token_usage.c.user_id == USER, token_usage.c.day >= _START, token_usage.c.day < _END)
    .group_by(token_usage.c.token_id)
)


class SqlUsage(Part, UsageWriter):
    def list_days(self, user_id: int, start: int, end: int) -> list[tuple[int, int]]:
        values = {"user": user_id, "start": start, "end": end}
        return [(day, count) for day, count in self.connection.fetch(_DAYS, values=values)]

    def sum_by_token(self, user_id: int, start: int, end: int) -> dict[str, int]:
        values = {"user": user_id, "start": start, "end": end}
        return dict(self.connection.fetch(_SUMS_BY_TOKEN, values=values))

    def add(self, requests: Mapping[tuple[int, int], int]) -> None:
        self._add(usage, [(*key, number) for key, number in requests.items()])

    def add_by_token(self, requests: Mapping[tuple[int, int, str], int]) -> None:
        self._add(token_usage, [(*key, number) for key, number in requests.items()])

    def _add(self, table: Table, rows: Sequence[tuple[Any, ...]]) -> None:
        """Add to the numbers in a table. rows: the values of the table's columns, in order."""
        if not rows:
            return
        names = [column.name for column in table.c]
        _, *values = [bindparam(f"added_{column.name}", type_=column.type) for column in table.c]
        # Select from the table of users, so that rows of a deleted user are ignored.
        row = select(users.c.id, *values).where(users.c.id == bindparam("added_user_id"))
        adding = upsert(table, self.connection.database).from_select(names, row)
        total = table.c.requests + adding.excluded.requests
        self.connection.execute(
            adding.on_conflict_do_update(
                index_elements=list(table.primary_key), set_={"requests": total}
            ),
            # Always in the same order, so that two processes cannot wait for each other.
            [{f"added_{n}": v for n, v in zip(names, each, strict=True)} for each in sorted(rows)],
        )

    def prune(self, before: int) -> None:
        for table in (usage, token_usage):
            self.connection.execute(delete(table).where(table.c.day < before))


_AUDIT_COLUMNS = (audit.c.at, audit.c.action, audit.c.origin, audit.c.user_id, audit.c.detail)
_AUDIT_NAMES = [column.name for column in _AUDIT_COLUMNS]


_NEWEST = (
    select(*_AUDIT_COLUMNS)
    .where(audit.c.at >= _SINCE)
    .order_by(audit.c.at.desc(), audit.c.id.desc())
    .limit(LIMIT)
)
_NEWEST_OF_USER = _NEWEST.where(audit.c.user_id == USER)


class SqlAudit(Part, AuditWriter):
    def list_newest(
        self, user_id: int | None = None, *, since: int = 0, limit: int | None = None
    ) -> list[AuditEntry]:
        values = {"user": user_id, "since": since, "limit": NO_LIMIT if limit is None else limit}
        build = _NEWEST if user_id is None else _NEWEST_OF_USER
        found = self.connection.fetch(build, values=values)
        return [AuditEntry(at, AuditAction(action), *rest) for at, action, *rest in found]

    def add(self, entry: AuditEntry) -> None:
        values = [literal(getattr(entry, name), audit.c[name].type) for name in _AUDIT_NAMES]
        row = select(*values)
        if entry.user_id is not None:
            # Select from the table of users, so that an entry of a deleted user is ignored.
            row = row.where(users.c.id == entry.user_id)
        self.connection.execute(insert(audit).from_select(_AUDIT_NAMES, row))

    def prune(self, before: int) -> None:
        self.connection.execute(delete(audit).where(audit.c.at < before))
