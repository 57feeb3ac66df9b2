"""Changes and removes stored records, in batches."""

from collections.abc import Iterable, Iterator
from typing import Any

from finance_api.ledger.balances import Balances, settle_bank_balances
from finance_api.ledger.derivation import derive
from finance_api.ledger.edits.report import EditReport
from finance_api.ledger.matching.stated import note_stated
from finance_api.ledger.session import LedgerSession, UserRows
from finance_api.ledger.splits import UNSTATED, check_splits, keep_deleted
from finance_api.query.model import Condition, Operator, condition_on
from finance_api.resources import RECORDS
from finance_api.values import Row
from finance_api.values.ids import new_id

BATCH = 1_000

#: The fields that decide whether two records look like a transfer.
_PAIRED_BY = (
    *("accountId", "amount", "recordDate"),
    *("recordState", "transferId", "counterpartyAccount"),
)
#: The fields that the parts of a split can only change together.
_OF_SPLITS = ("splitId", "accountId", "amount", "recordDate", "recordState")


def pages_of(session: UserRows, *conditions: Condition) -> Iterator[list[Row]]:
    """Yield the records that meet the conditions, by id. Callers may change those already read."""
    return session.storage.data.scan_pages(session.user.id, RECORDS, BATCH, conditions=conditions)


def set_by_hand(row: Row, values: dict[str, Any]) -> Row:
    """Return the record with manual values, which no rule or statement will change."""
    after = {**row, **values, "setByHand": tuple(sorted({*row["setByHand"], *values}))}
    if "categoryId" in values:
        after["categoryByRule"] = None
    if "accountId" in values:
        # `derive` takes the account's.
        after["currencyCode"] = None
    note_stated(row, after)
    return after


def _may_pair_otherwise(before: Row, after: Row) -> bool:
    """Return whether the change can affect which transfer the record is part of."""
    return any(before[name] != after[name] for name in _PAIRED_BY) or (
        "transferId" in before["setByHand"]
    ) != ("transferId" in after["setByHand"])


class RecordChanges:
    """Collects the records that an edit changes or removes; `finish` or `flush` stores the rest.

    report: about these changes. changed: whether any record changed.
    """

    def __init__(self, session: LedgerSession) -> None:
        self._session = session
        self.report = EditReport()
        self._balances = Balances()
        self._pairs: list[tuple[Row, Row]] = []
        self._cut_transfers: set[str] = set()
        self._splits: set[str] = set()
        self.changed = False

    def put(self, before: Row, after: Row) -> bool:
        """Change a record. after: a separate dict. Returns whether it differs from ``before``."""
        if after == before:
            return False
        derive(self._session, after)
        after["updatedAt"] = self._session.now
        self.report.note(self._session, RECORDS, before, after)
        self._balances.note(before, after)
        self._pairs.append((before, after))
        if before["splitId"] and any(before[name] != after[name] for name in _OF_SPLITS):
            self._splits.add(before["splitId"])
        if len(self._pairs) >= BATCH:
            self.flush()
        return True

    def add(self, rows: Iterable[Row]) -> None:
        """Add records, complete except for derived fields."""
        new = list(rows)
        for row in new:
            derive(self._session, row)
            self.report.note(self._session, RECORDS, None, row)
            self._balances.note(None, row)
            if row["splitId"] is not None:
                self._splits.add(row["splitId"])
        if new:
            self._session.note_changes(RECORDS, [(None, row) for row in new])
            self._session.note_records(new=new)
            self._session.storage.data.put_rows(self._session.user.id, RECORDS, new=new, changed=())
            self.changed = True

    def move(self, before: Row, after: Row) -> None:
        """Replace a stated record by a new one, in another account or on a distant day.

        The next file that states it finds the record deleted at its old place.
        """
        session = self._session
        after |= {**UNSTATED, "id": new_id(), "importId": session.number, "updatedAt": session.now}
        derive(session, after)
        self.report.note(session, RECORDS, before, after)
        for old, new in ((before, None), (None, after)):
            self._balances.note(old, new)
        session.delete(RECORDS, [before])
        keep_deleted(session, [before])
        session.note_records(new=[after])
        session.storage.data.put_rows(session.user.id, RECORDS, new=[after], changed=())
        self.changed = True

    def remove(self, rows: Iterable[Row]) -> None:
        """Remove records. If one is part of a transfer, `finish` unlinks the other record."""
        gone = list(rows)
        for row in gone:
            self.report.note(self._session, RECORDS, row, None)
            self._balances.note(row, None)
            if row["transferId"] is not None:
                self._cut_transfers.add(row["transferId"])
            if row["splitId"] is not None:
                self._splits.add(row["splitId"])
        if gone:
            self._session.delete(RECORDS, gone)
            self.changed = True

    def finish(self) -> None:
        """Store the rest, and the balances. Raises ChangeRefused."""
        self.flush()
        if self._cut_transfers:
            self._cut()
        check_splits(self._session, sorted(self._splits))
        self.report.remarks += settle_bank_balances(self._session, self._balances.touched)
        self._balances.settle(self._session)

    def close(self) -> EditReport:
        """Store the rest, and close the session if anything changed. Raises ChangeRefused."""
        self.flush()
        if self.changed:
            self._session.close(records_changed=True, details=self.report.details)
        return self.report

    def _cut(self) -> None:
        linked = condition_on(RECORDS, "transferId", Operator.NOT_NULL)
        for page in pages_of(self._session, linked):
            for row in page:
                if row["transferId"] in self._cut_transfers:
                    self.put(row, {**row, "transferId": None})
        self.flush()

    def flush(self) -> None:
        """Store the rest, without the balances. Raises ChangeRefused."""
        pairs, self._pairs = self._pairs, []
        if not pairs:
            return
        self._session.note_changes(RECORDS, pairs)
        changed = [after for _, after in pairs]
        self._session.note_records(changed=[a for b, a in pairs if _may_pair_otherwise(b, a)])
        self._session.storage.data.put_rows(self._session.user.id, RECORDS, new=(), changed=changed)
        self.changed = True
