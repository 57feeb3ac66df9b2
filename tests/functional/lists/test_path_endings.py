"""``.csv``, ``.ndjson`` and ``.xlsx`` at the end of a list's path; workbooks."""

import io
import zipfile
from decimal import Decimal
from xml.etree import ElementTree

import pytest

from finance_api.resources import PUBLIC_RESOURCES
from finance_api.serialization.values import readable_first
from support.native_rows import account, household, label, payees, record, split_record, uid

EACH = pytest.mark.parametrize("resource", PUBLIC_RESOURCES, ids=lambda r: str(r.path))
XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
TYPES = {"csv": "text/csv", "ndjson": "application/x-ndjson", "xlsx": XLSX}
MAIN = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"


def sheet_of(response):
    """Return the cells by place: (type, value, format), as in the file."""
    with zipfile.ZipFile(io.BytesIO(response.body)) as parts:
        assert parts.testzip() is None
        root = ElementTree.fromstring(parts.read("xl/worksheets/sheet1.xml"))
        # The shared strings are only the headings.
        shared = ElementTree.fromstring(parts.read("xl/sharedStrings.xml"))
    headings = [text.text or "" for text in shared.iter(f"{MAIN}t")]
    assert not list(root.iter(f"{MAIN}f")), "no cell is a formula"
    assert not list(root.iter(f"{MAIN}hyperlink"))
    return {
        cell.get("r"): (
            cell.get("t", "n"),
            headings[int(cell.findtext(f"{MAIN}v"))]
            if cell.get("t") == "s"
            else "".join(t.text or "" for t in cell.iter() if t.tag in (f"{MAIN}v", f"{MAIN}t")),
            cell.get("s", "0"),
        )
        for cell in root.iter(f"{MAIN}c")
    }


def column(cells, name):
    """The cells below a heading."""
    (letter,) = {place.rstrip("1") for place, cell in cells.items() if cell[1] == name}
    return [v for k, v in cells.items() if k.rstrip("0123456789") == letter][1:]


def test_the_next_page_has_the_ending_too(client):
    client.load(*household())
    link = client.get("records.csv", limit=1).headers["Link"]
    assert link.startswith("</v1/api/records.csv?limit=1&offset=1>")
    client.load(*payees("a", "b"))
    link = client.get("records/summary.csv", groupBy="payee", limit=1).headers["Link"]
    assert link.startswith("</v1/api/records/summary.csv?groupBy=payee&limit=1&offset=1>")


def test_other_endings_are_404(client):
    for path in ("records.json", "records.CSV", "records.csv/", "records.pdf", "records/by-id.csv"):
        assert client.get(path).status_int == 404
    assert client.get("records.xlsx", limit=0).status_int == 400


#: Path and query of the lists, and of the computed tables.
EXPORTED = [
    *((str(r.path), {"limit": 2, "withTotal": "true", "sortBy": "-id"}) for r in PUBLIC_RESOURCES),
    ("records/summary", {"groupBy": "month", "limit": 1}),
    ("records/recurring", {}),
    ("records/duplicates", {"limit": 1}),
    ("accounts/balances", {"interval": "year"}),
    ("accounts/forecast", {"interval": "week", "include": "typical"}),
    ("standing-orders/upcoming", {"limit": 1}),
    (f"budgets/{uid('Budget', 1)}/periods", {"last": 2}),
]


def test_every_path_that_takes_endings_is_among_these(service):
    found = {
        each.path.replace("{id}", uid("Budget", 1)).removeprefix("/v1/api/")
        for each in service.app.registry.endpoints.values()
        if each.has_suffixes
    }
    others = {path for path in found if path.startswith(("export/", "questions/"))}
    assert found - others == {path for path, _ in EXPORTED}


@pytest.mark.parametrize(("path", "query"), EXPORTED, ids=[path for path, _ in EXPORTED])
@pytest.mark.parametrize("suffix", TYPES)
def test_an_ending_means_what_accept_means(client, path, query, suffix):
    client.load(*household())
    asked = client.get(path, headers={"Accept": TYPES[suffix]}, **query)
    assert asked.status_int == 200
    for accept in ("application/json", "image/png", "*/*"):
        named = client.get(f"{path}.{suffix}", headers={"Accept": accept}, **query)
        assert (named.status_int, named.body) == (200, asked.body)
        for name in ("Content-Type", "X-Total-Count", "X-Next-Offset", "ETag"):
            assert named.headers.get(name) == asked.headers.get(name)
    assert named.headers["Content-Type"].startswith(TYPES[suffix])
    assert client.get(f"{path}.json").status_int == 404


@EACH
def test_a_workbook_has_the_rows_of_the_list(client, resource):
    client.load(*household())
    path = str(resource.path)
    cells = sheet_of(client.get(f"{path}.xlsx"))
    rows = client.get(path).json[resource.name]
    assert {int("".join(filter(str.isdigit, place))) for place in cells} == set(
        range(1, len(rows) + 2)
    )
    assert [cell[1] for place, cell in cells.items() if place.rstrip("1").isalpha()][
        : len(resource.fields)
    ] == [field.name for field in readable_first(resource.fields)]


def test_numbers_dates_and_booleans_are_no_texts(client):
    client.load(
        account(excludeFromStats=True),
        record(1, amount=Decimal("-1234567.0125"), recordDate="2026-03-01T17:00:00Z", payee="=1+1"),
        record(2, amount=100, recordDate="1900-01-01"),
    )
    cells = sheet_of(client.get("records.xlsx"))
    assert [cell[:2] for cell in column(cells, "amount")] == [("n", "-1234567.0125"), ("n", "100")]
    # 1 March 2026 is day 46,082 in spreadsheets, which have no days before 1900.
    dates = column(cells, "recordDate")
    assert [cell[:2] for cell in dates] == [("n", "46082"), ("inlineStr", "1900-01-01")]
    assert dates[0][2] != "0"
    (made, _) = column(cells, "createdAt")
    assert made[:2] == ("n", "46099.5")
    (flag,) = column(sheet_of(client.get("accounts.xlsx")), "excludeFromStats")
    assert flag[:2] == ("b", "1")


def test_text_is_text(client):
    texts = ["=1+1", "+1", "-1", "@x", "http://a.example", "007", "TRUE", " a ", "<b>&", "é😀"]
    # XlsxWriter would take the first one for a text with formats.
    texts += ["<r><t>x</t></r>", "&amp;", "]]>"]
    texts += ["{=1}", "_x0041_", "a\nb\tc", "\ufffe\uffff", "1e5", "'x", "2026-01-01", "mailto:x"]
    client.load(*payees(*texts))
    cells = column(sheet_of(client.get("records.xlsx", sortBy="id")), "payee")
    assert {cell[0] for cell in cells} == {"inlineStr"}
    # Programs read _xHHHH_ in a text as a character.
    escaped = {"_x0041_": "_x005F_x0041_", "\ufffe\uffff": "_xFFFE__xFFFF_"}
    assert [cell[1] for cell in cells] == [escaped.get(text, text) for text in texts]


def test_a_text_too_long_for_a_cell_ends_in_an_ellipsis(client):
    client.load(account(), record(1, note="x" * 32_767), record(2, note="y" * 32_768))
    first, second = column(sheet_of(client.get("records.xlsx", sortBy="id")), "note")
    assert first[1] == "x" * 32_767
    assert second[1] == "y" * 32_766 + "…"


def test_lists_and_missing_values_are_as_in_csv(client):
    client.load(
        account(),
        label(1, name="a"),
        label(2, name="b"),
        record(1, labelIds=[uid("Label", 1), uid("Label", 2)]),
    )
    cells = sheet_of(client.get("records.xlsx", fields="labels,note"))
    assert [cell[1] for cell in cells.values()] == ["labels", "note", "a;b"]


def test_the_same_rows_are_the_same_bytes(client):
    client.load(*household())
    first = client.get("records.xlsx")
    # A different query, so that the cache does not answer.
    assert client.get("records.xlsx", limit=30).body == first.body


def test_a_workbook_has_the_parts_of_a_split_with_the_id_of_the_whole(client):
    whole, parts = uid("Record", 1), [uid("Record", 11), uid("Record", 12)]
    client.load(
        *(account(), split_record(1, id=whole, amount=-30), record(2)),
        *(record(11, amount=-20, splitId=whole), record(12, amount=-10, splitId=whole)),
    )
    texts = [cell[1] for cell in sheet_of(client.get("records.xlsx")).values()]
    assert texts.count(whole) == 2
    assert all(part in texts for part in parts)
