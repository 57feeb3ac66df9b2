"""Account balances, kept exact while records come and change."""

from collections import defaultdict

from finance_api.importers.interface import BankBalance, ImportRefused
from finance_api.ledger.session import LedgerSession
from finance_api.ledger.statement_accounts import is_of_several
from finance_api.query.model import Operator, Span, condition_on
from finance_api.resources import RECORDS
from finance_api.resources.records import VOID
from finance_api.values import Row
from finance_api.values.number import MAX_UNITS, decimal_text
from finance_api.values.time import DAY_SECONDS


class Balances:
    """The changes of balances by the records of an import."""

    def __init__(self) -> None:
        self._amounts: defaultdict[str, int] = defaultdict(int)
        self._counts: defaultdict[str, int] = defaultdict(int)

    def note(self, before: Row | None, after: Row | None) -> None:
        """A record as it was, and as it is; None: there was none, or is none any more."""
        if before is not None:
            self._add(before, -1)
        if after is not None:
            self._add(after, 1)

    def _add(self, row: Row, sign: int) -> None:
        account_id = row["accountId"]
        self._counts[account_id] += sign
        if row["recordState"] != VOID:
            self._amounts[account_id] += sign * row["amount"]

    @property
    def touched(self) -> list[str]:
        """The accounts that records were added to or taken from."""
        return list(self._counts)

    def settle(self, session: LedgerSession) -> None:
        """Writes the balances onto the accounts. Raises ImportRefused if one does not fit."""
        for account_id, account in list(session.accounts.rows.items()):
            stored = session.accounts.stored(account_id)
            records = 0 if stored is None else stored["balance"] - stored["initialBalance"]
            count = 0 if stored is None else stored["recordCount"]
            balance = account["initialBalance"] + records + self._amounts[account_id]
            if abs(balance) > MAX_UNITS:
                raise ImportRefused(
                    f"the balance of the account {account['name']} would be "
                    f"{decimal_text(balance)}, which is out of range"
                )
            settled = {"balance": balance, "recordCount": count + self._counts[account_id]}
            session.accounts.put({**account, **settled})


def note_bank_balance(session: LedgerSession, account_id: str, balance: BankBalance) -> None:
    """Keeps what the bank says, if it is no older than what the account has."""
    account = session.accounts.rows[account_id]
    known = account["bankBalanceDate"]
    if is_of_several(account):
        session.accounts.put({**account, "bankBalance": None, "bankBalanceDate": None})
    elif known is None or balance.date >= known:
        kept = {"bankBalance": balance.amount, "bankBalanceDate": balance.date}
        session.accounts.put({**account, **kept})


def agree_with_bank(session: LedgerSession, account_id: str) -> None:
    """Sets the initial balance so that the balance at the end of the bank's day is the bank's.

    The records of the account are stored by now. Raises ImportRefused if it does not fit.
    """
    account = session.accounts.rows[account_id]
    day = account["bankBalanceDate"]
    if day is None or "initialBalance" in account["setByHand"]:
        return
    sums = session.storage.data.sum_by(
        session.user.id,
        ["accountId"],
        [
            condition_on(RECORDS, "accountId", Operator.ANY_OF, (account_id,)),
            condition_on(RECORDS, "recordDate", Operator.LTE, Span(day, day + DAY_SECONDS)),
        ],
    )
    until = sums.get((account_id,))
    initial = account["bankBalance"] - (until.amount if until else 0)
    if abs(initial) > MAX_UNITS:
        raise ImportRefused(
            f"the initial balance of the account {account['name']} would be "
            f"{decimal_text(initial)}, which is out of range"
        )
    session.accounts.put({**account, "initialBalance": initial})
