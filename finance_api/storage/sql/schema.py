"""The version of the tables: bringing them to this code's, and telling when they are not."""

from functools import lru_cache
from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Engine
from sqlalchemy.exc import DatabaseError

from finance_api.storage.errors import StorageNotReady
from finance_api.storage.sql.engine import writing

# Any number will do, if nothing else in the database uses it.
_UPGRADE_LOCK = 7_146_300_211


def _config() -> Config:
    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent / "migrations"))
    return config


@lru_cache(maxsize=1)
def newest_version() -> str:
    """The version that this code reads and writes."""
    head = ScriptDirectory.from_config(_config()).get_current_head()
    assert head is not None
    return head


def upgrade(engine: Engine) -> None:
    """Makes or alters the tables, in one transaction; two at once wait for each other."""
    database = engine.url.database
    if engine.dialect.name == "sqlite" and database and database != ":memory:":
        Path(database).parent.mkdir(parents=True, exist_ok=True)
    config = _config()
    with writing(engine).begin() as connection:
        if engine.dialect.name == "postgresql":
            connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock({_UPGRADE_LOCK})")
        config.attributes["connection"] = connection
        command.upgrade(config, "head")


def check(engine: Engine) -> None:
    """Raises StorageNotReady unless the tables are of this code's version."""
    with engine.connect() as connection:
        try:
            found = MigrationContext.configure(connection).get_current_revision()
        except DatabaseError as error:
            raise StorageNotReady(f"the database cannot be read: {error.orig}") from None
    if found is None:
        raise StorageNotReady("the database has no tables yet: run 'finance-api db upgrade'")
    if found != newest_version():
        raise StorageNotReady(
            f"the database's tables are of version {found}, this program's of "
            f"{newest_version()}: run 'finance-api db upgrade' with the newer program"
        )
