"""The data's revision in headers, entity tags, and 304."""

import re

import pytest

from finance_api.resources import PUBLIC_RESOURCES
from support.native_rows import account, household, label, record

LISTS = [str(r.path) for r in PUBLIC_RESOURCES]
BY_ID = "records/by-id?id=00000004-0000-4000-8000-000000000001"
PATHS = [*LISTS, BY_ID]


def tag(client, path, accept="application/json", **query):
    response = client.get(path, headers={"Accept": accept}, **query)
    assert response.status_int == 200, response.text
    return response.headers["ETag"]


def status(client, path, if_none_match, **query):
    return client.get(path, headers={"If-None-Match": if_none_match}, **query).status_int


@pytest.mark.parametrize("path", PATHS)
def test_every_data_response_carries_the_revision(client, path):
    empty = client.get(path)
    assert empty.headers["X-Last-Data-Change-Rev"] == "0"
    client.service.clock.set("2026-03-20T08:00:00Z")
    client.load(*household())
    for headers in ({}, {"If-None-Match": "*"}):
        response = client.get(path, headers=headers)
        assert response.headers["X-Last-Data-Change-Rev"] == "1"
        assert response.headers["X-Last-Data-Change-At"] == "2026-03-20T08:00:00Z"
        assert re.fullmatch('"[^"]+"', response.headers["ETag"])
        assert response.headers["Cache-Control"] == "private, no-cache"
        vary = {name.strip() for name in response.headers["Vary"].split(",")}
        assert {"Accept", "Authorization"} <= vary


def test_the_revision_rises_with_each_import_that_changes_something(client):
    def revision():
        return client.get("accounts").headers["X-Last-Data-Change-Rev"]

    client.load(account(), record())
    assert revision() == "1"
    client.load(account(), record())
    assert revision() == "1"
    client.load(record(), account(name="Giro"))
    assert revision() == "1"
    client.load(record(amount=-2), record(2), label())
    assert revision() == "2"
    client.load(record(2))
    assert revision() == "2"


@pytest.mark.parametrize("path", PATHS)
def test_a_tag_that_matches_is_304_without_a_body(client, path):
    client.load(*household())
    first = client.get(path)
    mine = first.headers["ETag"]
    for header in (
        mine,
        "*",
        f"W/{mine}",
        f'"a", {mine}',
        f'{mine},"b"',
        f'W/"x", W/{mine} ',
        " * ",
    ):
        response = client.get(path, headers={"If-None-Match": header})
        assert response.status_int == 304, header
        assert response.body == b""
        for name in ("ETag", "Cache-Control", "Vary", "X-Last-Data-Change-Rev"):
            assert response.headers[name] == first.headers[name]
        assert "Content-Type" not in response.headers
        assert response.headers["X-Request-Id"]
    for header in ('"a"', mine.strip('"'), mine[:-2] + '"', "", "W/", '"*"', f'"{mine[1:-1]}x"'):
        assert status(client, path, header) == 200, header


def test_a_request_with_a_fault_is_never_304(client):
    assert status(client, "records", "*", limit=0) == 400
    assert status(client, "records", "*", nope="1") == 400
    assert status(client, "nope", "*") == 404
    refused = client.get("records", headers={"If-None-Match": "*", "Accept": "image/png"})
    assert refused.status_int == 406


def test_the_tag_changes_with_the_representation(client):
    client.load(*household())
    types = ("application/json", "text/csv", "application/x-ndjson")
    for path in LISTS:
        assert len({tag(client, path, accept) for accept in types}) == 3
        json_tag = tag(client, path)
        assert tag(client, path, "*/*") == tag(client, path, "application/*") == json_tag
        csv = client.get(path, headers={"Accept": "text/csv", "If-None-Match": json_tag})
        assert csv.status_int == 200


def test_the_tag_changes_with_what_is_asked_and_not_with_how(client):
    client.load(*household())

    def of(query):
        return tag(client, f"records?{query}")

    same = [
        ("", "limit=30", "offset=0", "sortBy=-recordDate", "withTotal=false", "offset=00"),
        ("amount=gte.1,lte.2", "amount=lte.2&amount=gte.1", "amount=gte.1.0&amount=lte.2.00"),
        ("paymentType=cash", "paymentType=eq.cash", "paymentType=cash,cash"),
        ("sortBy=amount", "sortBy=%2Bamount", "sortBy=+amount"),
        ("payee=eq.a&note=eq.b", "note=eq.b&payee=eq.a", "n%6fte=eq.%62&payee=eq.a"),
    ]
    for group in same:
        assert len({of(query) for query in group}) == 1, group
    different = [
        *("", "limit=29", "offset=1", "withTotal=true", "sortBy=amount", "sortBy=-amount"),
        *("sortBy=amount,payee", "sortBy=payee,amount", "amount=gt.1", "amount=gte.1"),
        *("amount=gte.1.00001", "amount=gte.1.00001,lt.2", "payee=eq.a", "payee=contains.a"),
        *("payee=contains-i.a", "payee=contains-i.A", "payee=eq.A", "note=eq.a", "payee=is.null"),
        *("payee=is.not_null", "payee=eq.is.null", "paymentType=cash", "paymentType=cash,voucher"),
        *("recordDate=eq.2026-03-18", "recordDate=gte.2026-03-18T00:00:00Z"),
        *("recordDate=eq.2026-03-18T00:00:00Z", "payee=eq.a%26note%3Deq.b", "payee=eq.a&note=eq.b"),
    ]
    tags = [of(query) for query in different]
    assert len(set(tags)) == len(tags)
    assert len({tag(client, path) for path in PATHS}) == len(PATHS)


def test_two_tokens_of_one_user_share_tags(service):
    client = service.client()
    client.load(account())
    assert tag(client, "accounts") == tag(client, "accounts")
    head = service.web.head("/v1/api/accounts", headers=client.headers)
    assert head.headers["ETag"] == tag(client, "accounts")
    conditional = {**client.headers, "If-None-Match": head.headers["ETag"]}
    assert service.web.head("/v1/api/accounts", headers=conditional).status_int == 304
