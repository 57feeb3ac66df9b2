"""A service and an import on a disk that is full: python -m support.full_disk DIRECTORY."""

import errno
import sqlite3
import sys
from contextlib import closing
from pathlib import Path

import pytest

from finance_api.storage.errors import StorageUnavailable
from support.command import Command
from support.native_rows import account, record
from support.nightly import count
from support.service import Client, Service, native_line

KIB = 1024
RECORDS = 2_500
#: Bytes that are free when an import begins.
LEFT = count((0, 512 * KIB, 2048 * KIB), (0, 256 * KIB, 512 * KIB, 1024 * KIB, 2048 * KIB))
PATHS = ("records?limit=100", "records?q=note", "records/summary?groupBy=month", "accounts")


class FullDisk:
    """A database in ``directory``, whose file system is small."""

    def __init__(self, directory: Path) -> None:
        self._database = directory / "finance.db"
        self._filler = directory / "filler"
        settings = {"sqlalchemy.url": f"sqlite:///{self._database}"}
        self.command = Command(directory, settings)
        self.command.done("db", "upgrade")
        self.service = Service("sqlite", {**settings, "finance_api.cache.max_bytes": "0"})
        self.client = self.service.client()
        self.client.load(account(), *(record(n) for n in range(1, 101)))

    def fill(self, left: int) -> None:
        """Leave this many bytes free, and no space in the log that could be reused."""
        self.free()
        with closing(sqlite3.connect(self._database)) as connection:
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        with open(self._filler, "wb", buffering=0) as filler:
            try:
                while True:
                    filler.write(bytes(4 * KIB))
            except OSError as error:
                assert error.errno == errno.ENOSPC
            filler.truncate(filler.tell() - left)

    def free(self) -> None:
        self._filler.unlink(missing_ok=True)


def answers(client: Client) -> list[bytes]:
    responses = [client.get(path) for path in PATHS]
    assert [response.status_int for response in responses] == [200] * len(PATHS)
    return [response.body for response in responses]


def main(directory: Path) -> None:
    disk = FullDisk(directory)
    command, usage = disk.command, disk.service.services.usage
    email = disk.client.user.email
    rows = (record(n, note="later") for n in range(1_000, 1_000 + RECORDS))
    file = command.file("more.ndjson", "".join(map(native_line, rows)))
    before, dump = answers(disk.client), command.done("dump", email)
    for left in LEFT:
        disk.fill(left)
        said = command.refused("import", email, file)
        assert "database or disk is full" in said, said
        assert answers(disk.client) == before
    disk.fill(0)
    # Usage is counted in memory, and written later.
    assert answers(disk.client) == before
    with pytest.raises(StorageUnavailable, match="full"):
        usage.flush()
    disk.free()
    usage.flush()
    assert command.done("dump", email) == dump
    command.done("import", email, file)
    assert command.done("dump", email).count(b"\n") == dump.count(b"\n") + RECORDS
    # The check may report that a server should have more free space.
    assert {fault.kind for fault in disk.service.backend.find_faults()} <= {"disk"}
    disk.service.stop()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
