"""A read model whose rebuilding is killed is as it was or whole, and is never read before."""

import random

import pytest
from sqlalchemy import create_engine, text

from finance_api.resources import RECORDS
from finance_api.storage.errors import StorageDamaged, StorageNotReady
from finance_api.storage.interface import reading
from finance_api.storage.sql.backend import SqlBackend
from finance_api.storage.sql.read_model.tables import READ_MODEL
from finance_api.storage.testing.units import make_query
from support.command import Command
from support.killing import LOG_BYTES, database_of, kill
from support.ledger import account, record
from support.nightly import by_day_on, count
from support.service import native_line

COUNT = count(300, 2_000)
KILLS = count(1, 50)
LOG_SIZE = COUNT * LOG_BYTES
EMPTIED = [f"DELETE FROM {table.name}" for table in READ_MODEL]


@pytest.fixture(params=["sqlite", "postgresql"])
def command(request, tmp_path, new_settings):
    command = Command(tmp_path, new_settings(request.param))
    rows = map(
        native_line, [account(), *(record(n, amount=n) for n in range(1_000, 1_000 + COUNT))]
    )
    command.done("user", "add", "bob@example.org")
    command.done("import", "bob@example.org", command.file("rows.ndjson", "".join(rows)))
    return command


def run_sql(command, *statements):
    engine = create_engine(command.settings["sqlalchemy.url"])
    with engine.begin() as connection:
        for statement in statements:
            connection.execute(text(statement))
    engine.dispose()


def is_whole(command):
    return command.run("check").code == 0


def sizes(seed):
    """Return the bytes to let each command write. The first is killed before it writes any."""
    moments = random.Random(seed)
    return [0, *(moments.randrange(LOG_SIZE) for _ in range(KILLS - 1))]


def page(command):
    """Return the first page of records, as a service answers that starts now; None if refused."""
    backend = SqlBackend(command.settings["sqlalchemy.url"])
    try:
        with reading(backend) as storage:
            user = storage.users.get("bob@example.org")
            return storage.data.list_json(user.id, make_query(RECORDS, limit=100)).rows
    except (StorageDamaged, StorageNotReady):
        return None
    finally:
        backend.close()


@by_day_on("command")
def test_an_upgrade_that_was_killed_has_rebuilt_everything_or_is_refused(command, figures):
    done, database = 0, database_of(command)
    for size in sizes(4713):
        run_sql(command, *EMPTIED, "UPDATE projection_version SET version = 1")
        kill(command, database, size, "db", "upgrade")
        if is_whole(command):
            done += 1
        else:
            for use in (["check"], ["dump", "bob@example.org"]):
                outcome = command.run(*use)
                assert "db upgrade" in outcome.err + outcome.out
        command.done("db", "upgrade")
        assert command.done("check") == b"nothing is wrong\n"
    assert done < KILLS
    database.close()
    figures(f"{KILLS} killed, {done} were done")


@by_day_on("command")
def test_a_repair_that_was_killed_can_be_repeated(command, figures):
    done, database, right = 0, database_of(command), page(command)
    for size in sizes(4714):
        run_sql(command, *EMPTIED)
        kill(command, database, size, "check", "--repair")
        is_done = is_whole(command)
        assert page(command) == (right if is_done else None)
        done += is_done
        command.done("check", "--repair")
        assert command.done("check") == b"nothing is wrong\n"
    assert done < KILLS
    database.close()
    figures(f"{KILLS} killed, {done} were done")


@by_day_on("command")
def test_a_missing_table_is_found_and_made_again(command):
    dump = command.done("dump", "bob@example.org")
    for table in READ_MODEL:
        run_sql(command, f"DROP TABLE {table.name}")
        found = command.run("check")
        assert found.code != 0
        assert f"the table {table.name} of the read model is missing" in found.out
        command.done("check", "--repair")
        assert command.done("check") == b"nothing is wrong\n"
    assert command.done("dump", "bob@example.org") == dump
