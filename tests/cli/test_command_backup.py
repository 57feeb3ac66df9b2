"""finance-api backup and restore: complete and consistent."""

import os
import random
import re
import sqlite3
import stat
import subprocess
from contextlib import closing, suppress
from pathlib import Path

import pytest
from sqlalchemy import make_url

from finance_api.storage.sql import schema
from finance_api.storage.sql.backups import postgresql
from support.command import Command, run_here
from support.installation import ANNA, BERT, Installation
from support.ledger import account, record
from support.next_version import add_next_version
from support.nightly import by_day_on, count
from support.service import native_line

#: For tests that do not depend on the database.
alike = by_day_on("house")


def kept_files(house):
    return sorted(p.name for p in house.directory.iterdir())


# -- what is in it -------------------------------------------------------------------------------


def test_what_is_restored_is_what_was_backed_up(house, backup):
    before, state = house.dump(), house.state()
    house.done("backup", backup)
    house.load(ANNA, record(100, amount=-9), record(999))
    house.load(BERT, account())
    house.done("restore", backup, "--yes")
    assert (house.dump(), house.state()) == (before, state)
    assert house.dump(BERT) == b""
    house.load(ANNA, record(1_000))
    assert house.state().revision == state.revision + 1


def test_a_backup_is_restored_into_an_empty_database(house, backup, empty):
    """No restored row counts as deleted after the backup."""
    token = house.done("token", "create", ANNA, "--name", "x")
    house.done("backup", backup)
    empty.done("restore", backup, "--yes")
    assert (empty.dump(), empty.state()) == (house.dump(), house.state())
    assert b"disabled" not in empty.done("user", "list")
    assert not empty.revoked_tokens()
    assert token
    # The indexes are there, and the next user gets a new key.
    empty.done("user", "add", "carl@example.org")
    empty.load(BERT, account(), *(record(n) for n in range(100, 110)))
    empty.done("db", "upgrade")


@alike
def test_an_empty_database_with_tables_is_as_good(house, backup, empty):
    house.done("token", "create", ANNA, "--name", "x")
    house.done("backup", backup)
    empty.done("db", "upgrade")
    empty.done("restore", backup, "--yes")
    assert empty.dump() == house.dump()
    assert b"disabled" not in empty.done("user", "list")
    assert not empty.revoked_tokens()


@alike
def test_a_backup_is_for_its_owner_alone(house, backup):
    before = os.umask(0)
    try:
        house.done("backup", backup)
    finally:
        os.umask(before)
    assert stat.S_IMODE(os.stat(backup).st_mode) == 0o600


@alike
def test_a_file_is_replaced_only_if_asked_for(house, backup):
    Path(backup).write_bytes(b"mine")
    assert "exists already" in house.refused("backup", backup)
    assert Path(backup).read_bytes() == b"mine"
    house.done("backup", backup, "--force")
    house.done("restore", backup, "--yes")


@alike
def test_nothing_is_left_of_a_backup_that_fails(house, backup):
    files = kept_files(house)
    version = "UPDATE alembic_version SET version_num = '9999_future'"
    house.run_sql(version)
    assert "9999_future" in house.refused("backup", backup)
    assert kept_files(house) == files
    missing = str(house.directory / "missing" / "finance.backup")
    house.refused("backup", missing)


@alike
def test_who_is_asked_and_says_no_changes_nothing(house, backup):
    house.done("backup", backup)
    house.load(ANNA, record(999))
    before = house.dump()
    outcome = house.command.run("restore", backup, stdin=b"n\n")
    assert outcome.code == 1
    assert "nothing was changed" in outcome.err
    assert house.dump() == before


@alike
def test_a_backup_during_an_import_has_all_of_it_or_nothing(house, backup, empty):
    rows = [account(), *(record(n, note=f"note {n}") for n in range(1_000, 1_800))]
    path = house.command.file("large.ndjson", "".join(map(native_line, rows)))
    found = set()
    with house.command.start("import", BERT, path) as process:
        while process.poll() is None:
            house.done("backup", backup, "--force")
            empty.done("restore", backup, "--yes")
            found.add(empty.dump(BERT).count(b"\n"))
    assert process.returncode == 0
    assert found <= {0, len(rows)}
    assert 0 in found
    house.done("backup", backup, "--force")
    empty.done("restore", backup, "--yes")
    assert empty.dump(BERT) == house.dump(BERT)


@alike
def test_a_restore_that_is_killed_has_done_all_or_nothing(house, backup):
    of_before, of_since = count((1_000, 300), (2_000, 1_000))
    changed = [record(n, note="since") for n in range(1_000, 1_000 + of_since)]
    rows = (record(n, note=f"note {n}") for n in range(1_000, 1_000 + of_before))
    house.load(BERT, account(), *rows)
    before = house.dump(BERT)
    house.done("backup", backup)
    moments = random.Random(4711)
    for _ in range(count(2, 50)):
        house.load(BERT, *changed)
        since = house.dump(BERT)
        with house.command.start("restore", backup, "--yes", stdin=subprocess.DEVNULL) as process:
            with suppress(subprocess.TimeoutExpired):
                process.wait(moments.uniform(0.7, 2.2))
            process.kill()
        assert house.dump(BERT) in (before, since)
    house.done("restore", backup, "--yes")
    assert house.dump(BERT) == before


def test_what_others_have_made_of_the_tables_is_not_dropped(house, backup):
    if not house.url.startswith("postgresql"):
        pytest.skip("SQLite's file is replaced as a whole")
    house.run_sql("CREATE VIEW of_others AS SELECT email FROM users")
    house.done("backup", backup)
    before = house.dump()
    assert "depend" in house.refused("restore", backup, "--yes")
    assert house.dump() == before


def test_what_others_have_in_the_database_is_not_in_the_backup(house, backup):
    if not house.url.startswith("postgresql"):
        pytest.skip("SQLite's file is copied as a whole")
    house.run_sql("CREATE TABLE of_others (id integer)")
    house.run_sql("CREATE EXTENSION hstore")
    house.done("backup", backup)
    listed = postgresql._run("pg_restore", "--list", backup)
    assert " TABLE public users " in listed
    assert "of_others" not in listed
    assert "EXTENSION" not in listed


# -- what cannot be restored ---------------------------------------------------------------------


def damages(data):
    yield "empty", b""
    yield "text", b"this is no backup, and long enough not to be taken for one" * 200
    yield "cut short", data[: len(data) * 2 // 3]
    torn = bytearray(data)
    for place in range(len(data) // 3, len(data), 4_096):
        torn[place : place + 300] = b"\xa5" * 300
    yield "torn", bytes(torn[: len(data)])


def test_a_damaged_backup_changes_nothing(house, backup):
    house.load(ANNA, *(record(n, note=f"{n * 7919 % 997} of all") for n in range(200, 900)))
    house.done("backup", backup)
    house.load(ANNA, record(999))
    before, files = (house.dump(), house.state()), kept_files(house)
    for kind, data in damages(Path(backup).read_bytes()):
        Path(backup).write_bytes(data)
        assert house.refused("restore", backup, "--yes"), kind
        assert (house.dump(), house.state()) == before, kind
        assert kept_files(house) == files, kind


@alike
def test_a_newer_database_is_not_replaced(house, backup):
    house.done("backup", backup)
    house.run_sql("UPDATE alembic_version SET version_num = '9999_future'")
    assert "9999_future" in house.refused("restore", backup, "--yes")


@alike
def test_a_backup_of_a_newer_version_is_refused(house, backup, empty, monkeypatch):
    house.run_sql("UPDATE alembic_version SET version_num = '9999_future'")
    with monkeypatch.context() as newer:
        newer.setattr(schema, "refuse_unknown", lambda found: None)
        house.done("backup", backup)
    assert "9999_future" in empty.refused("restore", backup, "--yes")
    assert "db upgrade" in empty.refused("user", "list")


def test_a_backup_of_the_other_database_is_refused(house, backup, new_settings, tmp_path):
    other = {"sqlite": "postgresql", "postgresql": "sqlite"}[make_url(house.url).get_backend_name()]
    far = Installation(tmp_path, new_settings(other)["sqlalchemy.url"])
    far.done("backup", backup)
    house = Installation(tmp_path, house.url)
    before = house.dump()
    house.refused("restore", backup, "--yes")
    assert house.dump() == before


@alike
def test_a_file_that_is_missing_is_named(house, backup):
    assert backup in house.refused("restore", backup, "--yes")


def test_the_database_itself_is_no_backup(house):
    if not house.url.startswith("sqlite"):
        pytest.skip("it has no file")
    path = house.url.removeprefix("sqlite:///")
    before = house.dump()
    assert "the database itself" in house.refused("backup", path, "--force")
    assert "the database itself" in house.refused("restore", path, "--yes")
    assert house.dump() == before


def test_the_memory_storage_has_no_backups(tmp_path):
    command = Command(tmp_path, {"finance_api.storage": "memory"})
    assert "no backups" in command.refused("backup", str(tmp_path / "x"))
    (tmp_path / "x").write_bytes(b"")
    assert "no backups" in command.refused("restore", str(tmp_path / "x"), "--yes")


def test_a_backup_of_an_older_version_is_upgraded(house, backup, monkeypatch):
    before = house.dump()
    house.done("backup", backup)
    folder = house.directory / "versions"
    folder.mkdir()
    add_next_version(monkeypatch, folder)

    def done(*arguments):
        outcome = run_here(arguments, house.directory, house.command.environment())
        assert outcome.code == 0, outcome
        return outcome.raw_out

    done("db", "upgrade")
    house.run_sql("DELETE FROM records")
    done("restore", backup, "--yes")
    assert done("dump", ANNA) == before
    weights = house.run_sql("SELECT amount, weight FROM records")
    assert weights and all(weight == 2 * amount for amount, weight in weights)


@pytest.mark.parametrize("there_first", [True, False])
def test_a_sqlite_backup_has_pages_of_any_size(house, backup, empty, there_first):
    """Older files have pages of 4,096 bytes, which SQLite cannot change while a database is in
    use.
    """
    if make_url(house.url).get_backend_name() != "sqlite":
        pytest.skip("SQLite's pages")
    with closing(sqlite3.connect(make_url(house.url).database)) as database:
        database.execute("PRAGMA journal_mode = DELETE")
        database.execute("PRAGMA page_size = 4096")
        database.execute("VACUUM")
    if there_first:
        empty.done("db", "upgrade")
    house.done("backup", backup)
    empty.done("restore", backup, "--yes")
    assert empty.dump() == house.dump()
    empty.done("backup", f"{backup}.2")
    house.done("restore", f"{backup}.2", "--yes")
    assert empty.dump() == house.dump()


def test_the_password_of_the_database_stands_in_no_command_line(
    tmp_path, new_postgresql_url, monkeypatch
):
    url = make_url(new_postgresql_url()).set(password="s3cret")
    house = Installation(tmp_path, url.render_as_string(hide_password=False))
    programs = tmp_path / "bin"
    programs.mkdir()
    for name in ("pg_dump", "pg_restore", "psql"):
        program = programs / name
        program.write_text(
            f'#!/bin/sh\necho "{name} $@ / $PGPASSWORD" >> {tmp_path}/called\nPATH=${{PATH#*:}}\n'
            f'exec {name} "$@"\n'
        )
        program.chmod(0o700)
    monkeypatch.setenv("PATH", f"{programs}:{os.environ['PATH']}")
    backup = str(tmp_path / "finance.backup")
    house.done("backup", backup)
    house.done("restore", backup, "--yes")
    called = (tmp_path / "called").read_text().splitlines()
    assert {line.split()[0] for line in called} == {"pg_dump", "pg_restore", "psql"}
    for line in called:
        arguments, _, password = line.rpartition(" / ")
        assert "s3cret" not in arguments
        assert password == ("" if line.startswith("pg_restore") else "s3cret")
    assert not re.search("s3cret", Path(backup).read_bytes().decode("latin-1"))
