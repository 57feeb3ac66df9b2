"""The settings of JSON Web Tokens."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from finance_api.auth.jwt_keys import KeyFileError, KeyRing
from finance_api.auth.jwts import JwtRules
from finance_api.auth.settings import JWT_KEYS, KEY_ISSUERS
from finance_api.runtime.settings import SettingError

if TYPE_CHECKING:
    # Commands need no web framework.
    from pyramid.config import Configurator

logger = logging.getLogger(__name__)


def jwt_rules(settings: Mapping[str, Any]) -> JwtRules:
    """Raises SettingError."""
    ttl, longest = (settings[f"finance_api.jwt.{n}ttl_seconds"] for n in ("", "max_"))
    if ttl > longest:
        raise SettingError(
            f"finance_api.jwt.ttl_seconds: {ttl} is more than finance_api.jwt.max_ttl_seconds"
        )
    return JwtRules(
        issuers=settings["finance_api.jwt.issuers"],
        audience=settings["finance_api.jwt.audience"],
        max_ttl_seconds=longest,
        leeway_seconds=settings["finance_api.jwt.leeway_seconds"],
        max_live=settings["finance_api.jwt.max_live"],
    )


def open_key_ring(settings: Mapping[str, Any]) -> KeyRing:
    """Raises SettingError."""
    issuers, key_issuers = settings["finance_api.jwt.issuers"], settings[KEY_ISSUERS]
    unknown = sorted(set(key_issuers.values()) - set(issuers))
    if unknown:
        raise SettingError(f"{KEY_ISSUERS}: {unknown[0]!r} is not in finance_api.jwt.issuers")
    try:
        return KeyRing(settings[JWT_KEYS], issuers, key_issuers)
    except KeyFileError as error:
        raise SettingError(f"{JWT_KEYS}: {error}") from None


def includeme(config: Configurator) -> None:
    settings = config.get_settings()
    if settings[JWT_KEYS] and not config.registry.services.jwt_keys.keys():
        logger.warning(
            "%s: there are no keys in %s yet, so the internal API lets nobody in: "
            "finance-api jwt new-key makes one",
            JWT_KEYS,
            settings[JWT_KEYS],
        )
