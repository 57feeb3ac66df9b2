"""Everything of a user that an import looks at or changes, and how it is closed."""

from functools import cached_property

from finance_api.ledger.row_set import RowSet
from finance_api.resources import ACCOUNTS, CATEGORIES, LABELS
from finance_api.resources.field import Resource
from finance_api.storage.interface import DataState, User, WritableStorage


class ImportSession:
    """A user's row_sets, opened when they are first asked for.

    now: seconds; the time that new and changed rows carry.
    """

    def __init__(self, storage: WritableStorage, user: User, now: int) -> None:
        self.storage = storage
        self.user = user
        self.now = now
        self._state = storage.data.lock(user.id)
        self._row_sets: dict[str, RowSet] = {}

    def row_set(self, resource: Resource) -> RowSet:
        row_set = self._row_sets.get(resource.name)
        if row_set is None:
            row_set = RowSet(self.storage, self.user.id, resource)
            self._row_sets[resource.name] = row_set
        return row_set

    @cached_property
    def accounts(self) -> RowSet:
        return self.row_set(ACCOUNTS)

    @cached_property
    def categories(self) -> RowSet:
        return self.row_set(CATEGORIES)

    @cached_property
    def labels(self) -> RowSet:
        return self.row_set(LABELS)

    def close(self, *, records_changed: bool) -> bool:
        """Stores the row_sets; if anything changed, the data's revision goes up by one.

        Returns whether it did.
        """
        saved = [rows.save(self.storage, self.user.id) for rows in self._row_sets.values()]
        changed = records_changed or any(saved)
        if changed:
            state = DataState(self._state.revision + 1, self.now)
            self.storage.data.set_state(self.user.id, state)
        return changed
