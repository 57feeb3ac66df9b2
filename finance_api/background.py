"""Work off the request path: one thread that does something from time to time."""

import logging
import threading
from collections.abc import Callable

logger = logging.getLogger(__name__)


class Periodic:
    """Runs ``work`` every ``seconds`` from `start` on, and once more at `stop`.

    An error of ``work`` is logged and the work tried again at the next turn.
    """

    def __init__(self, name: str, seconds: float, work: Callable[[], None]) -> None:
        self._name = name
        self._seconds = seconds
        self._work = work
        self._stopping = threading.Event()
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Starts the thread, unless it runs; to be called in the process that is to run it."""
        with self._lock:
            if self._thread is None and not self._stopping.is_set():
                self._thread = threading.Thread(target=self._run, name=self._name, daemon=True)
                self._thread.start()

    def stop(self) -> None:
        """Ends the thread and does what is left to do."""
        self._stopping.set()
        if self._thread is not None:
            self._thread.join()
        self._try()

    def _run(self) -> None:
        while not self._stopping.wait(self._seconds):
            self._try()

    def _try(self) -> None:
        try:
            self._work()
        except Exception as error:
            logger.warning("%s failed and will be tried again: %s", self._name, error)
