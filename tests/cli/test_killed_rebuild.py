"""A read model whose rebuilding is killed is as it was or whole, and is never read before."""

import pytest
from sqlalchemy import create_engine, text

from finance_api.resources import RECORDS
from finance_api.storage.errors import StorageError
from finance_api.storage.interface import reading
from finance_api.storage.sql.backend import SqlBackend
from finance_api.storage.sql.read_model.tables import READ_MODEL
from finance_api.storage.testing.units import make_query
from support.command import Command
from support.killing import kill, shares, work_seconds
from support.ledger import account, record
from support.nightly import by_day_on, count
from support.service import native_line

COUNT = count(300, 2_000)
KILLS = count(1, 50)
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


def page(command):
    """Return the first page of records, as a service answers that starts now; None if refused."""
    backend = SqlBackend(command.settings["sqlalchemy.url"])
    try:
        with reading(backend) as storage:
            user = storage.users.get("bob@example.org")
            return storage.data.list_json(user.id, make_query(RECORDS, limit=100)).rows
    except StorageError:
        return None
    finally:
        backend.close()


def killed_and_repeated(command, seed, damages, *arguments):
    """Yield after each kill of a command: whether it was done. Check all pages meanwhile."""
    right = page(command)
    run_sql(command, *damages)
    seconds = work_seconds(command, *arguments)
    for share in shares(KILLS, seed):
        run_sql(command, *damages)
        pages = []
        kill(
            command,
            share * seconds,
            *arguments,
            meanwhile=lambda pages=pages: pages.append(page(command)),
        )
        is_done = is_whole(command)
        assert pages
        assert all(found in (None, right) for found in pages)
        assert page(command) == (right if is_done else None)
        yield is_done
        if is_done:
            command.done(*arguments)
        else:
            # The shortest run so far: on a busy machine the same work takes more processor time.
            seconds = min(seconds, work_seconds(command, *arguments))
        assert command.done("check") == b"nothing is wrong\n"
        assert page(command) == right


@by_day_on("command")
def test_an_upgrade_that_was_killed_has_rebuilt_everything_or_is_refused(command, figures):
    damages, done = [*EMPTIED, "UPDATE projection_version SET version = 1"], 0
    for is_done in killed_and_repeated(command, 4713, damages, "db", "upgrade"):
        done += is_done
        if not is_done:
            for use in (["check"], ["dump", "bob@example.org"]):
                outcome = command.run(*use)
                assert "db upgrade" in outcome.err + outcome.out
    assert done < KILLS
    figures(f"{KILLS} killed, {done} were done")


@by_day_on("command")
def test_a_repair_that_was_killed_can_be_repeated(command, figures):
    done = sum(killed_and_repeated(command, 4714, EMPTIED, "check", "--repair"))
    assert done < KILLS
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
