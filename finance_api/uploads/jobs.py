"""Work at uploads, off the requests: one after the other in each process."""

import threading
from contextlib import suppress

from finance_api.background import Periodic
from finance_api.storage.errors import StorageError
from finance_api.storage.interface import Upload, User, unit_of_work
from finance_api.uploads.work import UploadWork

_ALIVE_SECONDS = 5
#: At the end of the process the work that runs has so long; what it did is undone then.
_STOP_SECONDS = 10


class UploadJobs:
    """The threads of one process."""

    def __init__(self, work: UploadWork) -> None:
        self._work = work
        self._one = threading.Lock()
        self._lock = threading.Lock()
        self._stopping = threading.Event()
        #: By user and id.
        self._running: dict[tuple[int, str], threading.Thread] = {}
        self._alive = Periodic("uploads", _ALIVE_SECONDS, self._say_alive, last=False)

    def start(self, user: User, upload: Upload, origin: str) -> None:
        """Begins the work at an upload that is CHECKING or IMPORTING, and stored as such.

        origin: see `WritableStorage`.
        """
        self._alive.start()
        thread = threading.Thread(
            target=self._run, args=(user, upload, origin), name=f"upload {upload.id}", daemon=True
        )
        with self._lock:
            self._running[user.id, upload.id] = thread
        thread.start()

    def wait(self, user_id: int, upload_id: str, seconds: float | None = None) -> None:
        """Until the work at an upload ends, or that time is over."""
        with self._lock:
            thread = self._running.get((user_id, upload_id))
        if thread is not None:
            thread.join(seconds)

    @property
    def running(self) -> list[tuple[int, str]]:
        """The uploads that this process works at, by user and id."""
        with self._lock:
            return list(self._running)

    def stop(self) -> None:
        self._stopping.set()
        with self._lock:
            threads = list(self._running.values())
        for thread in threads:
            thread.join(_STOP_SECONDS)
        self._alive.stop()

    def _run(self, user: User, upload: Upload, origin: str) -> None:
        try:
            with self._one:
                if not self._stopping.is_set():
                    self._work.do(user, upload, origin)
        finally:
            with self._lock:
                self._running.pop((user.id, upload.id), None)

    def _say_alive(self) -> None:
        running = self.running
        if not running:
            return
        # While an import writes, SQLite lets nobody else write: that is seen as well.
        with (
            suppress(StorageError),
            unit_of_work(self._work.backend, lock_timeout_seconds=1) as storage,
        ):
            storage.uploads.set_alive(running, self._work.clock.now())
