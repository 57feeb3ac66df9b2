"""Times of last use of tokens: noted in memory at each request, written periodically."""

from collections.abc import Mapping

from finance_api.runtime.background import WriteBehind
from finance_api.storage.interface import StorageBackend, unit_of_work


def make_last_used(backend: StorageBackend, seconds: float) -> WriteBehind[str]:
    """Times by token id, of which the newest is written."""

    def write(used_at: Mapping[str, int]) -> None:
        with unit_of_work(backend, lock_timeout_seconds=1) as storage:
            storage.tokens.set_used(used_at)

    name = "writing when tokens were last used"
    return WriteBehind(name, seconds, merge=max, write=write)
