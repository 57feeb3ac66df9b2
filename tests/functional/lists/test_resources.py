"""The rows of each resource: their fields, their order, and derived values."""

from datetime import datetime

import pytest

from finance_api.resources import PUBLIC_RESOURCES
from finance_api.resources.field import names_of
from support.native_rows import account, category, household, label, record, uid

#: The fields by path, in their order; a test of the docs compares them with the docs' lists.
FIELDS = {str(resource.path): names_of(resource.fields) for resource in PUBLIC_RESOURCES}
ENVELOPES = {"standing-orders": "standingOrders", "record-rules": "recordRules"}


@pytest.mark.parametrize("path", FIELDS)
def test_every_row_has_every_field_in_order(client, path):
    client.load(*household())
    rows = client.get(path).json[ENVELOPES.get(path, path)]
    assert rows
    for row in rows:
        assert tuple(row) == FIELDS[path]
        assert "" not in row.values()
        for name in ("createdAt", "updatedAt"):
            datetime.strptime(row[name], "%Y-%m-%dT%H:%M:%SZ")
        for name, value in row.items():
            if name in ("labels", "labelIds", "categoryIds", "accountIds", "keywords"):
                assert isinstance(value, list)


def test_a_record_carries_the_names_of_what_it_refers_to(client):
    client.load(*household())
    (row,) = client.get("records", id=uid("Record", 1)).json["records"]
    (imported,) = (native for native in household() if native["id"] == uid("Record", 1))
    assert row == {
        **{name: imported[name] for name in imported if name != "reserved_model_type"},
        "accountName": "Giro",
        "currencyCode": "EUR",
        "category": "Food",
        "labels": ["home", "Home"],
        "recordType": "expense",
        "transferId": None,
        "splitId": None,
        "importId": "00000000-0000-8000-8000-000000000001",
    }


def test_a_new_name_reaches_the_records(client):
    client.load(
        account(),
        category(),
        label(),
        record(categoryId=uid("Category", 1), labelIds=[uid("Label", 1)]),
    )
    client.load(account(name="Bank"), category(name="Meals"), label(name="shared"))
    for field, name in (("accountName", "Bank"), ("category", "Meals")):
        assert client.names("records", field) == [name]
        assert len(client.names("records", "id", **{field: f"eq.{name}"})) == 1
        assert client.names("records", "id", **{field: "contains-i.food"}) == []
    assert client.names("records", "labels", labels="eq.shared") == [["shared"]]
    assert client.names("records", "id", labels="eq.home") == []


def test_the_currency_of_a_record_is_its_account_s(client):
    client.load(account(currencyCode="JPY"), record(), record(2, currencyCode="JPY"))
    assert client.names("records", "currencyCode") == ["JPY", "JPY"]


def test_the_currencies_of_an_account_and_its_records_never_differ(client):
    client.load(account(), record())
    client.load(account(currencyCode="USD"))
    for resource in ("accounts", "records"):
        assert client.names(resource, "currencyCode") == ["USD"]
    assert len(client.names("records", "id", currencyCode="USD")) == 1


def test_what_is_left_out_takes_its_default(client):
    client.load(
        {
            "reserved_model_type": "Account",
            "id": uid("Account", 1),
            "name": " x",
            "currencyCode": "EUR",
        }
    )
    (row,) = client.get("accounts").json["accounts"]
    assert row["accountType"] == "General"
    assert row["initialBalance"] == row["balance"] == row["recordCount"] == 0
    assert row["archived"] is row["excludeFromStats"] is False
    assert row["color"] is row["bankAccountNumber"] is None
    assert row["createdAt"] == row["updatedAt"] == "2026-03-18T12:00:00Z"


def test_blank_text_is_missing(client):
    client.load(account(), record(1, payee=""), record(2, payee=" \t\n"), record(3, note="\u3000"))
    assert client.names("records", "payee") == [None] * 3
    assert client.names("records", "note") == [None] * 3
    assert len(client.names("records", "id", payee="is.null", note="is.null")) == 3


def test_a_balance_follows_its_records(client):
    def balance():
        (row,) = client.get("accounts").json["accounts"]
        return row["balance"]

    client.load(account(initialBalance=10), record(1, amount=-3), record(2, amount=5))
    assert balance() == 12
    client.load(record(1, amount=-4))
    assert balance() == 11
    client.load(record(2, amount=5, recordState="void"))
    assert balance() == 6
    client.load(account(initialBalance=0))
    assert balance() == -4
    client.load(record(2, amount=5, recordState="uncleared"))
    assert balance() == 1
    assert client.names("accounts", "recordCount") == [2]


def test_a_record_that_moves_changes_both_accounts(client):
    client.load(account(1), account(2, name="Savings"), record(amount=-7))
    assert client.names("accounts", "balance") == [-7, 0]
    client.load(record(amount=-7, accountId=uid("Account", 2)))
    assert client.names("accounts", "balance") == [0, -7]
    assert client.names("accounts", "recordCount") == [0, 1]


@pytest.mark.parametrize("path", FIELDS)
def test_bodies_are_utf_8_json(client, path):
    client.load(*household())
    response = client.get(path)
    assert response.headers["Content-Type"] == "application/json"
    assert "\\u" not in response.body.decode("utf-8")
