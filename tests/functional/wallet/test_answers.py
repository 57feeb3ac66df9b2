"""Rules for all answers: media type, envelope, headers, errors, limits."""

import json
import re

import pytest

from support.service import Service

DATE_TIME = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{3}Z")
LISTS = ("records", "accounts", "categories", "budgets?spending=current", "goals")
LISTS += ("standing-orders", "standing-orders/items", "labels", "record-rules")


def everything(value, name=""):
    """Yield every (name, value) of a document."""
    yield name, value
    if isinstance(value, dict):
        for key, each in value.items():
            yield from everything(each, key)
    elif isinstance(value, list):
        for each in value:
            yield from everything(each, name)


@pytest.mark.parametrize("accept", ["application/json", "*/*", "application/*", ""])
def test_answers_are_json(wallet, accept):
    answer = wallet.ask("records", Accept=accept)
    assert answer.headers["Content-Type"] == "application/json"
    json.loads(answer.body.decode("utf-8"))


@pytest.mark.parametrize("accept", ["text/csv", "application/x-ndjson", "image/png"])
def test_nothing_else_is_offered(wallet, accept):
    assert wallet.ask("records", Accept=accept).status_int == 406
    assert wallet.ask("records.csv").status_int == 404


#: Members that may be null according to the tables.
NULLABLE = {"transfer", "limit", "current", "periodStart", "periodEnd"}
NULLABLE |= {"effectiveLimit", "remaining", "progress", "overspent", "spent"}


@pytest.mark.parametrize("path", LISTS)
def test_keys_are_camel_case_missing_ones_left_out_and_times_have_three_decimals(wallet, path):
    seen = 0
    for name, value in everything(wallet.get(path)):
        assert re.fullmatch("[a-z][a-zA-Z0-9]*|", name), name
        assert value is not None or name in NULLABLE, name
        if isinstance(value, str) and re.match(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", value):
            is_day = name in {"startDate", "endDate", "periodStart", "periodEnd"}
            assert re.fullmatch(r"[0-9-]{10}", value) if is_day else DATE_TIME.search(value), name
            seen += 1
    assert seen


def test_numbers_are_exact(empty):
    from decimal import Decimal

    from support.native_rows import account, record

    amounts = ["922337203685477.5807", "-0.0001", "123456789012.3456", "0.1", "-12"]
    rows = [record(n, amount=Decimal(a), recordDate="2026-11-01") for n, a in enumerate(amounts, 1)]
    empty.client.load(account(initialBalance=Decimal("-922337203685477.5807")), *rows)
    text = empty.ask("records?sortBy=amount").text
    for amount in amounts:
        assert f'"value":{amount},' in text


def test_an_id_that_cannot_be_one_is_not_found(wallet):
    for query in ("id=x", "accountId=not-a-uuid", "categoryId=a_b,c-d", "labelId=1"):
        assert wallet.rows(f"records?{query}") == []
    for query in ("id=", "id=a,", "id=a b", "id=a%2Fb"):
        assert wallet.refused(f"records?{query}").startswith("id ")


# -- the envelope ------------------------------------------------------------------------------


def test_only_a_page_that_is_not_the_last_has_a_next_offset(wallet):
    page = wallet.get("categories?limit=2")
    assert list(page) == ["categories", "limit", "offset", "nextOffset"]
    assert (page["limit"], page["offset"], page["nextOffset"]) == (2, 0, 2)
    page = wallet.get("categories?limit=2&offset=2")
    assert list(page) == ["categories", "limit", "offset"]
    assert len(page["categories"]) == 1


def test_an_empty_list_is_an_array(empty):
    for path in LISTS:
        page = empty.get(path)
        assert next(iter(page.values())) == []
        assert (page["limit"], page["offset"]) == (30, 0)


def test_total_and_hints_only_where_they_are_asked_for(wallet):
    assert wallet.get("categories?limit=1&withTotal=true")["total"] == 3
    assert wallet.get("standing-orders/items?limit=1&withTotal=true")["total"] > 1
    assert wallet.get("labels?agentHints=true")["agentHints"] == []
    for query in ("", "?withTotal=false&agentHints=false"):
        assert not {"total", "agentHints"} & wallet.get(f"categories{query}").keys()


# -- headers -----------------------------------------------------------------------------------


@pytest.mark.parametrize("path", LISTS)
def test_a_list_has_headers_about_its_data_and_the_quota(wallet, path):
    headers = wallet.ask(path).headers
    assert DATE_TIME.fullmatch(headers["X-Last-Data-Change-At"])
    assert headers["X-Last-Data-Change-Rev"] == "r1"
    assert headers["X-Sync-In-Progress"] == "false"
    for name in ("Limit", "Remaining", "Limit-Hour", "Remaining-Hour"):
        assert headers[f"X-RateLimit-{name}"].isdigit()
    assert headers["X-RateLimit-Limit"] == headers["X-RateLimit-Limit-Hour"]
    assert headers["ETag"]


@pytest.mark.parametrize("path", ["labels/references?id=x", "api-usage/stats"])
def test_stats_and_references_have_no_change_headers(wallet, path):
    headers = wallet.ask(path).headers
    assert headers["X-RateLimit-Limit"]
    for name in ("X-Last-Data-Change-At", "X-Last-Data-Change-Rev", "X-Sync-In-Progress"):
        assert name not in headers


def test_what_is_unchanged_is_304_with_the_same_headers(wallet):
    first = wallet.ask("records")
    again = wallet.ask("records", **{"If-None-Match": first.headers["ETag"]})
    assert again.status_int == 304
    assert again.headers["X-Last-Data-Change-Rev"] == "r1"
    wallet.service.clock.advance(60)
    later = wallet.ask("records", **{"If-None-Match": first.headers["ETag"]})
    assert later.status_int == 200
    assert later.json["appliedRecordDateFilters"] != first.json["appliedRecordDateFilters"]


def test_the_hourly_headers_only_of_an_hourly_limit():
    settings = {"finance_api.storage": "memory", "finance_api.ratelimit.public": "50/minute"}
    service = Service("memory", settings)
    client = service.client()
    headers = service.web.get("/wallet/v1/api/labels", headers=client.headers).headers
    assert headers["X-RateLimit-Limit"] == "50"
    assert "X-RateLimit-Limit-Hour" not in headers
    service.stop()


# -- errors ------------------------------------------------------------------------------------


def test_400_says_what_is_wrong(wallet):
    answer = wallet.ask("records?limit=201")
    assert answer.status_int == 400
    assert answer.content_type == "application/json"
    assert answer.json["error"] == "limit must be at most 200"
    assert wallet.refused("records?limit=0") == "limit must be at least 1"
    assert wallet.refused("records?limit=x") == "limit must be a whole number"
    assert wallet.refused("records?offset=-1") == "offset must be at least 0"


@pytest.mark.parametrize("header", ["", "Bearer", "Bearer x", "Basic x", "Bearer a.b.c"])
def test_401_is_one_sentence(wallet, header):
    answer = wallet.service.web.get(
        "/wallet/v1/api/records", headers={"Authorization": header}, status=401
    )
    assert answer.content_type == "application/json"
    assert answer.json["error"] == "Invalid or expired token"


def test_403_is_plain_text(wallet):
    service = wallet.service
    for client in (service.client(premium=False), service.client(scopes=["labels"])):
        answer = service.web.get("/wallet/v1/api/records", headers=client.headers, status=403)
        assert answer.content_type == "text/plain"
        assert answer.text.endswith(".") and "{" not in answer.text


def test_429_has_the_sentence_and_when_to_try_again():
    settings = {"finance_api.storage": "memory", "finance_api.ratelimit.public": "2/hour"}
    service = Service("memory", settings)
    client = service.client()
    answers = [
        service.web.get(f"/wallet/v1/api/{path}", headers=client.headers, status="*")
        for path in ("labels", "goals", "records")
    ]
    assert [answer.status_int for answer in answers] == [200, 200, 429]
    refused = answers[-1]
    assert refused.content_type == "application/json"
    assert refused.json["error"] == "Rate limit exceeded. Please try again later."
    assert int(refused.headers["Retry-After"]) > 0
    assert (refused.headers["X-RateLimit-Limit"], refused.headers["X-RateLimit-Remaining"]) == (
        "2",
        "0",
    )
    service.stop()


def test_500_says_nothing(wallet, monkeypatch):
    def fail(*arguments):
        raise RuntimeError("a secret")

    monkeypatch.setattr("finance_api.wallet.lists.Context", fail)
    answer = wallet.ask("goals?limit=199")
    assert answer.status_int == 500
    assert answer.json["error"] == "Internal Error"
    assert "secret" not in answer.text


@pytest.mark.parametrize("path", LISTS)
def test_a_parameter_of_no_version_is_refused(wallet, path):
    mark = "&" if "?" in path else "?"
    assert wallet.refused(f"{path}{mark}nope=1").startswith("nope there is no such parameter")


# -- limits ------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", LISTS)
def test_every_list_takes_1_to_200_rows(wallet, path):
    mark = "&" if "?" in path else "?"
    for limit in (1, 200):
        assert wallet.get(f"{path}{mark}limit={limit}")["limit"] == limit
    assert wallet.get(path)["limit"] == 30
    assert wallet.refused(f"{path}{mark}limit=201") == "limit must be at most 200"


@pytest.mark.parametrize(
    ("most", "query"),
    [
        *((100, f"records?{n}=") for n in ("id", "accountId", "categoryId", "transferId")),
        (20, "labels/references?id="),
    ],
)
def test_one_id_more_than_the_most_is_refused(wallet, most, query):
    for number, status in ((most, 200), (most + 1, 400)):
        assert wallet.ask(query + ",".join(f"x{n}" for n in range(number))).status_int == status


def test_an_11th_condition_on_a_field_is_refused(wallet):
    for number, status in ((10, 200), (11, 400)):
        for query in (["note=contains.a"], ["amount=lt.1"]):
            assert wallet.ask("records?" + "&".join(query * number)).status_int == status
    assert wallet.ask("records?amount=" + ",".join(["lt.1"] * 10)).status_int == 200
