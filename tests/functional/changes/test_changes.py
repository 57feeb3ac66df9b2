"""GET /v1/api/changes. The clock is set to Wednesday, 2026-03-18."""

import re

import pytest

from finance_api.ledger.changing import changing
from finance_api.ledger.undo import undo
from finance_api.storage.sql import schema
from support.browser import new_token
from support.citus import CITUS_URL
from support.mirror import TYPES, Mirror
from support.native_rows import (
    account,
    budget,
    category,
    goal,
    household,
    label,
    record,
    standing_order,
    uid,
)
from support.service import Client, Service
from support.statements import statement


def read(client, **query):
    answer = client.get("changes", **query)
    assert answer.status_int == 200, answer.text
    return answer.json


def all_of(client, **query):
    return read(client, limit=1000, **query)


def what(changes):
    """Return type, number, and whether the object exists, of each change."""
    return [(c["type"], int(c["id"][-12:], 16), c["op"] == "put") for c in changes]


def gone(client, since, **query):
    answer = client.get("changes", since=since, **query)
    assert answer.status_int == 410, answer.text
    assert answer.content_type == "application/problem+json"
    assert answer.json["error"].endswith(". Discard your copy and start again with since=0.")
    return answer.json["error"].partition(". ")[0]


@pytest.fixture
def reader(client):
    """A mirror that has read an account, a category, a label and two records."""
    client.load(
        account(1),
        category(1),
        label(1),
        record(1, categoryId=uid("Category", 1)),
        record(2, labelIds=[uid("Label", 1)]),
    )
    mirror = Mirror(client)
    mirror.read_all()
    return mirror


# -- what a page is ------------------------------------------------------------------------------


def test_the_whole_data_comes_from_0_on(client):
    client.load(account(1), record(2, payee="Shop"), record(1))
    found = read(client, since=0, types="records,accounts")
    tag = re.fullmatch(r"1\.(-?\d+)\.0\.accounts_records", found["next"])[1]
    rows = [("accounts", uid("Account", 1)), *(("records", uid("Record", n)) for n in (1, 2))]
    usual = {"op": "put", "revision": 1}
    assert found == {
        "changes": [
            {"type": kind, "id": row_id, **usual, "data": client.get(f"{kind}/{row_id}").json}
            for kind, row_id in rows
        ],
        "since": "0",
        "next": f"1.{tag}.0.accounts_records",
        "hasMore": False,
        "revision": 1,
    }
    assert read(client, types="accounts,records") == found


def test_without_data_there_is_nothing_and_later_there_is(client):
    found = read(client)
    assert (found["changes"], found["hasMore"], found["revision"]) == ([], False, 0)
    client.load(account(1))
    later = read(client, since=found["next"])
    assert what(later["changes"]) == [("accounts", 1, True)]
    assert later["since"] == found["next"]


def test_every_type_comes_in_the_order_of_their_names(client):
    client.load(*household())
    found = all_of(client)["changes"]
    assert [c["type"] for c in found] == sorted(c["type"] for c in found)
    assert {c["type"] for c in found} == set(TYPES)
    keys = [(c["revision"], c["type"], c["id"]) for c in found]
    assert keys == sorted(keys)


def test_a_page_has_a_hundred_changes_unless_it_is_asked_for_others(client):
    client.load(account(1), *(record(n) for n in range(1, 1_100)))
    assert [len(read(client, **limit)["changes"]) for limit in ({}, {"limit": 1000})] == [100, 1000]
    assert read(client, limit=1000)["hasMore"]


# -- what has changed ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rows", "changed"),
    [
        # Only the account's balance changes.
        ([record(3)], [("accounts", 1), ("records", 3)]),
        ([record(1, payee="new")], [("records", 1)]),
        ([account(1, name="new")], [("accounts", 1), ("records", 1), ("records", 2)]),
        ([account(1, initialBalance=5)], [("accounts", 1)]),
        ([category(1, name="new")], [("categories", 1), ("records", 1)]),
        ([category(1, color="#fff")], [("categories", 1)]),
        ([label(1, name="new")], [("labels", 1), ("records", 2)]),
        ([record(2, recordState="void")], [("accounts", 1), ("records", 2)]),
        ([category(2, parentId=uid("Category", 1), group="Income")], [("categories", 2)]),
    ],
)
def test_rows_have_changed_of_which_something_else_is_shown(reader, rows, changed):
    # Fields that are not given stay as they were.
    given = {uid("Record", 1): {"categoryId": uid("Category", 1)}}
    given[uid("Record", 2)] = {"labelIds": [uid("Label", 1)]}
    reader.client.load(*({**row, **given.get(row["id"], {})} for row in rows))
    assert what(reader.read_all()) == [(*each, True) for each in changed]
    reader.check()


def test_the_kind_of_a_category_that_follows_from_another_has_changed(reader):
    reader.client.load(category(2, parentId=uid("Category", 1)))
    reader.read_all()
    reader.client.load(category(1, kind="income"))
    assert what(reader.read_all()) == [("categories", 1, True), ("categories", 2, True)]
    reader.check()


def test_what_nobody_is_shown_is_no_change(reader):
    client = reader.client
    before = client.get("changes", since=reader.since)
    client.statement(statement(), account_name="Giro")
    condition = {"If-None-Match": before.headers["ETag"]}
    assert client.get("changes", since=reader.since, headers=condition).status_int == 304
    assert reader.read_all() == []


@pytest.mark.parametrize("limit", [1, 100])
def test_undone_records_are_gone_until_a_file_brings_them_again(reader, limit):
    client = reader.client
    client.load(record(3), account(2))
    reader.read_all()
    take_back(client, 2)
    assert what(reader.read_all(limit)) == [
        ("accounts", 1, True),
        ("accounts", 2, False),
        ("records", 3, False),
    ]
    reader.check()
    late = Mirror(client)
    assert {op for *_, op in what(late.read_all(limit))} == {True}
    client.load(record(3), account(2))
    assert what(reader.read_all(limit)) == [
        ("accounts", 1, True),
        ("accounts", 2, True),
        ("records", 3, True),
    ]
    # A row was deleted and created again: late readers see only the final state.
    before = Mirror(client)
    before.since, before.rows = late.since, dict(late.rows)
    assert what(before.read_all(limit)) == what(reader.changes[-3:])
    before.check()


def take_back(client, number):
    service = client.service
    with changing(service.backend, client.user.email, service.clock.now(), action=None) as session:
        undo(session, number)


# -- rows with computed fields -------------------------------------------------------------------


def test_a_budget_has_changed_with_every_change(reader):
    client = reader.client
    client.load(budget(1), goal(1), standing_order(1))
    reader.read_all()
    client.load(record(3, amount=-7))
    everything = [("budgets", 1, True), ("goals", 1, True), ("standing-orders", 1, True)]
    found = what(reader.read_all())
    assert found == sorted([("accounts", 1, True), ("records", 3, True), *everything])
    reader.check()
    assert reader.rows["budgets", uid("Budget", 1)].count('"spent":9,') == 1
    # The deletion of such a row is reported like any other.
    take_back(client, 2)
    assert [c for c in what(reader.read_all()) if not c[2]] == [
        (type_, number, False) for type_, number, _ in everything
    ]


def test_what_depends_on_the_day_comes_again_on_the_next(reader):
    client, clock = reader.client, reader.client.service.clock
    daily = {"recurrenceRule": "FREQ=DAILY"}
    client.load(*(standing_order(n, **daily) for n in (1, 2, 3)), budget(1))
    reader.read_all()
    clock.set("2026-03-18T23:59:59Z")
    assert reader.read_all() == []
    clock.set("2026-03-19T00:00:00Z")
    everything = [("budgets", 1, True), *(("standing-orders", n, True) for n in (1, 2, 3))]
    assert what(reader.read_page(2)) == everything[:2]
    assert not reader.is_through
    assert what(reader.read_all(2)) == everything[2:]
    reader.check()
    assert reader.read_all() == []
    # Changes that are made while a client reads are included.
    clock.set("2026-03-20T00:00:00Z")
    reader.read_page(2)
    client.load(record(3))
    assert what(reader.read_all(2)) == sorted(
        [("accounts", 1, True), ("records", 3, True), *everything]
    )
    reader.check()
    # A client that has rows of two days is not done yet.
    clock.set("2026-03-21T00:00:00Z")
    reader.read_page(2)
    clock.set("2026-03-22T00:00:00Z")
    reader.read_all(3)
    reader.check()


def test_the_day_is_that_of_the_user_and_matters_to_no_other_types(reader):
    client, service = reader.client, reader.client.service
    client.load(standing_order(1, recurrenceRule="FREQ=DAILY"))
    reader.read_all()
    others = Mirror(client, ("accounts", "records"))
    others.read_all()
    query = {"since": others.since, "types": "accounts,records"}
    condition = {"If-None-Match": client.get("changes", **query).headers["ETag"]}
    service.change(lambda s: s.users.update(client.user.id, time_zone="Pacific/Auckland"))
    assert what(reader.read_all()) == [("standing-orders", 1, True)]
    reader.check()
    assert client.get("changes", headers=condition, **query).status_int == 304


# -- what is gone --------------------------------------------------------------------------------


@pytest.mark.parametrize("since", ["1", "17", "00", "9" * 30])
def test_a_number_without_its_tag_is_gone(reader, since):
    assert gone(reader.client, since) == "since is a number without a tag"


def test_a_tag_that_is_not_the_revision_s_is_gone(reader):
    client = reader.client
    revision, tag, rest = reader.since.split(".", 2)
    assert revision == "1"
    other = "since belongs to data that has been replaced"
    assert gone(client, f"1.{int(tag) ^ 1}.{rest}") == other
    assert gone(client, f"2.{tag}.{rest}") == "since is later than the current revision"
    client.load(record(3))
    assert gone(client, f"2.{tag}.{rest}") == other
    # This also holds for a position in the middle of the changes.
    middle = Mirror(client)
    middle.read_page(1)
    assert gone(client, middle.since.replace(middle.since.split(".")[1], tag)) == other


def test_a_since_of_fewer_types_is_gone_for_more(client):
    client.load(account(1), record(1))
    records = Mirror(client, ("records",))
    records.read_all()
    assert gone(client, records.since) == "since covers fewer types"
    assert gone(client, records.since, types="accounts") == "since covers fewer types"
    both = Mirror(client, ("records", "accounts"))
    both.read_all()
    client.load(record(2))
    fewer = read(client, since=both.since, types="records")
    assert what(fewer["changes"]) == [("records", 2, True)]
    assert gone(client, fewer["next"], types="records,accounts") == "since covers fewer types"


def test_a_since_is_gone_when_what_followed_is_forgotten(reader):
    client, service = reader.client, reader.client.service
    # A new client needs no deletions, except those since it began to read.
    slow = Mirror(client)
    slow.read_page(1)
    slower = Mirror(client)
    slower.read_page(1)
    service.clock.set("2026-04-18T12:00:00Z")
    take_back(client, 1)
    slow.read_page(1)
    at_2 = Mirror(client)
    at_2.read_all()
    tidy_up(service, "2027-04-22T12:00:00Z")
    # 399 days after the state was replaced.
    assert what(read(client, since=reader.since)["changes"]) == [
        *(("accounts", 1, False), ("categories", 1, False), ("labels", 1, False)),
        *(("records", n, False) for n in (1, 2)),
    ]
    tidy_up(service, "2027-05-24T12:00:00Z")
    older = "since is older than the change history"
    assert gone(client, reader.since) == older
    assert gone(client, slower.since) == older
    # The client's own state is still stored, but not the deletions that followed.
    assert gone(client, slow.since) == older
    # The current state is never too old, because no change followed it.
    assert at_2.read_all() == []
    assert read(client)["changes"] == []


def tidy_up(service, at):
    service.clock.set(at)
    service.services.housekeeping._work()


def test_after_an_upgrade_that_shows_data_otherwise_everybody_starts_over(reader):
    client = reader.client
    if client.service.kind == "memory":
        pytest.skip("nothing is older than its process")
    backend = client.service.backend
    with backend.engine.begin() as connection:
        schema.rebuild_all(connection, backend.room)
    assert gone(client, reader.since) == "since belongs to data that has been replaced"
    begun = Mirror(client)
    begun.read_all(2)
    begun.check()


@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
def test_after_a_restore_what_was_lost_is_gone(kind, new_settings, tmp_path):
    if CITUS_URL and kind == "postgresql":
        pytest.skip("each server of a Citus cluster is backed up by itself")
    service = Service(kind, new_settings(kind))
    try:
        client = service.client()
        client.load(account(1), record(1))
        kept, lost, middle = Mirror(client), Mirror(client), Mirror(client)
        kept.read_all()
        lost.read_all()
        service.backend.back_up(tmp_path / "backup")
        client.load(record(2), record(3))
        lost.read_all()
        middle.read_page(1)
        service.backend.restore(tmp_path / "backup", service.clock.now())
        client = Client(service, client.user, client.token)
        assert gone(client, lost.since) == "since is later than the current revision"
        client.load(record(4))
        for mirror in (lost, middle):
            assert gone(client, mirror.since) == "since belongs to data that has been replaced"
        assert what(kept.read_all()) == [("accounts", 1, True), ("records", 4, True)]
        kept.check()
    finally:
        service.stop()


# -- what is refused -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("since", ""),
        ("since", "x"),
        ("since", "-1"),
        ("since", "1.x"),
        ("since", "1.2.3"),
        ("since", "1.2.3.nothing"),
        ("since", "1.2.3.records.1.2.3.records.nothing"),
        ("since", "1.2.3.records.1.2.3.nothing." + uid("Record", 1)),
        ("since", "9" * 1_001),
        ("types", ""),
        ("types", "record"),
        ("types", "records,records"),
        ("types", "records,"),
        ("limit", "0"),
        ("limit", "1001"),
        ("offset", "1"),
    ],
)
def test_what_is_not_understood_is_refused(client, name, text):
    answer = client.get("changes", **{name: text})
    assert answer.status_int == 400
    assert [error["name"] for error in answer.json["errors"]] == [name]


def test_it_is_json_only(client):
    assert client.get("changes", headers={"Accept": "text/csv"}).status_int == 406


def test_a_token_sees_the_types_that_its_scopes_allow(service):
    narrow = service.client(scopes=["accounts", "labels"])
    narrow.load(*household())
    found = all_of(narrow)
    assert {c["type"] for c in found["changes"]} == {"accounts", "labels"}
    assert what(all_of(narrow, types="labels")["changes"]) == [
        ("labels", n, True) for n in (1, 2, 3)
    ]
    for types, scope in (("records", "records"), ("accounts,budgets,records", "budgets")):
        refused = narrow.get("changes", types=types)
        assert refused.status_int == 403
        assert refused.json["error"] == f"The token lacks the scope {scope}."
        assert f'scope="{scope}"' in refused.headers["WWW-Authenticate"]


def test_tokens_of_one_user_do_not_share_answers(service):
    wide = service.client()
    wide.load(account(1), record(1))
    narrow = Client(service, wide.user, new_token(service, wide.user, scopes=["accounts"]))
    answers = [client.get("changes", since=0) for client in (wide, narrow, wide)]
    types = [{c["type"] for c in answer.json["changes"]} for answer in answers]
    assert types == [{"accounts", "records"}, {"accounts"}, {"accounts", "records"}]
    assert answers[0].etag != answers[1].etag
    # The narrow client's cursor does not cover the records.
    assert gone(wide, answers[1].json["next"]) == "since covers fewer types"
    assert what(read(narrow, since=answers[0].json["next"])["changes"]) == []


# -- conditional requests ------------------------------------------------------------------------


def test_polling_is_a_304_until_something_changes(reader):
    client = reader.client
    condition = {"If-None-Match": client.get("changes", since=reader.since).headers["ETag"]}
    before = client.get("api-usage/stats").json["rateLimit"]["remaining"]
    for _ in range(3):
        again = client.get("changes", since=reader.since, headers=condition)
        assert (again.status_int, again.body) == (304, b"")
    assert client.get("api-usage/stats").json["rateLimit"]["remaining"] == before
    client.load(record(3))
    changed = client.get("changes", since=reader.since, headers=condition)
    assert changed.status_int == 200
    assert changed.headers["X-Last-Data-Change-Rev"] == "2"


def test_a_since_that_is_gone_is_no_304(reader):
    answer = reader.client.get("changes", since="7", headers={"If-None-Match": "*"})
    assert answer.status_int == 410
