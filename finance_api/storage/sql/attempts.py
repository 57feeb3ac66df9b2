"""Connecting to a database that may be away."""

import threading
import time
from collections.abc import Callable
from typing import TypeVar

from sqlalchemy.exc import TimeoutError as PoolTimeout

from finance_api.storage.errors import StorageUnavailable
from finance_api.storage.sql import engine as engines

T = TypeVar("T")

#: After a failed attempt to connect, how long nobody tries again; then one at a time does.
_REST_SECONDS = 1.0


class Attempts:
    """To connect to a database: one that is away is asked seldom, and by one thread.

    The others would wait as long as connecting may take, and find out the same.
    """

    def __init__(self) -> None:
        self._failed_at: float | None = None
        self._probing = threading.Lock()

    def make(self, connect: Callable[[], T]) -> T:
        """What ``connect`` returns. Raises StorageUnavailable."""
        if self._failed_at is None:
            return self._attempt(connect)
        if time.monotonic() - self._failed_at < _REST_SECONDS or not self._probing.acquire(False):
            raise StorageUnavailable("the database does not answer")
        try:
            return self._attempt(connect)
        finally:
            self._probing.release()

    def _attempt(self, connect: Callable[[], T]) -> T:
        try:
            connected = connect()
        except PoolTimeout as error:
            raise StorageUnavailable("every database connection is in use") from error
        except StorageUnavailable as error:
            # Another writer's lock says nothing about the database.
            if not engines.is_locked(error.__cause__):
                self._failed_at = time.monotonic()
            raise
        self._failed_at = None
        return connected
