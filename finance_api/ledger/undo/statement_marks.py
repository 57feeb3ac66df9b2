"""Values that statements state for an account itself: the keys they name it by, and its number.

Undo leaves the values of other entries' statements.
"""

from finance_api.ledger.session import LedgerSession
from finance_api.ledger.undo.past import Past
from finance_api.resources import ACCOUNTS
from finance_api.storage.interface import BeforeImage, HistoryEntry
from finance_api.values import Row


def marks_of(entry: HistoryEntry, account_id: str) -> tuple[str, ...]:
    """Return the fields of an account that are settled here."""
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
            # A later entry may have removed it: undone, it brings the account back.
            left = past.after(entry.number, ACCOUNTS, image.row_id)
            if left is not None and not (image.row and image.row["bankAccountNumber"]):
                _hand_over_number(session, past, entry, left)


def _hand_over_number(session: LedgerSession, past: Past, entry: HistoryEntry, left: Row) -> None:
    """left: the account as the entry left it."""
    account_id, numbers = left["id"], _numbers_in(entry, left["id"])
    if left["bankAccountNumber"] not in numbers:
        return
    #: As if the entry had not been.
    value = None
    for number in past.later(entry.number):
        stated = next(iter(_numbers_in(past.live[number], account_id)), None)
        image = past.image_of(number, ACCOUNTS, account_id)
        row = None if image is None else image.row
        if image is None and value is None and stated is not None:
            # Now it is this entry that sets the number.
            row = past.after(number, ACCOUNTS, account_id)
        if row is not None and row["bankAccountNumber"] in (None, *numbers):
            row = {**row, "bankAccountNumber": value}
            past.replace(number, [BeforeImage(ACCOUNTS, account_id, row)])
        value = value or stated
    account = session.accounts.rows.get(account_id)
    if account is not None and account["bankAccountNumber"] in (None, *numbers):
        session.accounts.put({**account, "bankAccountNumber": value})


def _numbers_in(entry: HistoryEntry, account_id: str) -> list[str]:
    """Return the numbers that the entry's statements state for the account."""
    numbers = (fact.get("number") for fact in entry.facts if fact["accountId"] == account_id)
    return [number for number in numbers if number]
