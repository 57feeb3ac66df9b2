"""Everything of a user that an import looks at or changes, and how it is closed."""

from functools import cached_property

from finance_api.ledger.row_set import RowSet
from finance_api.resources import ACCOUNTS, CATEGORIES, LABELS
from finance_api.resources.field import Resource
from finance_api.storage.interface import DataState, Storage, User, WritableStorage


class UserRows:
    """A user's row_sets, opened when they are first asked for."""

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


class ImportSession(UserRows):
    """Those that an import changes; other imports of the user wait until its end.

    now: seconds; the time that new and changed rows carry.
    """

    def __init__(self, storage: WritableStorage, user: User, now: int) -> None:
        super().__init__(storage, user)
        self.storage = storage
        self.now = now
        self._state = storage.data.lock(user.id)

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
