"""A database of before the history: accounts keep what banks said of them."""

from pathlib import Path

import pytest
from alembic import command
from sqlalchemy import text

from finance_api.importers.interface import ChangeRefused
from finance_api.ledger.bank_balances import settle_bank_balances
from finance_api.ledger.changing import changing
from finance_api.ledger.undo import undo
from finance_api.resources import ACCOUNTS, RECORDS
from finance_api.storage.interface import DataState, reading
from finance_api.storage.sql import schema
from finance_api.storage.sql.backend import SqlBackend
from finance_api.storage.sql.connections.engine import writing
from finance_api.storage.sql.data_tables import DATA_TABLES
from finance_api.storage.sql.tables import users
from finance_api.storage.testing import Unit, make_id, make_row

DAY = 86_400
#: What revisions since 0003 add.
NEW = {
    "accounts": {
        *("last_record_date", "unexplained", "set_by_hand", "own_initial_balance", "revision"),
    },
    "records": {
        *("value_date", "counterparty_account", "counterparty_account_folded", "reference"),
        *("reference_folded", "original_amount", "original_currency_code", "import_id"),
        *("further_sources", "stated", "set_by_hand", "category_by_rule"),
    },
}


def rows():
    """Of two users: accounts with and without a bank's balance, and their records."""
    told = {"bankBalance": 57, "bankBalanceDate": 3 * DAY, "statementKeys": ("ofx:1/2",)}
    accounts = [
        make_row(ACCOUNTS, 1, initialBalance=50, balance=63, recordCount=3, **told),
        make_row(ACCOUNTS, 2, initialBalance=9, balance=9),
    ]
    records = [
        make_row(RECORDS, 11, accountId=make_id(1), amount=7, recordDate=3 * DAY + 86_399),
        make_row(RECORDS, 12, accountId=make_id(1), amount=6, recordDate=4 * DAY + 5),
        make_row(RECORDS, 13, accountId=make_id(1), amount=0, recordDate=-5),
    ]
    old = make_row(RECORDS, 14, accountId=make_id(3), amount=1, recordDate=-DAY - 5)
    other = make_row(ACCOUNTS, 3, balance=1, recordCount=1)
    return {1: (accounts, records), 2: ([other], [old])}


def insert_old(connection, user_id, resource, row):
    table = DATA_TABLES[resource.name]
    names = [column.name for column in table.table.columns]
    values = dict(zip(names, table.values(user_id, row, lambda row_id, json: 0), strict=True))
    kept = {n: v for n, v in values.items() if n not in NEW[resource.name]}
    columns = ", ".join(f'"{name}"' for name in kept)
    connection.execute(
        text(f"INSERT INTO {resource.name} ({columns}) VALUES (:{', :'.join(kept)})"), kept
    )


@pytest.fixture(params=["sqlite", "postgresql"])
def upgraded(request, empty_url):
    backend = SqlBackend(empty_url(request.param))
    config = schema._config()
    if request.param == "sqlite":
        Path(backend.engine.url.database).touch()
    with writing(backend.engine).begin() as connection:
        config.attributes["connection"] = connection
        command.upgrade(config, "0003")
        for user_id, (accounts, records) in rows().items():
            made = {"id": user_id, "uuid": make_id(user_id), "email": f"{user_id}@example.org"}
            made |= {"premium": True, "enabled": True, "created_at": 0, "data_revision": 5}
            made |= {"data_changed_at": 77, "record_count": len(records), "data_tag": user_id}
            assert set(made) <= {column.name for column in users.columns}
            columns = f"{', '.join(made)}) VALUES (:{', :'.join(made)}"
            connection.execute(text(f"INSERT INTO users ({columns})"), made)
            for row in accounts:
                insert_old(connection, user_id, ACCOUNTS, row)
            for row in records:
                insert_old(connection, user_id, RECORDS, row)
    backend.upgrade()
    backend.check()
    yield backend
    backend.close()


def kept(backend, user_id):
    with reading(backend) as storage:
        return {r.name: storage.data.scan_rows(user_id, r) for r in (ACCOUNTS, RECORDS)}


def test_it_is_as_a_new_one_with_the_same_data(upgraded, new_backend):
    fresh = Unit(new_backend("memory"))
    for user_id, (accounts, records) in rows().items():
        last = {make_id(1): 4 * DAY, make_id(3): -2 * DAY}
        for row in accounts:
            row["lastRecordDate"] = last.get(row["id"])
        fresh = Unit(new_backend("memory"))
        fresh.put(ACCOUNTS, *accounts)
        fresh.put(RECORDS, *records)
        assert kept(upgraded, user_id) == kept(fresh.backend, fresh.user.id)


def test_what_banks_said_stands_in_a_first_entry_that_stays(upgraded):
    with reading(upgraded) as storage:
        (entry,) = storage.history.list_entries(1)
        assert storage.history.list_entries(2) == []
    assert (entry.number, entry.at, entry.action, entry.revision) == (1, 77, "upgrade", 5)
    before = kept(upgraded, 1)
    with changing(upgraded, "1@example.org", 99, action="import") as session:
        assert settle_bank_balances(session, list(session.accounts.rows)) == []
        session.close(records_changed=False)
    settled = kept(upgraded, 1)
    assert settled["accounts"][0].pop("ownInitialBalance") == 50
    assert before["accounts"][0].pop("ownInitialBalance") is None
    assert settled == before
    with (
        pytest.raises(ChangeRefused, match="made by an upgrade"),
        changing(upgraded, "1@example.org", 99, action=None) as session,
    ):
        undo(session, 1)
    with reading(upgraded) as storage:
        state = storage.data.get_state(1)
        assert state == DataState(5, 77, state.tag)
