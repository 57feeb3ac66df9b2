"""The places of files: the suite makes all its files in bench/.work, which git ignores."""

import fcntl
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from bench.sizes import Size

PROJECT = Path(__file__).resolve().parent.parent
WORK = PROJECT / "bench" / ".work"


class Workspace:
    """The directory of one size, and the files in it."""

    def __init__(self, size: Size) -> None:
        self.size = size
        self.directory = WORK / size.name
        self.directory.mkdir(parents=True, exist_ok=True)

    @property
    def users(self) -> Path:
        """Return the folder with one native file for each user."""
        return self.directory / "users"

    @property
    def people(self) -> Path:
        """Return the file about the users, with tokens and some ids: see `bench.data.Person`."""
        return self.directory / "people.json"

    @property
    def bulk(self) -> Path:
        """Return the native file for the import of one user."""
        return self.directory / "bulk.ndjson"

    @property
    def sqlite(self) -> Path:
        return self.directory / "finance.sqlite"

    @property
    def plain_sqlite(self) -> Path:
        """Return the database that is read without the read model."""
        return self.directory / "plain.sqlite"

    @property
    def competitors_sqlite(self) -> Path:
        return self.directory / "competitors.sqlite"

    @property
    def results(self) -> Path:
        """Return the file with what the last run of the whole suite measured."""
        return self.directory / "results.json"

    def scratch(self, name: str) -> Path:
        """Return a file of one run, such as an ini file, a list of requests or a log."""
        directory = self.directory / "scratch"
        directory.mkdir(exist_ok=True)
        return directory / name


@contextmanager
def exclusive() -> Iterator[None]:
    """Wait until no other measurement runs here: two at once would disturb each other.

    SIGTERM ends the block as Ctrl-C does, so that the processes that it has started end, too.
    """
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(1))
    WORK.mkdir(parents=True, exist_ok=True)
    with open(WORK / "lock", "w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            print("waiting for another run of bench to end …", file=sys.stderr)
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield
