"""Data in SQLite or PostgreSQL, through SQLAlchemy Core."""

from collections.abc import Mapping
from typing import Any

from finance_api.runtime.settings import SettingError
from finance_api.storage.sql.backend import SqlBackend


def from_settings(settings: Mapping[str, Any]) -> SqlBackend:
    """The database of ``sqlalchemy.url``. Raises SettingError."""
    if not settings["sqlalchemy.url"]:
        raise SettingError("sqlalchemy.url: the sql storage needs the URL of its database")
    return SqlBackend(
        settings["sqlalchemy.url"],
        read_url=settings["sqlalchemy.read_url"],
        pool_size=settings["sqlalchemy.pool_size"],
    )
