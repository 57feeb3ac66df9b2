"""Paging: limit, offset, nextOffset, Link and totals."""

import re
from urllib.parse import parse_qsl, urlsplit

import pytest

from finance_api.resources import PUBLIC_RESOURCES
from support.native_rows import account, label, record

RESOURCES = {str(r.path): r.name for r in PUBLIC_RESOURCES}


def load_labels(client, count):
    client.load(*(label(n, name=f"label {n:03}") for n in range(1, count + 1)))


def next_link(response):
    header = response.headers.get("Link")
    if header is None:
        return None
    match = re.fullmatch(r'<(/v1/api/[^>]*)>; rel="?next"?', header)
    assert match, header
    return match[1]


@pytest.mark.parametrize("path", RESOURCES)
def test_an_empty_list_has_the_whole_envelope(client, path):
    answer = client.get(path)
    assert answer.headers["Content-Type"].split(";")[0] == "application/json"
    expected = {RESOURCES[path]: [], "limit": 30, "offset": 0, "nextOffset": None, "revision": 0}
    assert answer.json == expected
    assert "Link" not in answer.headers
    assert client.get(path, withTotal="true").json == {**expected, "total": 0}
    assert client.get(path, withTotal="false").json == expected


def test_a_page_has_30_rows_unless_asked_otherwise(client):
    load_labels(client, 31)
    first = client.get("labels").json
    assert (len(first["labels"]), first["limit"], first["nextOffset"]) == (30, 30, 30)
    rest = client.get("labels", offset=30).json
    assert (len(rest["labels"]), rest["offset"], rest["nextOffset"]) == (1, 30, None)


def test_a_page_that_ends_with_the_last_row_is_the_last(client):
    load_labels(client, 4)
    for limit, offset, count, following in (
        (4, 0, 4, None),
        (3, 0, 3, 3),
        (3, 1, 3, None),
        (1, 3, 1, None),
        (1, 2, 1, 3),
        (2, 2, 2, None),
        (5, 0, 4, None),
        (1, 4, 0, None),
        (100, 2147483647, 0, None),
    ):
        body = client.get("labels", limit=limit, offset=offset, withTotal="true").json
        assert (len(body["labels"]), body["nextOffset"]) == (count, following)
        assert (body["limit"], body["offset"], body["total"]) == (limit, offset, 4)


@pytest.mark.parametrize("path", RESOURCES)
def test_limit_and_offset_are_never_clamped(client, path):
    for name, good, bad in (
        ("limit", ("1", "100"), ("0", "101", "-1")),
        ("offset", ("0", "2147483647"), ("-1", "2147483648", "9223372036854775808")),
    ):
        for value in good:
            assert client.get(path, **{name: value}).status_int == 200
        for value in (*bad, "", "x", "1.0", "1e1", "0x1", "١", "1_0", "9" * 300, "true", "null"):
            assert client.fault(path, **{name: value})["name"] == name


def test_with_total_is_true_or_false(client):
    for value in ("TRUE", "1", "yes", "", "eq.true"):
        assert client.get("labels", withTotal=value).status_int == 400


def test_the_total_counts_what_matches(client):
    load_labels(client, 5)
    body = client.get(
        "labels", name="contains.00", limit=2, withTotal="true", archived="false"
    ).json
    assert body["total"] == 5
    assert client.get("labels", name="eq.label 003", withTotal="true").json["total"] == 1
    assert client.get("labels", name="eq.none", withTotal="true").json["total"] == 0


def test_following_the_links_visits_every_row_once(client):
    same = [record(n, recordDate="2026-03-18", payee="a+b & ü%") for n in range(1, 24)]
    client.load(account(), *same)
    query = "payee=eq.a%2Bb%20%26%20%C3%BC%25&limit=5&sortBy=-recordDate,%2Bpayee&withTotal=true"
    url = f"/v1/api/records?{query}"
    seen = []
    while url:
        response = client.service.web.get(url, headers=client.headers)
        seen += [row["id"] for row in response.json["records"]]
        url = next_link(response)
        following = response.json["nextOffset"]
        assert (url is None) == (following is None)
        if url:
            sent = dict(parse_qsl(urlsplit(url).query))
            assert sent["offset"] == str(following)
            assert sent["payee"] == "eq.a+b & ü%"
    assert seen == [row["id"] for row in same]


def test_the_link_replaces_the_offset_and_keeps_repeated_parameters(client):
    load_labels(client, 6)
    response = client.get(
        "labels", offset=2, limit=2, name=["contains.label", "contains-i.LABEL"], sortBy="+name"
    )
    pairs = parse_qsl(urlsplit(next_link(response)).query)
    assert sorted(pairs) == sorted(
        [
            ("offset", "4"),
            ("limit", "2"),
            ("name", "contains.label"),
            ("name", "contains-i.LABEL"),
            ("sortBy", "+name"),
        ]
    )


def test_a_link_after_a_plus_that_became_a_space_means_the_same(client):
    client.load(account(), *(record(n, amount=n) for n in range(1, 4)))
    url = "/v1/api/records?sortBy=+amount&amount=gte.+1&limit=1"
    amounts = []
    while url:
        response = client.service.web.get(url, headers=client.headers)
        amounts += [row["amount"] for row in response.json["records"]]
        url = next_link(response)
    assert amounts == [1, 2, 3]


def test_head_is_a_get_without_a_body(client):
    load_labels(client, 2)
    for query in ("limit=1", "withTotal=true", "limit=0"):
        for accept in ("application/json", "text/csv", "application/x-ndjson"):
            headers = {**client.headers, "Accept": accept}
            url = f"/v1/api/labels?{query}"
            head = client.service.web.head(url, headers=headers, status="*")
            get = client.service.web.get(url, headers=headers, status="*")
            assert head.body == b""
            assert head.status_int == get.status_int
            differing = {"X-Request-Id", "Content-Length", "X-RateLimit-Remaining", "RateLimit"}
            kept = [
                {k: v for k, v in answer.headers.items() if k not in differing}
                for answer in (head, get)
            ]
            assert kept[0] == kept[1]
