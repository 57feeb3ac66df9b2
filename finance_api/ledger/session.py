"""The session of a change: reads and writes a user's data.

A change (an import, an edit, or an undo) is one transaction. It makes at most one new revision.
Imports and edits add one entry to the user's history.
"""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import cached_property
from typing import Any

from finance_api.ledger.matching.duplicates import CONFIRMED
from finance_api.ledger.rehearsal import Rehearsal
from finance_api.ledger.rows import RowSet
from finance_api.planning.categories import derived_kinds
from finance_api.query.model import Condition
from finance_api.resources import ACCOUNTS, CATEGORIES, LABELS, RECORDS, RESOURCES, SPLITS
from finance_api.resources.field import Resource, Role
from finance_api.resources.records import VOID
from finance_api.storage.interface import (
    COMMAND,
    AuditAction,
    BeforeImage,
    DataState,
    HistoryEntry,
    Storage,
    User,
    WritableStorage,
)
from finance_api.values import Row
from finance_api.values.text import compact
from finance_api.values.time import DAY_SECONDS

_OWN_NAMES = {
    r.name: [f.name for f in r.persisted_fields if f.role is not Role.DERIVED] for r in RESOURCES
}

_SHOWN_NAMES = {r.name: [f.name for f in r.persisted_fields if not f.private] for r in RESOURCES}
#: The action of imports in the history.
IMPORT = "import"
#: The fields that decide whether two records look like a transfer or like duplicates.
_PAIRED_BY = (
    *("accountId", "amount", "currencyCode", "recordDate"),
    *("recordState", "splitId", "transferId", "counterpartyAccount"),
    *("payee", "note", "source", "importId"),
)
#: A row before and after a change; None: it did not exist, or no longer exists.
Pair = tuple[Row | None, Row | None]

#: The number of rows to read at once.
PAGE = 1_000
#: How long before-images are kept, in days.
KEEP_DAYS = 400


class DataMoved(Exception):
    """The data changed after this change had read it, and before this change could write."""


class UserRows:
    """A user's row sets and history, each read at first use."""

    def __init__(self, storage: Storage, user: User) -> None:
        self.storage = storage
        self.user = user
        self._row_sets: dict[str, RowSet] = {}

    def row_set(self, resource: Resource) -> RowSet:
        row_set = self._row_sets.get(resource.name)
        if row_set is None:
            row_set = RowSet(resource, self.storage.data.scan_rows(self.user.id, resource))
            self._row_sets[resource.name] = row_set
        return row_set

    def get_rows(self, resource: Resource, ids: Collection[str]) -> dict[str, Row]:
        """Return the stored rows with these ids, by id."""
        return self.storage.data.get_rows(self.user.id, resource, ids)

    def pages(
        self, resource: Resource, *conditions: Condition, size: int | None = None
    ) -> Iterator[list[Row]]:
        """Yield the rows that meet the conditions, by id. Rows of earlier pages may be changed."""
        return self.storage.data.scan_pages(
            self.user.id, resource, PAGE if size is None else size, conditions=conditions
        )

    @cached_property
    def accounts(self) -> RowSet:
        return self.row_set(ACCOUNTS)

    @cached_property
    def categories(self) -> RowSet:
        return self.row_set(CATEGORIES)

    @cached_property
    def labels(self) -> RowSet:
        return self.row_set(LABELS)

    @cached_property
    def account_ids(self) -> defaultdict[str, dict[str, str]]:
        """Ids of accounts by the keys of their imported statements: key -> source -> id."""
        ids: defaultdict[str, dict[str, str]] = defaultdict(dict)
        for account in self.accounts.rows.values():
            for source_and_key in account["statementKeys"]:
                source, _, key = source_and_key.partition(":")
                ids[key].setdefault(source, account["id"])
        return ids

    @cached_property
    def numbered_accounts(self) -> defaultdict[str, set[str]]:
        """The ids of accounts by their number or, if they have no number, by their name."""
        ids: defaultdict[str, set[str]] = defaultdict(set)
        for account in self.accounts.rows.values():
            ids[compact(account["bankAccountNumber"] or account["name"])].add(account["id"])
        return ids

    @cached_property
    def history(self) -> list[HistoryEntry]:
        """All entries, oldest first, including undone entries."""
        return self.storage.ledger.list_entries(self.user.id)

    @property
    def live(self) -> list[HistoryEntry]:
        """The entries that are not undone, oldest first."""
        return [entry for entry in self.history if entry.undone_at is None]


class LedgerSession(UserRows):
    """The data that a change reads and writes.

    now: the time of the change, in seconds, for new and changed rows.
    action: see `HistoryEntry`; None for an undo, which adds no entry.
    keep_days: see KEEP_DAYS.
    open_writing: opens the unit of work that writes, if ``storage`` is a rehearsal until
    `begin_storing`.
    is_dry_run: whether ``storage`` stays a rehearsal.
    on_days: called at the end with the days on which proposals may have changed.
    """

    storage: WritableStorage

    def __init__(
        self,
        storage: WritableStorage,
        user: User,
        now: int,
        *,
        action: str | None,
        keep_days: int,
        on_days: Callable[["LedgerSession", Iterable[int]], None],
        open_writing: Callable[[], WritableStorage] | None = None,
        is_dry_run: bool = False,
    ) -> None:
        super().__init__(storage, user)
        self._open_writing = open_writing
        self.is_dry_run = is_dry_run
        self._on_days = on_days
        self.now = now
        self.keep_days = keep_days
        self._action = action
        #: The state of the data before this change.
        self.before = storage.data.lock(user.id)
        # Read now, because an undo reads the history again, and the rehearsal ends when writing
        # begins.
        self._next_before = _next_number(self.history) if open_writing else 0
        self._has_images = False
        #: Whether anything that was written is visible from outside.
        self._is_seen = False
        #: The history entry of this change, once it is stored.
        self.entry: HistoryEntry | None = None
        #: The accounts with new, changed or deleted records -> the change of their balances.
        self.touched: dict[str, int] = {}
        #: The days on which proposals may have changed, as days since 1970-01-01.
        self._days: set[int] = set()

    def begin_storing(self) -> None:
        """Make other changes to the user's data wait until the end of this one.

        This stores what was written to the rehearsal; later writes go to the storage. Raises
        DataMoved if the data changed since it was read.
        """
        if self._open_writing is None:
            return
        rehearsal, storage, self._open_writing = self.storage, self._open_writing(), None
        state = storage.data.lock(self.user.id)
        # A change without visible effect adds to the history, but keeps the tag.
        added = storage.ledger.list_entries(self.user.id, [self._next_before])
        if state.tag != self.before.tag or added:
            raise DataMoved
        assert isinstance(rehearsal, Rehearsal)
        rehearsal.store(storage)
        self.storage = storage

    @property
    def revision(self) -> int:
        """The revision that this change makes, if it changes anything."""
        return self.before.revision + 1

    @cached_property
    def number(self) -> int:
        """The number of this change's entry in the history: the importId of its new records."""
        return _next_number(self.history)

    def write(self, resource: Resource, pairs: Sequence[Pair]) -> None:
        """Store new, changed and deleted rows, and their before-images.

        At the end of the change, pairs are proposed for the days around written records.
        """
        self._is_seen = self._is_seen or any(_is_seen(resource, *pair) for pair in pairs)
        self._note_before(resource, pairs)
        if resource is RECORDS:
            self._note_records(pairs)
        data, user_id = self.storage.data, self.user.id
        gone = [before["id"] for before, after in pairs if before and after is None]
        if gone:
            data.delete_rows(user_id, resource, gone)
        new = [after for before, after in pairs if before is None and after]
        changed = [after for before, after in pairs if before and after]
        if new or changed:
            data.put_rows(user_id, resource, new=new, changed=changed)

    def put_derived(self, resource: Resource, rows: Sequence[Row]) -> None:
        """Store rows whose derived fields changed, and nothing else."""
        self.storage.data.put_rows(self.user.id, resource, new=(), changed=rows)
        self._is_seen = True

    def _note_before(self, resource: Resource, pairs: Iterable[Pair]) -> None:
        """Store before-images of rows whose change goes beyond derived fields.

        Records with the importId of this change need no image.
        """
        if self._action is None:
            return
        made = self.number if resource in (RECORDS, SPLITS) else None
        images = [
            BeforeImage(resource, (before or after or {})["id"], before)
            for before, after in pairs
            if made is None or (before or after or {})["importId"] != made
            if before is None or after is None or _differ(resource, before, after)
        ]
        if images:
            self._has_images = True
            self.storage.ledger.put_before(self.user.id, self.number, images)

    def _note_records(self, pairs: Iterable[Pair]) -> None:
        """Note the accounts of records, and the days on which proposals may have changed."""
        forgotten = []
        for before, after in pairs:
            rows = [row for row in (before, after) if row]
            for row in rows:
                counts = row["recordState"] != VOID
                amount = row["amount"] * counts * (1 if row is after else -1)
                self.touched[row["accountId"]] = self.touched.get(row["accountId"], 0) + amount
            if before is None or after is None or _may_pair_otherwise(before, after):
                self._days.add(rows[-1]["recordDate"] // DAY_SECONDS)
                forgotten += [] if before is None else [before["id"]]
        self.storage.ledger.forget_proposals(self.user.id, forgotten)

    def close(
        self,
        *,
        new_revision: bool = False,
        details: dict[str, Any] | None = None,
        is_noted: bool = False,
    ) -> bool:
        """Store the row sets; if anything visible changed, increase the data's revision by one.

        new_revision: whether to increase it in any case.
        details: the details of the history entry, which is added even if nothing visible changed.
        is_noted: whether to add the entry even if nothing at all changed.
        Returns whether anything visible changed.
        """
        if CATEGORIES.name in self._row_sets:
            for row in derived_kinds(self.categories.rows.values()):
                self.categories.put(row)
        if self._days and not self.is_dry_run:
            self._on_days(self, self._days)
        for row_set in list(self._row_sets.values()):
            self.save(row_set)
        changed = new_revision or self._is_seen
        if changed:
            self.storage.data.set_state(self.user.id, DataState(self.revision, self.now))
        if self._action is not None and (changed or self._has_images or is_noted):
            entry = HistoryEntry(
                number=self.number,
                at=self.now,
                action=self._action,
                by=COMMAND if self.storage.origin == COMMAND else "page",
                revision=self.revision if changed else self.before.revision,
                details=details or {},
            )
            self.storage.ledger.add_entry(self.user.id, entry)
            self._note_entry(entry)
            self.entry = entry
        before = self.now - self.keep_days * DAY_SECONDS
        is_old = any(each.at < before and not each.pruned for each in self.history)
        if is_old and (changed or self._has_images):
            self.storage.ledger.prune_before(self.user.id, before)
        return changed

    def _note_entry(self, entry: HistoryEntry) -> None:
        """Add the history entry to the audit log."""
        what, name = AuditAction.EDIT, entry.action
        if entry.action == IMPORT:
            what, name = AuditAction.IMPORT, entry.details.get("file", {}).get("name")
        detail = f"{entry.number} ({name})" if name else f"{entry.number}"
        self.storage.note(self.user.id, what, self.now, detail)

    def save(self, row_set: RowSet) -> None:
        """Store the changed rows."""
        self.write(row_set.resource, row_set.changes())


def _next_number(history: Sequence[HistoryEntry]) -> int:
    return history[-1].number + 1 if history else 1


def own_values(resource: Resource, row: Row) -> Row:
    """Return the fields of a row that are not derived from other data.

    If an account's initial balance is derived from the bank's balance, return ``ownInitialBalance``
    instead. If a category's kind is derived, return None instead.
    """
    own = {name: row[name] for name in _OWN_NAMES[resource.name]}
    if resource is CATEGORIES and row["kindIsDerived"]:
        own["kind"] = None
    if resource is ACCOUNTS and row["ownInitialBalance"] is not None:
        own |= {"initialBalance": row["ownInitialBalance"], "ownInitialBalance": None}
    return own


def _is_seen(resource: Resource, before: Row | None, after: Row | None) -> bool:
    """Return whether a change is visible from outside."""
    if before is None or after is None:
        return True
    return any(before[name] != after[name] for name in _SHOWN_NAMES[resource.name])


def _may_pair_otherwise(before: Row, after: Row) -> bool:
    """Return whether the change can affect which pairs the record is part of."""
    return any(before[name] != after[name] for name in _PAIRED_BY) or any(
        (mark in before["setByHand"]) != (mark in after["setByHand"])
        for mark in ("transferId", CONFIRMED)
    )


def _differ(resource: Resource, before: Row, after: Row) -> bool:
    if resource in (ACCOUNTS, CATEGORIES):
        return own_values(resource, before) != own_values(resource, after)
    return any(before[name] != after[name] for name in _OWN_NAMES[resource.name])
