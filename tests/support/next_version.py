"""Adds a newer version of the tables, for tests of upgrades."""

from pathlib import Path
from textwrap import dedent

import pytest

from finance_api.storage.sql import schema

_NEXT = """
    import sqlalchemy as sa
    from alembic import op

    revision = "next"
    down_revision = {newest!r}

    def upgrade():
        op.add_column("records", sa.Column("weight", sa.BigInteger()))
        op.execute("UPDATE records SET weight = amount * 2")
        {further}
"""


def add_next_version(
    monkeypatch: pytest.MonkeyPatch, directory: Path, further: str = "pass"
) -> None:
    """Make this process a program of the next version, whose records have a column `weight`.

    further: a line of Python that alters more.
    """
    migration = dedent(_NEXT).format(newest=schema.newest_version(), further=further)
    (directory / "next.py").write_text(migration)
    make, old = schema._config, schema.versions()

    def with_next():
        config = make()
        folders = f"{config.get_main_option('script_location')}/versions:{directory}"
        config.set_main_option("path_separator", "os")
        config.set_main_option("version_locations", folders)
        return config

    monkeypatch.setattr(schema, "_config", with_next)
    monkeypatch.setattr(schema, "versions", lambda: (*old, "next"))
