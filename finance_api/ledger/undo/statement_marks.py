"""Values that statements state for an account itself: the keys they name it by, and its number.

Undo leaves the values of other entries' statements.
"""

from collections.abc import Iterator
from typing import Any

from finance_api.ledger.session import LedgerSession
from finance_api.ledger.undo.past import Past
from finance_api.resources import ACCOUNTS
from finance_api.storage.interface import BeforeImage, HistoryEntry
from finance_api.values import Row


def marks_of(entry: HistoryEntry, account_id: str) -> tuple[str, ...]:
    """The fields of an account that are settled here."""
    if _numbers_in(entry, account_id):
        return "statementKeys", "bankAccountNumber"
    return ("statementKeys",)


def infer_keys(session: LedgerSession, past: Past, entry: HistoryEntry) -> None:
    """Give accounts of an undone entry the keys of all other statements since they were made."""
    changed = {image.row_id for page in past.images(entry.number, ACCOUNTS) for image in page}
    for account_id in changed | {fact["accountId"] for fact in entry.facts}:
        account = session.accounts.rows.get(account_id)
        if account is not None:
            keys: dict[str, None] = {}
            for number in past.later(0):
                image = past.image_of(number, ACCOUNTS, account_id)
                if image is not None and image.row is None:
                    keys = {}
                for fact in past.live[number].facts:
                    if fact["accountId"] == account_id and fact.get("key") is not None:
                        keys[f"{fact['source']}:{fact['key']}"] = None
            session.accounts.put({**account, "statementKeys": tuple(keys)})


def hand_over_numbers(session: LedgerSession, past: Past, entry: HistoryEntry) -> None:
    """A number that the entry gave an account is the next statement's, if that says one."""
    for page in past.images(entry.number, ACCOUNTS):
        for image in page:
            account = session.accounts.rows.get(image.row_id)
            # A later entry may have removed it: undone, it brings the account back.
            left = past.after(entry.number, ACCOUNTS, image.row_id)
            if left is not None and not (image.row and image.row["bankAccountNumber"]):
                _hand_over_number(session, past, entry, left, account)


def _hand_over_number(
    session: LedgerSession, past: Past, entry: HistoryEntry, left: Row, account: Row | None
) -> None:
    """left: the account as the entry left it; account: as it is now."""
    numbers = _numbers_in(entry, left["id"])
    if left["bankAccountNumber"] not in numbers:
        return
    later = ((n, fact.get("number")) for n, fact in _later_facts(past, entry, left["id"]))
    heir, other = next(((n, number) for n, number in later if number), (None, None))
    for number, row in _images(past, entry, left["id"], heir):
        if row["bankAccountNumber"] in (None, *numbers):
            value = other if heir is not None and number > heir else None
            image = BeforeImage(ACCOUNTS, row["id"], {**row, "bankAccountNumber": value})
            past.replace(number, [image])
    if account is not None and account["bankAccountNumber"] in (None, *numbers):
        session.accounts.put({**account, "bankAccountNumber": other})


def _numbers_in(entry: HistoryEntry, account_id: str) -> set[str]:
    """The numbers that the entry's statements state for the account."""
    numbers = {fact.get("number") for fact in entry.facts if fact["accountId"] == account_id}
    return {number for number in numbers if number is not None}


def _later_facts(
    past: Past, entry: HistoryEntry, account_id: str
) -> Iterator[tuple[int, dict[str, Any]]]:
    for number in past.later(entry.number):
        for fact in past.live[number].facts:
            if fact["accountId"] == account_id:
                yield number, fact


def _images(
    past: Past, entry: HistoryEntry, account_id: str, heir: int | None
) -> Iterator[tuple[int, Row]]:
    """The account as later entries found it; the heir's also if it has no image of it."""
    for number in past.later(entry.number):
        image = past.image_of(number, ACCOUNTS, account_id)
        row = None if image is None else image.row
        if image is None and number == heir:
            row = past.after(number, ACCOUNTS, account_id)
        if row is not None:
            yield number, row
