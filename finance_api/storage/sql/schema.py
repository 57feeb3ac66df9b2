"""The versions of the tables and of the projection: upgrading them, and checking them."""

from functools import lru_cache
from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, Engine
from sqlalchemy.exc import DatabaseError

from finance_api.storage.errors import StorageNotReady
from finance_api.storage.sql.engine import connect, writing
from finance_api.storage.sql.projection import rebuilding

# Any number will do, if nothing else in the database uses it.
_UPGRADE_LOCK = 7_146_300_211
#: Makes others that upgrade or restore wait, until the transaction ends. Of PostgreSQL.
LOCK_UPGRADES = f"SELECT pg_advisory_xact_lock({_UPGRADE_LOCK})"


def _config() -> Config:
    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent / "migrations"))
    return config


@lru_cache(maxsize=1)
def newest_version() -> str:
    """The version of the tables that this program reads and writes."""
    head = ScriptDirectory.from_config(_config()).get_current_head()
    assert head is not None
    return head


def _versions() -> set[str]:
    return {script.revision for script in ScriptDirectory.from_config(_config()).walk_revisions()}


def upgrade(engine: Engine) -> None:
    """Makes or alters the tables and rebuilds an outdated projection, in one transaction.

    Two at once wait for each other.
    """
    database = engine.url.database
    if engine.dialect.name == "sqlite" and database and database != ":memory:":
        Path(database).parent.mkdir(parents=True, exist_ok=True)
        Path(database).touch()
    config = _config()
    with writing(engine).begin() as connection:
        _check_encoding(connection)
        if engine.dialect.name == "postgresql":
            connection.exec_driver_sql(LOCK_UPGRADES)
        refuse_unknown(MigrationContext.configure(connection).get_current_revision())
        config.attributes["connection"] = connection
        command.upgrade(config, "head")
        if rebuilding.get_version(connection) != rebuilding.VERSION:
            rebuilding.rebuild_all(connection)


def refuse_unknown(found: str | None) -> None:
    """Raises StorageNotReady for tables of a version that this program does not know."""
    if found is not None and found not in _versions():
        raise _of_another_version(found)


def _check_encoding(connection: Connection) -> None:
    if connection.dialect.name == "postgresql":
        encoding = connection.exec_driver_sql("SHOW server_encoding").scalar_one()
        if encoding != "UTF8":
            raise StorageNotReady(
                f"the database is in {encoding}, which cannot hold all text: make it with "
                "CREATE DATABASE … ENCODING 'UTF8'"
            )


def check(engine: Engine) -> None:
    """Raises StorageNotReady unless tables and projection are of this program's versions."""
    with connect(engine, engine.connect) as connection:
        _check_encoding(connection)
        try:
            found = MigrationContext.configure(connection).get_current_revision()
        except DatabaseError as error:
            raise StorageNotReady(f"the database cannot be read: {error.orig}") from None
        if found is None:
            raise StorageNotReady("the database has no tables yet: run 'finance-api db upgrade'")
        if found != newest_version():
            raise _of_another_version(found)
        projection = rebuilding.get_version(connection)
    if projection != rebuilding.VERSION:
        found = "none" if projection is None else str(projection)
        raise StorageNotReady(
            f"the database's projection is of version {found}, this program's of "
            f"{rebuilding.VERSION}: run 'finance-api db upgrade'"
        )


def _of_another_version(found: str) -> StorageNotReady:
    advice = (
        "run 'finance-api db upgrade'"
        if found in _versions()
        else "use the newer program that made them"
    )
    return StorageNotReady(
        f"the database's tables are of version {found}, this program's of "
        f"{newest_version()}: {advice}"
    )
