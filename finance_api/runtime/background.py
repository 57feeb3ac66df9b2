"""Background work: a thread that runs a function periodically."""

import logging
import threading
from collections.abc import Callable, Mapping
from typing import Generic, TypeVar

logger = logging.getLogger(__name__)

K = TypeVar("K")


class Periodic:
    """Runs ``work`` every ``seconds`` after `start` and, if ``last`` is set, once at `stop`.

    After an error ``work`` is tried again at the next turn; only the first of several errors in a
    row is logged.
    """

    def __init__(
        self, name: str, seconds: float, work: Callable[[], None], *, last: bool = True
    ) -> None:
        self._name = name
        self._seconds = seconds
        self._work = work
        self._last = last
        self._failing = False
        self._stopping = threading.Event()
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Start the thread, unless it is already running. Do not call it before a fork."""
        if self._thread is not None:
            return
        with self._lock:
            if self._thread is None and not self._stopping.is_set():
                self._thread = threading.Thread(target=self._run, name=self._name, daemon=True)
                self._thread.start()

    def stop(self) -> None:
        """End the thread, and run ``work`` if ``last`` is set."""
        self.end()
        if self._last:
            self.now()

    def end(self) -> None:
        """End the thread."""
        self._stopping.set()
        if self._thread is not None:
            self._thread.join()

    def _run(self) -> None:
        while not self._stopping.wait(self._seconds):
            self.now()

    def now(self) -> None:
        """Run ``work`` in the calling thread. The thread of `start` does so, too."""
        try:
            self._work()
        except Exception as error:
            if not self._failing:
                logger.warning("%s failed and will be tried again: %s", self._name, error)
            self._failing = True
        else:
            if self._failing:
                logger.info("%s works again", self._name)
            self._failing = False


class WriteBehind(Generic[K]):
    """Numbers by key, collected in memory and written together periodically.

    merge: combines two numbers of one key.
    write: writes all numbers. If it raises, it has written none, and is tried again later.
    last_attempts: how many times to try writing at the end.
    """

    def __init__(
        self,
        name: str,
        seconds: float,
        *,
        merge: Callable[[int, int], int],
        write: Callable[[Mapping[K, int]], None],
        last_attempts: int = 1,
    ) -> None:
        self._name = name
        self._merge = merge
        self._write = write
        self._last_attempts = last_attempts
        self._lock = threading.Lock()
        self._writing = threading.Lock()
        self._noted: dict[K, int] = {}
        self._periodic = Periodic(name, seconds, self.flush)

    def note(self, key: K, number: int) -> None:
        self._periodic.start()
        with self._lock:
            self._add(key, number)

    def flush(self) -> None:
        """Write all numbers. Raises what ``write`` raises; then no number is lost."""
        with self._writing:
            with self._lock:
                noted, self._noted = self._noted, {}
            if not noted:
                return
            try:
                self._write(noted)
            except BaseException:
                with self._lock:
                    for key, number in noted.items():
                        self._add(key, number)
                raise

    def stop(self) -> None:
        """End the thread and write the rest."""
        self._periodic.end()
        for left in reversed(range(self._last_attempts)):
            try:
                self.flush()
                return
            except Exception as error:
                if not left:
                    logger.error(
                        "%s failed at shutdown; what it had to write is lost: %s", self._name, error
                    )

    def _add(self, key: K, number: int) -> None:
        noted = self._noted.get(key)
        self._noted[key] = number if noted is None else self._merge(noted, number)
