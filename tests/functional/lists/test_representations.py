"""CSV, NDJSON, and the choice among the representations."""

import csv
import io
import json
import re
from decimal import Decimal

import pytest

from finance_api.resources import PUBLIC_RESOURCES
from finance_api.serialization.values import readable_first
from support.native_rows import account, household, label, payees, record, record_rule, uid
from support.service import on_one_storage

RESOURCES = {str(r.path): r for r in PUBLIC_RESOURCES}
STARTS = tuple("=+-@＝＋－＠﹦﹢﹣﹫−")
#: Characters that programs may drop before a cell: white space, invisible characters, quotes.
DROPPED = ' \t\r\n"\xa0\u3000\xad\u200b\u200e\u2060\ufeff'


def ask(client, path, accept, **query):
    response = client.get(path, headers={"Accept": accept}, **query)
    assert response.status_int == 200, response.text
    return response


def csv_rows(response):
    text = response.body.decode("utf-8")
    return list(csv.reader(io.StringIO(text, newline=""), strict=True))


def cell(value):
    """Return the cell for a JSON value, by the contract; formulas are neutralised."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list):
        value = ";".join(each if isinstance(each, str) else limit(each) for each in value)
    return harmless(value) if isinstance(value, str) else str(value)


def limit(value):
    return f"{value['periodStart']}={value['limit']}"


def cells(path, rows):
    """Return the cells of a list's rows."""
    names = columns(path)
    return [[cell(row[name]) for name in names] for row in rows]


def columns(path):
    """Return the names of a table's columns: what people read comes first."""
    return [field.name for field in readable_first(RESOURCES[path].fields)]


def harmless(text):
    """Put an apostrophe before every formula at the beginning of a cell, wherever programs
    split.
    """
    found, at_beginning = "", True
    for place, character in enumerate(text):
        if at_beginning and character in STARTS:
            found += "'"
        if character in "\t\r\n" and text[place - 1 : place] in ("", ";"):
            found += "'"
        found += character
        at_beginning = character in ";\t\r\n" or (at_beginning and character in DROPPED)
    return found


def split(text, delimiter):
    """Split as programs do: with quotes interpreted, and with quotes as plain characters. Text with
    commas is in quotes, so only programs that interpret quotes split at commas.
    """
    for quoting in (csv.QUOTE_MINIMAL, csv.QUOTE_NONE)[: 1 if delimiter == "," else 2]:
        stream = io.StringIO(text, newline="")
        yield from csv.reader(stream, delimiter=delimiter, quoting=quoting)


def live(text, delimiter):
    """Return the cells that a spreadsheet would run, except numbers."""
    return [
        cell
        for row in split(text, delimiter)
        for cell in row
        if cell.strip(DROPPED).startswith(STARTS) and not re.fullmatch("-?[0-9.]+", cell)
    ]


def json_rows(client, path, **query):
    return client.exact(path, **query)[RESOURCES[path].name]


@pytest.mark.parametrize("path", RESOURCES)
def test_csv_holds_what_json_holds(client, path):
    client.load(*household())
    response = ask(client, path, "text/csv")
    assert response.headers["Content-Type"].split(";")[0] == "text/csv"
    header, *rows = csv_rows(response)
    expected = json_rows(client, path)
    assert header == columns(path)
    assert sorted(header) == sorted(expected[0])
    assert rows == cells(path, expected)


@pytest.mark.parametrize("path", RESOURCES)
def test_an_empty_list_is_a_header_row(client, path):
    response = ask(client, path, "text/csv")
    assert response.body == ",".join(columns(path)).encode() + b"\r\n"
    assert response.headers["X-Next-Offset"] == ""
    assert ask(client, path, "application/x-ndjson").body == b""


def test_csv_lines_end_in_crlf_and_begin_without_a_byte_order_mark(client):
    client.load(*payees("a", "b", "é"))
    body = ask(client, "records", "text/csv").body
    assert body.startswith(b"recordDate,accountName,amount,currencyCode,category,payee,note,")
    assert body.endswith(b"\r\n")
    assert body.count(b"\r\n") == body.count(b"\n") == body.count(b"\r") == 4
    assert "é".encode() in body


def test_cells_are_quoted_where_they_must_be(client):
    texts = ['say "hi"', "a,b", "two\nlines", "semi;colon", " padded ", '"', ",", "'quoted'"]
    client.load(*payees(*texts))
    response = ask(client, "records", "text/csv", sortBy="id")
    header, *rows = csv_rows(response)
    assert [row[header.index("payee")] for row in rows] == texts
    # All text is in quotes, and nothing else.
    assert ',"semi;colon",' in response.text
    assert ',"payee 1",' not in response.text
    assert '"-1' not in response.text and '"EUR' not in response.text
    assert '"say ""hi"""' in response.text
    assert '"two\nlines"' in response.text


#: Texts that run as a formula in a cell, and texts that may come before them.
FORMULAS = ("=1+1", "+1", "-1+1|2", "@SUM(1)", "＝1", "＋1", "－1", "＠1", "=cmd|' /C calc'!A0")
BEFORE = (
    *("", "a;", "a; ", ";", ";;", 'a;"', 'a;""', 'a";', '"', '""', '";"', " ", "\n", "a\n"),
    *("a\n ", "a\t", "\t", "a;\t", "a;\n", "a;\xa0", "a;\u200b", "\ufeff", "\u3000"),
    *("a;'\n", 'a\n"', "a\n\n;"),
)
TEXTS = [start + formula + end for start in BEFORE for formula in FORMULAS for end in ("", '"')]


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_nothing_runs_wherever_a_program_splits(client, delimiter):
    client.load(
        *payees(*TEXTS[:600]),
        label(1, name="=1"),
        label(2, name="b;-1"),
        label(3, name="@x"),
        record(9_000, labelIds=[uid("Label", n) for n in (1, 2, 3)]),
        record_rule(keywords=["a", "=1", "+2", "x"]),
    )
    for path in ("records", "labels", "record-rules"):
        for offset in range(0, 700, 100):
            text = ask(client, path, "text/csv", limit=100, offset=offset).body.decode()
            assert live(text, delimiter) == []
    (row,) = csv_rows(ask(client, "records", "text/csv", id=uid("Record", 9_000)))[1:]
    assert {"'=1", "b", "'-1", "'@x"} == set(";".join(c for c in row if "@x" in c).split(";"))


def test_payloads_come_back_as_the_model_has_them(client, corpora):
    """Every cell, read again, is the text with the apostrophes of `harmless`."""
    lists = sorted((corpora / "strings").glob("**/*.txt"))
    lines = {line for path in lists for line in path.read_text("utf-8", "replace").splitlines()}
    texts = [*TEXTS, *sorted(line for line in lines if line.strip() and len(line) < 250)[::40]]
    client.load(account(), *(record(n, payee=t.replace("\0", "")) for n, t in enumerate(texts, 1)))
    for offset in range(0, len(texts), 100):
        query = {"sortBy": "id", "limit": 100, "offset": offset}
        rows = csv_rows(ask(client, "records", "text/csv", **query))[1:]
        expected = json_rows(client, "records", **query)
        assert rows == cells("records", expected)
        assert len(rows) > 0


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
    header, *rows = csv_rows(ask(client, "records", "text/csv", **query))
    assert [row[header.index("id")] for row in rows] == expected
    lines = ask(client, "records", "application/x-ndjson", **query).text.splitlines()
    assert [json.loads(line)["id"] for line in lines] == expected


@on_one_storage
@pytest.mark.parametrize(
    ("accept", "expected"),
    [
        (None, "application/json"),
        ("*/*", "application/json"),
        ("application/*", "application/json"),
        ("application/json", "application/json"),
        ("application/json; charset=utf-8", "application/json"),
        ("APPLICATION/JSON", "application/json"),
        ("text/csv", "text/csv"),
        ("text/csv; charset=utf-8", "text/csv"),
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
