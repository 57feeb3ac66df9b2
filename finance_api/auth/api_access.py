"""Who may use the public API: users with premium, or everyone where the setting says so."""

from collections.abc import Mapping
from typing import Any

from finance_api.storage.interface import User


def has_api_access(user: User, settings: Mapping[str, Any]) -> bool:
    return user.premium or is_open_to_all(settings)


def is_open_to_all(settings: Mapping[str, Any]) -> bool:
    """Whether every enabled user counts as one with premium."""
    return bool(settings["finance_api.users.api_access"] == "all")
