"""The places of downloads: each has a connection to the database and a thread of the server for as
long as its client reads, so they are few."""

import threading
from collections.abc import Hashable, Iterator
from contextlib import contextmanager

from finance_api.runtime.bulkhead import BulkheadFull


class DownloadRunning(Exception):
    """The user has a download already."""


class Downloads:
    """Bounds those that run at once: ``most`` in all, and one of each user.

    Uploads are among them, since they have a thread for as long as their client sends.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._ended = threading.Condition()
        self._waiter = threading.Lock()
        self._users: set[Hashable] = set()

    @contextmanager
    def running(self, user_id: Hashable, *, wait_seconds: float = 0) -> Iterator[None]:
        """For as long as a download of the user's runs. Raises DownloadRunning, BulkheadFull.

        wait_seconds: how long to wait for others to end, if nobody else is waiting: whoever waits
        keeps a thread of the server busy.
        """
        if wait_seconds and self._waiter.acquire(blocking=False):
            try:
                with self._ended:
                    self._ended.wait_for(lambda: self._has_place(user_id), wait_seconds)
                    self._begin(user_id)
            finally:
                self._waiter.release()
        else:
            self._begin(user_id)
        try:
            yield
        finally:
            with self._ended:
                self._users.remove(user_id)
                self._ended.notify_all()

    def _has_place(self, user_id: Hashable) -> bool:
        return user_id not in self._users and len(self._users) < self._most

    def _begin(self, user_id: Hashable) -> None:
        with self._ended:
            if user_id in self._users:
                raise DownloadRunning
            if len(self._users) >= self._most:
                raise BulkheadFull(is_own=False)
            self._users.add(user_id)
