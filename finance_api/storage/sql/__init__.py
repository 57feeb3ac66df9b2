"""Data in SQLite or PostgreSQL, through SQLAlchemy Core."""

from finance_api.storage.sql.backend import from_settings

__all__ = ["from_settings"]
