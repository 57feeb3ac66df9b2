"""finance-api db, and databases that are missing, damaged or of another version."""

import sqlite3

import pytest

from support.command import Command
from support.ledger import account, record
from support.service import native_line

USE = [["user", "list"], ["user", "add", "a@b.org"], ["dump", "a@b.org"], ["load-demo"]]


@pytest.fixture
def path(tmp_path):
    return tmp_path / "new" / "finance.db"


@pytest.fixture
def fresh(tmp_path, path):
    """The command on a database that is not there yet."""
    return Command(tmp_path, {"sqlalchemy.url": f"sqlite:///{path}"})


@pytest.mark.parametrize("arguments", USE, ids=" ".join)
def test_unready_database_says_what_to_run(fresh, path, arguments):
    assert "db upgrade" in fresh.refused(*arguments)
    path.parent.mkdir()
    assert "db upgrade" in fresh.refused(*arguments)
    path.touch()
    assert "db upgrade" in fresh.refused(*arguments)


def test_upgrade_makes_the_database_and_twice_is_harmless(fresh):
    fresh.done("db", "upgrade")
    fresh.done("user", "add", "a@b.org")
    fresh.done("db", "upgrade")
    assert b"a@b.org" in fresh.done("user", "list")


def test_two_upgrades_at_once_both_succeed(fresh):
    processes = [fresh.start("db", "upgrade") for _ in range(2)]
    for process in processes:
        with process:
            _, said = process.communicate(timeout=60)
        assert (process.returncode, said) == (0, b"")


@pytest.mark.parametrize("arguments", [*USE, ["db", "upgrade"]], ids=" ".join)
def test_database_of_an_unknown_newer_version_is_refused_with_both_versions(fresh, path, arguments):
    fresh.done("db", "upgrade")
    with sqlite3.connect(path) as database:
        (known,) = database.execute("SELECT version_num FROM alembic_version").fetchone()
        database.execute("UPDATE alembic_version SET version_num = '9999_future'")
    database.close()
    said = fresh.refused(*arguments)
    assert "9999_future" in said
    assert known in said
    database = sqlite3.connect(path)
    assert database.execute("SELECT version_num FROM alembic_version").fetchone()[0].startswith("9")
    database.close()


def test_file_that_is_no_database_is_refused(fresh, path):
    path.parent.mkdir()
    path.write_bytes(b"this is not a database, and long enough not to be taken for one" * 100)
    before = path.read_bytes()
    for arguments in (*USE, ["db", "upgrade"]):
        fresh.refused(*arguments)
    assert path.read_bytes() == before


def test_damaged_database_is_refused(fresh, path):
    fresh.done("db", "upgrade")
    fresh.done("user", "add", "a@b.org")
    rows = "".join(native_line(record(n)) for n in range(100, 1_100))
    fresh.done("import", "a@b.org", fresh.file("a.ndjson", native_line(account()) + rows))
    data = bytearray(path.read_bytes())
    for place in range(8_192, len(data), 4_096):
        data[place : place + 200] = b"\xa5" * 200
    path.write_bytes(data)
    fresh.refused("import", "a@b.org", fresh.file("b.ndjson", native_line(record(5_000))))
    outcome = fresh.run("dump", "a@b.org")
    assert outcome.code == 1
    assert "Traceback" not in outcome.err


def test_server_that_does_not_answer_is_an_error_without_its_password(tmp_path):
    command = Command(tmp_path, {"sqlalchemy.url": "postgresql://x:s3cret@127.0.0.1:1/x"})
    for arguments in (["user", "list"], ["db", "upgrade"]):
        assert "s3cret" not in command.refused(*arguments)
