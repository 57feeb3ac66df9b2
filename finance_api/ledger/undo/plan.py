"""Which entries an undo takes back, and which later ones prevent it."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from finance_api.importers.interface import ChangeRefused
from finance_api.ledger.edits.rules import APPLY
from finance_api.ledger.references import ids_in
from finance_api.ledger.session import IMPORT, LedgerSession, own_values
from finance_api.ledger.undo.past import Past
from finance_api.resources import ACCOUNTS, RECORDS, RESOURCES, referred_by
from finance_api.resources.field import Resource
from finance_api.storage.interface import BeforeImage, HistoryEntry
from finance_api.values import Row
from finance_api.values.number import decimal_text
from finance_api.values.time import DAY_SECONDS, date_text

#: A refusal names up to this many rows.
_NAMED_ROWS = 10
#: Fields that every later statement may add to an account.
_OF_STATEMENTS = ("statementKeys", "bankAccountNumber", "updatedAt")
#: Files and rules make no manual edits.
_NOT_BY_HAND = frozenset((IMPORT, APPLY))

#: A resource's name and a row's id.
_Key = tuple[str, str]


@dataclass
class _Blocker:
    """A later entry that stands in the way.

    reasons: what it has to do with the entry. rows: those that both touched.
    """

    entry: HistoryEntry
    reasons: list[str] = field(default_factory=list)
    rows: set[_Key] = field(default_factory=set)

    @property
    def is_by_hand(self) -> bool:
        """Whether its rows can be left as they are."""
        return self.entry.action not in _NOT_BY_HAND and not self.reasons


class Plan:
    """entries: those that go back, newest first.

    with_later, keep_changed: see `undo`. Raises ChangeRefused.
    """

    def __init__(
        self,
        session: LedgerSession,
        past: Past,
        number: int,
        *,
        with_later: bool,
        keep_changed: bool,
    ) -> None:
        self._session = session
        self._past = past
        self._with_later = with_later
        self._keep_changed = keep_changed
        planned = self._planned(self._entry(number))
        self.entries = [planned[each] for each in sorted(planned, reverse=True)]

    def _entry(self, number: int) -> HistoryEntry:
        entry = next((e for e in self._session.history if e.number == number), None)
        if entry is None:
            raise ChangeRefused(f"there is no entry {number} in the history")
        if entry.undone_at is not None:
            raise ChangeRefused(f"entry {number} is already undone")
        return entry

    def _planned(self, entry: HistoryEntry) -> dict[int, HistoryEntry]:
        planned = {entry.number: entry}
        open_entries = [entry]
        while open_entries:
            each = open_entries.pop()
            self._check_images(each)
            for blocker in self._blockers(each, planned):
                if self._with_later and not (self._keep_changed and blocker.is_by_hand):
                    planned[blocker.entry.number] = blocker.entry
                    open_entries.append(blocker.entry)
        return planned

    def _check_images(self, entry: HistoryEntry) -> None:
        if entry.pruned:
            days = self._session.keep_days
            raise ChangeRefused(
                f"entry {entry.number} is too old to be undone: finance_api.imports.keep_days is "
                f"{days}"
            )

    def _blockers(self, entry: HistoryEntry, planned: dict[int, HistoryEntry]) -> list[_Blocker]:
        """Find later entries in the way. Raises ChangeRefused unless the options allow them."""
        later = {n: _Blocker(self._past.live[n]) for n in self._past.later(entry.number)}
        if not later:
            return []
        for blocker in later.values():
            for account_id in _same_days(entry.facts, blocker.entry.facts):
                self._note_same_days(blocker, account_id)
            blocker.rows |= set(self._rows_of_both(entry, blocker.entry))
        self._look_at_images(entry, later)
        found = [b for n, b in later.items() if n not in planned and (b.reasons or b.rows)]
        if self._with_later:
            return found
        if [b for b in found if not (self._keep_changed and b.is_by_hand)]:
            raise ChangeRefused(self._refusal(entry, found))
        return found

    def _rows_of_both(self, entry: HistoryEntry, later: HistoryEntry) -> Iterator[_Key]:
        """The rows that the entry made or changed, and a later one changed."""
        for resource in RESOURCES:
            for image in self._past.rows_of_both(entry.number, later.number, resource):
                if resource is not ACCOUNTS or self._is_changed(image, later):
                    yield resource.name, image.row_id

    def _is_changed(self, account: BeforeImage, later: HistoryEntry) -> bool:
        """Whether the entry changed more of it than every statement does."""
        after = self._past.after(later.number, ACCOUNTS, account.row_id)
        if account.row is None or after is None:
            return True
        before, after = own_values(ACCOUNTS, account.row), own_values(ACCOUNTS, after)
        return any(before[n] != after[n] for n in before if n not in _OF_STATEMENTS)

    def _look_at_images(self, entry: HistoryEntry, later: dict[int, _Blocker]) -> None:
        """Finds later entries that made a row anew, or took away what a row refers to."""
        for resource in RESOURCES:
            for page in self._past.images(entry.number, resource):
                rows = [image.row for image in page if image.row is not None]
                if resource is RECORDS:
                    stored = self._session.storage.data.get_rows(
                        self._session.user.id, RECORDS, [image.row_id for image in page]
                    )
                    made = [stored[i.row_id] for i in page if i.row is None and i.row_id in stored]
                    for blocker in later.values() if made else ():
                        for account_id in _same_days(_facts_of(made), blocker.entry.facts):
                            self._note_same_days(blocker, account_id)
                    for row in rows:
                        maker = stored.get(row["id"], row)["importId"]
                        if maker != row["importId"] and maker in later:
                            later[maker].reasons.append(f"added the record {row['id']} again")
                for missing, missing_id in {
                    key for row in rows for key in self._missing(resource, row)
                }:
                    for number, blocker in later.items():
                        image = self._past.image_of(number, missing, missing_id)
                        if image is not None and image.row is not None:
                            name = image.row.get("name")
                            blocker.reasons.append(f"removed the {missing.model_type} {name}")

    def _note_same_days(self, blocker: _Blocker, account_id: str) -> None:
        account = self._session.accounts.rows.get(account_id, {"name": account_id})
        blocker.reasons.append(f"covers the same days of {account['name']}")

    def _missing(self, resource: Resource, row: Row) -> Iterator[tuple[Resource, str]]:
        """Yield the rows that it refers to and that no longer exist."""
        for each in resource.references:
            referred = referred_by(each)
            known = self._session.row_set(referred).rows
            for row_id in ids_in(row[each.name]):
                if row_id not in known:
                    yield referred, row_id

    def _refusal(self, entry: HistoryEntry, found: list[_Blocker]) -> str:
        parts = []
        for blocker in found:
            reasons = list(dict.fromkeys(blocker.reasons))[:_NAMED_ROWS]
            if blocker.rows:
                reasons.append(f"changed {self._named(sorted(blocker.rows))}")
            parts.append(
                f"entry {blocker.entry.number} ({blocker.entry.action}) {' and '.join(reasons)}"
            )
        keep = ""
        if all(blocker.is_by_hand for blocker in found):
            keep = ", or keep later manual edits with --keep-changed"
        return (
            f"later entries changed the same data as entry {entry.number}: {'; '.join(parts)}. "
            f"Undo them as well with --with-later{keep}"
        )

    def _named(self, keys: list[_Key]) -> str:
        texts = []
        for name, row_id in keys[:_NAMED_ROWS]:
            resource = next(r for r in RESOURCES if r.name == name)
            rows = self._session.storage.data.get_rows(self._session.user.id, resource, [row_id])
            texts.append(_row_text(resource, row_id, rows.get(row_id)))
        more = len(keys) - len(texts)
        return ", ".join(texts) + (f" and {more} more" if more else "")


def _facts_of(rows: list[Row]) -> list[dict[str, Any]]:
    """The days of records, as facts of statements have them."""
    days = {(row["accountId"], row["recordDate"] // DAY_SECONDS * DAY_SECONDS) for row in rows}
    return [{"accountId": account_id, "first": day, "last": day} for account_id, day in days]


def _same_days(facts: list[dict[str, Any]], later: list[dict[str, Any]]) -> list[str]:
    """The accounts of which both cover a day."""
    return list(
        dict.fromkeys(
            one["accountId"]
            for one in facts
            for other in later
            if one["accountId"] == other["accountId"]
            and None not in (one.get("first"), one.get("last"))
            and None not in (other.get("first"), other.get("last"))
            and one["first"] <= other["last"]
            and other["first"] <= one["last"]
        )
    )


def _row_text(resource: Resource, row_id: str, row: Row | None) -> str:
    if row is None:
        return f"the {resource.model_type} {row_id}, which is gone"
    if resource is RECORDS:
        texts = (
            date_text(row["recordDate"]),
            decimal_text(row["amount"]),
            row["payee"] or row["note"],
        )
        return f"the record {' '.join(text for text in texts if text)} ({row_id})"
    return f"the {resource.model_type} {row.get('name') or row_id}"
