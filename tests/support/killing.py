"""Kills commands after they have written a part of their data."""

import time
from pathlib import Path

from sqlalchemy import create_engine, text

from support.command import Command


def size_of(path: Path) -> int:
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return 0


#: Approximate size of one record's change in the log.
LOG_BYTES = 2_000


class Sqlite:
    def __init__(self, url: str) -> None:
        self._log = Path(url.removeprefix("sqlite:///") + "-wal")

    def log_bytes(self) -> int:
        return size_of(self._log)

    def close(self) -> None:
        """Do nothing: a file is looked at without a connection."""


class Postgresql:
    def __init__(self, url: str) -> None:
        self._engine = create_engine(url, isolation_level="AUTOCOMMIT")

    def log_bytes(self) -> int:
        with self._engine.connect() as connection:
            position = "pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')"
            return int(connection.execute(text(f"SELECT {position}")).scalar())

    def close(self) -> None:
        self._engine.dispose()


Database = Sqlite | Postgresql


def database_of(command: Command) -> Database:
    url = command.settings["sqlalchemy.url"]
    return Sqlite(url) if url.startswith("sqlite") else Postgresql(url)


def kill(command: Command, database: Database, bytes_of_log: int, *arguments: str) -> None:
    """Run a command, and kill it once the database's log has grown by this many bytes."""
    with command.start(*arguments) as process:
        begin = database.log_bytes()
        while process.poll() is None and database.log_bytes() - begin < bytes_of_log:
            time.sleep(0.003)
        process.kill()
    database.close()
