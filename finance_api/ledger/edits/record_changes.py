"""Changes and removes stored records, in batches."""

from collections.abc import Iterable
from dataclasses import KW_ONLY, dataclass, field
from typing import Any

from finance_api.ledger.balances import settle_balances, settle_bank_balances
from finance_api.ledger.brought import NOWHERE, note_by_hand
from finance_api.ledger.derivation import derive
from finance_api.ledger.edits.report import EditReport
from finance_api.ledger.matching.stated import note_stated, original_payee
from finance_api.ledger.session import PAGE, LedgerSession, Pair
from finance_api.ledger.splits import UNSTATED, check_splits, get_stated, keep_deleted, moved_id
from finance_api.query.model import condition_on
from finance_api.query.operators import Operator
from finance_api.resources import RECORDS
from finance_api.resources.field import Resource
from finance_api.values import Row

#: The fields that decide sums; the parts of a split can only change them together.
_COUNTED = ("splitId", "accountId", "amount", "recordDate", "recordState")


def set_by_hand(row: Row, values: dict[str, Any], *, is_duplicate: bool = False) -> Row:
    """Return the record with manual values, which no rule or statement will change.

    is_duplicate: whether the values void it as a duplicate.
    """
    after = {**row, **values, "setByHand": tuple(sorted({*row["setByHand"], *values}))}
    if "categoryId" in values:
        after["categoryByRule"] = None
    if "payee" in values:
        after["originalPayee"] = original_payee(row, values["payee"])
    if "accountId" in values:
        # `derive` then takes the account's currency.
        after["currencyCode"] = None
    note_stated(row, after)
    if row["splitId"] is None:
        note_by_hand(row, after, is_duplicate=is_duplicate)
    return after


@dataclass
class RecordChanges:
    """Stores the records that an edit changes, in batches; `close` stores the rest.

    are_duplicates: whether the edit voids the records as duplicates. report: the report of these
    changes.
    """

    _session: LedgerSession
    _: KW_ONLY
    are_duplicates: bool = False
    report: EditReport = field(default_factory=EditReport)

    def __post_init__(self) -> None:
        self._pairs: list[Pair] = []
        self._cut_transfers: set[str] = set()
        self._splits: set[str] = set()
        #: Whether anything was changed, and whether that may change a balance.
        self._is_changed, self._counts = False, False

    def note(self, resource: Resource, before: Row | None, after: Row | None) -> None:
        """Report a change of a row, which `close` stores with the rest."""
        self.report.note(self._session, resource, before, after)
        self._is_changed = True

    def put(self, before: Row, after: Row) -> bool:
        """Change a record. after: a separate dict. Returns whether the record changed."""
        if after == before:
            return False
        derive(self._session, after)
        after["updatedAt"] = self._session.now
        self.note(RECORDS, before, after)
        self._pairs.append((before, after))
        if any(before[name] != after[name] for name in _COUNTED):
            self._note_counted(before)
        if len(self._pairs) >= PAGE:
            self.flush()
        return True

    def add(self, rows: Iterable[Row]) -> None:
        """Add records, complete except for derived fields."""
        new = list(rows)
        for row in new:
            derive(self._session, row)
            self.note(RECORDS, None, row)
            self._note_counted(row)
        self._session.write(RECORDS, [(None, row) for row in new])

    def move(self, before: Row, after: Row) -> None:
        """Replace a stated record with a new one, in another account or on a distant day.

        Statements that state the old record find it deleted, in its old account and on its old day.
        Native files that have it find the new one, as its id follows from the old one's.
        """
        session, new_id = self._session, moved_id(self._session, before["id"])
        while get_stated(session, [new_id]):
            new_id = moved_id(session, new_id)
        after |= {**UNSTATED, "id": new_id, "importId": session.number, "updatedAt": session.now}
        after["brought"] = NOWHERE
        derive(session, after)
        self.note(RECORDS, before, after)
        self._note_counted(after)
        session.write(RECORDS, [(before, None), (None, after)])
        keep_deleted(session, [before])

    def remove(self, rows: Iterable[Row]) -> None:
        """Remove records. If one is part of a transfer, `close` unlinks the other record."""
        gone = list(rows)
        for row in gone:
            self.note(RECORDS, row, None)
            self._note_counted(row)
            if row["transferId"] is not None:
                self._cut_transfers.add(row["transferId"])
        self._session.write(RECORDS, [(row, None) for row in gone])

    def close(self) -> EditReport:
        """Store the rest, and the balances; close the session if anything changed.

        Raises ChangeRefused.
        """
        self.flush()
        if self._cut_transfers:
            self._cut()
        if self._counts:
            self._settle()
        if self._is_changed:
            self._session.close(new_revision=True, details=self.report.details)
        return self.report

    def _note_counted(self, row: Row) -> None:
        self._counts = True
        if row["splitId"] is not None:
            self._splits.add(row["splitId"])

    def _settle(self) -> None:
        check_splits(
            self._session, sorted(self._splits), by_hand=True, are_duplicates=self.are_duplicates
        )
        self.report.remarks += settle_bank_balances(self._session, self._session.touched)
        settle_balances(self._session)

    def _cut(self) -> None:
        linked = condition_on(RECORDS, "transferId", Operator.NOT_NULL)
        for page in self._session.pages(RECORDS, linked):
            for row in page:
                if row["transferId"] in self._cut_transfers:
                    self.put(row, {**row, "transferId": None})
        self.flush()

    def flush(self) -> None:
        """Store the changes so far, without the balances. Raises ChangeRefused."""
        pairs, self._pairs = self._pairs, []
        self._session.write(RECORDS, pairs)
