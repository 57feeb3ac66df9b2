"""Importing the native format: whole objects of every type."""

from collections.abc import Callable, Iterable
from typing import Any

from finance_api.importers.interface import ImportRefused
from finance_api.importers.native import NativeRow
from finance_api.ledger.balances import Balances, agree_with_bank
from finance_api.ledger.category_kinds import set_kind
from finance_api.ledger.derivation import rederive_records
from finance_api.ledger.records import Proposal, RecordWriter
from finance_api.ledger.references import check_references
from finance_api.ledger.report import ImportReport
from finance_api.ledger.rows import check_still_its_own, replaced, row_id, stamped
from finance_api.ledger.session import LedgerSession
from finance_api.planning.recurrence import RuleError, check_rule
from finance_api.resources import ACCOUNTS, CATEGORIES, RECORDS, STANDING_ORDERS
from finance_api.resources.records import record_type
from finance_api.values import Row


class NativeImport:
    """documents, then records: each row is stored, or the file is refused with its line."""

    def __init__(self, session: LedgerSession, report: ImportReport) -> None:
        self._session = session
        self._report = report
        self._balances = Balances()
        self._accounts_of_file: set[str] = set()

    def run(
        self, documents: Iterable[NativeRow], records: Callable[[], Iterable[NativeRow]]
    ) -> None:
        """records is called when the documents are through. Raises ImportRefused."""
        self._import_documents(documents)
        changed = rederive_records(self._session)
        writer = RecordWriter(self._session, self._balances, self._report, _whole_record)
        for line, _, values in records():
            given = values.get
            writer.add(Proposal(line, given("id"), given("source"), given("sourceId"), values))
        writer.flush()
        for account_id in self._balances.touched:
            # An account that the file brings says itself what its initial balance is.
            if account_id not in self._accounts_of_file:
                agree_with_bank(self._session, account_id)
        self._balances.settle(self._session)
        self._report.changed = self._session.close(records_changed=changed or writer.changed)

    def _import_documents(self, documents: Iterable[NativeRow]) -> None:
        lines: dict[tuple[str, str], NativeRow] = {}
        for document in documents:
            row = self._put(document)
            lines[document.resource.name, row["id"]] = document
            if document.resource is ACCOUNTS:
                self._accounts_of_file.add(row["id"])
        # Only now is every document known that another one may refer to.
        for (_, document_id), document in lines.items():
            row = self._session.row_set(document.resource).rows[document_id]
            check_references(self._session, document.resource, row, document.line)
            if document.resource is STANDING_ORDERS:
                self._check_standing_order(row, document)
        self._carry_currencies_over()

    def _put(self, document: NativeRow) -> Row:
        row_set = self._session.row_set(document.resource)
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
            _complete_standing_order(row)
        if document.resource is CATEGORIES:
            set_kind(row, given, stored)
        if document.resource is ACCOUNTS and stored is not None:
            _forget_bank_balance(row, stored)
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

    def _check_standing_order(self, row: Row, document: NativeRow) -> None:
        account = self._session.accounts.rows.get(row["accountId"] or "")
        currency = row["currencyCode"]
        if account is not None and currency is not None and currency != account["currencyCode"]:
            raise ImportRefused(
                f"currencyCode is {currency}, but the account {account['name']} is in "
                f"{account['currencyCode']}",
                document.line,
            )
        try:
            check_rule(row["recurrenceRule"], row["startDate"])
        except RuleError as error:
            raise ImportRefused(f"recurrenceRule {error}", document.line) from None

    def _carry_currencies_over(self) -> None:
        """A new currency of an account is that of its standing orders too."""
        changed = self._session.accounts.changed_ids("currencyCode")
        if not changed:
            return
        orders = self._session.row_set(STANDING_ORDERS)
        for order in list(orders.rows.values()):
            if order["accountId"] in changed and order["currencyCode"] is not None:
                currency = self._session.accounts.rows[order["accountId"]]["currencyCode"]
                orders.put({**order, "currencyCode": currency})


def _whole_record(given: dict[str, Any], stored: Row | None) -> Row:
    return replaced(RECORDS, given, stored)


def _complete_standing_order(row: Row) -> None:
    if row["type"] is None and row["amount"] is not None:
        row["type"] = record_type(row["amount"])


def _forget_bank_balance(row: Row, stored: Row) -> None:
    """An initial balance that the user sets is no longer the one worked out from the bank's."""
    if row["initialBalance"] != stored["initialBalance"]:
        row["bankBalance"] = row["bankBalanceDate"] = None
