"""`finance-api mirror` against the service: its file has what the lists show."""

import json
import random
import sqlite3
from contextlib import closing
from decimal import Decimal

import pytest
from webtest.http import StopableWSGIServer

from finance_api.auth.personal_tokens import issue_token
from finance_api.cli import run
from finance_api.clients.mirror.source import Source
from finance_api.clients.mirror.updating import TABLES, update
from finance_api.resources import RECORDS
from support.household import Household
from support.ledger import Person
from support.native_rows import household, record, uid
from support.nightly import count
from support.service import Client


@pytest.fixture
def address(service):
    server = StopableWSGIServer.create(service.app, ident=None, expose_tracebacks=False)
    yield server.application_url.rstrip("/")
    server.shutdown()


@pytest.fixture
def path(tmp_path):
    return tmp_path / "finance.db"


def listed(client, table):
    """Return the rows of the list in the form of the table, by id."""
    found = {}
    offset = 0
    while offset is not None:
        page = client.get(str(table.resource.path), limit=100, offset=offset)
        answer = json.loads(page.text, parse_float=Decimal)
        for row in answer[table.resource.name]:
            found[row["id"]] = {
                field.name: _expected(field, row[field.name]) for field in table.resource.fields
            }
        offset = answer["nextOffset"]
    return found


def _expected(field, value):
    if isinstance(value, list):
        return json.dumps(value, ensure_ascii=False, default=float)
    if isinstance(value, str) and field.kind.name == "DATETIME":
        return value[:10] + " " + value[11:19]
    return float(value) if isinstance(value, Decimal) else value


def check(path, client):
    with closing(sqlite3.connect(path)) as file:
        file.row_factory = sqlite3.Row
        for table in TABLES.values():
            names = [field.name for field in table.resource.fields]
            rows = [dict(row) for row in file.execute(f"SELECT * FROM {table.name}")]
            assert {r["id"]: {n: r[n] for n in names} for r in rows} == listed(client, table)
            for field in filter(lambda field: field.is_money, table.resource.fields):
                for row in rows:
                    amount, units = row[field.name], row[f"{field.name}_units"]
                    assert units == (None if amount is None else round(amount * 10_000))


def monthly(client):
    groups = client.get("records/summary", groupBy="month,category", limit=1000).json["groups"]
    names = ("month", "category", "currencyCode", "count", "income", "expense", "net")
    return sorted([tuple(group[name] for name in names) for group in groups], key=str)


def test_the_tables_equal_the_lists_and_the_views_the_summaries(client, address, path, capsys):
    client.load(*household())
    source = Source(address, client.token, pytest.fail)
    update(path, source)
    check(path, client)
    with closing(sqlite3.connect(path)) as file:
        found = file.execute(
            "SELECT month, category, currencyCode, count, income, expense, net "
            "FROM monthly_by_category"
        ).fetchall()
    assert sorted(found, key=str) == monthly(client) != []
    client.load(record(7, accountId=uid("Account", 1), amount=-1, payee="new"))
    assert update(path, source).put < len(household())
    check(path, client)


def test_the_file_follows_random_changes(address, service, path):
    person, now = Person(service.backend, service.clock), service.clock.now()
    token = service.change(lambda s: issue_token(s, person.user, name="mirror", now=now))
    client = Client(service, person.user, token)
    life = Household(person, random.Random(random.randrange(10**6)))
    source = Source(address, client.token, pytest.fail)
    for _ in range(count(6, 200)):
        life.change()
        update(path, source)
    check(path, client)


def test_the_command_says_what_it_did(client, address, path, monkeypatch, capsys):
    client.load(*household())
    monkeypatch.setenv("FINANCE_BASE", f"{address}/")
    monkeypatch.setenv("FINANCE_TOKEN", client.token)
    run(["mirror", str(path)])
    rows = sum(len(listed(client, table)) for table in TABLES.values())
    said = f"{path}: all data read again: {rows} rows written, 0 removed; revision 1\n"
    assert capsys.readouterr().out == said
    for name, value, message in (
        ("FINANCE_TOKEN", "fin_unknown", "401: "),
        ("FINANCE_BASE", "a.example", "FINANCE_BASE must be the address of the service"),
        ("FINANCE_TOKEN", "fin 1", "FINANCE_TOKEN must be a personal token."),
    ):
        monkeypatch.setenv(name, value)
        with pytest.raises(SystemExit):
            run(["mirror", str(path)])
        assert message in capsys.readouterr().err


def test_a_token_with_one_scope_fills_one_table(service, address, path):
    client = service.client(scopes=["records"])
    client.load(*household())
    update(path, Source(address, client.token, pytest.fail))
    with closing(sqlite3.connect(path)) as file:
        counts = {
            name: file.execute(f"SELECT count(*) FROM {table.name}").fetchone()[0]
            for name, table in TABLES.items()
        }
    assert {name for name, rows in counts.items() if rows} == {RECORDS.path}
