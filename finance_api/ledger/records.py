"""Bringing records in: found again by id or source, stored in batches."""

from collections import defaultdict
from collections.abc import Callable
from typing import Any, NamedTuple

from finance_api.importers.interface import ImportRefused
from finance_api.ledger.balances import Balances
from finance_api.ledger.derivation import derive
from finance_api.ledger.report import ImportReport
from finance_api.ledger.rows import check_still_its_own, row_id, stamped
from finance_api.ledger.session import LedgerSession
from finance_api.ledger.stored_records import StoredRecords
from finance_api.resources import RECORDS
from finance_api.values import Row

BATCH = 1_000
#: A few records of long texts are a batch, too.
BATCH_BYTES = 4 << 20


class GivenRecord(NamedTuple):
    """A record that a file brings.

    id: given by the file, else None.
    given: what the file says; `RecordWriter.complete` makes a whole row of it.
    """

    line: int
    id: str | None
    source: str | None
    source_id: str | None
    given: dict[str, Any]


#: What is given, and the stored record that it meets or None -> the whole new row.
Completion = Callable[[dict[str, Any], Row | None], Row]


class RecordWriter:
    """Collects records and stores them; `flush` stores what is left."""

    def __init__(
        self, session: LedgerSession, balances: Balances, report: ImportReport, complete: Completion
    ) -> None:
        self._session = session
        self._balances = balances
        self._report = report
        self._complete = complete
        self._stored = StoredRecords(session)
        self._batch: list[GivenRecord] = []
        self._size = 0
        # What the batch mentions: ids, and pairs of source and source id.
        self._keys: set[str | tuple[str | None, str]] = set()
        #: Whether anything was stored.
        self.changed = False
        #: Money in and money out of what was proposed, by account.
        self.sums: defaultdict[str, list[int]] = defaultdict(lambda: [0, 0])

    def add(self, record: GivenRecord, size: int) -> None:
        """size: in bytes, about. Raises ImportRefused with the line at fault."""
        _, record_id, source, source_id, _ = record
        key = None if source_id is None else (source, source_id)
        # A second mention of a record has to meet the first one stored.
        is_full = len(self._batch) >= BATCH or self._size >= BATCH_BYTES
        if is_full or record_id in self._keys or key in self._keys:
            self.flush()
        if record_id is not None:
            self._keys.add(record_id)
        if key is not None:
            self._keys.add(key)
        self._batch.append(record)
        self._size += size

    def flush(self) -> None:
        """Stores the batch. Raises ImportRefused with the line at fault."""
        batch, self._batch = self._batch, []
        self._keys.clear()
        self._size = 0
        while batch:
            batch = batch[self._store(batch) :]

    def _store(self, batch: list[GivenRecord]) -> int:
        """Stores records up to the first that depends on one before it; how many it stored."""
        by_source = self._stored.by_source(
            (source, source_id)
            for _, _, source, source_id, _ in batch
            if source is not None and source_id is not None
        )
        known_by_source = {row["id"] for row in by_source.values()}
        ids = self._ids(batch, by_source)
        by_id = self._stored.by_id(ids)
        new: list[Row] = []
        changed: list[Row] = []
        before: list[Row] = []
        for (line, own_id, source, source_id, given), record_id in zip(batch, ids, strict=False):
            stored = by_id.get(record_id)
            if own_id is None and record_id not in known_by_source:
                check_still_its_own(stored, line)
            row = self._complete(given, stored)
            row["id"], row["source"], row["sourceId"] = record_id, source, source_id
            derive(self._session, row, line)
            amount = row["amount"]
            self.sums[row["accountId"]][amount < 0] += amount
            stamp = stamped(row, given, stored, self._session.now)
            if stamp is None:
                self._report.unchanged += 1
                continue
            self._balances.note(stored, stamp)
            if stored is None:
                stamp["importId"] = self._session.number
                new.append(stamp)
            else:
                changed.append(stamp)
                before.append(stored)
        self._report.note_new(new)
        self._report.updated += len(changed)
        if new or changed:
            self._session.note_changes(RECORDS, zip(before, changed, strict=True))
            self._stored.put(new=new, changed=changed)
            self.changed = True
        return len(ids)

    def _ids(self, batch: list[GivenRecord], by_source: dict[tuple[str, str], Row]) -> list[str]:
        """The ids of the stored records that the first given ones are about.

        It ends before one that is about the stored record of another one, or whose source id that
        one may give up: what it means is known when the other one is stored.
        """
        ids: list[str] = []
        seen: set[str] = set()
        for record in batch:
            known = by_source.get((record.source or "", record.source_id or ""))
            record_id = record.id
            if record_id is None:
                record_id = (
                    row_id(self._session.user.uuid, record.source, record.source_id)
                    if known is None
                    else str(known["id"])
                )
            if record_id in seen or (known is not None and known["id"] in seen):
                break
            if known is not None and known["id"] != record_id:
                raise ImportRefused(
                    f"sourceId {record.source_id!r} of source {record.source!r} belongs to "
                    f"the record {known['id']}",
                    record.line,
                )
            seen.add(record_id)
            ids.append(record_id)
        return ids
