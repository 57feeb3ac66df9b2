"""Importing statements: what a bank wrote, account by account."""

from collections.abc import Iterable
from typing import Any

from finance_api.importers.interface import Entry, ImportRefused, Statement
from finance_api.ledger.balances import Balances, agree_with_bank, note_bank_balance
from finance_api.ledger.records import Proposal, RecordWriter
from finance_api.ledger.report import ImportReport
from finance_api.ledger.row_set import RowSet
from finance_api.ledger.rows import blank_row, bounded_source_id, row_id
from finance_api.ledger.rules import Rules
from finance_api.ledger.session import LedgerSession
from finance_api.ledger.statement_accounts import find_account
from finance_api.resources import CATEGORIES, RECORDS
from finance_api.values import Row
from finance_api.values.text import TextError, clean_or_none

#: What the file decides, also of a record that is stored already.
_OF_THE_FILE = ("amount", "recordDate", "payee", "note")


def _clean_name(text: str) -> str:
    try:
        name = clean_or_none(text.strip())
    except TextError as error:
        raise ImportRefused(f"--account {error}") from None
    if name is None:
        raise ImportRefused("--account is empty")
    return name


class StatementImport:
    """Stores statements of one source.

    account_name: the user's choice of account, for a file of one account.
    currency: the currency of a new account, where the file does not say.
    """

    def __init__(
        self,
        session: LedgerSession,
        report: ImportReport,
        source: str,
        *,
        account_name: str | None = None,
        currency: str | None = None,
    ) -> None:
        self._session = session
        self._report = report
        self._source = source
        self._account_name = None if account_name is None else _clean_name(account_name)
        self._currency = currency
        self._rules = Rules(session)

    def run(self, entries: Iterable[tuple[Statement, Entry | None]]) -> None:
        """Raises ImportRefused."""
        balances = Balances()
        writer = RecordWriter(self._session, balances, self._report, self._complete)
        accounts: dict[int, str] = {}
        statements: list[Statement] = []
        for statement, entry in entries:
            if id(statement) not in accounts:
                statements.append(statement)
                accounts[id(statement)] = find_account(
                    self._session,
                    self._source,
                    statement.account,
                    name=self._account_name,
                    currency=self._currency,
                )
            if entry is not None:
                writer.add(self._proposal(accounts[id(statement)], entry))
        for statement in statements:
            if statement.closing is not None:
                note_bank_balance(self._session, accounts[id(statement)], statement.closing)
            self._report.skipped.update(statement.skipped)
        writer.flush()
        # Also accounts that records of earlier statements were moved to since.
        for account_id in dict.fromkeys((*accounts.values(), *balances.touched)):
            agree_with_bank(self._session, account_id)
        balances.settle(self._session)
        self._report.changed = self._session.close(records_changed=writer.changed)

    def _proposal(self, account_id: str, entry: Entry) -> Proposal:
        given = {
            "accountId": account_id,
            "amount": entry.amount,
            "recordDate": entry.date,
            "payee": entry.payee,
            "note": entry.note,
            "entry": entry,
        }
        source_id = bounded_source_id(f"{account_id}/{entry.bank_id}")
        return Proposal(entry.line, None, self._source, source_id, given)

    def _complete(self, given: dict[str, Any], stored: Row | None) -> Row:
        if stored is not None:
            return {**stored, **{name: given[name] for name in _OF_THE_FILE}}
        entry: Entry = given["entry"]
        row = blank_row(RECORDS)
        row.update((name, given[name]) for name in ("accountId", *_OF_THE_FILE))
        category_id, label_ids = self._rules.apply(row["accountId"], row["payee"], row["note"])
        row["categoryByRule"] = category_id is not None or None
        if category_id is None and entry.category is not None:
            category_id = self._of_name(self._session.categories, entry.category)
        own_labels = (self._of_name(self._session.labels, name) for name in entry.labels)
        row["categoryId"] = category_id
        row["labelIds"] = tuple(dict.fromkeys((*label_ids, *own_labels)))
        row["paymentType"] = entry.payment_type
        # A bank's statement lists what is settled.
        row["recordState"] = "cleared"
        return row

    def _of_name(self, row_set: RowSet, name: str) -> str:
        """The id of the category or label of that name, made if there is none."""
        source_id = bounded_source_id(f"{row_set.resource.model_type}/{name}")
        known = row_set.find(None, self._source, source_id)
        if known is None:
            known = next(iter(row_set.named(name)), None)
        if known is None:
            known = {
                **blank_row(row_set.resource),
                "id": row_id(self._session.user.uuid, self._source, source_id),
                "name": name,
                "createdAt": self._session.now,
                "updatedAt": self._session.now,
                "source": self._source,
                "sourceId": source_id,
            }
            if row_set.resource is CATEGORIES:
                known["customCategory"] = True
            row_set.put(known)
        return str(known["id"])
