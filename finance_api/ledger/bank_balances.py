"""What banks say of an account's balance: its initial balance follows, and what does not agree.

Every import keeps the balances that its files told among the facts of its entry in the history:
``{"accountId": id, "opening": [day, units], "closing": [day, units], "asOf": seconds}``, each where
there is one. Those of entries that are not undone count. So do ``{"accountId": id, "forgets":
true}``: from there on, what was told before counts no more.
"""

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import accumulate, pairwise
from typing import Any, NamedTuple

from finance_api.importers.interface import ImportRefused
from finance_api.ledger.session import LedgerSession
from finance_api.ledger.statement_accounts import is_of_several
from finance_api.query.model import Operator, Span, condition_on
from finance_api.resources import RECORDS
from finance_api.values import Row
from finance_api.values.number import MAX_UNITS, decimal_text
from finance_api.values.time import DAY_SECONDS, date_text

#: What an import learned of one statement.
Facts = dict[str, Any]


class _Told(NamedTuple):
    """A balance that a file told, in the order in which they follow each other.

    number: of the entry. A balance covers the rows of its own day that were there by then: those
    that came later were not in its file.
    """

    day: int
    is_opening: bool
    as_of: int
    number: int
    amount: int


def settle_bank_balances(
    session: LedgerSession, account_ids: Iterable[str], facts: Sequence[Facts] = ()
) -> list[str]:
    """Makes initial balances follow from the newest balance that a bank told of each account.

    facts: of this import; those of the entries before it are known. The accounts' records are
    stored by now. Returns a sentence for each stretch of days in which records do not explain how
    the balance changed. Raises ImportRefused if an initial balance is out of range.
    """
    wanted = [i for i in dict.fromkeys(account_ids) if i in session.accounts.rows]
    told = _told(session, facts)
    several = {i for i in wanted if is_of_several(session.accounts.rows[i])}
    known = {i: sorted(told[i]) for i in wanted if told[i] and i not in several}
    books = _Books(session, known)
    remarks: list[str] = []
    for account_id in wanted:
        account = session.accounts.rows[account_id]
        implied = [
            (balance, balance.amount - books.sum_until(account_id, balance))
            for balance in known.get(account_id, ())
        ]
        session.accounts.put(_settled(account, implied, remarks))
    return remarks


def _told(session: LedgerSession, facts: Sequence[Facts]) -> defaultdict[str, list[_Told]]:
    told: defaultdict[str, list[_Told]] = defaultdict(list)
    entries = [(e.number, e.facts) for e in session.history if e.undone_at is None]
    for number, of_entry in (*entries, (session.number, facts)):
        for fact in of_entry:
            balances = told[fact["accountId"]]
            if fact.get("forgets"):
                balances.clear()
            for name in ("opening", "closing"):
                if fact.get(name) is not None:
                    day, amount = fact[name]
                    as_of = fact.get("asOf") or day
                    balance = _Told(day, name == "opening", as_of, number, amount)
                    # Told again it covers no more than it did: a file may be given again after
                    # records that it does not hold.
                    if not any(balance[:2] == b[:2] and amount == b.amount for b in balances):
                        balances.append(balance)
    return told


class _Books:
    """The sums of some accounts' records, by day and import."""

    def __init__(self, session: LedgerSession, told: dict[str, list[_Told]]) -> None:
        sums: defaultdict[str, dict[tuple[int, int], int]] = defaultdict(dict)
        if told:
            last = max(balances[-1].day for balances in told.values())
            found = session.storage.data.sum_by(
                session.user.id,
                ["accountId", "recordDate", "importId"],
                [
                    condition_on(RECORDS, "accountId", Operator.ANY_OF, tuple(sorted(told))),
                    condition_on(
                        RECORDS, "recordDate", Operator.LTE, Span(last, last + DAY_SECONDS)
                    ),
                ],
            )
            for (account_id, time, number), total in found.items():
                key = (time - time % DAY_SECONDS, number or 0)
                sums[account_id][key] = sums[account_id].get(key, 0) + total.amount
        self._keys = {account_id: sorted(by_key) for account_id, by_key in sums.items()}
        self._until = {
            account_id: list(accumulate((by_key[k] for k in self._keys[account_id]), initial=0))
            for account_id, by_key in sums.items()
        }

    def sum_until(self, account_id: str, balance: _Told) -> int:
        """Of the records that the balance covers."""
        keys = self._keys.get(account_id)
        if keys is None:
            return 0
        return self._until[account_id][bisect_right(keys, (balance.day, balance.number))]


def _settled(account: Row, implied: list[tuple[_Told, int]], remarks: list[str]) -> Row:
    """implied: balances in their order, each with the initial balance that follows from it."""
    name, unexplained = account["name"], 0
    for (earlier, before), (later, after) in pairwise(_telling(implied)):
        if before != after:
            unexplained += abs(after - before)
            remarks.append(
                f"{name}: from {date_text(earlier.day)} to {date_text(later.day)} the bank's "
                f"balance changed by {decimal_text(after - before)} more than the records say"
            )
    own = account["ownInitialBalance"]
    own = account["initialBalance"] if own is None else own
    settled = {"initialBalance": own, "ownInitialBalance": None}
    newest, initial = next(((b, i) for b, i in reversed(implied) if not b.is_opening), (None, own))
    if newest is not None and "initialBalance" in account["setByHand"]:
        unexplained += abs(initial - own)
        if initial != own:
            remarks.append(
                f"{name}: its initial balance was set to {decimal_text(own)}; by the bank's "
                f"balance of {date_text(newest.day)} it was {decimal_text(initial)}"
            )
    elif newest is not None:
        settled = {"initialBalance": initial, "ownInitialBalance": own}
    if max(abs(initial), unexplained) > MAX_UNITS:
        raise ImportRefused(
            f"the initial balance of the account {name} would be {decimal_text(initial)}, "
            "which is out of range"
        )
    return {
        **account,
        **settled,
        "bankBalance": None if newest is None else newest.amount,
        "bankBalanceDate": None if newest is None else newest.day,
        "unexplained": unexplained,
    }


def _telling(implied: list[tuple[_Told, int]]) -> list[tuple[_Told, int]]:
    """Without openings that only repeat the balance before them.

    A file may begin in the middle of a day, and what of that day came before it is not known.
    """
    found: list[tuple[_Told, int]] = []
    for balance, initial in implied:
        if not (balance.is_opening and found and found[-1][0].amount == balance.amount):
            found.append((balance, initial))
    return found
