"""Storages: one interface (`interface`) with two implementations (`memory` and `sql`).

A setting names the implementation's module; no other module imports it.
"""

from collections.abc import Mapping
from typing import Any

from finance_api.runtime.settings import made_by_name
from finance_api.storage.interface import StorageBackend

_IMPLEMENTATIONS = {
    "sql": "finance_api.storage.sql.from_settings",
    "memory": "finance_api.storage.memory.from_settings",
}


def open_backend(settings: Mapping[str, Any]) -> StorageBackend:
    """Open the backend that ``finance_api.storage`` names. Raises SettingError, StorageNotReady."""
    backend: StorageBackend = made_by_name(
        "finance_api.storage", settings, _IMPLEMENTATIONS, StorageBackend
    )
    return backend
