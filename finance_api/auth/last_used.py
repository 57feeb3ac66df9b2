"""When tokens were last used: noted in memory at each request, written from time to time."""

import threading

from pyramid.config import Configurator

from finance_api.background import Periodic
from finance_api.storage.interface import StorageBackend, unit_of_work


class LastUsed:
    """The newest use of each token; what could not be written is kept for the next turn."""

    def __init__(self, backend: StorageBackend, seconds: float) -> None:
        self._backend = backend
        self._lock = threading.Lock()
        self._used_at: dict[str, int] = {}
        self._periodic = Periodic("writing when tokens were last used", seconds, self.flush)

    def note(self, token_id: str, at: int) -> None:
        self._periodic.start()
        with self._lock:
            self._used_at[token_id] = max(at, self._used_at.get(token_id, at))

    def flush(self) -> None:
        """Raises StorageUnavailable; nothing is lost then."""
        with self._lock:
            noted, self._used_at = self._used_at, {}
        if not noted:
            return
        try:
            with unit_of_work(self._backend, writing=True, patient=False) as storage:
                storage.set_tokens_used(noted)
        except BaseException:
            with self._lock:
                for token_id, at in noted.items():
                    self._used_at[token_id] = max(at, self._used_at.get(token_id, at))
            raise

    def stop(self) -> None:
        """Writes what is left."""
        self._periodic.stop()


def includeme(config: Configurator) -> None:
    registry = config.registry
    seconds = config.get_settings()["finance_api.tokens.last_used_seconds"]
    registry.last_used = LastUsed(registry.storage, seconds)
    registry.at_shutdown.append(registry.last_used.stop)
