"""Citus: where it keeps each table, what it needs, and how tables are moved to their places.

A table with users' data is distributed over the workers by ``user_id``; every other table is on the
coordinator. Citus refuses queries that join tables of the two kinds.
"""

import re
from collections.abc import Iterator

import sqlalchemy as sa

from finance_api.storage.errors import StorageNotReady
from finance_api.storage.interface import Fault
from finance_api.storage.sql.tables import metadata, user_data
from finance_api.values.text import counted

#: The command that puts tables in their places, and the kind of the fault that one is elsewhere.
DISTRIBUTE, LAYOUT = "finance-api db distribute", "layout"

_OLDEST_CITUS = 13

#: Whether the database has Citus. `db distribute` does not change this, so open connections need
#: not notice when it runs.
IS_CLUSTER = b"SELECT EXISTS (SELECT FROM pg_extension WHERE extname = 'citus')"

#: Makes a transaction write to one machine after the other: after parallel writes, Citus refuses
#: SQL that it must send over a single connection.
BEFORE_WRITING = "SET LOCAL citus.multi_shard_modify_mode = 'sequential'"

_EXTENSION = "SELECT extversion FROM pg_extension WHERE extname = 'citus'"

#: Whether this is the coordinator, whether the workers know its address, and how many workers.
_NODES = """
SELECT (SELECT groupid FROM pg_dist_local_group) = 0, count(*) FILTER (WHERE groupid = 0),
    count(*) FILTER (WHERE groupid <> 0 AND isactive AND shouldhaveshards)
FROM pg_dist_node WHERE noderole = 'primary'
"""

#: The tables that Citus manages, each with its distribution column and its co-location group.
_PLACES = """
SELECT relname, column_to_column_name(logicalrelid, partkey), colocationid
FROM pg_dist_partition JOIN pg_class ON pg_class.oid = logicalrelid
WHERE pg_table_is_visible(logicalrelid)
"""

#: Distribution columns and groups by the names of the tables.
_Places = dict[str, tuple[str | None, int]]


def is_of_users(table: sa.Table) -> bool:
    """Whether the table has users' data: whether it is, or refers to, `user_data`."""
    return table is user_data or any(
        is_of_users(key.referred_table) for key in table.foreign_key_constraints
    )


def is_violation(error: Exception, table: sa.Table) -> bool:
    """Whether a worker reports as an internal error that rows violate a constraint."""
    named = re.findall(r"\b(?:pk|uq|fk|ix)_(\w+)", str(error))
    return any(name.startswith(f"{table.name}_") for name in named)


def check_database(name: str) -> None:
    """Raise StorageNotReady if tables can never be distributed in this kind of database."""
    if name != "postgresql":
        raise StorageNotReady(
            f"{name} cannot be distributed: let sqlalchemy.url name the coordinator"
            f" of a Citus cluster, and run 'finance-api db upgrade' and '{DISTRIBUTE}' there"
        )


def check_cluster(connection: sa.Connection) -> None:
    """Raise StorageNotReady unless tables can be distributed here."""
    version = connection.exec_driver_sql(_EXTENSION).scalar()
    if version is None:
        raise StorageNotReady(
            "the database has no Citus: install it on every server, with shared_preload_libraries ="
            " 'citus', and run CREATE EXTENSION citus in this database on each"
        )
    if int(version.partition(".")[0]) < _OLDEST_CITUS:
        raise StorageNotReady(
            f"the database has Citus {version}: install {_OLDEST_CITUS} or newer on every server, "
            "and run ALTER EXTENSION citus UPDATE in this database on each"
        )
    ((is_coordinator, addresses, workers),) = connection.exec_driver_sql(_NODES)
    if not is_coordinator:
        raise StorageNotReady(
            "the database is on a worker: let sqlalchemy.url name the coordinator of the cluster"
        )
    if not addresses:
        raise StorageNotReady(
            "the workers cannot find the coordinator: run"
            " SELECT citus_set_coordinator_host('HOST', PORT) with its own address"
        )
    if not workers:
        raise StorageNotReady(
            "the cluster has no workers: run SELECT citus_add_node('HOST', PORT) for each"
        )


def tables_to_distribute(connection: sa.Connection) -> list[sa.Table]:
    """Return the tables still to be distributed, each after the tables that it refers to.

    Raises StorageNotReady if a table is in a wrong place.
    """
    found = _places(connection)
    for table in _misplaced(found):
        raise StorageNotReady(
            f"{table.name} {_fault_of_place(table)}: run SELECT {_undistribution(table)}, and then"
            f" '{DISTRIBUTE}'"
        )
    return _missing(found)


def place_tables(connection: sa.Connection) -> Iterator[str]:
    """Distribute the remaining tables, with their rows; yield a line for each.

    Raises StorageNotReady if rows are missing afterwards.
    """
    tables = tables_to_distribute(connection)
    for table in tables:
        number = _count_rows(connection, table)
        # The first table begins the group.
        group = "none" if table is user_data else user_data.name
        arguments = f"'{table.name}', 'user_id', colocate_with => '{group}'"
        connection.exec_driver_sql(f"SELECT create_distributed_table({arguments})")
        if _count_rows(connection, table) != number:
            raise StorageNotReady(f"not all rows of {table.name} were copied: nothing was changed")
        yield f"{table.name}: distributed by user_id, with {counted(number, 'row')}"
    for table in tables:
        # The rows are on the workers now, and their copies here are hidden.
        connection.exec_driver_sql(
            f"SELECT truncate_local_data_after_distributing_table('{table.name}')"
        )
    for fault in faults_of_places(connection):
        raise StorageNotReady(f"{fault.message}: nothing was changed")


def is_distributed(connection: sa.Connection) -> bool:
    """Whether any of the tables is distributed."""
    return not metadata.tables.keys().isdisjoint(_places(connection))


def check_copying(connection: sa.Connection) -> None:
    """Raise StorageNotReady if no copy of the database has all tables as of the same moment."""
    if is_distributed(connection):
        # Citus copies each part of a table at a different moment, even in one snapshot.
        raise StorageNotReady(
            "the database is distributed, and its parts would be copied at different moments: mark "
            "a moment with SELECT citus_create_restore_point('NAME') in the servers' own backups, "
            "or copy each user's data with 'finance-api dump EMAIL'"
        )


def faults_of_places(connection: sa.Connection) -> Iterator[Fault]:
    """If any table is distributed, yield faults of tables that are not where they belong."""
    found = _places(connection)
    if metadata.tables.keys().isdisjoint(found):
        return
    for table in _missing(found):
        yield Fault(LAYOUT, f"{table.name} is not distributed by user_id", DISTRIBUTE)
    for table in _misplaced(found):
        command = f'psql -c "SELECT {_undistribution(table)}"'
        yield Fault(LAYOUT, f"{table.name} {_fault_of_place(table)}", command)


def _places(connection: sa.Connection) -> _Places:
    if connection.dialect.name != "postgresql" or not connection.scalar(sa.text(_EXTENSION)):
        return {}
    return {name: (column, group) for name, column, group in connection.exec_driver_sql(_PLACES)}


def _missing(found: _Places) -> list[sa.Table]:
    return [
        table for table in metadata.sorted_tables if is_of_users(table) and table.name not in found
    ]


def _misplaced(found: _Places) -> Iterator[sa.Table]:
    """Yield the tables that Citus manages, but not as declared."""
    _, group = found.get(user_data.name, (None, 0))
    for table in metadata.sorted_tables:
        declared = ("user_id", group) if is_of_users(table) else None
        if found.get(table.name, declared) != declared:
            yield table


def _fault_of_place(table: sa.Table) -> str:
    if is_of_users(table):
        return f"is not distributed by user_id in one group with {user_data.name}"
    return "is not a local table of the coordinator"


def _undistribution(table: sa.Table) -> str:
    return f"undistribute_table('{table.name}', cascade_via_foreign_keys => true)"


def _count_rows(connection: sa.Connection, table: sa.Table) -> int:
    return connection.execute(sa.select(sa.func.count()).select_from(table)).scalar_one()
