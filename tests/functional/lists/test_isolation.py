"""Two users with the same file: nothing that one asks shows, counts or hints at the other's."""

import itertools

import pytest

from finance_api.resources import PUBLIC_RESOURCES, Kind, Role
from support.native_rows import (
    account,
    budget,
    category,
    household,
    label,
    record,
    standing_order,
    uid,
)

LISTS = [str(r.path) for r in PUBLIC_RESOURCES]
FOREIGN, MISSING = "abcdef00-0000-4000-8000-00000000000a", "abcdef00-0000-4000-8000-00000000000b"
#: The quota goes down with every request.
VARYING = (
    "X-Request-Id",
    "ETag",
    "Date",
    "X-RateLimit-Remaining",
    "X-RateLimit-Reset",
    "RateLimit",
)
MARK = "only-in-the-other-user"


def marked_household(prefix):
    """The household with ids of its own and a mark in every text."""
    texts = ("name", "payee", "note", "group", "color", "bankAccountNumber")

    def changed(value):
        if isinstance(value, list):
            return [changed(element) for element in value]
        if isinstance(value, str) and value[:7] == "0000000" and len(value) == 36:
            return prefix + value[3:]
        return value

    return [
        {
            key: f"{value} {MARK}" if key in texts and value else changed(value)
            for key, value in row.items()
        }
        for row in household()
    ]


@pytest.fixture
def both(service):
    """Two users with the same file; the first one alone has more."""
    mine, other = service.client(), service.client()
    for client in (other, mine):
        client.load(*household())
    other.load(*marked_household("abc"))
    return mine, other


@pytest.mark.parametrize("path", LISTS)
def test_a_list_shows_and_counts_one_s_own_rows_only(both, path):
    mine, other = both
    for query in (
        {},
        {"sortBy": "-id"},
        {"offset": 1, "limit": 1},
        {"createdAt": "gte.2000-01-01"},
    ):
        answer = mine.get(path, withTotal="true", **query)
        assert MARK not in answer.text
        assert "abc00000" not in answer.text
    counts = [client.get(path, withTotal="true").json["total"] for client in both]
    assert counts[1] == 2 * counts[0]
    own = mine.get(path, limit=100)
    assert own.json["nextOffset"] is None
    assert other.get(path, limit=counts[0]).json["nextOffset"] == counts[0]


def test_no_filter_finds_another_user_s_row(both):
    mine, other = both
    for resource in PUBLIC_RESOURCES:
        path = str(resource.path)
        for row in other.get(path, limit=100).json[resource.name]:
            if not row["id"].startswith("abc"):
                continue
            for field in resource.fields:
                value = row[field.name]
                if field.role is Role.COMPUTED or value in (None, []):
                    continue
                if field.kind in (Kind.ID, Kind.SERIAL, Kind.ID_LIST):
                    text = value if isinstance(value, str) else ",".join(value)
                elif field.kind is Kind.TEXT and MARK in value:
                    text = f"contains.{MARK}"
                else:
                    continue
                answer = mine.get(path, withTotal="true", **{field.name: text}).json
                assert answer[resource.name] == []
                assert answer["total"] == 0


@pytest.fixture
def one_more(service):
    """A user without, and another with, the ids FOREIGN of every type."""
    mine, other = service.client(), service.client()
    mine.load(account(), record(1), category(), label())
    other.load(
        account(id=FOREIGN),
        category(id=FOREIGN),
        label(id=FOREIGN),
        record(
            id=FOREIGN,
            accountId=FOREIGN,
            categoryId=FOREIGN,
            labelIds=[FOREIGN],
            transferId=FOREIGN,
        ),
    )
    return mine


def test_a_foreign_id_answers_byte_for_byte_like_a_missing_one(one_more):
    def answer(path, query, wanted):
        response = one_more.get(path, **{k: v.replace("{}", wanted) for k, v in query.items()})
        headers = {k: v for k, v in response.headers.items() if k not in VARYING}
        text = response.text.replace(wanted, "<id>")
        return response.status_int, headers, text

    own = uid("Record", 1)
    queries = [
        ("records/by-id", {"id": text}) for text in ("{}", own + ",{}", "{}," + own, "{},{}")
    ]
    for path, field in itertools.chain(
        ((path, "id") for path in LISTS),
        (("records", name) for name in ("accountId", "categoryId", "labelIds", "transferId")),
        (("budgets", name) for name in ("accountIds", "categoryIds", "labelIds")),
        (("categories", "parentId"), ("record-rules", "accountId")),
    ):
        for text in ("{}", "eq.{}", "{}," + own):
            for extra in ({}, {"withTotal": "true"}, {"limit": "1", "sortBy": "-id"}):
                queries.append((path, {field: text, **extra}))
    for path, query in queries:
        assert answer(path, query, FOREIGN) == answer(path, query, MISSING), (path, query)
    for path in ("records/{}", "accounts/{}", "records/by-id/{}"):
        found, missing = (one_more.get(path.format(i)) for i in (FOREIGN, MISSING))
        assert found.status_int == missing.status_int == 404
        assert found.text == missing.text


def test_a_foreign_id_in_a_condition_makes_no_difference_to_a_304(one_more):
    for path, name in (("records/by-id", "id"), ("records", "accountId")):
        tag = one_more.get(path, **{name: FOREIGN}).headers["ETag"]
        again = one_more.get(path, headers={"If-None-Match": tag}, **{name: FOREIGN})
        assert again.status_int == 304


def test_the_same_ids_of_two_users_are_two_rows(service):
    mine, other = service.client(), service.client()
    mine.load(account(name="Mine"), record(payee="mine", amount=-1), budget())
    other.load(account(name="Other", initialBalance=5), record(payee="other", amount=-10), budget())
    for client, name, balance, spent in ((mine, "Mine", -1, 1), (other, "Other", -5, 10)):
        assert client.names("accounts", "name") == [name]
        assert client.names("accounts", "balance") == [balance]
        assert client.names("records", "payee", id=uid("Record", 1)) == [name.lower()]
        assert client.names("records", "accountName") == [name]
        assert client.names("budgets", "spent") == [spent]
        (row,) = client.get("records/by-id", id=uid("Record", 1)).json["records"]
        assert row["payee"] == name.lower()


def test_another_user_s_import_changes_no_revision_tag_or_row(both):
    mine, other = both

    def seen():
        answers = [mine.get(path) for path in LISTS]
        kept = ("ETag", "X-Last-Data-Change-At", "X-Last-Data-Change-Rev")
        return [(a.text, [a.headers[name] for name in kept]) for a in answers]

    before = seen()
    mine.service.clock.set("2026-03-18T13:00:00Z")
    other.load(account(name="New"), record(1, amount=-999), standing_order(9), budget(9))
    assert seen() == before


def test_a_reference_to_another_user_s_row_is_a_dangling_one(service):
    mine, other = service.client(), service.client()
    other.load(account(id=FOREIGN))
    messages = []
    for wanted in (FOREIGN, MISSING):
        with pytest.raises(Exception, match="accountId") as refused:
            mine.load(record(accountId=wanted))
        messages.append(str(refused.value).replace(wanted, "<id>"))
    assert messages[0] == messages[1]
    assert mine.names("records", "id") == mine.names("accounts", "id") == []
