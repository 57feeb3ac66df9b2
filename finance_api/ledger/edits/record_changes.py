"""Changing and removing stored records, in batches."""

from collections.abc import Iterable, Iterator
from typing import Any

from finance_api.ledger.balances import Balances, settle_bank_balances
from finance_api.ledger.derivation import derive
from finance_api.ledger.edits.report import EditReport
from finance_api.ledger.matching.stated import note_stated
from finance_api.ledger.session import LedgerSession
from finance_api.query.model import Condition, Operator, condition_on
from finance_api.resources import RECORDS
from finance_api.values import Row

BATCH = 1_000

#: Fields by which two records look like a transfer.
_PAIRED_BY = (
    *("accountId", "amount", "recordDate"),
    *("recordState", "transferId", "counterpartyAccount"),
)


def pages_of(session: LedgerSession, *conditions: Condition) -> Iterator[list[Row]]:
    """The records that meet the conditions, by id; those that were read may be changed."""
    return session.storage.data.scan_pages(session.user.id, RECORDS, BATCH, conditions=conditions)


def set_by_hand(row: Row, values: dict[str, Any]) -> Row:
    """The record with values that no rule and no statement file changes any more."""
    after = {**row, **values, "setByHand": tuple(sorted({*row["setByHand"], *values}))}
    if "categoryId" in values:
        after["categoryByRule"] = None
    note_stated(row, after)
    return after


def _may_pair_otherwise(before: Row, after: Row) -> bool:
    """Whether it may be part of another transfer now, or of none."""
    return any(before[name] != after[name] for name in _PAIRED_BY) or (
        "transferId" in before["setByHand"]
    ) != ("transferId" in after["setByHand"])


class RecordChanges:
    """The records that an edit changes and removes; `finish` or `flush` stores what is left.

    report: of these changes. changed: whether any is different.
    """

    def __init__(self, session: LedgerSession) -> None:
        self._session = session
        self.report = EditReport()
        self._balances = Balances()
        self._pairs: list[tuple[Row, Row]] = []
        self._cut_transfers: set[str] = set()
        self.changed = False

    def put(self, before: Row, after: Row) -> bool:
        """after: a row of its own. Returns whether it is different."""
        if after == before:
            return False
        derive(self._session, after)
        after["updatedAt"] = self._session.now
        self.report.note(self._session, RECORDS, before, after)
        self._balances.note(before, after)
        self._pairs.append((before, after))
        if len(self._pairs) >= BATCH:
            self.flush()
        return True

    def remove(self, rows: Iterable[Row]) -> None:
        """The other record of a transfer is none any more."""
        gone = list(rows)
        for row in gone:
            self.report.note(self._session, RECORDS, row, None)
            self._balances.note(row, None)
            if row["transferId"] is not None:
                self._cut_transfers.add(row["transferId"])
        if gone:
            self._session.delete(RECORDS, gone)
            self.changed = True

    def finish(self) -> None:
        """Stores the rest, and the balances. Raises ChangeRefused."""
        self.flush()
        if self._cut_transfers:
            self._cut()
        self.report.remarks += settle_bank_balances(self._session, self._balances.touched)
        self._balances.settle(self._session)

    def close(self) -> EditReport:
        """Store the rest, and close the session if anything changed. Raises ChangeRefused."""
        self.flush()
        if self.changed:
            self._session.close(records_changed=True, details={"counts": self.report.counts})
        return self.report

    def _cut(self) -> None:
        linked = condition_on(RECORDS, "transferId", Operator.NOT_NULL)
        for page in pages_of(self._session, linked):
            for row in page:
                if row["transferId"] in self._cut_transfers:
                    self.put(row, {**row, "transferId": None})
        self.flush()

    def flush(self) -> None:
        """Stores the rest, where no balance can be different. Raises ChangeRefused."""
        pairs, self._pairs = self._pairs, []
        if not pairs:
            return
        self._session.note_changes(RECORDS, pairs)
        changed = [after for _, after in pairs]
        self._session.note_records(changed=[a for b, a in pairs if _may_pair_otherwise(b, a)])
        self._session.storage.data.put_rows(self._session.user.id, RECORDS, new=(), changed=changed)
        self.changed = True
