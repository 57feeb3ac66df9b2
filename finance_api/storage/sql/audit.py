"""The audit log in the database."""

from typing import Any

from sqlalchemy import BigInteger, Select, bindparam, delete, insert, literal, select

from finance_api.storage.interface import AuditAction, AuditEntry, AuditReader, AuditWriter
from finance_api.storage.sql.connections import WriteConnection
from finance_api.storage.sql.statements import LIMIT, NO_LIMIT, USER, Part
from finance_api.storage.sql.tables import audit, users

_COLUMNS = (audit.c.at, audit.c.action, audit.c.origin, audit.c.user_id, audit.c.detail)
_NAMES = [column.name for column in _COLUMNS]


def _newest(database: str) -> Select[Any]:
    since = bindparam("since", type_=BigInteger())
    order = (audit.c.at.desc(), audit.c.id.desc())
    return select(*_COLUMNS).where(audit.c.at >= since).order_by(*order).limit(LIMIT)


def _newest_of_user(database: str) -> Select[Any]:
    return _newest(database).where(audit.c.user_id == USER)


class SqlAuditReader(Part, AuditReader):
    def list_newest(
        self, user_id: int | None = None, *, since: int = 0, limit: int | None = None
    ) -> list[AuditEntry]:
        values = {"user": user_id, "since": since, "limit": NO_LIMIT if limit is None else limit}
        build = _newest if user_id is None else _newest_of_user
        found = self.connection.fetch(build, values=values)
        return [AuditEntry(at, AuditAction(action), *rest) for at, action, *rest in found]


class SqlAuditWriter(SqlAuditReader, AuditWriter):
    connection: WriteConnection

    def add(self, entry: AuditEntry) -> None:
        values = [literal(getattr(entry, name), audit.c[name].type) for name in _NAMES]
        row = select(*values)
        if entry.user_id is not None:
            # One who is gone makes nothing fail.
            row = row.where(users.c.id == entry.user_id)
        self.connection.execute(insert(audit).from_select(_NAMES, row))

    def prune(self, before: int) -> None:
        self.connection.execute(delete(audit).where(audit.c.at < before))
