"""Preparing what answers are made of, for rows that were stored before there was such a thing.

Also to be done again by a migration when what the public surface shows of a row changes; only the
newest migration calls it, as it reads and writes the tables as this program knows them.
"""

from sqlalchemy import Connection, select

from finance_api.resources import RECORDS, RESOURCES
from finance_api.storage.sql.driver import StatementCache
from finance_api.storage.sql.storage import SqlStorage
from finance_api.storage.sql.tables import has_json, users

_PAGE = 1_000


def rebuild_all(connection: Connection) -> None:
    """Every user's rows as JSON objects, and the records in their default order.

    `records_by_date` is empty. The connection is in a transaction that writes.
    """
    storage = SqlStorage(connection, StatementCache(connection.dialect))
    for user_id in connection.execute(select(users.c.id)).scalars().all():
        for resource in RESOURCES:
            if has_json(resource) and resource is not RECORDS:
                rows = storage.scan_rows(user_id, resource)
                storage.put_rows(user_id, resource, new=(), changed=rows)
        _list_records(storage, user_id)


def _list_records(storage: SqlStorage, user_id: int) -> None:
    listed = storage.listed(user_id)
    after = ""
    while page := storage.scan_rows(user_id, RECORDS, after_id=after, limit=_PAGE):
        listed.put_in(page, set())
        after = page[-1]["id"]
    listed.rebuild_anchors()
