"""Bringing records in: found again by id or source, stored in batches."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from finance_api.importers.interface import ImportRefused
from finance_api.ledger.balances import Balances
from finance_api.ledger.books import Books
from finance_api.ledger.derivation import derive
from finance_api.ledger.report import ImportReport
from finance_api.ledger.rows import check_still_its_own, row_id, stamped
from finance_api.resources import RECORDS
from finance_api.values import Row

_BATCH = 1_000


@dataclass(frozen=True, slots=True)
class Proposal:
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
    """Collects proposals and stores them; `flush` stores what is left."""

    def __init__(
        self, books: Books, balances: Balances, report: ImportReport, complete: Completion
    ) -> None:
        self._books = books
        self._balances = balances
        self._report = report
        self._complete = complete
        self._batch: list[Proposal] = []
        self._keys: set[object] = set()
        #: Whether anything was stored.
        self.changed = False

    def add(self, proposal: Proposal) -> None:
        """Raises ImportRefused with the line at fault."""
        keys: list[object] = []
        if proposal.source_id is not None:
            keys.append((proposal.source, proposal.source_id))
        if proposal.id is not None:
            keys.append(proposal.id)
        # A second mention of a record has to meet the first one stored.
        if len(self._batch) >= _BATCH or not self._keys.isdisjoint(keys):
            self.flush()
        self._keys.update(keys)
        self._batch.append(proposal)

    def flush(self) -> None:
        """Stores the batch. Raises ImportRefused with the line at fault."""
        batch, self._batch = self._batch, []
        self._keys.clear()
        while batch:
            batch = batch[self._store(batch) :]

    def _store(self, batch: list[Proposal]) -> int:
        """Stores proposals up to the first that depends on one before it; how many it stored."""
        by_source = self._by_source(batch)
        known_by_source = {row["id"] for row in by_source.values()}
        ids = self._ids(batch, by_source)
        by_id = self._books.storage.get_rows(self._books.user.id, RECORDS, ids)
        new: list[Row] = []
        changed: list[Row] = []
        for proposal, record_id in zip(batch, ids, strict=False):
            stored = by_id.get(record_id)
            if proposal.id is None and record_id not in known_by_source:
                check_still_its_own(stored, proposal.line)
            row = self._complete(proposal.given, stored)
            row["id"] = record_id
            row["source"], row["sourceId"] = proposal.source, proposal.source_id
            derive(self._books, row, proposal.line)
            stamp = stamped(row, proposal.given, stored, self._books.now)
            if stamp is None:
                self._report.unchanged += 1
                continue
            self._balances.note(stored, stamp)
            (new if stored is None else changed).append(stamp)
        self._report.created += len(new)
        self._report.updated += len(changed)
        if new or changed:
            self._books.storage.put_rows(self._books.user.id, RECORDS, new=new, changed=changed)
            self.changed = True
        return len(ids)

    def _ids(self, batch: list[Proposal], by_source: dict[tuple[str, str], Row]) -> list[str]:
        """The ids of the records that the first proposals are about.

        It ends before one that is about the record of another proposal, or whose source id that
        record may give up: what it means is known when the other one is stored.
        """
        ids: list[str] = []
        seen: set[str] = set()
        for proposal in batch:
            known = by_source.get((proposal.source or "", proposal.source_id or ""))
            record_id = proposal.id
            if record_id is None:
                record_id = (
                    row_id(self._books.user.uuid, proposal.source, proposal.source_id)
                    if known is None
                    else str(known["id"])
                )
            if record_id in seen or (known is not None and known["id"] in seen):
                break
            if known is not None and known["id"] != record_id:
                raise ImportRefused(
                    f"sourceId {proposal.source_id!r} of source {proposal.source!r} belongs to "
                    f"the record {known['id']}",
                    proposal.line,
                )
            seen.add(record_id)
            ids.append(record_id)
        return ids

    def _by_source(self, batch: list[Proposal]) -> dict[tuple[str, str], Row]:
        source_ids: dict[str, list[str]] = {}
        for proposal in batch:
            if proposal.source is not None and proposal.source_id is not None:
                source_ids.setdefault(proposal.source, []).append(proposal.source_id)
        return {
            (source, source_id): row
            for source, wanted in source_ids.items()
            for source_id, row in self._books.storage.get_rows_by_source(
                self._books.user.id, RECORDS, source, wanted
            ).items()
        }
