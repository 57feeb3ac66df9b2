"""The errors of storages."""


class StorageError(Exception):
    """Base of this package's errors; the message is fit for an operator to read."""


class StorageUnavailable(StorageError):
    """The storage does not answer now; a later attempt may succeed."""


class StorageDamaged(StorageUnavailable):
    """Stored data cannot be read, or contradicts itself, until somebody repairs it."""

    def __init__(self, reason: str) -> None:
        super().__init__(
            f"the database is damaged: {reason}; finance-api check says how to repair it"
        )


class StorageNotReady(StorageError):
    """The storage answers, but cannot be used as it is (say, its schema is of another version)."""


def unknown_in_replica() -> StorageUnavailable:
    """For a user of the database who is missing in a replica that is behind.

    Or they were deleted just now.
    """
    return StorageUnavailable("the user is unknown where data is read from")


class NotFound(StorageError):
    """There is no such thing, or none of this user's."""


class Conflict(StorageError):
    """There is such a thing already."""
