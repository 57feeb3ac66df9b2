"""CSV, NDJSON, and the choice among the representations."""

import csv
import io
import json
from decimal import Decimal

import pytest

from finance_api.resources import PUBLIC_RESOURCES
from support.books import account, household, label, payees, record, record_rule, uid

RESOURCES = {str(r.path): r for r in PUBLIC_RESOURCES}
STARTS = ("=", "+", "-", "@", "\t")


def ask(client, path, accept, **query):
    response = client.get(path, headers={"Accept": accept}, **query)
    assert response.status_int == 200, response.text
    return response


def csv_rows(response):
    text = response.body.decode("utf-8")
    return list(csv.reader(io.StringIO(text, newline=""), strict=True))


def cell(value):
    """What the contract makes of a JSON value; text is neutralised."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list):
        value = ";".join(value)
    if isinstance(value, str):
        return "'" + value if value.startswith((*STARTS, "\r")) else value
    return str(value)


def json_rows(client, path, **query):
    text = client.get(path, **query).text
    return json.loads(text, parse_float=Decimal)[RESOURCES[path].name]


@pytest.mark.parametrize("path", RESOURCES)
def test_csv_holds_what_json_holds(client, path):
    client.load(*household())
    response = ask(client, path, "text/csv")
    assert response.headers["Content-Type"].split(";")[0] == "text/csv"
    header, *rows = csv_rows(response)
    expected = json_rows(client, path)
    assert header == list(expected[0])
    assert rows == [[cell(value) for value in row.values()] for row in expected]


@pytest.mark.parametrize("path", RESOURCES)
def test_an_empty_list_is_a_header_row(client, path):
    response = ask(client, path, "text/csv")
    names = ",".join(f.name for f in RESOURCES[path].fields)
    assert response.body == names.encode() + b"\r\n"
    assert response.headers["X-Next-Offset"] == ""
    assert ask(client, path, "application/x-ndjson").body == b""


def test_csv_lines_end_in_crlf_and_begin_without_a_byte_order_mark(client):
    client.load(*payees("a", "b", "é"))
    body = ask(client, "records", "text/csv").body
    assert body.startswith(b"id,accountId,")
    assert body.endswith(b"\r\n")
    assert body.count(b"\r\n") == body.count(b"\n") == body.count(b"\r") == 4
    assert "é".encode() in body


def test_cells_are_quoted_where_they_must_be(client):
    texts = ['say "hi"', "a,b", "two\nlines", "semi;colon", " padded ", '"', ",", "'quoted'"]
    client.load(*payees(*texts))
    response = ask(client, "records", "text/csv", sortBy="id")
    header, *rows = csv_rows(response)
    assert [row[header.index("payee")] for row in rows] == texts
    assert '"say ""hi"""' in response.text
    assert '"two\nlines"' in response.text


def test_text_that_a_spreadsheet_would_run_is_neutralised(client):
    texts = ["=1+1", "+49 30 1", "-5", "@SUM(A1)", "\tx", "=cmd|' /C calc'!A0", "a=1", "1-1", "a@b"]
    client.load(
        account(name="=HYPERLINK(1)", bankAccountNumber="+12", color="-red"),
        *payees(*texts)[1:],
        label(name="@x"),
        record(99, labelIds=[uid("Label", 1)], note="-note"),
        record_rule(keywords=["=a", "b"]),
    )
    header, *rows = csv_rows(ask(client, "records", "text/csv", sortBy="id"))
    found = [row[header.index("payee")] for row in rows[:-1]]
    assert found == ["'" + t if t.startswith(STARTS) else t for t in texts]
    last = dict(zip(header, rows[-1], strict=True))
    assert (last["labels"], last["note"]) == ("'@x", "'-note")
    assert last["accountName"] == "'=HYPERLINK(1)"
    (row,) = csv_rows(ask(client, "accounts", "text/csv"))[1:]
    assert "'+12" in row and "'-red" in row
    assert "'=a;b" in csv_rows(ask(client, "record-rules", "text/csv"))[1]
    for _, *cells in (rows[0], rows[-1]):
        for text in cells:
            assert text == "-1" or not text.startswith((*STARTS, "\r"))


def test_numbers_stay_numbers(client):
    client.load(
        account(),
        *(record(n, amount=Decimal(v)) for n, v in enumerate(("-42.5", "0", "-0.0001", "7"), 1)),
    )
    header, *rows = csv_rows(ask(client, "records", "text/csv", sortBy="id"))
    assert [r[header.index("amount")] for r in rows] == ["-42.5", "0", "-0.0001", "7"]


@pytest.mark.parametrize("path", RESOURCES)
def test_ndjson_holds_one_object_a_line(client, path):
    client.load(*household())
    response = ask(client, path, "application/x-ndjson")
    assert response.headers["Content-Type"].split(";")[0] == "application/x-ndjson"
    lines = response.body.decode("utf-8").split("\n")
    assert lines.pop() == ""
    assert [json.loads(line, parse_float=Decimal) for line in lines] == json_rows(client, path)


@pytest.mark.parametrize("accept", ["text/csv", "application/x-ndjson"])
def test_what_has_no_envelope_pages_by_headers(client, accept):
    client.load(*(label(n, name=f"l{n}") for n in range(1, 6)))
    first = ask(client, "labels", accept, limit=2)
    assert first.headers["X-Next-Offset"] == "2"
    assert 'rel="next"' in first.headers["Link"].replace("rel=next", 'rel="next"')
    assert "X-Total-Count" not in first.headers
    last = ask(client, "labels", accept, limit=2, offset=4, withTotal="true")
    assert last.headers["X-Next-Offset"] == ""
    assert last.headers["X-Total-Count"] == "5"
    assert "Link" not in last.headers


def test_filters_and_order_hold_in_every_representation(client):
    client.load(*household())
    query = {"amount": "lte.0", "sortBy": "amount,-id", "limit": 2}
    expected = client.names("records", "id", **query)
    rows = csv_rows(ask(client, "records", "text/csv", **query))[1:]
    assert [row[0] for row in rows] == expected
    lines = ask(client, "records", "application/x-ndjson", **query).text.splitlines()
    assert [json.loads(line)["id"] for line in lines] == expected


@pytest.mark.parametrize(
    ("accept", "expected"),
    [
        (None, "application/json"),
        ("*/*", "application/json"),
        ("application/*", "application/json"),
        ("application/json", "application/json"),
        ("application/json; charset=utf-8", "application/json"),
        ("application/json; charset=UTF-8", "application/json"),
        ("APPLICATION/JSON", "application/json"),
        ("text/csv", "text/csv"),
        ("text/csv; charset=utf-8", "text/csv"),
        ("text/csv; charset=UTF-8", "text/csv"),
        ("text/csv; header=present", "text/csv"),
        ("text/csv; charset=utf-8; header=present", "text/csv"),
        ("text/*", "text/csv"),
        ("application/x-ndjson", "application/x-ndjson"),
        ("application/json;q=0.5, text/csv", "text/csv"),
        ("text/csv;q=0.1, application/x-ndjson;q=0.2", "application/x-ndjson"),
        ("text/html, application/xhtml+xml, */*;q=0.8", "application/json"),
        ("text/html, text/csv;q=0.2", "text/csv"),
        ("text/csv, */*;q=0.1", "text/csv"),
        ("*/*, text/csv;q=0.5", "application/json"),
        ("text/csv, application/json", None),
    ],
)
def test_the_client_s_preference_decides(client, accept, expected):
    response = client.get("labels", headers={} if accept is None else {"Accept": accept})
    assert response.status_int == 200, response.text
    if expected:
        assert response.headers["Content-Type"].split(";")[0] == expected


def test_an_offered_type_may_be_refused_by_quality_zero(client):
    for accept, expected in (
        ("application/json;q=0, */*", ("text/csv", "application/x-ndjson")),
        ("*/*, application/json;q=0, text/csv;q=0", ("application/x-ndjson",)),
    ):
        answer = client.get("labels", headers={"Accept": accept})
        assert answer.headers["Content-Type"].split(";")[0] in expected
