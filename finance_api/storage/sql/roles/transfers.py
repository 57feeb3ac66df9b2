"""Pairs of records that look like transfers."""

from collections.abc import Collection, Sequence

from sqlalchemy import delete, func, select

from finance_api.storage.interface import TransferProposal, TransferWriter
from finance_api.storage.sql.bulk import insert_rows, rows_with
from finance_api.storage.sql.connections.unit import Part
from finance_api.storage.sql.tables import LIMIT, OFFSET, USER, transfer_proposals

_COLUMNS = tuple(transfer_proposals.c[name] for name in TransferProposal._fields)
_COUNT = (
    select(func.count()).select_from(transfer_proposals).where(transfer_proposals.c.user_id == USER)
)


_NEWEST = (
    select(*_COLUMNS)
    .where(transfer_proposals.c.user_id == USER)
    .order_by(transfer_proposals.c.day.desc(), transfer_proposals.c.out_id)
    .limit(LIMIT)
    .offset(OFFSET)
)


class SqlTransfers(Part, TransferWriter):
    def count(self, user_id: int) -> int:
        self.connection.begin_snapshot()
        ((number,),) = self.connection.fetch(_COUNT, values={"user": user_id})
        return int(number)

    def list_newest(self, user_id: int, *, limit: int, offset: int = 0) -> list[TransferProposal]:
        self.connection.begin_snapshot()
        values = {"user": user_id, "limit": limit, "offset": offset}
        found = self.connection.fetch(_NEWEST, values=values)
        return [
            TransferProposal(out_id, in_id, day, bool(by_number))
            for out_id, in_id, day, by_number in found
        ]

    def replace(
        self, user_id: int, first: int, end: int, proposals: Sequence[TransferProposal]
    ) -> None:
        columns = transfer_proposals.c
        self.connection.execute(
            delete(transfer_proposals).where(
                columns.user_id == user_id, columns.day >= first, columns.day < end
            )
        )
        if proposals:
            rows = [(user_id, *proposal) for proposal in proposals]
            insert_rows(self.connection.sqlalchemy, transfer_proposals, rows)

    def forget(self, user_id: int, record_ids: Collection[str]) -> None:
        if not record_ids:
            return
        connection, ids = self.connection.sqlalchemy, list(record_ids)
        for key in ("out_id", "in_id"):
            which = rows_with(connection, transfer_proposals, user_id, ids, key)
            connection.execute(delete(transfer_proposals).where(which))
