"""finance-api db distribute, and checks and upgrades of a database that is distributed."""

import random
import time
from pathlib import Path
from threading import Event, Thread

import psycopg
import pytest
from sqlalchemy import Table, make_url
from sqlalchemy.schema import CreateTable

from finance_api.storage.sql.backend import SqlBackend
from finance_api.storage.sql.placement import is_of_users
from finance_api.storage.sql.tables import metadata, owner_column
from support.citus import templates
from support.command import Command
from support.installation import ANNA, Installation
from support.ledger import account, record
from support.next_version import add_next_version
from support.nightly import count

BERT = "bert@example.org"
USERS = (ANNA, BERT, "carl@example.org", "dora@example.org")
TABLES = {table.name for table in metadata.sorted_tables if is_of_users(table)}
KILLS = count(1, 50)
#: The tables of the first version that can be upgraded, and what tables were called then.
FIRST = Path(__file__).parents[1] / "samples" / "databases" / "0012_initial_postgresql.sql"
FIRST_NAMES = {"proposals": "transfer_proposals"}
#: What a dump says on standard error while the distribution holds its lock.
UNLOGGED = (
    "finance-api: this export is not in the audit log: another import or change is running: "
    "try again when it has ended\n"
)


@pytest.fixture(scope="session")
def new_local_url(cluster, tmp_path_factory):
    """Return a function that makes a database with data of some users, which is not distributed."""
    return templates(cluster, lambda url: filled(tmp_path_factory.mktemp("filled"), url))


@pytest.fixture(scope="session")
def new_distributed_url(cluster, tmp_path_factory):
    """Return a function that makes a database with the same data, which is distributed."""

    def fill(url):
        filled(tmp_path_factory.mktemp("distributed"), url).done("db", "distribute")

    return templates(cluster, fill)


def filled(directory, url):
    house = Installation(directory, url)
    house.done("db", "upgrade")
    for number, email in enumerate(USERS):
        house.done("user", "add", email, "--premium")
        house.load(email, account(), *(record(n, amount=-n - number) for n in range(100, 150)))
    return house


@pytest.fixture
def house(tmp_path, cluster, new_local_url):
    url = new_local_url()
    yield Installation(tmp_path, url)
    cluster.drop(make_url(url).database)


@pytest.fixture
def distributed_house(tmp_path, cluster, new_distributed_url):
    url = new_distributed_url()
    yield Installation(tmp_path, url)
    cluster.drop(make_url(url).database)


def dumps(house):
    return [house.dump(email) for email in USERS]


def places(house):
    """The tables that Citus knows, with their columns and groups."""
    found = house.run_sql(
        "SELECT logicalrelid::text, column_to_column_name(logicalrelid, partkey), colocationid"
        " FROM pg_dist_partition"
    )
    assert len({group for _, _, group in found}) <= 1
    return {name: column for name, column, _ in found}


def test_the_tables_of_users_data_are_distributed_with_their_rows(house):
    before = dumps(house)
    said = house.done("db", "distribute").decode()
    assert places(house) == dict.fromkeys(TABLES, "user_id")
    assert "records: distributed by user_id, with 200 rows\n" in said
    assert said.endswith("the database is distributed\n")
    assert dumps(house) == before
    assert house.done("check") == b"nothing is wrong\n"
    # Both workers have records, and nothing is left on the coordinator.
    nodes = house.run_sql("SELECT DISTINCT nodeport FROM citus_shards WHERE shard_size > 0")
    assert len(nodes) == 2
    assert house.run_sql("SELECT pg_relation_size('records')") == [(0,)]
    house.load(ANNA, record(100, amount=7), record(999))
    house.done("imports", "undo", ANNA, "2")
    assert dumps(house) == before


def test_distributing_again_does_nothing(distributed_house):
    for options in ((), ("--dry-run",)):
        assert b"nothing to do" in distributed_house.done("db", "distribute", *options)


def test_a_dry_run_shows_what_would_be_done(house):
    before = dumps(house)
    said = house.done("db", "distribute", "--dry-run").decode()
    assert said.splitlines() == [
        f"{table.name}: to be distributed by user_id"
        for table in metadata.sorted_tables
        if table.name in TABLES
    ]
    assert places(house) == {}
    assert dumps(house) == before


def test_a_layout_that_was_begun_by_hand_is_continued(house):
    before = dumps(house)
    house.run_sql("SELECT create_distributed_table('user_data', 'user_id')")
    assert "layout: records is not distributed by user_id" in check(house)
    house.done("db", "distribute")
    assert places(house) == dict.fromkeys(TABLES, "user_id")
    assert dumps(house) == before


def check(house):
    outcome = house.command.run("check")
    assert outcome.code == 1
    return outcome.out


# -- refusals ------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["sqlite", "memory"])
def test_other_storages_are_refused(tmp_path, new_settings, kind):
    said = Command(tmp_path, new_settings(kind)).refused("db", "distribute")
    assert "cannot be distributed" in said


def test_a_postgresql_without_citus_is_refused(house):
    house.run_sql("DROP EXTENSION citus")
    assert "CREATE EXTENSION citus" in house.refused("db", "distribute")


@pytest.mark.parametrize(
    ("change", "advice"),
    [
        ("UPDATE alembic_version SET version_num = '0001_initial'", "finance-api dump EMAIL"),
        (
            "SELECT citus_remove_node(nodename, nodeport) FROM pg_dist_node WHERE groupid = 0",
            "SELECT citus_set_coordinator_host('HOST', PORT)",
        ),
        (
            "SELECT citus_set_node_property(nodename, nodeport, 'shouldhaveshards', false)"
            " FROM pg_dist_node WHERE groupid > 0",
            "SELECT citus_add_node('HOST', PORT)",
        ),
        (
            "SELECT create_reference_table('exchange_rates')",
            "SELECT undistribute_table('exchange_rates', cascade_via_foreign_keys => true)",
        ),
        (
            "ALTER TABLE labels DROP CONSTRAINT fk_labels_user_id;"
            "SELECT create_distributed_table('labels', 'user_id')",
            "SELECT undistribute_table('labels', cascade_via_foreign_keys => true)",
        ),
    ],
)
def test_a_database_that_is_not_ready_is_refused(house, change, advice):
    for statement in change.split(";"):
        house.run_sql(statement)
    before = places(house)
    for options in (("--dry-run",), ()):
        assert advice in house.refused("db", "distribute", *options)
    assert places(house) == before


def test_an_older_citus_is_refused(house):
    house.run_sql(
        "SET citus.enable_version_checks = off;"
        "UPDATE pg_extension SET extversion = '12.1-1' WHERE extname = 'citus'"
    )
    assert "ALTER EXTENSION citus UPDATE" in house.refused("db", "distribute")


def test_a_worker_is_refused(house, cluster):
    url = make_url(house.url).set(port=cluster.nodes[1].port)
    other = Installation(house.directory, url.render_as_string(hide_password=False))
    assert "coordinator" in other.refused("db", "distribute")


# -- faults of the layout ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        (
            "ALTER TABLE records DROP CONSTRAINT fk_records_user_id;"
            "SELECT undistribute_table('records')",
            "records is not distributed by user_id; to fix it: finance-api db distribute",
        ),
        (
            "ALTER TABLE labels DROP CONSTRAINT fk_labels_user_id;"
            "SELECT alter_distributed_table('labels', colocate_with => 'none')",
            "labels is not distributed by user_id in one group with user_data; to fix it: psql -c"
            " \"SELECT undistribute_table('labels', cascade_via_foreign_keys => true)\"",
        ),
        (
            "SELECT create_reference_table('exchange_rates')",
            "exchange_rates is not a local table of the coordinator",
        ),
    ],
)
def test_check_reports_a_table_in_another_place(distributed_house, change, fault):
    for statement in change.split(";"):
        distributed_house.run_sql(statement)
    said = check(distributed_house)
    assert f"layout: {fault}" in said and "unchecked: data was not checked" in said


def test_check_says_nothing_of_places_where_nothing_is_distributed(house):
    assert house.done("check") == b"nothing is wrong\n"


# -- backups -------------------------------------------------------------------------------------


def test_a_backup_of_a_distributed_database_is_refused_but_one_from_before_is_restored(house):
    before, backup = dumps(house), str(house.directory / "finance.backup")
    house.done("backup", backup)
    house.done("db", "distribute")
    assert "citus_create_restore_point" in house.refused("backup", backup, "--force")
    house.load(ANNA, record(999))
    house.done("restore", backup, "--yes")
    assert places(house) == {}
    assert dumps(house) == before
    house.done("db", "distribute")
    assert dumps(house) == before


# -- interruptions -------------------------------------------------------------------------------


def test_a_service_may_be_connected(house):
    """Reads work, with queries prepared before; an entry of the audit log may have to wait."""
    before, done, failures = dumps(house), Event(), []
    backend = SqlBackend(house.url)

    def read_on():
        while not done.is_set():
            try:
                read = [house.command.run("dump", email) for email in USERS]
                assert [outcome.raw_out for outcome in read] == before
                assert {(outcome.code, outcome.err) for outcome in read} <= {(0, ""), (0, UNLOGGED)}
            except Exception as error:
                failures.append(error)

    thread = Thread(target=read_on)
    thread.start()
    try:
        house.done("db", "distribute", process=True)
    finally:
        done.set()
        thread.join(60)
        backend.close()
    assert failures == []
    assert dumps(house) == before


@pytest.mark.nightly
def test_killed_distribution_has_done_nothing_or_everything(house, cluster, figures):
    before, moments, finished = dumps(house), random.Random(4713), 0
    began = time.monotonic()
    house.done("db", "distribute", process=True)
    seconds = time.monotonic() - began
    for _ in range(KILLS):
        house.run_sql("SELECT undistribute_table('user_data', cascade_via_foreign_keys => true)")
        with house.command.start("db", "distribute") as process:
            time.sleep(moments.uniform(0, seconds))
            process.kill()
        found = places(house)
        assert found in ({}, dict.fromkeys(TABLES, "user_id"))
        finished += bool(found)
        house.done("db", "distribute")
        assert places(house) == dict.fromkeys(TABLES, "user_id")
        assert dumps(house) == before
    assert house.done("check") == b"nothing is wrong\n"
    figures(f"{KILLS} killed within {seconds:.1f} s, {finished} were done")


# -- a new version -------------------------------------------------------------------------------


def test_an_upgrade_alters_the_tables_and_distributes_new_ones(
    distributed_house, tmp_path, monkeypatch, request
):
    house = distributed_house
    before = dumps(house)
    new_table = Table("gifts", metadata, owner_column())
    request.addfinalizer(lambda: metadata.remove(new_table))
    add_next_version(monkeypatch, tmp_path, f"op.execute({str(CreateTable(new_table))!r})")
    assert "run 'finance-api db upgrade'" in house.refused("dump", ANNA)
    house.done("db", "upgrade")
    assert places(house) == dict.fromkeys({*TABLES, "gifts"}, "user_id")
    assert house.run_sql("SELECT count(*) FROM records WHERE weight = amount * 2") == [(200,)]
    assert dumps(house) == before
    assert house.done("check") == b"nothing is wrong\n"


def test_an_upgrade_alters_distributed_tables_of_the_first_version_where_they_are(
    tmp_path, cluster
):
    house = Installation(tmp_path, cluster.make_database("first_version"))
    with psycopg.connect(house.url) as connection:
        connection.execute(FIRST.read_text("utf-8"))
        found = connection.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'public'")
        stored = {name for (name,) in found}
        names = [FIRST_NAMES.get(t.name, t.name) for t in metadata.sorted_tables if is_of_users(t)]
        for name in names:
            if name in stored:
                connection.execute(f"SELECT create_distributed_table('{name}', 'user_id')")
    house.done("db", "upgrade")
    assert places(house) == dict.fromkeys(TABLES, "user_id")
    assert b"nothing to do" in house.done("db", "distribute")
    house.done("user", "add", ANNA, "--premium")
    house.load(ANNA, account(), record(1, amount=-5))
    assert house.done("check") == b"nothing is wrong\n"
    cluster.drop("first_version")
