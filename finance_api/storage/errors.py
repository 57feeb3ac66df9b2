"""The errors of storages."""


class StorageError(Exception):
    """The base of storage errors. Their messages are for operators."""


class StorageUnavailable(StorageError):
    """The storage does not answer now; a later attempt may succeed."""


class StorageLocked(StorageUnavailable):
    """Another import or change of the same data is running."""

    def __init__(self) -> None:
        super().__init__("another import or change is running: try again when it has ended")


class StorageDamaged(StorageUnavailable):
    """Stored data cannot be read or contradicts itself, and somebody must repair it."""

    def __init__(self, reason: str) -> None:
        super().__init__(
            f"the database is damaged: {reason}; finance-api check says how to repair it"
        )


class StorageNotReady(StorageError):
    """The storage answers, but cannot be used as it is (its schema may have another version)."""


def unknown_in_replica() -> StorageUnavailable:
    """Return the error for a user who is in the database but not in a replica, which may be behind.

    The user may also have been deleted just now.
    """
    return StorageUnavailable("the read replica does not have this user yet")


class NotFound(StorageError):
    """The object does not exist, or belongs to another user."""


class Conflict(StorageError):
    """The object already exists, or another request has changed it."""
