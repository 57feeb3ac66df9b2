"""The rows of each resource: their fields, their order, and derived values."""

from datetime import datetime

import pytest

from finance_api.resources import PUBLIC_RESOURCES
from support.native_rows import account, category, household, label, record, uid

#: The contract's fields, in its order.
FIELDS = {
    "records": "id accountId accountName amount currencyCode recordDate category categoryId payee "
    "note labels labelIds recordType paymentType recordState transferId splitId valueDate "
    "counterpartyAccount reference originalAmount originalCurrencyCode importId createdAt "
    "updatedAt",
    "accounts": "id name accountType currencyCode initialBalance balance recordCount "
    "lastRecordDate bankBalance bankBalanceDate unexplained bankAccountNumber color archived "
    "excludeFromStats createdAt updatedAt",
    "categories": "id name parentId group kind color archived customCategory createdAt updatedAt",
    "budgets": "id name type currencyCode limitAmount categoryIds accountIds labelIds startDate "
    "endDate closed createdAt updatedAt periodStart periodEnd spent income remaining "
    "progress recordCount",
    "goals": "id name note color targetAmount savedAmount currencyCode accountId labelId "
    "desiredDate state currentAmount progress expectedDate createdAt updatedAt",
    "standing-orders": "id name type accountId categoryId amount currencyCode payee note "
    "paymentType recurrenceRule startDate nextDueDate labelIds manualPayment createdAt updatedAt",
    "labels": "id name color archived createdAt updatedAt",
    "record-rules": "id name keywords categoryId labelIds accountId createdAt updatedAt",
}
ENVELOPES = {"standing-orders": "standingOrders", "record-rules": "recordRules"}


def test_no_resource_is_forgotten():
    assert {str(r.path) for r in PUBLIC_RESOURCES} == set(FIELDS)


@pytest.mark.parametrize("path", FIELDS)
def test_every_row_has_every_field_in_order(client, path):
    client.load(*household())
    rows = client.get(path).json[ENVELOPES.get(path, path)]
    assert rows
    for row in rows:
        assert list(row) == FIELDS[path].split()
        assert "" not in row.values()
        for name in ("createdAt", "updatedAt"):
            datetime.strptime(row[name], "%Y-%m-%dT%H:%M:%SZ")
        for name, value in row.items():
            if name in ("labels", "labelIds", "categoryIds", "accountIds", "keywords"):
                assert isinstance(value, list)


def test_a_record_carries_the_names_of_what_it_refers_to(client):
    client.load(*household())
    (row,) = client.get("records", id=uid("Record", 1)).json["records"]
    assert row == {
        "id": uid("Record", 1),
        "accountId": uid("Account", 1),
        "accountName": "Giro",
        "amount": -42.5,
        "currencyCode": "EUR",
        "recordDate": "2026-03-01",
        "category": "Food",
        "categoryId": uid("Category", 1),
        "payee": "Corner Shop",
        "note": "100% \\ off_",
        "labels": ["home", "Home"],
        "labelIds": [uid("Label", 1), uid("Label", 2)],
        "recordType": "expense",
        "paymentType": "debit_card",
        "recordState": "cleared",
        "transferId": None,
        "splitId": None,
        "valueDate": "2026-03-03",
        "counterpartyAccount": "DE75512108001245126199",
        "reference": "RF18539007",
        "originalAmount": -49.9,
        "originalCurrencyCode": "USD",
        "importId": "00000000-0000-8000-8000-000000000001",
        "createdAt": "2026-01-01T10:00:00Z",
        "updatedAt": "2026-02-01T23:59:59Z",
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
