"""Void records, many imports and the order of ties, the same on every storage."""

import pytest

from support.native_rows import account, record, uid
from support.statements import statement
from support.wallet import NOW, Wallet, books


def test_void_records_are_left_out_unless_asked_for(wallet):
    assert 6 not in wallet.ids("records?recordDate=gte.2026-01-01")
    assert wallet.ids("records?recordState=void") == [6]
    assert set(wallet.ids("records?recordState=void,cleared")) == {1, 6}
    assert wallet.ids("records?recordState=waitForAssign") == []
    # Without the parameter, void records are included.
    assert 2 in wallet.ids("records")


@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
def test_every_storage_finds_the_same(services, wallet, kind):
    """Return the parameters that Wallet has and the flat surface lacks."""
    service = services(kind)
    service.clock.set(NOW)
    other = Wallet(service.client())
    other.client.load(*books())
    for path in (
        *("records", "records?limit=3", "records?offset=2&withTotal=true"),
        "records?source=backend",
        *("records?categoryId=unknown", "records?source=missing", "records?isTransfer=true"),
        *(f"records?categoryId={uid('Category', 1)},unknown", "records?id=x", "records?labelId=x"),
        *("records?recordState=void", "records?sortBy=amount&recordDate=gte.2000-01-01"),
        *("accounts", "budgets?spending=current%2B2", "standing-orders/items", "labels", "goals"),
        *("categories", "record-rules", "standing-orders"),
        f"labels/references?id={uid('Label', 1)}",
    ):
        assert other.get(path) == wallet.get(path), path


def test_more_imports_than_a_statement_lists_are_found(services):
    """Tests PostgreSQL, where numbers in a JSON list are texts."""
    other = Wallet(services("postgresql").client())
    other.service.clock.set(NOW)
    other.client.load(account())
    for number in range(101):
        report = statement((20_750, -10_000 * (number + 1)))
        other.client.statement(report, account_name="Giro")
    assert len(other.ids("records?source=backend&limit=200")) == 101
    assert other.ids("records?source=missing") == []


def test_ties_are_broken_by_id(empty):
    rows = [record(n, recordDate="2026-11-01") for n in (3, 1, 2)]
    empty.client.load(account(), *rows)
    assert empty.ids("records") == empty.ids("records?sortBy=recordDate") == [1, 2, 3]
