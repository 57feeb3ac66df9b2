"""GET /v1/api/records/duplicates"""

from decimal import Decimal

import pytest

from support.native_rows import account, record, uid


@pytest.fixture
def doubled(client):
    client.load(account(), record(1, payee="Corner Shop", amount=-4.5, source="ofx", sourceId="a"))
    client.load(record(2, payee="CORNER SHOP BERLIN", amount=-4.5, recordDate="2026-03-16"))
    client.load(record(3, payee="Rent", amount=-4.5), record(4, payee="Kiosk", amount=-2))
    client.load(record(5, payee="Kiosk", amount=-2))
    return client


def duplicates(client, **query):
    return client.exact("records/duplicates", **query)


def test_pairs_have_both_records_and_their_account(doubled):
    found = duplicates(doubled)
    assert found["total"] == 2
    (corner,) = (pair for pair in found["duplicates"] if "Berlin" in pair["laterName"].title())
    assert corner == {
        "accountName": "Giro",
        "accountId": uid("Account", 1),
        "amount": Decimal("-4.5"),
        "currencyCode": "EUR",
        "laterId": uid("Record", 2),
        "laterDate": "2026-03-16",
        "laterName": "2026-03-16 CORNER SHOP BERLIN -4.5 EUR",
        "earlierId": uid("Record", 1),
        "earlierDate": "2026-03-18",
        "earlierName": "2026-03-18 Corner Shop -4.5 EUR",
    }


def test_pages_divide_the_pairs(doubled):
    first = duplicates(doubled, limit=1)
    assert (len(first["duplicates"]), first["nextOffset"], first["total"]) == (1, 1, 2)
    second = duplicates(doubled, limit=1, offset=1)
    assert first["duplicates"] + second["duplicates"] == duplicates(doubled)["duplicates"]
    response = doubled.get("records/duplicates.csv", limit=1)
    assert response.text.startswith("accountName,amount,currencyCode,laterDate,")
    assert (response.headers["X-Next-Offset"], response.headers["X-Total-Count"]) == ("1", "2")


def test_void_records_are_in_no_pair(client):
    client.load(account(), record(1, payee="Kiosk"))
    client.load(record(2, payee="Kiosk", recordState="void"))
    assert duplicates(client)["duplicates"] == []
