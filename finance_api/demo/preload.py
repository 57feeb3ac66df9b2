"""Loads a user, a token and a file into the memory storage at start."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from finance_api.runtime.clock import Clock
from finance_api.runtime.settings import SettingError
from finance_api.storage.interface import StorageBackend, Token, unit_of_work
from finance_api.values.ids import derived_id
from finance_api.values.text import EmailRefused, normal_email

if TYPE_CHECKING:
    # Commands do not need the web framework.
    from pyramid.config import Configurator

_LOAD = "finance_api.storage.memory.load"
_USER = "finance_api.storage.memory.user"
_SHA256 = "finance_api.storage.memory.token_sha256"

#: Namespace of the user's UUID: the same e-mail has the same UUID at every start.
_NAMESPACE = "7f1f6d0a-3c5c-4a55-8a6b-6d0f7c0c1c5e"


def preload(backend: StorageBackend, settings: Mapping[str, Any], clock: Clock) -> None:
    """Create the user, the token and the data of the settings. Raises SettingError."""
    if not settings[_USER]:
        for name in (_LOAD, _SHA256):
            if settings[name]:
                raise SettingError(f"{name}: needs {_USER}")
        return
    if backend.persistent:
        raise SettingError(f"{_USER}: is for the memory storage only")
    try:
        email = normal_email(settings[_USER])
    except EmailRefused as error:
        raise SettingError(f"{_USER}: {error}") from None
    now = clock.now()
    with unit_of_work(backend) as storage:
        user = storage.users.add(
            uuid=derived_id(_NAMESPACE, email),
            email=email,
            premium=True,
            password_hash=None,
            # Earlier than any JWT, so that JWTs issued before the service started still work.
            created_at=0,
        )
        if settings[_SHA256]:
            storage.users.add_owned(_token(user.id, settings[_SHA256], now))
    if settings[_LOAD]:
        _load(backend, email, settings[_LOAD], now)


def _load(backend: StorageBackend, email: str, path: str, now: int) -> None:
    from finance_api.importers.interface import ImportRefused
    from finance_api.ledger.importing import import_file
    from finance_api.ledger.orders import ImportOrder

    try:
        with open(path, "rb") as stream:
            import_file(backend, ImportOrder(email, stream, now=now))
    except OSError as error:
        raise SettingError(f"{_LOAD}: {path}: {error.strerror}") from None
    except ImportRefused as error:
        error.file = path
        raise SettingError(f"{_LOAD}: {error}") from None


def _token(user_id: int, sha256: str, now: int) -> Token:
    digits = sha256.lower()
    if len(digits) != 64 or not set(digits) <= set("0123456789abcdef"):
        raise SettingError(f"{_SHA256}: is not 64 hexadecimal digits")
    return Token(
        id=derived_id(_NAMESPACE, digits),
        user_id=user_id,
        name="from the settings",
        sha256=digits,
        start="",
        scopes=None,
        created_at=now,
    )


def includeme(config: Configurator) -> None:
    services = config.registry.services
    preload(services.storage, config.get_settings(), services.clock)
