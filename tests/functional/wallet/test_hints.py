"""agentHints, and reading all pages with the hints only."""

import pytest

from support.native_rows import account, record, uid
from support.service import Service

KEYS = {"type", "severity", "text"}
SEVERITIES = {
    "pagination.has_more": "instruction",
    "result.partial_match": "info",
    "result.empty": "info",
    "rate_limit.warning": "warning",
    "param.inferred": "info",
}


def by_type(hints):
    for hint in hints:
        assert hint["severity"] == SEVERITIES[hint["type"]]
        assert hint["text"].endswith(".")
        assert ("action" in hint) is (hint["severity"] == "instruction")
        assert hint.keys() <= KEYS | {"action", "data"}
    return {hint["type"]: hint for hint in hints}


def test_a_first_page_hints_at_the_next_and_at_the_window_of_dates(wallet):
    hints = wallet.hints("records?limit=1&agentHints=true")
    assert [hint["type"] for hint in hints] == ["pagination.has_more", "param.inferred"]
    found = by_type(hints)
    assert found["pagination.has_more"]["action"] == {
        "url": "/wallet/v1/api/records?agentHints=true&limit=1&offset=1"
        "&recordDate=gte.2026-08-21T22%3A40%3A00.000Z&recordDate=lt.2026-11-22T22%3A40%3A00.000Z"
    }
    assert found["param.inferred"]["data"] == {
        "parameter": "recordDate",
        "provided": "",
        "inferred": "gte.2026-08-21T22:40:00.000Z, lt.2026-11-22T22:40:00.000Z",
        "reason": "defaultRollingRange",
    }


def test_the_next_page_keeps_all_parameters_in_the_order_of_their_names(wallet):
    (hint,) = wallet.hints("categories?sortBy=-createdAt&limit=1&agentHints=true&name=contains.e")
    assert hint["action"]["url"] == (
        "/wallet/v1/api/categories?agentHints=true&limit=1&name=contains.e&offset=1"
        "&sortBy=-createdAt"
    )
    more = wallet.hints("labels?withTotal=true&agentHints=true&limit=1")[0]["action"]["url"]
    assert more == "/wallet/v1/api/labels?agentHints=true&limit=1&offset=1&withTotal=true"


def test_the_link_header_is_the_same_url(wallet):
    answer = wallet.ask("records?limit=1&agentHints=true")
    url = answer.json["agentHints"][0]["action"]["url"]
    assert answer.headers["Link"] == f'<{url}>; rel="next"'
    assert "Link" not in wallet.ask("labels").headers


@pytest.mark.parametrize("query", ["", "&sortBy=amount", "&recordDate=gte.1900-01-01", "&limit=7"])
def test_paging_by_the_url_alone_reaches_every_record_once(empty, query):
    rows = [
        record(n, amount=-n, recordDate=f"2026-11-{1 + n % 20:02}T{n % 24:02}:00:00Z")
        for n in range(1, 101)
    ]
    empty.client.load(account(), *rows)
    seen, url = [], f"records?agentHints=true&limit=13{query}".replace("limit=13&limit", "limit")
    while url is not None:
        page = empty.get(url)
        seen += [row["id"] for row in page["records"]]
        found = by_type(page["agentHints"])
        more = found.get("pagination.has_more")
        assert (more is not None) is ("nextOffset" in page)
        url = None if more is None else more["action"]["url"]
        # Records that enter and leave the window in the meantime change nothing.
        empty.service.clock.advance(600)
    assert len(seen) == 100
    assert set(seen) == {uid("Record", n) for n in range(1, 101)}


def test_ids_that_were_not_found_are_named(wallet):
    query = f"records?agentHints=true&id={uid('Record', 1)},{uid('Record', 99)},x"
    found = by_type(wallet.hints(query))
    assert found.keys() == {"result.partial_match"}
    assert found["result.partial_match"]["data"] == {"missingIds": [uid("Record", 99), "x"]}
    assert wallet.hints(f"records?agentHints=true&id={uid('Record', 1)}") == []
    # Void records are left out, and so they are not found either.
    void = by_type(wallet.hints(f"records?agentHints=true&id={uid('Record', 6)}"))
    assert void["result.partial_match"]["data"] == {"missingIds": [uid("Record", 6)]}


def test_ids_on_other_pages_were_found(wallet):
    ids = ",".join(uid("Category", n) for n in (1, 2, 3))
    found = by_type(wallet.hints(f"categories?agentHints=true&limit=1&id={ids}"))
    assert found.keys() == {"pagination.has_more"}


def test_an_empty_page_tells_its_filters(wallet, empty):
    found = by_type(wallet.hints("goals?agentHints=true&name=eq.x&note=eq.y&note=eq.z&limit=3"))
    assert found["result.empty"]["data"] == {
        "appliedFilters": {"name": "eq.x", "note": "eq.y,eq.z"}
    }
    (hint,) = empty.hints("goals?agentHints=true")
    assert hint.keys() == KEYS


def test_a_quota_that_is_nearly_used_is_told():
    settings = {"finance_api.storage": "memory", "finance_api.ratelimit.public": "20/hour"}
    service = Service("memory", settings)
    service.clock.set("2026-11-21T22:40:30Z")
    client = service.client()
    asked = "/wallet/v1/api/goals?agentHints=true"
    seen = [service.web.get(asked, headers=client.headers) for _ in range(20)]
    warned = [
        found["rate_limit.warning"]
        for answer in seen
        if "rate_limit.warning" in (found := by_type(answer.json["agentHints"]))
    ]
    # Hints appear when less than a tenth of the 20 is left.
    assert [hint["data"]["remaining"] for hint in warned] == [1, 0]
    assert all(hint["data"]["reset_at"].startswith("2026-11-21T23:") for hint in warned)
    service.stop()
