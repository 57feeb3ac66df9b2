"""Everything of a user that an import looks at or changes, and how it is closed."""

from functools import cached_property

from finance_api.ledger.collection import Collection
from finance_api.resources import ACCOUNTS, CATEGORIES, LABELS
from finance_api.resources.field import Resource
from finance_api.storage.interface import DataState, Storage, User


class Books:
    """A user's collections, opened when they are first asked for.

    now: seconds; the time that new and changed rows carry.
    """

    def __init__(self, storage: Storage, user: User, now: int) -> None:
        self.storage = storage
        self.user = user
        self.now = now
        self._state = storage.lock_data(user.id)
        self._collections: dict[str, Collection] = {}

    def collection(self, resource: Resource) -> Collection:
        collection = self._collections.get(resource.name)
        if collection is None:
            collection = Collection(self.storage, self.user.id, resource)
            self._collections[resource.name] = collection
        return collection

    @cached_property
    def accounts(self) -> Collection:
        return self.collection(ACCOUNTS)

    @cached_property
    def categories(self) -> Collection:
        return self.collection(CATEGORIES)

    @cached_property
    def labels(self) -> Collection:
        return self.collection(LABELS)

    def close(self, *, records_changed: bool) -> bool:
        """Stores the collections; if anything changed, the data's revision goes up by one.

        Returns whether it did.
        """
        saved = [c.save(self.storage, self.user.id) for c in self._collections.values()]
        changed = records_changed or any(saved)
        if changed:
            revision = DataState(self._state.revision + 1, self.now)
            self.storage.set_data_state(self.user.id, revision)
        return changed
