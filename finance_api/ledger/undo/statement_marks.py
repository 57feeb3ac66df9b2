"""By what statements an account is known: what only a statement that goes had said goes with it.

The rest is what later statements would have said, had it never been.
"""

from collections.abc import Iterator
from typing import Any

from finance_api.ledger.session import LedgerSession
from finance_api.ledger.undo.past import Past
from finance_api.resources import ACCOUNTS
from finance_api.storage.interface import BeforeImage, HistoryEntry
from finance_api.values import Row


def hand_over_marks(session: LedgerSession, past: Past, entry: HistoryEntry) -> None:
    """Of the accounts that the entry changed or made."""
    for page in past.images(entry.number, ACCOUNTS):
        for image in page:
            account = session.accounts.rows.get(image.row_id)
            if account is not None:
                session.accounts.put(_Marks(past, entry, image, account).handed_over())


def marks_of(entry: HistoryEntry, account_id: str) -> tuple[str, ...]:
    """The fields of an account that `hand_over_marks` sees to."""
    if _numbers_in(entry, account_id):
        return "statementKeys", "bankAccountNumber"
    return ("statementKeys",)


def _numbers_in(entry: HistoryEntry, account_id: str) -> set[str]:
    """Those that the entry's statements gave the account."""
    numbers = {fact.get("number") for fact in entry.facts if fact["accountId"] == account_id}
    return {number for number in numbers if number is not None}


class _Marks:
    """Of one account. image: as the entry found it; account: as it is now."""

    def __init__(self, past: Past, entry: HistoryEntry, image: BeforeImage, account: Row) -> None:
        self._past = past
        self._entry = entry
        self._before = image.row
        self._account = account
        self._after = past.after(entry.number, ACCOUNTS, image.row_id) or account

    def handed_over(self) -> Row:
        """The account as later statements alone would have left it; later images follow."""
        return {**self._account, "statementKeys": self._keys(), "bankAccountNumber": self._number()}

    def _keys(self) -> tuple[str, ...]:
        before = () if self._before is None else self._before["statementKeys"]
        taught = set(self._after["statementKeys"]) - set(before)
        heirs: dict[str, int] = {}
        for number, fact in self._later_facts():
            heirs.setdefault(f"{fact.get('source')}:{fact.get('key')}", number)
        for key in taught if self._before is not None else ():
            for number, row in self._images(heirs.get(key)):
                if number <= heirs.get(key, number):
                    keys = tuple(each for each in row["statementKeys"] if each != key)
                    self._replace(number, row, "statementKeys", keys)
        gone = taught - heirs.keys()
        return tuple(key for key in self._account["statementKeys"] if key not in gone)

    def _number(self) -> str | None:
        known: str | None = self._account["bankAccountNumber"]
        told = _numbers_in(self._entry, self._account["id"])
        had_one = self._before is not None and self._before["bankAccountNumber"] is not None
        if had_one or self._after["bankAccountNumber"] not in told:
            return known
        heir, other = next(
            ((n, fact["number"]) for n, fact in self._later_facts() if fact.get("number")),
            (None, None),
        )
        for number, row in self._images(heir):
            if row["bankAccountNumber"] in (None, *told):
                value = other if heir is not None and number > heir else None
                self._replace(number, row, "bankAccountNumber", value)
        return other if known in (None, *told) else known

    def _later_facts(self) -> Iterator[tuple[int, dict[str, Any]]]:
        for number in self._past.later(self._entry.number):
            for fact in self._past.live[number].facts:
                if fact["accountId"] == self._account["id"]:
                    yield number, fact

    def _images(self, heir: int | None) -> Iterator[tuple[int, Row]]:
        """The account as later entries found it; the heir's also if it has no image of it."""
        for number in self._past.later(self._entry.number):
            image = self._past.image_of(number, ACCOUNTS, self._account["id"])
            row = None if image is None else image.row
            if image is None and number == heir:
                row = self._past.after(number, ACCOUNTS, self._account["id"])
            if row is not None:
                yield number, row

    def _replace(self, number: int, row: Row, name: str, value: Any) -> None:
        if row[name] != value:
            image = BeforeImage(ACCOUNTS, self._account["id"], {**row, name: value})
            self._past.replace(number, [image])
