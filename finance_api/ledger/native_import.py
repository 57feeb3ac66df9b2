"""Importing the native format: whole objects of every type."""

from collections import defaultdict
from collections.abc import Callable, Iterable
from typing import Any

from finance_api.importers.native import NativeRow
from finance_api.ledger.balances import Balances
from finance_api.ledger.bank_balances import Facts, settle_bank_balances
from finance_api.ledger.category_kinds import set_kind
from finance_api.ledger.derivation import rederive_records
from finance_api.ledger.documents import (
    carry_currencies_over,
    check_document,
    complete_standing_order,
)
from finance_api.ledger.matching.stated_notes import note_stated
from finance_api.ledger.records import BATCH, BATCH_BYTES, GivenRecord, RecordWriter
from finance_api.ledger.references import check_tree
from finance_api.ledger.report import AccountTotal, ImportReport
from finance_api.ledger.row_set import RowSet
from finance_api.ledger.rows import check_still_its_own, replaced, row_id, stamped
from finance_api.ledger.session import LedgerSession
from finance_api.resources import (
    ACCOUNTS,
    CATEGORIES,
    RECORDS,
    REFERRED,
    RESOURCES,
    STANDING_ORDERS,
)
from finance_api.resources.field import Resource
from finance_api.values import Row


class NativeImport:
    """documents, then records: each row is stored, or the file is refused with its line.

    details: of the history's entry, as far as they are known.
    """

    def __init__(
        self, session: LedgerSession, report: ImportReport, details: dict[str, Any]
    ) -> None:
        self._session = session
        self._report = report
        self._details = details
        self._balances = Balances()
        #: The initial balances of the accounts that the file brings.
        self._initial: dict[str, int] = {}
        self._facts: list[Facts] = []

    def run(
        self,
        documents: Callable[[], Iterable[NativeRow]],
        records: Callable[[], Iterable[NativeRow]],
    ) -> None:
        """records is called when the documents are through. Raises ImportRefused."""
        changed = self._import_documents(documents)
        changed |= rederive_records(self._session)
        writer = RecordWriter(self._session, self._balances, self._report, _whole_record)
        for line, _, values, size in records():
            given = values.get
            record = GivenRecord(line, given("id"), given("source"), given("sourceId"), values)
            writer.add(record, size)
        writer.flush()
        self._settle_bank_balances()
        self._balances.settle(self._session)
        self._sum_up(writer)
        self._details |= {"counts": self._report.counts, "accounts": self._facts}
        self._report.changed = self._session.close(
            records_changed=changed or writer.changed, details=self._details
        )

    def _settle_bank_balances(self) -> None:
        settled = (*self._initial, *self._balances.touched)
        remarks = settle_bank_balances(self._session, settled, self._facts)
        # An account that the file brings says itself what its initial balance is.
        rows = self._session.accounts.rows
        differing = [i for i, own in self._initial.items() if rows[i]["initialBalance"] != own]
        for account_id in differing:
            self._facts.append({"accountId": account_id, "forgets": True})
            initial = {"initialBalance": self._initial[account_id], "ownInitialBalance": None}
            self._session.accounts.put({**rows[account_id], **initial})
        if differing:
            remarks = settle_bank_balances(self._session, settled, self._facts)
        self._report.remarks += remarks

    def _sum_up(self, writer: RecordWriter) -> None:
        for account_id, (money_in, money_out) in writer.sums.items():
            row = self._session.accounts.rows[account_id]
            of = row["name"], row["currencyCode"]
            self._report.totals.append(AccountTotal(*of, money_in, money_out, row["balance"]))

    def _import_documents(self, documents: Callable[[], Iterable[NativeRow]]) -> bool:
        """Whether any that is not held can be seen to change."""
        self._import_held(document for document in documents() if document.resource in REFERRED)
        self._session.begin_storing()
        seen = carry_currencies_over(self._session)
        batches: dict[str, _Batch] = {resource.name: _Batch(resource) for resource in RESOURCES}
        for document in documents():
            if document.resource not in REFERRED:
                batch = batches[document.resource.name]
                batch.add(document)
                if batch.is_full:
                    seen |= self._store(batch)
        for batch in batches.values():
            seen |= self._store(batch)
        return seen

    def _import_held(self, documents: Iterable[NativeRow]) -> None:
        lines: dict[str, int] = {}
        for document in documents:
            row = self._put(self._session.row_set(document.resource), document)
            if document.resource is ACCOUNTS:
                self._initial[row["id"]] = row["initialBalance"]
            elif document.resource is CATEGORIES:
                lines[row["id"]] = document.line
        # Only now is every one known that another one may refer to.
        for category_id, line in lines.items():
            row = self._session.categories.rows[category_id]
            check_document(self._session, CATEGORIES, row, line)
        if lines:
            check_tree(self._session.categories, lines)

    def _store(self, batch: "_Batch") -> bool:
        session, rows = self._session, batch.rows
        data, user = session.storage.data, session.user
        sources: defaultdict[str, list[str]] = defaultdict(list)
        ids = []
        for _, _, given, _ in rows:
            source, source_id = given.get("source"), given.get("sourceId")
            if source is not None and source_id is not None:
                sources[source].append(source_id)
            ids.append(given.get("id") or row_id(user.uuid, source, source_id))
        stored = data.get_rows(user.id, batch.resource, ids)
        for source, source_ids in sources.items():
            found = data.get_rows_by_source(user.id, batch.resource, source, source_ids)
            stored |= {row["id"]: row for row in found.values()}
        row_set = RowSet(batch.resource, stored.values())
        for document in rows:
            row = self._put(row_set, document)
            check_document(session, batch.resource, row, document.line)
        batch.clear()
        return session.save(row_set)

    def _put(self, row_set: RowSet, document: NativeRow) -> Row:
        given = document.values
        source, source_id = given.get("source"), given.get("sourceId")
        stored = row_set.find(given.get("id"), source, source_id)
        if stored is None and "id" not in given:
            stored = row_set.rows.get(row_id(self._session.user.uuid, source, source_id))
            check_still_its_own(stored, document.line)
        row = replaced(document.resource, given, stored)
        if stored is None:
            row["id"] = given.get("id") or row_id(self._session.user.uuid, source, source_id)
        if document.resource is STANDING_ORDERS:
            complete_standing_order(row)
        if document.resource is CATEGORIES:
            set_kind(row, given, stored)
        stamp = stamped(row, given, stored, self._session.now)
        if stamp is None:
            self._report.unchanged += 1
            return row
        row_set.put(stamp, document.line)
        if stored is None:
            self._report.created += 1
        else:
            self._report.updated += 1
        return stamp


class _Batch:
    """Some documents of a type."""

    def __init__(self, resource: Resource) -> None:
        self.resource = resource
        self.rows: list[NativeRow] = []
        self._size = 0

    def add(self, document: NativeRow) -> None:
        self.rows.append(document)
        self._size += document.size

    @property
    def is_full(self) -> bool:
        return len(self.rows) >= BATCH or self._size >= BATCH_BYTES

    def clear(self) -> None:
        self.rows.clear()
        self._size = 0


def _whole_record(given: dict[str, Any], stored: Row | None) -> Row:
    row = replaced(RECORDS, given, stored)
    if stored is not None and "stated" not in given:
        note_stated(stored, row)
    return row
