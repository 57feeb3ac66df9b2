"""finance-api load-demo"""

import json

import pytest

from finance_api.demo import Household
from finance_api.storage.interface import reading
from finance_api.storage.sql.backend import SqlBackend
from support.command import Command


@pytest.fixture
def new_command(tmp_path, new_sqlite_url):
    def make(name):
        directory = tmp_path / name
        directory.mkdir()
        return Command(directory, {"sqlalchemy.url": new_sqlite_url()})

    return make


@pytest.fixture
def now(monkeypatch):
    """The time that commands run at."""
    monkeypatch.setattr("finance_api.runtime.clock.SystemClock.now", lambda self: 1_770_000_000)
    return 1_770_000_000


def loaded(command, *options):
    command.done("load-demo", *options)
    lines = command.done("user", "list").decode().splitlines()[1:]
    return {line.split()[0]: command.done("dump", line.split()[0]) for line in lines}


def test_users_have_as_many_records_as_were_asked_for_and_premium(new_command):
    command = new_command("one")
    data = loaded(command, "--users", "3", "--records-per-user", "123")
    assert [dump.count(b'"reserved_model_type":"Record",') for dump in data.values()] == [123] * 3
    assert command.done("user", "list").count(b"premium") == 3


def test_demo_has_every_type_and_comes_in_again(new_command):
    command = new_command("one")
    (dump,) = loaded(command, "--records-per-user", "50").values()
    types = {line.split(b'"')[3].decode() for line in dump.splitlines()}
    assert types == set(
        "Account Category Budget StandingOrder Label Goal Contact RecordRule HashTag MagicRule "
        "Record".split()
    )
    command.done("user", "add", "a@b.org")
    command.done("import", "a@b.org", "-", stdin=dump)
    assert command.done("dump", "a@b.org") == dump


def test_loading_again_leaves_what_is_there(new_command):
    command = new_command("one")
    first = loaded(command, "--users", "1", "--records-per-user", "20")
    second = loaded(command, "--users", "2", "--records-per-user", "30", "--seed", "5")
    assert len(second) == 2
    assert all(second[email] == dump for email, dump in first.items())


def test_there_are_rates_of_every_day_and_none_is_made_up(new_command, now):
    command = new_command("one")
    command.done("rates", "import", "-", stdin=b"Date,USD,DEM\n2026-02-02,1.1,1.95583\n")
    loaded(command, "--users", "2", "--records-per-user", "2000")
    rows = {row["currency"]: row for row in json.loads(command.done("rates", "list", "--json"))}
    # From 500 days ago to the clock's day.
    days = {"first": "2024-09-20", "last": "2026-02-02"}
    assert rows["DEM"] == {"base": "EUR", "currency": "DEM", "days": 501, **days}
    assert set(rows) == {"ATS", "DEM", "FRF", "ITL", "USD"}
    assert rows["USD"]["days"] == 1


def test_it_says_what_was_loaded(new_command):
    command = new_command("one")
    said = command.done("load-demo", "--records-per-user", "1200").decode()
    assert said.startswith("demo@example.com: loaded demo data: 1,200 records, 4 accounts, ")
    assert said.endswith(" (password demo-password)\n")
    assert command.done("load-demo") == b"demo@example.com has data already\n"


def test_demo_users_have_usage_once_and_others_none(new_command, now):
    command = new_command("one")
    command.done("user", "add", "else@example.org")
    command.done("load-demo", "--records-per-user", "1", "--seed", "3")
    command.done("load-demo", "--records-per-user", "1", "--seed", "3")
    backend = SqlBackend(command.settings["sqlalchemy.url"])
    with reading(backend) as storage:
        demo, other = (
            dict(storage.usage.list_days(storage.users.get(email).id, 0, now))
            for email in ("demo@example.com", "else@example.org")
        )
    backend.close()
    assert demo == Household(30_001, 1, now).usage()
    assert other == {}
