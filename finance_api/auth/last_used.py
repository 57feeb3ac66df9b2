"""When tokens were last used: noted in memory at each request, written from time to time."""

from collections.abc import Mapping

from pyramid.config import Configurator

from finance_api.background import WriteBehind
from finance_api.storage.interface import StorageBackend, unit_of_work


def make_last_used(backend: StorageBackend, seconds: float) -> WriteBehind[str]:
    """Notes times by token id; of each token's only the newest is written."""

    def write(used_at: Mapping[str, int]) -> None:
        with unit_of_work(backend, lock_timeout_seconds=1) as storage:
            storage.tokens.set_used(used_at)

    name = "writing when tokens were last used"
    return WriteBehind(name, seconds, merge=max, write=write)


def includeme(config: Configurator) -> None:
    registry = config.registry
    seconds = config.get_settings()["finance_api.tokens.last_used_seconds"]
    registry.last_used = make_last_used(registry.storage, seconds)
    registry.at_shutdown.append(registry.last_used.stop)
