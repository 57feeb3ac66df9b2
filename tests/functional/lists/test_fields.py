"""``fields=``: some fields of each row, in tables exactly these in this order."""

import csv
import io
import json
from decimal import Decimal

import pytest
from openpyxl import load_workbook

from finance_api.resources import PUBLIC_RESOURCES
from support.native_rows import account, household, record, uid

EACH = pytest.mark.parametrize("resource", PUBLIC_RESOURCES, ids=lambda r: str(r.path))


def rows_of(response, resource):
    assert response.status_int == 200, response.text
    return json.loads(response.text, parse_float=Decimal)[resource.name]


def headings(response):
    (sheet,) = load_workbook(io.BytesIO(response.body)).worksheets
    return [cell.value for cell in sheet[1]]


@EACH
def test_each_field_is_shown_alone_beside_the_id(client, resource):
    client.load(*household())
    path = str(resource.path)
    whole = rows_of(client.get(path, withTotal="true"), resource)
    assert whole
    for field in resource.fields:
        wanted = [{name: row[name] for name in dict.fromkeys(("id", field.name))} for row in whole]
        assert rows_of(client.get(path, fields=field.name), resource) == wanted
        ndjson = client.get(path, fields=field.name, headers={"Accept": "application/x-ndjson"})
        lines = ndjson.text.splitlines()
        assert [json.loads(line, parse_float=Decimal) for line in lines] == wanted


@EACH
def test_objects_have_an_order_of_their_own_and_tables_the_order_of_the_request(client, resource):
    client.load(*household())
    names = [field.name for field in resource.fields]
    few = [names[0], names[2], names[-1]]
    for asked in (few[1:], few[:0:-1], [*few, *few]):
        for suffix, keys, wanted in (
            ("", lambda r: list(r.json[resource.name][0]), few),
            (".ndjson", lambda r: list(json.loads(r.text.splitlines()[0])), few),
            (".csv", lambda r: next(csv.reader(io.StringIO(r.text))), list(dict.fromkeys(asked))),
            (".xlsx", headings, list(dict.fromkeys(asked))),
        ):
            response = client.get(f"{resource.path}{suffix}", fields=",".join(asked))
            assert keys(response) == wanted


def test_all_fields_are_the_whole_list(client):
    client.load(*household())
    names = ",".join(field.name for field in PUBLIC_RESOURCES[0].fields)
    path = str(PUBLIC_RESOURCES[0].path)
    whole, named = client.get(path), client.get(path, fields=names)
    assert named.body == whole.body
    # Workbooks have an order of their own, unless the request has one.
    asked = client.get(f"{path}.xlsx", fields=names)
    assert headings(asked) == names.split(",") != headings(client.get(f"{path}.xlsx"))
    assert client.get(path, fields="name").headers["ETag"] != whole.headers["ETag"]


def test_numbers_keep_every_digit(client):
    client.load(account(), record(amount=Decimal("-900719925474099.3001"), note="a\u2028b"))
    text = client.get("records", fields="amount,note").text
    assert '"amount":-900719925474099.3001,"note":"a\u2028b"' in text


def test_filters_order_and_pages_go_by_fields_that_are_not_shown(client):
    client.load(account(), *(record(n, amount=n) for n in range(1, 6)))
    response = client.get(
        "records", fields="id", amount="gte.2", sortBy="-amount", limit=2, withTotal="true"
    )
    assert response.json["records"] == [{"id": uid("Record", 5)}, {"id": uid("Record", 4)}]
    assert (response.json["total"], response.json["nextOffset"]) == (4, 2)
    assert "fields=id" in response.headers["Link"]


def test_computed_fields_are_shown_alone_and_sorted_by_unseen(client):
    client.load(*household())
    whole = client.get("budgets", sortBy="-spent").json["budgets"]
    some = client.get("budgets", sortBy="-spent", fields="remaining").json["budgets"]
    assert some == [{name: row[name] for name in ("id", "remaining")} for row in whole]


def test_records_by_id_have_fields_too(client):
    client.load(account(), record(1, payee="Shop"))
    ids = [uid("Record", 1), uid("Record", 2)]
    found = client.get("records/by-id", id=",".join(ids), fields="payee").json
    assert found == {
        "records": [{"id": ids[0], "payee": "Shop"}],
        "count": 1,
        "missingIds": ids[1:],
    }


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("paye", '"paye" is not a field; did you mean "payee"?'),
        ("zzz", '"zzz" is not a field; it takes id, accountId, '),
        ("", "is empty; it takes id, "),
        ("amount,", "is empty; it takes id, "),
        ("amount, payee", '" payee" is not a field'),
        ("Amount", '"Amount" is not a field'),
        ("sourceId", '"sourceId" is not a field'),
    ],
)
def test_an_unknown_field_is_refused(client, value, message):
    for path, query in (("records", {}), ("records/by-id", {"id": uid("Record", 1)})):
        fault = client.fault(path, fields=value, **query)
        assert fault["name"] == "fields" and fault["message"].startswith(message)
