"""Exports: whole lists in one response, from one snapshot, and their cost in requests."""

import gzip
import io
import json
import re
import zipfile
from decimal import Decimal

import pytest
from webob import Request

from finance_api.api import rendering
from finance_api.api.public import exports
from finance_api.ledger.dump import dump
from finance_api.ratelimit import tween
from finance_api.resources import PUBLIC_RESOURCES
from finance_api.storage.interface import reading
from support.exports import COUNT, export, many
from support.native_rows import account, budget, household, record, uid

EACH = pytest.mark.parametrize("resource", PUBLIC_RESOURCES, ids=lambda r: str(r.path))
TYPES = {
    "csv": "text/csv",
    "ndjson": "application/x-ndjson",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
}
DATA = "finance-data-2026-03-18.ndjson"


def pages_of(client, path, **query):
    """Yield all pages of a list in order."""
    bodies, offset = [], "0"
    while offset:
        answer = client.get(path, limit=100, offset=offset, **query)
        assert answer.status_int == 200, answer.text
        bodies.append(answer.body)
        offset = answer.headers["X-Next-Offset"]
    return bodies


def cells(body):
    """Return the XML of a workbook's rows, without the row numbers."""
    with zipfile.ZipFile(io.BytesIO(body)) as parts:
        assert parts.testzip() is None
        sheet = parts.read("xl/worksheets/sheet1.xml").decode()
    rows = sheet.partition("<sheetData>")[2].partition("</sheetData>")[0].split("</row>")[:-1]
    for number, row in enumerate(rows, start=1):
        assert set(re.findall(r' r="[A-Z]*([0-9]+)"', row)) == {str(number)}
    return [re.sub(r' r="([A-Z]*)[0-9]+"', r' r="\1"', row) for row in rows]


def joined(suffix, bodies):
    """Join the bodies of pages into one."""
    if suffix == "ndjson":
        return b"".join(bodies)
    if suffix == "csv":
        header = bodies[0].partition(b"\r\n")[0] + b"\r\n"
        assert all(body.startswith(header) for body in bodies)
        return header + b"".join(body.removeprefix(header) for body in bodies)
    sheets = [cells(body) for body in bodies]
    return sheets[0][:1] + [row for sheet in sheets for row in sheet[1:]]


# -- what is in it -------------------------------------------------------------------------------


@EACH
@pytest.mark.parametrize("suffix", TYPES)
def test_an_export_is_all_pages_one_after_another(reader, resource, suffix):
    client = reader(household)
    path = f"{resource.path}.{suffix}"
    for query in ({}, {"sortBy": "-id"}, {"fields": "id,createdAt"}, {"id": uid("Label", 1)}):
        answer = export(client, path, **query)
        assert answer.headers["Content-Type"].startswith(TYPES[suffix])
        whole = cells(answer.body) if suffix == "xlsx" else answer.body
        assert whole == joined(suffix, pages_of(client, path, **query))
        rows = client.get(str(resource.path), withTotal="true", **query).json["total"]
        assert answer.headers["X-Total-Count"] == str(rows)


@pytest.mark.parametrize("suffix", TYPES)
@pytest.mark.parametrize(
    "query",
    [
        {},
        {"amount": "lt.0"},
        {"sortBy": "amount,-payee"},
        {"sortBy": "+note"},
        {"recordDate": "gte.2026-02"},
        {"recordDate": ["gte.2026-01-10", "lt.2026-03-02"], "note": "contains-i.ODD"},
        {"q": "shop 3", "sortBy": "-recordDate"},
        {"payee": "is.null", "accountId": uid("Account", 2)},
        {"categoryId": uid("Category", 1), "withSubcategories": "true"},
        {"fields": "payee,amount,recordDate", "payee": "eq.Shop 5"},
        {"amount": "gt.1000"},
    ],
    ids=lambda query: "&".join(query) or "all",
)
def test_filters_order_and_fields_are_those_of_the_list(reader, suffix, query):
    client = reader(many)
    whole = export(client, f"records.{suffix}", **query).body
    pages = joined(suffix, pages_of(client, f"records.{suffix}", **query))
    assert (cells(whole) if suffix == "xlsx" else whole) == pages


def test_computed_fields_are_there_and_can_be_sorted_by(client):
    client.load(account(), record(1, amount=-70), *(budget(n, limitAmount=n) for n in range(1, 8)))
    for sort in ("-remaining", "progress,-id"):
        whole = export(client, "budgets.csv", sortBy=sort).body
        assert whole == joined("csv", pages_of(client, "budgets.csv", sortBy=sort))
    # Computed fields depend on the day.
    client.service.clock.set("2026-04-18T12:00:00Z")
    assert export(client, "budgets.csv", sortBy=sort).body != whole


def test_relative_days_are_those_of_the_day(client):
    client.load(account(), record(1, recordDate="2026-03-18"), record(2, recordDate="2026-03-17"))
    counts = []
    for day in ("18", "19"):
        client.service.clock.set(f"2026-03-{day}T12:00:00Z")
        answer = export(client, "records.ndjson", recordDate="gte.-1d")
        counts.append(answer.headers["X-Total-Count"])
    assert counts == ["2", "1"]


def test_an_export_of_nothing_is_a_header_or_nothing(client):
    assert export(client, "records.ndjson").body == b""
    header = client.get("records.csv").body
    assert export(client, "records.csv").body == header
    assert cells(export(client, "records.xlsx").body) == cells(client.get("records.xlsx").body)


def test_all_is_what_the_command_dumps_and_can_be_imported(service):
    client, other = service.client(), service.client()
    client.load(*household(), *many()[4:])
    answer = export(client, "all.ndjson")
    with reading(service.backend) as storage:
        assert answer.body == b"".join(dump(storage, client.user.id))
    assert answer.headers["Content-Disposition"] == f'attachment; filename="{DATA}"'
    rows = [json.loads(line, parse_float=Decimal) for line in answer.body.splitlines()]
    assert answer.headers["X-Total-Count"] == str(len(rows))
    assert not client.load(*rows).changed
    other.load(*rows)
    assert export(other, "all.ndjson").body == answer.body


# -- headers and parameters ----------------------------------------------------------------------


def test_an_export_says_what_it_is(client):
    client.load(*many(3))
    answer = export(client, "standing-orders.csv")
    named = 'attachment; filename="standing-orders-2026-03-18.csv"'
    assert answer.headers["Content-Disposition"] == named
    assert answer.headers["X-Last-Data-Change-Rev"] == "1"
    assert answer.headers["Cache-Control"] == "private, no-cache"
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    head = client.service.web.head("/v1/api/export/records.csv", headers=client.headers)
    assert head.body == b""
    assert head.headers["X-Total-Count"] == "3"


def test_whoever_has_it_is_informed(client):
    client.load(*many(3))
    for path in ("records.csv", "budgets.ndjson", "all.ndjson", "records.csv?recordDate=gte.-1d"):
        tag = export(client, path).headers["ETag"]
        for known in (tag, "*"):
            again = client.get(f"export/{path}", headers={"If-None-Match": known})
            assert (again.status_int, again.body) == (304, b"")
    client.load(record(1, amount=-9))
    known = {"If-None-Match": tag}
    assert client.get("export/records.csv?recordDate=gte.-1d", headers=known).status_int == 200


def test_the_tags_of_what_differs_differ(client):
    client.load(*many(3))
    paths = ["records.csv", "records.ndjson", "records.xlsx", "accounts.csv", "all.ndjson"]
    paths += ["records.csv?sortBy=id", "records.csv?amount=lt.0", "records.csv?fields=amount"]
    paths += ["records.ndjson?trailer=true", "records.csv?category=eq.Food"]
    paths += ["records.csv?category=eq.Food&withSubcategories=true"]
    tags = [export(client, path).headers["ETag"] for path in paths]
    assert len(set(tags)) == len(paths)
    assert export(client, "records.csv?sortBy=%2Bid").headers["ETag"] == tags[5]


@pytest.mark.parametrize(
    ("accept", "expected"),
    [
        (None, "ndjson"),
        ("*/*", "ndjson"),
        ("text/csv", "csv"),
        (TYPES["xlsx"], "xlsx"),
        ("application/x-ndjson", "ndjson"),
        ("application/json", None),
    ],
)
def test_without_an_ending_accept_decides(client, accept, expected):
    headers = {} if accept is None else {"Accept": accept}
    answer = client.get("export/labels", headers=headers)
    if expected is None:
        assert answer.status_int == 406
        assert "text/csv" in answer.json["detail"]
    else:
        assert answer.headers["Content-Type"].startswith(TYPES[expected])
        named = client.get(f"export/labels.{expected}", headers={"Accept": "application/json"})
        assert named.body == answer.body


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("records.csv?limit=5", "limit"),
        ("records.csv?offset=5", "offset"),
        ("records.csv?withTotal=true", "withTotal"),
        ("records.csv?nothing=1", "nothing"),
        ("records.csv?sortBy=nothing", "sortBy"),
        ("records.csv?trailer=true", "trailer"),
        ("records.xlsx?trailer=true", "trailer"),
        ("records.ndjson?trailer=maybe", "trailer"),
        ("all.ndjson?sortBy=id", "sortBy"),
    ],
)
def test_what_an_export_does_not_take_is_refused(client, path, name):
    answer = client.get(f"export/{path}")
    assert answer.status_int == 400
    (fault,) = answer.json["errors"]
    assert fault["name"] == name
    if "trailer=true" in path:
        assert fault["message"] == "is only for NDJSON"
    if name in ("limit", "offset", "withTotal"):
        assert fault["message"] == "leave it out; an export has all rows"


def test_other_paths_are_404(client):
    for path in ("export", "export/", "export/all", "export/all.csv", "export/records.json"):
        assert client.get(path).status_int == 404
    assert client.get("export/contacts.ndjson").status_int == 404


def test_an_export_needs_the_scope_of_its_list_and_all_of_them_all_scopes(service):
    narrow = service.client(scopes=["accounts", "goals"])
    assert narrow.get("export/accounts.csv").status_int == 200
    assert narrow.get("export/records.csv").status_int == 403
    refused = narrow.get("export/all.ndjson")
    assert refused.status_int == 403
    assert "records" in refused.json["detail"] and "goals" not in refused.json["detail"]
    scopes = " ".join(str(resource.path) for resource in PUBLIC_RESOURCES)
    assert f'scope="{scopes}"' in refused.headers["WWW-Authenticate"]
    assert service.client(scopes=scopes.split()).get("export/all.ndjson").status_int == 200
    assert service.client(premium=False).get("export/all.ndjson").status_int == 403


def test_a_trailer_states_that_all_is_there(client):
    client.load(*many())
    for query, count in (({}, COUNT), ({"amount": "gt.1000"}, 0)):
        lines = export(client, "records.ndjson", trailer="true", **query).body.splitlines()
        assert json.loads(lines.pop()) == {"end": True, "rows": count}
        assert len(lines) == count
    assert b'"end"' not in export(client, "records.ndjson", trailer="false").body


@pytest.mark.parametrize("path", ["records.csv", "records.ndjson", "all.ndjson"])
def test_an_export_is_compressed_as_it_is_sent(client, path):
    client.load(*many())
    plain = export(client, path)
    url, headers = f"/v1/api/export/{path}", {**client.headers, "Accept-Encoding": "gzip"}
    packed = Request.blank(url, headers=headers).get_response(client.service.app)
    assert packed.headers["Content-Encoding"] == "gzip"
    assert gzip.decompress(packed.body) == plain.body
    assert len(packed.body) < len(plain.body) / 4
    assert packed.headers["ETag"] != plain.headers["ETag"]
    again = {**headers, "If-None-Match": packed.headers["ETag"]}
    assert Request.blank(url, headers=again).get_response(client.service.app).status_int == 304
    assert Request.blank(url, headers=headers).get_response(client.service.app).body == packed.body


def test_a_workbook_is_not_compressed_twice_and_the_same_again(client):
    client.load(*many())
    headers = {**client.headers, "Accept-Encoding": "gzip"}
    url = "/v1/api/export/records.xlsx"
    first = Request.blank(url, headers=headers).get_response(client.service.app)
    assert "Content-Encoding" not in first.headers
    assert len(cells(first.body)) == COUNT + 1
    again = Request.blank(url, headers=headers).get_response(client.service.app)
    assert again.body == first.body


def test_more_rows_than_a_workbook_holds_are_refused(client, monkeypatch):
    client.load(*many(5))
    monkeypatch.setattr(rendering, "MAX_ROWS", 4)
    refused = client.get("export/records.xlsx")
    assert refused.status_int == 400
    assert "5 rows" in refused.json["detail"] and ".csv" in refused.json["detail"]
    assert client.get("export/records.xlsx?payee=is.not_null").status_int == 200
    assert client.get("export/records.csv").status_int == 200


# -- quota ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rows", "cost"),
    [(0, 1), (1, 2), (1_000, 2), (1_001, 3), (248_999, 250), (249_001, 250), (10**9, 250)],
)
def test_an_export_costs_a_request_and_one_for_each_started_thousand(rows, cost):
    assert tween.cost_of_rows(rows) == cost


def left(answer):
    return int(answer.headers["X-RateLimit-Remaining"])


def test_exactly_enough_is_enough_and_one_too_few_is_refused(limited, monkeypatch):
    monkeypatch.setattr(tween, "ROWS_OF_A_REQUEST", 10)
    client = limited()
    client.load(*many(55))
    for _ in range(93):
        last = client.get("labels")
    assert left(last) == 7
    # 1 and 6.
    done = client.get("export/records.csv")
    assert (done.status_int, left(done)) == (200, 0)
    client.service.clock.advance(36 * 6)
    refused = client.get("export/records.csv")
    assert (refused.status_int, left(refused)) == (429, 6)
    assert refused.headers["Retry-After"] == "36"
    assert "costs 7 requests, more than the 6 left" in refused.json["detail"]
    assert len(refused.headers.getall("X-RateLimit-Remaining")) == 1
    # A refused request costs nothing, and waiting for Retry-After is enough.
    assert client.get("export/records.csv").status_int == 429
    assert left(client.get("export/records.csv?id=" + uid("Record", 1))) == 4
    client.service.clock.advance(36 * 3 - 1)
    assert client.get("export/records.csv").status_int == 429
    client.service.clock.advance(1)
    assert client.get("export/records.csv").status_int == 200


def test_what_is_refused_before_it_begins_or_known_costs_what_others_do(limited, monkeypatch):
    monkeypatch.setattr(tween, "ROWS_OF_A_REQUEST", 10)
    client = limited()
    client.load(*many(55))
    done = client.get("export/records.csv")
    assert left(done) == 93
    known = {"If-None-Match": done.headers["ETag"]}
    assert left(client.get("export/records.csv", headers=known)) == 93
    assert left(client.get("export/records.csv", limit=3)) == 92
    assert left(client.get("export/records", headers={"Accept": "image/png"})) == 91
    head = client.service.web.head("/v1/api/export/records.csv", headers=client.headers)
    assert left(head) == 90
    monkeypatch.setattr(rendering, "MAX_ROWS", 54)
    assert left(client.get("export/records.xlsx")) == 89
    monkeypatch.setattr(exports, "count_dumped", lambda *arguments: 1 / 0)
    assert left(client.get("export/all.ndjson")) == 89


def test_a_limit_below_the_price_is_taken_whole(limited, monkeypatch):
    monkeypatch.setattr(tween, "ROWS_OF_A_REQUEST", 1)
    client = limited("3/minute, 100/hour")
    client.load(*many(5))
    done = client.get("export/records.csv")
    assert done.status_int == 200
    assert done.headers["RateLimit"].startswith('"minute";r=0;t=20, "hour";r=94;')
    client.service.clock.advance(59)
    refused = client.get("export/records.csv")
    assert (refused.status_int, refused.headers["Retry-After"]) == (429, "1")
    client.service.clock.advance(1)
    assert client.get("export/records.csv").status_int == 200
