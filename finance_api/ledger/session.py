"""Everything of a user that a change looks at or writes, and how it is closed.

A change (an import, an edit, its undoing) is one transaction, at most one new revision, and one
entry of the user's history.
"""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import cached_property
from typing import Any

import transaction

from finance_api.importers.interface import ImportRefused
from finance_api.ledger.category_kinds import derive_kinds
from finance_api.ledger.row_set import RowSet
from finance_api.resources import ACCOUNTS, CATEGORIES, LABELS
from finance_api.resources.field import Resource, Role
from finance_api.storage.errors import Conflict
from finance_api.storage.interface import (
    BeforeImage,
    DataState,
    HistoryEntry,
    Storage,
    StorageBackend,
    User,
    WritableStorage,
)
from finance_api.values import Row


class UserRows:
    """A user's row_sets and history, read when they are first asked for."""

    def __init__(self, storage: Storage, user: User) -> None:
        self._reading = storage
        self.user = user
        self._row_sets: dict[str, RowSet] = {}

    def row_set(self, resource: Resource) -> RowSet:
        row_set = self._row_sets.get(resource.name)
        if row_set is None:
            row_set = RowSet(self._reading, self.user.id, resource)
            self._row_sets[resource.name] = row_set
        return row_set

    @cached_property
    def accounts(self) -> RowSet:
        return self.row_set(ACCOUNTS)

    @cached_property
    def account_ids(self) -> dict[str, str]:
        """The accounts by the keys of statements that went to them."""
        accounts = reversed(self.accounts.rows.values())
        return {key: account["id"] for account in accounts for key in account["statementKeys"]}

    @cached_property
    def history(self) -> list[HistoryEntry]:
        """All entries, oldest first; what those taught that are undone counts no more."""
        return self._reading.history.list_entries(self.user.id)


class LedgerSession(UserRows):
    """Those that a change writes; other changes of the user's data wait until its end.

    now: seconds; the time that new and changed rows carry.
    action, by: see `HistoryEntry`.
    """

    def __init__(
        self, storage: WritableStorage, user: User, now: int, *, action: str, by: str
    ) -> None:
        super().__init__(storage, user)
        self.storage = storage
        self.now = now
        self._action, self._by = action, by
        self._state = storage.data.lock(user.id)

    @property
    def revision(self) -> int:
        """The one that this change makes, if it changes anything."""
        return self._state.revision + 1

    @cached_property
    def number(self) -> int:
        """Of this change's entry in the history: the importId of the records that it makes."""
        return self.history[-1].number + 1 if self.history else 1

    @cached_property
    def categories(self) -> RowSet:
        return self.row_set(CATEGORIES)

    @cached_property
    def labels(self) -> RowSet:
        return self.row_set(LABELS)

    def note_changes(self, resource: Resource, changes: Iterable[tuple[Row | None, Row]]) -> None:
        """Keeps rows as they were before this change, as far as it is more than derived fields.

        changes: each row before (None: there was none) and after.
        """
        images = [
            BeforeImage(resource, after["id"], before)
            for before, after in changes
            if before is None or _differ(resource, before, after)
        ]
        if images:
            self.storage.history.put_before(self.user.id, self.number, images)

    def close(self, *, records_changed: bool, details: dict[str, Any] | None = None) -> bool:
        """Stores the row_sets; if anything changed, the data's revision goes up by one.

        details: of the entry that stands in the history then. Returns whether anything changed.
        """
        if CATEGORIES.name in self._row_sets:
            derive_kinds(self.categories)
        visible = [self._save(row_set) for row_set in list(self._row_sets.values())]
        changed = records_changed or any(visible)
        if changed:
            state = DataState(self.revision, self.now)
            self.storage.data.set_state(self.user.id, state)
            self.storage.history.add(
                self.user.id,
                HistoryEntry(
                    number=self.number,
                    at=self.now,
                    action=self._action,
                    by=self._by,
                    revision=state.revision,
                    details=details or {},
                ),
            )
        return changed

    def _save(self, row_set: RowSet) -> bool:
        """Whether any of it can be seen from outside."""
        new, changed = row_set.written()
        if new or changed:
            pairs: list[tuple[Row | None, Row]] = [(None, row) for row in new]
            pairs += [(row_set.stored(row["id"]), row) for row in changed]
            self.note_changes(row_set.resource, pairs)
            self.storage.data.put_rows(self.user.id, row_set.resource, new=new, changed=changed)
        return row_set.is_seen(new, changed)


def _differ(resource: Resource, before: Row, after: Row) -> bool:
    return any(before[name] != after[name] for name in _own_names(resource))


def _own_names(resource: Resource) -> list[str]:
    """The fields that follow from no other data."""
    return [f.name for f in resource.persisted_fields if f.role is not Role.DERIVED]


@contextmanager
def changing(
    backend: StorageBackend,
    email: str,
    now: int,
    *,
    action: str,
    by: str = "command",
    dry_run: bool = False,
) -> Iterator[LedgerSession]:
    """The user's session, in a transaction of its own: all of it or nothing.

    dry_run: everything but keeping it. Raises ImportRefused, storage.errors.NotFound,
    StorageUnavailable.
    """
    tm = transaction.TransactionManager(explicit=True)
    tm.begin()
    try:
        storage = backend.write(tm)
        yield LedgerSession(storage, storage.users.get(email), now, action=action, by=by)
    except Conflict as error:
        tm.abort()
        raise ImportRefused(str(error)) from None
    except BaseException:
        tm.abort()
        raise
    if dry_run:
        tm.abort()
    else:
        tm.commit()
