"""Balances, counts and last days of accounts, kept exact while records come, change and go."""

from collections import defaultdict

from finance_api.importers.interface import ChangeRefused
from finance_api.ledger.session import LedgerSession
from finance_api.query.model import Query, SortKey
from finance_api.query.records import any_of
from finance_api.resources import RECORDS
from finance_api.resources.records import VOID
from finance_api.values import Row
from finance_api.values.number import MAX_UNITS, decimal_text
from finance_api.values.time import DAY_SECONDS, MIN_SECONDS


class Balances:
    """The changes of balances by the records of an import."""

    def __init__(self) -> None:
        self._amounts: defaultdict[str, int] = defaultdict(int)
        self._counts: defaultdict[str, int] = defaultdict(int)
        # The newest dates among records that came, and among those that went.
        self._come: dict[str, int] = {}
        self._gone: dict[str, int] = {}

    def note(self, before: Row | None, after: Row | None) -> None:
        """A record as it was, and as it is; None: there was none, or is none any more."""
        if before is not None:
            self._add(before, -1, self._gone)
        if after is not None:
            self._add(after, 1, self._come)

    def _add(self, row: Row, sign: int, newest: dict[str, int]) -> None:
        account_id, date = row["accountId"], row["recordDate"]
        if date > newest.get(account_id, MIN_SECONDS - 1):
            newest[account_id] = date
        self._counts[account_id] += sign
        if row["recordState"] != VOID:
            self._amounts[account_id] += sign * row["amount"]

    @property
    def touched(self) -> list[str]:
        """The accounts that records were added to or taken from."""
        return list(self._counts)

    def settle(self, session: LedgerSession) -> None:
        """Writes them onto the accounts; the records are stored by now.

        Raises ChangeRefused if a balance does not fit.
        """
        for account_id, account in list(session.accounts.rows.items()):
            stored = session.accounts.stored(account_id)
            records = 0 if stored is None else stored["balance"] - stored["initialBalance"]
            count = 0 if stored is None else stored["recordCount"]
            balance = account["initialBalance"] + records + self._amounts[account_id]
            if abs(balance) > MAX_UNITS:
                raise ChangeRefused(
                    f"the balance of the account {account['name']} would be "
                    f"{decimal_text(balance)}, which is out of range"
                )
            session.accounts.put(
                {
                    **account,
                    "balance": balance,
                    "recordCount": count + self._counts[account_id],
                    "lastRecordDate": self._last_record_date(session, account_id, stored),
                }
            )

    def _last_record_date(
        self, session: LedgerSession, account_id: str, stored: Row | None
    ) -> int | None:
        last = None if stored is None else stored["lastRecordDate"]
        come, gone = (_day(dates.get(account_id)) for dates in (self._come, self._gone))
        newest = max((day for day in (last, come) if day is not None), default=None)
        if gone is None or gone != newest:
            return newest
        of_account = any_of("accountId", [account_id])
        newest_first = SortKey(RECORDS["recordDate"], descending=True)
        query = Query(RECORDS, (of_account,), (newest_first,), limit=1)
        page = session.storage.data.list_rows(session.user.id, query)
        return _day(page.rows[0]["recordDate"]) if page.rows else None


def _day(date: int | None) -> int | None:
    return None if date is None else date - date % DAY_SECONDS
