"""Balances that statements tell, and the accounts' own."""

from collections.abc import Iterable
from typing import Any

from finance_api.importers.interface import BankBalance
from finance_api.ledger.balances import agree_with_bank, note_bank_balance
from finance_api.ledger.session import LedgerSession


def settle_bank_balances(
    session: LedgerSession, account_ids: Iterable[str], facts: list[dict[str, Any]]
) -> list[str]:
    """Makes the accounts agree with the newest balance told; the records are stored by now.

    facts: of the statements, see `HistoryEntry`. Returns sentences for the one who imports.
    """
    for fact in facts:
        if fact["closing"] is not None:
            day, units = fact["closing"]
            note_bank_balance(session, fact["accountId"], BankBalance(units, day))
    for account_id in account_ids:
        agree_with_bank(session, account_id)
    return []
