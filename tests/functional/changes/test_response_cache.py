"""Cached responses: equal to the byte, only for their user, only while they are current."""

import io

import pytest

from finance_api.auth.personal_tokens import issue_token
from finance_api.ledger.importing import import_file
from finance_api.ledger.orders import ImportOrder
from finance_api.resources import PUBLIC_RESOURCES
from finance_api.runtime.response_cache import ResponseCache
from finance_api.storage.interface import Token
from support.native_rows import account, budget, household, label, record, standing_order, uid
from support.service import Client, Service, native_line, read_no_rows

PATHS = [
    *(str(resource.path) for resource in PUBLIC_RESOURCES),
    "records?limit=2&offset=1&withTotal=true",
    "records?note=contains-i.corner",
    f"records/by-id?id={uid('Record', 1)},{uid('Record', 77)}",
]
INTERNAL = ["get-records?limit=2", "get-docs?document_type=all"]


def said(answer):
    """Return the response without the parts that belong to one request."""
    own = ("X-Request-Id", "X-RateLimit-Remaining", "X-RateLimit-Reset", "RateLimit")
    headers = sorted(item for item in answer.headers.items() if item[0] not in own)
    return answer.status_int, headers, answer.body


def asked(client, path, **headers):
    ask = client.internal if path in INTERNAL else client.get
    return ask(path, headers=headers)


@pytest.fixture(autouse=True)
def empty(service):
    service.replace(response_cache=ResponseCache(32 << 20))


@pytest.mark.parametrize("path", [*PATHS, *INTERNAL])
def test_what_is_kept_is_the_same_and_reads_no_rows(service, client, monkeypatch, path):
    client.load(*household())
    accepts = ["application/json"]
    accepts += ["text/csv", "application/x-ndjson"] if "/by-id" not in path else []
    accepts = accepts[:1] if path in INTERNAL else accepts
    first = [said(asked(client, path, Accept=accept)) for accept in accepts]
    assert [status for status, _, _ in first] == [200] * len(accepts)
    assert len({body for _, _, body in first}) == len(accepts)
    read_no_rows(service, monkeypatch)
    for accept, expected in [*zip(accepts, first, strict=True)] * 2:
        answer = asked(client, path, Accept=accept)
        assert said(answer) == expected
        tag = answer.headers["ETag"]
        not_modified = asked(client, path, **{"Accept": accept, "If-None-Match": tag})
        assert (not_modified.status_int, not_modified.body) == (304, b"")


def test_head_of_what_is_kept_says_the_same_without_a_body(client):
    client.load(*household())
    for path in PATHS:
        first = client.get(path)
        head = client.service.web.head(f"/v1/api/{path}", headers=client.headers)
        assert head.body == b""
        assert said(head)[:2] == said(first)[:2]


def test_nothing_is_kept_for_another_user(service, monkeypatch):
    mine, other = service.client(), service.client()
    for client in (mine, other):
        client.load(*household())
    for path in [*PATHS, *INTERNAL]:
        assert asked(mine, path).status_int == 200
    read_no_rows(service, monkeypatch)
    for path in [*PATHS, *INTERNAL]:
        assert asked(mine, path).status_int == 200
        # Their revisions, paths and queries are the same.
        assert asked(other, path).status_int == 500


def test_two_tokens_of_a_user_share_what_is_kept_and_not_what_they_may(
    service, client, monkeypatch
):
    client.load(*household())
    now = service.clock.now()

    def token(*scopes):
        issue = lambda s: issue_token(s, client.user, name="x", now=now, scopes=scopes)  # noqa: E731
        return Client(service, client.user, service.change(issue))

    may, may_not = token("records"), token("labels")
    expected = said(client.get("records"))
    read_no_rows(service, monkeypatch)
    assert said(may.get("records")) == expected
    assert may_not.get("records").status_int == 403


def test_what_is_kept_is_not_for_whoever_may_no_longer_read(service, client):
    client.load(*household())
    for path in PATHS:
        assert client.get(path).status_int == 200
    service.change(lambda s: s.users.update(client.user.id, premium=False))
    assert {client.get(path).status_int for path in PATHS} == {403}
    service.change(lambda s: s.users.update(client.user.id, premium=True))
    assert {client.get(path).status_int for path in PATHS} == {200}
    (token,) = service.change(lambda s: s.users.list_owned(Token, client.user.id))
    service.change(lambda s: s.users.revoke(Token, token.id, service.clock.now()))
    assert {client.get(path).status_int for path in PATHS} == {401}


def test_what_is_kept_counts_as_any_other_answer(service, client):
    client.load(*household())
    for _ in range(4):
        client.get("records")
    service.services.usage.flush()
    assert client.get("api-usage/stats").json["total"] == 4
    limits = {client.get("records").headers["X-RateLimit-Remaining"] for _ in range(3)}
    assert len(limits) == 3


@pytest.mark.parametrize("path", [*PATHS, *INTERNAL])
def test_an_import_drops_what_was_kept(client, path):
    client.load(*household())
    before = asked(client, path)
    assert said(asked(client, path)) == said(before)
    client.service.clock.advance(5)
    client.load(account(1, name="another name"), record(1, note="another corner", amount=-9))
    after = asked(client, path)
    assert after.headers["X-Last-Data-Change-Rev"] == "2"
    assert after.headers["ETag"] != before.headers["ETag"]
    kept = [said(asked(client, path)) for _ in range(2)]
    assert kept == [said(after)] * 2
    stale = asked(client, path, **{"If-None-Match": before.headers["ETag"]})
    assert stale.status_int == 200


def test_an_import_by_another_process_drops_what_was_kept_at_once(service, client):
    if service.kind == "memory":
        pytest.skip("it has one process")
    elsewhere = service.elsewhere()
    client.load(account(), record(1, note="corner 1"))
    paths = ("records", "records?note=contains-i.corner", f"records/by-id?id={uid('Record', 1)}")
    for number in range(2, 6):
        before = [said(client.get(path)) for path in paths]
        assert [said(client.get(path)) for path in paths] == before
        line = native_line(record(1, note=f"corner {number}")).encode()
        import_file(
            elsewhere, ImportOrder(client.user.email, io.BytesIO(line), now=service.clock.now())
        )
        for path in paths:
            answer = client.get(path)
            assert f"corner {number}" in answer.text
            assert answer.headers["X-Last-Data-Change-Rev"] == str(number)
    elsewhere.close()


def test_where_no_bytes_may_be_kept_each_answer_is_read_again(new_settings, monkeypatch):
    service = Service("memory", {**new_settings("memory"), "finance_api.cache.max_bytes": "0"})
    client = service.client()
    client.load(*household())
    expected = said(client.get("records"))
    assert said(client.get("records")) == expected
    assert service.services.response_cache.cached_bytes == 0
    tag = client.get("records").headers["ETag"]
    read_no_rows(service, monkeypatch)
    assert client.get("records").status_int == 500
    assert client.get("records", headers={"If-None-Match": tag}).status_int == 304
    service.stop()


@pytest.mark.parametrize("path", ["budgets", "standing-orders"])
def test_what_is_worked_out_for_a_day_is_kept_for_that_day(client, path):
    client.load(
        account(),
        budget(type="BUDGET_INTERVAL_MONTH"),
        standing_order(startDate="2026-03-19", recurrenceRule="FREQ=DAILY", amount=-5),
        *(record(n, amount=-n, recordDate=f"2026-0{3 + n}-01") for n in range(3)),
    )
    clock = client.service.clock
    said_on = {}
    days = ("2026-03-18T23:59:59Z", "2026-03-31T12:00:00Z", "2026-04-01T00:00:00Z")
    for day in (*days, *days):
        clock.set(day)
        answers = [said(client.get(path)) for _ in range(2)]
        assert answers[0] == answers[1] == said_on.setdefault(day, answers[0])
    assert len({body for _, _, body in said_on.values()}) >= 2
    tags = {dict(headers)["ETag"] for _, headers, _ in said_on.values()}
    assert len(tags) == 3


def test_an_answer_that_could_not_be_given_is_not_kept(service, client, monkeypatch):
    client.load(label())
    with monkeypatch.context() as patch:
        read_no_rows(service, patch)
        assert client.get("labels").status_int == 500
    assert client.get("labels").status_int == 200
