"""A PostgreSQL server and its standby, which takes its place."""

from collections.abc import Iterator
from contextlib import contextmanager

from support.programs import Postgresql, postgresql, wait_until


class Pair:
    """url: names both servers and finds the one that can be written to.

    is_synchronous: whether a commit waits until the standby has it.
    """

    def __init__(self, primary: Postgresql, standby: Postgresql, *, is_synchronous: bool) -> None:
        self.primary, self.standby = primary, standby
        self._is_synchronous = is_synchronous
        hosts = f"host={primary.host}&host={standby.host}"
        self.url = f"postgresql://tests@/postgres?{hosts}&target_session_attrs=read-write"
        self._wait()

    def promote(self) -> None:
        """Make the standby the primary. Stop the other server first."""
        self.standby.promote()
        self.primary, self.standby = self.standby, self.primary

    def rebuild(self) -> None:
        """Make the stopped server a standby of the other one."""
        self.standby.follow(self.primary)
        self.standby.start()
        self._wait()

    def catch_up(self) -> None:
        """Wait until the standby shows what the primary has committed."""
        end = self.primary.run("SELECT pg_current_wal_flush_lsn()")
        shown = f"SELECT pg_last_wal_replay_lsn() >= '{end}'"
        wait_until(lambda: self.standby.run(shown) == "t")

    def _wait(self) -> None:
        state = "sync" if self._is_synchronous else "async"
        if self._is_synchronous:
            # Set on the primary alone: once promoted, the standby waits for nobody.
            self.primary.run("ALTER SYSTEM SET synchronous_standby_names = '*'")
            self.primary.run("SELECT pg_reload_conf()")
        follows = (
            "SELECT count(*) FROM pg_stat_replication "
            f"WHERE state = 'streaming' AND sync_state = '{state}'"
        )
        wait_until(lambda: self.primary.run(follows) == "1")


@contextmanager
def primary_and_standby(*, is_synchronous: bool = False) -> Iterator[Pair]:
    """Skips the test if PostgreSQL is not installed."""
    with postgresql() as primary, postgresql(primary) as standby:
        yield Pair(primary, standby, is_synchronous=is_synchronous)
