"""finance-api check: finds planted faults, and rebuilds derived data."""

import json
import os
import shutil
from collections import defaultdict, namedtuple
from contextlib import closing
from itertools import zip_longest
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric import ed25519
from sqlalchemy import Engine, create_engine, event, text
from sqlalchemy.exc import NotSupportedError

from finance_api.storage.interface import Fault
from finance_api.storage.sql import checking
from finance_api.storage.sql.placement import DISTRIBUTE, LAYOUT
from support.command import Command
from support.jwt_keys import key_set, public_jwk
from support.native_rows import account, category, household, label, record, uid
from support.nightly import by_day_on, count
from support.service import native_line

ANNA = "anna@example.org"


class House:
    """An installation with a household, and a direct way to its database."""

    def __init__(self, directory, settings):
        self.command = Command(directory, settings)
        self.url = settings["sqlalchemy.url"]
        self.is_sqlite = self.url.startswith("sqlite")
        self.command.done("user", "add", ANNA, "--premium")
        many = (record(n, note=f"Note {n}", amount=-n) for n in range(1_000, 1_300))
        rows = "".join(map(native_line, [*household(), *many]))
        bank = "Date,Amount,Balance\n2026-01-31,-1.50,98.50\n"
        self.command.done("import", ANNA, self.command.file("rows.ndjson", rows))
        options = ("--account", "Bank", "--currency", "EUR")
        self.command.done("import", ANNA, self.command.file("bank.csv", bank), *options)

    def run_sql(self, *statements):
        engine = create_engine(self.url)
        with closing(engine.connect()) as connection:
            # Switch foreign keys off: damage does not respect them either.
            if self.is_sqlite:
                connection.exec_driver_sql("PRAGMA foreign_keys = OFF")
            else:
                connection.exec_driver_sql("SET session_replication_role = replica")
            for statement in statements:
                assert connection.execute(text(statement)).rowcount != 0, statement
            connection.commit()
        engine.dispose()

    def check(self, *options):
        """Return the exit code and the faults."""
        outcome = self.command.run("check", "--json", *options)
        assert "Traceback" not in outcome.err, outcome
        assert outcome.out, outcome
        report = json.loads(outcome.out)
        assert report["ok"] is (outcome.code == 0), outcome
        return outcome.code, report["faults"]


@pytest.fixture(params=["sqlite", "postgresql"])
def house(request, tmp_path, new_settings):
    return House(tmp_path, new_settings(request.param))


#: For tests that do not depend on the database.
alike = by_day_on("house")

RECORD, ACCOUNT = f"id = '{uid('Record', 1_000)}'", f"id = '{uid('Account', 1)}'"

#: Faults in derived data: name -> (kind that the check reports, SQL that plants the fault).
DERIVED = {
    "a record shown otherwise": (
        "projection",
        f"UPDATE records_by_date SET json = replace(json, '-1000', '-9000') WHERE {RECORD}",
    ),
    "a record that is not listed": ("projection", f"DELETE FROM records_by_date WHERE {RECORD}"),
    "a record that is listed and not there": (
        "projection",
        "UPDATE records_by_date SET id = 'ffffffff' || substr(id, 9) "
        f"WHERE id = '{uid('Record', 1_299)}'",
    ),
    "a record listed on another day": (
        "projection",
        f"UPDATE records_by_date SET newest_first = newest_first + 86400 WHERE {RECORD}",
    ),
    "a note that is not found": (
        "derived-columns",
        f"UPDATE records SET note_plain = 'other' WHERE {RECORD}",
    ),
    "a note that a filter does not find": (
        "derived-columns",
        f"UPDATE records SET note_folded = 'other' WHERE {RECORD}",
    ),
    "an account shown otherwise": (
        "derived-columns",
        f"UPDATE accounts SET json = replace(json, 'Giro', 'Gyro') WHERE {ACCOUNT}",
    ),
    "a stored sum": ("sums", "UPDATE record_sums SET amount_low = amount_low + 1 WHERE grain = 0"),
    "a stored sum that is missing": ("sums", "DELETE FROM record_sums WHERE grain = 3"),
    "an anchor": ("anchors", "UPDATE record_anchors SET id = 'x' WHERE position = 256"),
    "the count of records": ("anchors", "UPDATE user_data SET record_count = 7"),
    "the remembered state": ("state", "UPDATE user_data SET tag = 4711"),
    "a revision of tomorrow": ("revisions", f"UPDATE records SET revision = 4711 WHERE {RECORD}"),
    "a balance": ("balances", f"UPDATE accounts SET balance = balance + 1 WHERE {ACCOUNT}"),
    "a count of an account": ("balances", f"UPDATE accounts SET record_count = 0 WHERE {ACCOUNT}"),
    "a last day": ("balances", f"UPDATE accounts SET last_record_date = NULL WHERE {ACCOUNT}"),
    "an initial balance": (
        "balances",
        "UPDATE accounts SET initial_balance = 1 WHERE own_initial_balance IS NOT NULL",
    ),
    "the bank's balance": (
        "balances",
        "UPDATE accounts SET bank_balance = 1 WHERE own_initial_balance IS NOT NULL",
    ),
    "the name of an account on a record": (
        "derived",
        f"UPDATE records SET account_name = 'Other' WHERE {RECORD}",
    ),
    "a type against its sign": (
        "derived",
        f"UPDATE records SET record_type = 'income' WHERE {RECORD}",
    ),
    "usage of nobody": ("orphans", "INSERT INTO usage VALUES (4711, 0, 1)"),
    "a transfer of nothing": (
        "orphans",
        "INSERT INTO proposals SELECT id, 'transfer', 'no', 'thing', 0, '0' FROM users",
    ),
    "a before-image of nothing": (
        "orphans",
        "INSERT INTO before_images SELECT id, 4711, 'records', 'x', NULL FROM users",
    ),
    "a deletion of what is there": (
        "orphans",
        f"INSERT INTO tombstones SELECT user_id, 'accounts', id, 1 FROM accounts WHERE {ACCOUNT}",
    ),
}

#: Faults that only a backup can repair.
GIVEN = {
    "a category that is not there": (
        "references",
        f"UPDATE records SET category_id = '{uid('Category', 99)}' WHERE {RECORD}",
    ),
    "a currency": ("currencies", f"UPDATE records SET currency_code = 'USD' WHERE {RECORD}"),
    "an import that never was": ("imports", f"UPDATE records SET import_id = 99 WHERE {RECORD}"),
    "a choice that is none": ("values", f"UPDATE records SET record_state = 'x' WHERE {RECORD}"),
}


def few_groups():
    """Return all faults in few groups, each with at most one fault of a kind."""
    kinds = defaultdict(list)
    for fault in DERIVED.values():
        kinds[fault[0]].append(fault)
    return [[f for f in faults if f] for faults in zip_longest(*kinds.values())]


def test_nothing_is_wrong_with_what_the_program_stores(house):
    assert house.check() == (0, [])
    assert house.command.done("check") == b"nothing is wrong\n"
    before = house.command.done("dump", ANNA)
    assert house.check("--repair") == (0, [])
    assert house.command.done("dump", ANNA) == before


@alike
def test_derived_data_with_faults_is_found_and_rebuilt(house):
    """Plant one fault at a time, by day one of each kind: it is found, and its repair leaves no
    trace.
    """
    before = house.command.done("dump", ANNA)
    for faults in count(few_groups(), [[fault] for fault in DERIVED.values()]):
        house.run_sql(*(statement for _, statement in faults))
        code, repaired = house.check("--repair")
        assert {kind for kind, _ in faults} <= {fault["kind"] for fault in repaired}, faults
        assert (code, [f for f in repaired if not f["repaired"]]) == (0, []), faults
    assert house.check() == (0, [])
    assert house.command.done("dump", ANNA) == before


def test_what_is_derived_is_found_at_once_and_left(house):
    one_of_each_kind = dict(DERIVED.values())
    house.run_sql(*one_of_each_kind.values())
    for _ in range(2):
        code, faults = house.check()
        assert code == 1
        assert {fault["kind"] for fault in faults} == set(one_of_each_kind)
        assert {fault["command"] for fault in faults} == {"finance-api check --repair"}
        assert not any(fault["repaired"] for fault in faults)


@alike
def test_an_amount_past_the_program_is_believed(house):
    house.run_sql(f"UPDATE records SET amount = -1 WHERE {RECORD}")
    _, faults = house.check()
    assert {fault["kind"] for fault in faults} >= {"projection", "sums", "balances"}
    assert house.check("--repair")[0] == 0
    assert house.check() == (0, [])


@alike
def test_what_only_a_backup_has_is_found_and_left(house):
    """Plant one fault at a time. If a row has an invalid value, the check finds nothing more."""
    for kind, statement in GIVEN.values():
        house.run_sql(statement)
        for options in ((), ("--repair",)):
            code, faults = house.check(*options)
            assert code == 1
            (fault,) = [f for f in faults if f["kind"] == kind]
            assert fault["command"] == "finance-api restore FILE"
            assert fault["user"] == ANNA
            assert not fault["repaired"]
            assert uid("Record", 1_000) in fault["message"]


def test_a_value_of_another_type_is_found(house):
    if not house.is_sqlite:
        pytest.skip("PostgreSQL refuses it")
    house.run_sql(f"UPDATE records SET amount = 'much' WHERE {RECORD}")
    for options in ((), ("--repair",)):
        _, faults = house.check(*options)
        assert ("values", False) in {(f["kind"], f["repaired"]) for f in faults}


def test_a_damaged_file_is_found(house):
    """Damage pages in the middle of the tables: SQLite would not notice every single byte."""
    if not house.is_sqlite:
        pytest.skip("it has no file of ours")
    path = house.url.removeprefix("sqlite:///")
    house.run_sql("PRAGMA wal_checkpoint(TRUNCATE)")
    with open(path, "r+b") as file:
        size = os.path.getsize(path)
        for place in range(size // 3 // 8192 * 8192, size * 2 // 3, 8192):
            file.seek(place)
            file.write(b"\xa5" * 8192)
    code, faults = house.check()
    assert code == 1
    assert "finance-api restore FILE" in {fault["command"] for fault in faults}


# -- what is not data ----------------------------------------------------------------------------


def kinds(command):
    outcome = command.run("check", "--json")
    assert outcome.code == 1, outcome
    return {(f["kind"], f["command"]) for f in json.loads(outcome.out)["faults"]}


def test_settings_keys_versions_disk_and_clock_are_checked(tmp_path, new_settings, monkeypatch):
    house = House(tmp_path, new_settings("sqlite"))
    command, settings = house.command, house.command.settings
    for wrong in ({"tokens.max_live": "many"}, {"ratelimit.backend": "nothing.there"}):
        command.write({**settings, **{f"finance_api.{name}": each for name, each in wrong.items()}})
        assert {kind for kind, _ in kinds(command)} == {"configuration"}
    keys = str(tmp_path / "keys.json")
    command.write({**settings, "finance_api.jwt.keys": keys})
    assert kinds(command) == {("keys", "finance-api jwt new-key")}
    command.done("jwt", "new-key")
    assert command.done("check") == b"nothing is wrong\n"
    (own,) = json.loads(Path(keys).read_text())["keys"]
    public = public_jwk(ed25519.Ed25519PrivateKey.generate())
    Path(keys).write_text(key_set(own, public))
    issuers = {"finance_api.jwt.keys": keys, "finance_api.jwt.issuers": "finance_api idp.example"}
    command.write({**settings, **issuers})
    assert kinds(command) == {("keys", f"edit {command.ini}")}
    command.write({**settings, **issuers, "finance_api.jwt.key_issuers": "idp=a idp=idp.example"})
    assert {kind for kind, _ in kinds(command)} == {"configuration"}
    command.write({**settings, **issuers, "finance_api.jwt.key_issuers": "idp=idp.example"})
    assert command.done("check") == b"nothing is wrong\n"
    command.write(settings)
    house.run_sql("UPDATE user_data SET changed_at = changed_at + 100000")
    assert ("clock", "timedatectl status") in kinds(command)
    house.run_sql("UPDATE user_data SET changed_at = changed_at - 100000")
    usage = namedtuple("usage", "total used free")
    with monkeypatch.context() as full:
        full.setattr(shutil, "disk_usage", lambda path: usage(1 << 30, 1 << 30, 1 << 20))
        assert {kind for kind, _ in kinds(command)} == {"disk"}
    house.run_sql("UPDATE projection_version SET version = 1")
    assert kinds(command) == {("database", "finance-api db upgrade")}
    command.done("db", "upgrade")
    assert command.done("check") == b"nothing is wrong\n"
    house.run_sql("UPDATE alembic_version SET version_num = '0010_names'")
    old = "finance-api dump EMAIL, with the version that made the database"
    assert kinds(command) == {("database", old)}


@pytest.mark.parametrize("options", [(), ("--repair",)])
def test_data_is_not_read_while_a_table_is_misplaced(house, monkeypatch, options):
    """Citus refuses to join tables that are misplaced. Here every query after the finding fails."""

    def refuse(connection, cursor, sql, *_):
        raise NotSupportedError(sql, None, Exception("complex joins are not supported"))

    def misplaced(connection):
        event.listen(connection, "before_cursor_execute", refuse)
        event.listen(Engine, "before_cursor_execute", refuse)
        yield Fault(LAYOUT, "records is not distributed by user_id", DISTRIBUTE)

    monkeypatch.setattr(checking, "faults_of_places", misplaced)
    try:
        code, faults = house.check(*options)
    finally:
        event.remove(Engine, "before_cursor_execute", refuse)
    assert (code, [fault["kind"] for fault in faults]) == (1, ["layout", "unchecked"])
    assert faults[1]["message"].startswith("data was not checked, because tables are misplaced")


@pytest.mark.parametrize("backend", ["memory", "finance_api.ratelimit.memory.from_settings"])
def test_a_key_of_the_server_is_checked(tmp_path, new_settings, backend):
    settings = {**new_settings("sqlite"), "finance_api.ratelimit.backend": backend}
    command = Command(tmp_path, settings)
    with open(command.ini, "a") as file:
        file.write("[server:main]\nuse = egg:finance-api#granian\nworkers = 2\n")
    outcome = command.run("check")
    assert outcome.code == 1
    assert "finance_api.ratelimit.backend = redis" in outcome.out


def test_the_memory_storage_has_nothing_to_mend(tmp_path):
    command = Command(tmp_path, {"finance_api.storage": "memory"})
    assert command.done("check") == b"nothing is wrong\n"


@alike
def test_several_users_are_checked_and_only_the_damaged_one_is_rebuilt(house):
    bert = "bert@example.org"
    house.command.done("user", "add", bert)
    rows = "".join(map(native_line, [account(), category(), label(), record(1)]))
    house.command.done("import", bert, house.command.file("b.ndjson", rows))
    house.run_sql(
        f"DELETE FROM record_sums WHERE user_id IN (SELECT id FROM users WHERE email = '{bert}')"
    )
    _, faults = house.check()
    assert {(f["kind"], f["user"]) for f in faults} == {("sums", bert)}
    assert house.check("--repair")[0] == 0
    assert house.check() == (0, [])
