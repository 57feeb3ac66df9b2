"""The storage: one interface (`interface`), two implementations (`memory`, `sql`).

The implementation is named in the settings; nobody imports it.
"""

import pkgutil
from collections.abc import Mapping
from typing import Any

from finance_api.runtime.settings import SettingError
from finance_api.storage.interface import StorageBackend

_IMPLEMENTATIONS = {
    "sql": "finance_api.storage.sql.from_settings",
    "memory": "finance_api.storage.memory.from_settings",
}


def open_backend(settings: Mapping[str, Any]) -> StorageBackend:
    """The backend that ``finance_api.storage`` names. Raises SettingError, StorageNotReady."""
    named = settings["finance_api.storage"]
    try:
        factory = pkgutil.resolve_name(_IMPLEMENTATIONS.get(named, named))
    except (ImportError, AttributeError, ValueError) as error:
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
