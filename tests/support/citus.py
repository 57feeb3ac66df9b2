"""A Citus cluster: a coordinator and its workers, each with a database of the same name."""

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from uuid import uuid4

import pytest
from sqlalchemy import NullPool, create_engine
from sqlalchemy.engine import URL, make_url

from finance_api.storage.sql.backend import SqlBackend
from support.programs import Postgresql, postgresql_programs, started

#: A database of a cluster's coordinator, to which the tests connect instead of PostgreSQL.
CITUS_URL = os.environ.get("FINANCE_TEST_CITUS_URL", "")

_WORKERS = 2
_SETTINGS = {
    "shared_preload_libraries": "citus",
    # Few, because every test has a database of its own.
    "citus.shard_count": 4,
    "citus.node_connection_timeout": "3s",
    "citus.enable_statistics_collection": "off",
    "citus.node_conninfo": "sslmode=disable",
    # Moving shards to another worker needs it.
    "wal_level": "logical",
    "max_connections": 300,
    # Each database takes a process on each node.
    "max_worker_processes": 200,
}


def run(url: URL, *commands: str) -> None:
    """Run SQL, each in a transaction of its own."""
    engine = create_engine(url, isolation_level="AUTOCOMMIT", poolclass=NullPool)
    with engine.connect() as connection:
        for command in commands:
            connection.exec_driver_sql(command)


class Cluster:
    """Makes databases on all nodes. nodes: a URL of each, the coordinator's first."""

    def __init__(self, nodes: Sequence[URL]) -> None:
        self.nodes = nodes

    @classmethod
    def of(cls, url: str | URL) -> "Cluster":
        """Return the cluster of a coordinator's database."""
        engine = create_engine(url, poolclass=NullPool)
        nodes = "SELECT nodename, nodeport FROM pg_dist_node ORDER BY groupid"
        with engine.connect() as connection:
            found = connection.exec_driver_sql(nodes).all()
        return cls([engine.url.set(host=host, port=port) for host, port in found])

    def make_database(self, name: str, *, has_citus: bool = True) -> str:
        """Make a database. Return its URL on the coordinator. has_citus: distribution is set up."""
        databases = [node.set(database=name) for node in self.nodes]
        for node, database in zip(self.nodes, databases, strict=True):
            run(node, f"CREATE DATABASE {name} TEMPLATE template0")
            if has_citus:
                run(database, "CREATE EXTENSION citus")
        coordinator, *workers = databases
        if has_citus:
            run(
                coordinator,
                f"SELECT citus_set_coordinator_host('127.0.0.1', {coordinator.port})",
                *(f"SELECT citus_add_node('127.0.0.1', {worker.port})" for worker in workers),
            )
        return coordinator.render_as_string(hide_password=False)

    def freeze(self, name: str) -> None:
        """Make a database a template: nothing can connect to it, not even Citus' own process."""
        for node in self.nodes:
            run(
                node,
                f"ALTER DATABASE {name} ALLOW_CONNECTIONS false",
                f"SELECT pg_terminate_backend(pid, 60000) FROM pg_stat_activity"
                f" WHERE datname = '{name}'",
            )

    def thaw(self, name: str) -> None:
        """Let programs connect to a database again."""
        for node in self.nodes:
            run(node, f"ALTER DATABASE {name} ALLOW_CONNECTIONS true")

    def copy(self, template: str, name: str) -> str:
        for node in self.nodes:
            run(node, f"CREATE DATABASE {name} TEMPLATE {template}")
        return self.nodes[0].set(database=name).render_as_string(hide_password=False)

    def drop(self, name: str) -> None:
        # DROP DATABASE itself waits for 5 seconds only, and Citus starts its process again.
        self.freeze(name)
        for node in self.nodes:
            run(node, f"DROP DATABASE {name} WITH (FORCE)")


class PrivateCluster(Cluster):
    """A cluster of servers of its own. servers: the coordinator and its workers."""

    def __init__(self, servers: Sequence[Postgresql]) -> None:
        super().__init__([make_url(server.url) for server in servers])
        self.servers = servers


def has_citus() -> bool:
    programs = postgresql_programs()
    if programs is None:
        return False
    # As in Debian's packages, and beside the programs otherwise.
    folders = (Path("/usr/share/postgresql") / programs.parts[-2], programs.parents[0] / "share")
    return any((folder / "extension" / "citus.control").exists() for folder in folders)


@contextmanager
def citus() -> Iterator[PrivateCluster]:
    """Yield a running cluster. Skips the test if Citus is not installed."""
    programs = postgresql_programs()
    if programs is None or not has_citus():
        pytest.skip("Citus is not installed; scripts/citus builds it")
    with ExitStack() as stack:
        servers = [
            stack.enter_context(
                started(lambda directory: Postgresql(programs, directory, _SETTINGS))
            )
            for _ in range(1 + _WORKERS)
        ]
        yield PrivateCluster(servers)


def distributed(url: str) -> None:
    """Make the tables of an empty database, and distribute them."""
    backend = SqlBackend(url)
    backend.upgrade()
    assert list(backend.distribute())
    backend.close()


def templates(cluster: Cluster, fill: Callable[[str], None]) -> Callable[[], str]:
    """Return a function that makes copies of a database, which ``fill`` has filled once."""
    template = f"template_{uuid4().hex}"

    def make() -> str:
        nonlocal is_filled
        if not is_filled:
            fill(cluster.make_database(template))
            cluster.freeze(template)
            is_filled = True
        return cluster.copy(template, f"tests_{uuid4().hex}")

    is_filled = False
    return make
