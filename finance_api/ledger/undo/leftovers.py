"""Handles data of an undone entry that later entries still use.

Documents that the entry created are removed, or attributed to the next entry that uses them. An
account keeps keys and a number from the entry's statements if other entries' statements state them.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from finance_api.ledger.references import ids_in, references_in
from finance_api.ledger.session import LedgerSession
from finance_api.ledger.undo.past import DOCUMENTS, Key, Past, UndoReport, maker
from finance_api.query.model import any_of
from finance_api.resources import ACCOUNTS, BY_NAME, RECORDS, RESOURCES, SPLITS, referred_by
from finance_api.resources.field import Resource
from finance_api.storage.interface import BeforeImage, HistoryEntry
from finance_api.values import Row

#: Row -> the documents that its oldest known version refers to, and the import that created it.
_Versions = dict[Key, tuple[set[Key], int | None]]


@dataclass
class Leftovers:
    """The documents that an entry created, after the rest of the entry was undone.

    number: the entry's. links: see `Past.links`.
    """

    _session: LedgerSession
    _past: Past
    _report: UndoReport
    _number: int
    _links: dict[Key, int]

    def __post_init__(self) -> None:
        self._made = self._past.made_by(self._number)

    def remove(self) -> None:
        """Remove documents that nothing uses, and attribute the rest to later entries."""
        in_use: set[Key] = set()
        while self._made:
            heirs, in_use = self._users()
            if not heirs:
                break
            for (name, row_id), number in heirs.items():
                self._past.replace(number, [BeforeImage(BY_NAME[name], row_id, None)])
                self._note_kept(name, row_id)
            # A category that stays needs its parents, so look for used documents again.
            self._made -= heirs.keys()
        for name, row_id in self._made:
            rows = self._session.row_set(BY_NAME[name])
            if (name, row_id) in in_use:
                self._note_kept(name, row_id)
            elif row_id in rows.rows:
                rows.remove(row_id)
                self._report.removed[name] += 1
        self._report.used.sort()

    def _note_kept(self, name: str, row_id: str) -> None:
        row = self._session.row_set(BY_NAME[name]).rows.get(row_id)
        if row is not None and "name" in row:
            self._report.used.append(row["name"])
        elif row is not None:
            self._report.kept += 1

    def _users(self) -> tuple[dict[Key, int], set[Key]]:
        """Find the entries and rows that use the documents.

        Returns, for each used document, the first later entry that changed the document or wrote a
        row that refers to it. Also returns the set of documents that current rows refer to.
        """
        heirs = {key: self._links[key] for key in self._made & self._links.keys()}

        def note(used: Iterable[Key], number: int | None) -> None:
            if number is not None and number > self._number and number in self._past.live:
                heirs.update((key, min(number, heirs.get(key, number))) for key in used)

        oldest: _Versions = {}
        for number in reversed(self._past.later(self._number)):
            for fact in self._past.live[number].facts:
                note({(ACCOUNTS.name, fact["accountId"])} & self._made, number)
            for used in self._written(number, oldest):
                note(used, number)
        for used, made_by in oldest.values():
            note(used, made_by)
        in_use = self._used_by_documents()
        for key, made_by, used in self._referring_records():
            in_use |= used
            if key not in oldest:
                note(used, made_by)
        return heirs, in_use

    def _written(self, number: int, oldest: _Versions) -> Iterator[set[Key]]:
        """For each row that a later entry wrote, yield the documents that the row then referred to.

        oldest: the versions known from even later entries; updated to the versions before this one.
        """
        for resource in RESOURCES:
            for page in self._past.images(number, resource) if resource.references else ():
                now = (
                    self._session.get_rows(resource, [image.row_id for image in page])
                    if resource in (RECORDS, SPLITS)
                    else self._session.row_set(resource).rows
                )
                for image in page:
                    key = resource.name, image.row_id
                    after = oldest.get(key)
                    yield after[0] if after else self._referred(resource, now.get(image.row_id))
                    oldest[key] = self._referred(resource, image.row), maker(image)

    def _used_by_documents(self) -> set[Key]:
        return {
            key
            for resource in DOCUMENTS
            for row in self._session.row_set(resource).rows.values()
            if (resource.name, row["id"]) not in self._made
            for key in self._referred(resource, row)
        }

    def _referring_records(self) -> Iterator[tuple[Key, int | None, set[Key]]]:
        """Yield each record or whole that refers to documents: its import and the documents."""
        data, user_id = self._session.storage.data, self._session.user.id
        for field in RECORDS.references:
            referred = referred_by(field).name
            made = {row_id for name, row_id in self._made if name == referred}
            if made:
                names, condition = ("id", "importId", field.name), any_of(field.name, made)
                for row_id, number, value, _ in data.list_amounts(
                    user_id, names, [condition], with_void=True
                ):
                    used = {(referred, i) for i in ids_in(value)} & self._made
                    yield (RECORDS.name, row_id), number, used
        accounts = [row_id for name, row_id in self._made if name == ACCOUNTS.name]
        for page in self._session.pages(SPLITS, any_of("accountId", accounts)) if accounts else ():
            for row in page:
                yield (SPLITS.name, row["id"]), row["importId"], self._referred(SPLITS, row)

    def _referred(self, resource: Resource, row: Row | None) -> set[Key]:
        """Return the entry's documents that the row refers to."""
        referred = references_in(resource, row or {})
        return self._made & {(referred_by(field).name, row_id) for field, row_id in referred}


def marks_of(entry: HistoryEntry, account_id: str) -> tuple[str, ...]:
    """Return the fields of an account that this module restores."""
    if _numbers_in(entry, account_id):
        return "statementKeys", "bankAccountNumber"
    return ("statementKeys",)


def infer_keys(session: LedgerSession, past: Past, entry: HistoryEntry) -> None:
    """Set the keys of an undone entry's accounts to the keys of the remaining statements."""
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
    """Replace the account numbers set by the entry with numbers from later statements."""
    for page in past.images(entry.number, ACCOUNTS):
        for image in page:
            # Also for an account that a later entry removed: an undo of that entry restores it.
            left = past.after(entry.number, ACCOUNTS, image.row_id)
            if left is not None and not (image.row and image.row["bankAccountNumber"]):
                _hand_over_number(session, past, entry, left)


def _hand_over_number(session: LedgerSession, past: Past, entry: HistoryEntry, left: Row) -> None:
    """Replace the number of one account. left: the account as the entry left it."""
    account_id, numbers = left["id"], _numbers_in(entry, left["id"])
    if left["bankAccountNumber"] not in numbers:
        return
    #: The number that the account would have without the entry.
    value = None
    for number in past.later(entry.number):
        stated = next(iter(_numbers_in(past.live[number], account_id)), None)
        image = past.image_of(number, ACCOUNTS, account_id)
        row = None if image is None else image.row
        if image is None and value is None and stated is not None:
            # From now on, this later entry is the one that sets the number.
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
