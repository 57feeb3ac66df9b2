"""Where data is kept: one interface (`interface`), two implementations (`memory`, `sql`).

The implementation is named in the settings; nobody imports it.
"""

from collections.abc import Mapping
from typing import Any

from pyramid.config import Configurator
from pyramid.path import DottedNameResolver
from pyramid.request import Request

from finance_api.settings import SettingError
from finance_api.storage.interface import Storage, StorageBackend

_IMPLEMENTATIONS = {
    "sql": "finance_api.storage.sql.from_settings",
    "memory": "finance_api.storage.memory.from_settings",
}


def open_backend(settings: Mapping[str, Any]) -> StorageBackend:
    """The backend that ``finance_api.storage`` names. Raises SettingError, StorageNotReady."""
    named = settings["finance_api.storage"]
    try:
        factory = DottedNameResolver().resolve(_IMPLEMENTATIONS.get(named, named))
    except (ImportError, ValueError) as error:
        raise SettingError(
            f"finance_api.storage: {named!r} is neither {' nor '.join(_IMPLEMENTATIONS)} "
            f"nor a name that can be imported: {error}"
        ) from None
    try:
        backend = factory(settings)
    except TypeError as error:
        raise SettingError(
            f"finance_api.storage: {named!r} cannot be called with the settings: {error}"
        ) from None
    if not isinstance(backend, StorageBackend):
        raise SettingError(f"finance_api.storage: {named!r} does not return a StorageBackend")
    return backend


def _request_storage(request: Request) -> Storage:
    backend: StorageBackend = request.registry.storage
    storage = backend.read()
    request.add_finished_callback(lambda request: storage.close())
    return storage


def includeme(config: Configurator) -> None:
    """Opens the storage; ``request.storage`` is the request's unit of work, which reads."""
    registry = config.registry
    registry.storage = open_backend(config.get_settings())
    registry.at_shutdown.append(registry.storage.close)
    config.add_request_method(_request_storage, "storage", reify=True)
