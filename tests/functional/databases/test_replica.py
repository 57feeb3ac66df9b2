"""Data is read from a replica, but access is checked in the main database."""

import sqlite3

import pytest
from sqlalchemy import create_engine, text
from sqlalchemy.engine import make_url

from finance_api.auth.personal_tokens import issue_token
from finance_api.resources import PUBLIC_RESOURCES
from finance_api.storage.interface import Token
from support.browser import new_user, signed_in
from support.citus import CITUS_URL, Cluster
from support.native_rows import account, budget, household, record, uid
from support.service import Client, Service

PATHS = [
    *(str(resource.path) for resource in PUBLIC_RESOURCES),
    "records?withTotal=true&limit=1",
    "records?note=contains-i.corner",
    "records?sortBy=%2Bamount",
    f"records/by-id?id={uid('Record', 1)}",
]
INTERNAL = ["get-records", "get-docs?document_type=all"]


def copied(url):
    """A copy of the database as it is now."""
    if url.startswith("sqlite"):
        path = url.removeprefix("sqlite:///")
        with sqlite3.connect(path) as source, sqlite3.connect(f"{path}.copy") as target:
            source.backup(target)
        source.close()
        target.close()
        return f"{url}.copy"
    name = make_url(url).database
    if CITUS_URL:
        cluster = Cluster.of(CITUS_URL)
        cluster.freeze(name)
        copy = cluster.copy(name, f"{name}_copy")
        cluster.thaw(name)
        return copy
    server = create_engine(make_url(url).set(database="postgres"), isolation_level="AUTOCOMMIT")
    with server.connect() as connection:
        connection.execute(text(f"CREATE DATABASE {name}_copy TEMPLATE {name}"))
    server.dispose()
    return make_url(url).set(database=f"{name}_copy").render_as_string(hide_password=False)


class Replicated:
    """first: a service on the database alone. second: a service that reads data from a copy of
    it.
    """

    def __init__(self, settings, kind):
        self.first = Service(kind, settings)
        self.client = self.first.client()
        self.client.load(*household(), account(9, name="first"), budget(9, name="first"))
        (self.token,) = self.first.change(lambda s: s.users.list_owned(Token, self.client.user.id))
        for pending in ("usage", "last_used", "seen_sessions"):
            getattr(self.first.services, pending).flush()
        self.first.backend.close()
        copy = copied(settings["sqlalchemy.url"])
        more = {"sqlalchemy.read_url": copy, "finance_api.jwt.keys": self.first.key_file}
        self.second = Service(kind, {**settings, **more})

    def of_copy(self, path, client=None, **headers):
        client = client or self.client
        far = Client(self.second, client.user, client.token)
        return (far.internal if path in INTERNAL else far.get)(path, headers=headers)

    def of_database(self, path):
        ask = self.client.internal if path in INTERNAL else self.client.get
        return ask(path)

    def change(self):
        self.first.clock.advance(7)
        self.client.load(record(1, note="second corner"), account(9, name="second"))


@pytest.fixture(params=["sqlite", "postgresql"])
def both(request, new_settings):
    made = Replicated(new_settings(request.param), request.param)
    yield made
    made.first.stop()
    made.second.stop()


def said(answer):
    own = ("X-Request-Id", "X-RateLimit-Remaining", "X-RateLimit-Reset", "RateLimit")
    return answer.status_int, {k: v for k, v in answer.headers.items() if k not in own}, answer.body


def test_data_is_of_the_copy_and_so_are_the_headers(both):
    before = {path: said(both.of_database(path)) for path in [*PATHS, *INTERNAL]}
    both.change()
    for path, expected in before.items():
        for _ in range(2):
            answer = both.of_copy(path)
            assert said(answer) == expected
            assert answer.headers["X-Last-Data-Change-Rev"] == "1"
        now = both.of_database(path)
        assert now.headers["X-Last-Data-Change-Rev"] == "2"
        assert now.headers["ETag"] != answer.headers["ETag"]
    assert b"second" not in both.of_copy("accounts").body
    assert b"second" in both.of_database("accounts").body


def test_what_is_unchanged_is_so_by_the_data_that_is_shown(both):
    """A 304 states the revision of the data that the client has."""
    both.change()
    for path in [*PATHS, *INTERNAL]:
        shown = both.of_copy(path)
        any_tag = both.of_copy(path, **{"If-None-Match": "*"})
        assert any_tag.status_int == 304
        for name in ("ETag", "X-Last-Data-Change-Rev", "X-Last-Data-Change-At"):
            assert any_tag.headers[name] == shown.headers[name]
        known = both.of_copy(path, **{"If-None-Match": shown.headers["ETag"]})
        if known.status_int == 304:
            assert known.headers["X-Last-Data-Change-Rev"] == "1"
        else:
            assert said(known) == said(shown)


def test_whoever_is_shown_out_by_the_database_is_out_at_once(both):
    clock = both.first.clock.now()
    assert {both.of_copy(path).status_int for path in [*PATHS, *INTERNAL]} == {200}
    both.first.change(lambda s: s.users.update(both.client.user.id, premium=False))
    assert {both.of_copy(path).status_int for path in PATHS} == {403}
    both.first.change(lambda s: s.users.update(both.client.user.id, premium=True))
    both.first.change(lambda s: s.users.revoke(Token, both.token.id, clock))
    assert {both.of_copy(path).status_int for path in PATHS} == {401}
    both.first.change(lambda s: s.users.update(both.client.user.id, enabled=False))
    assert {both.of_copy(path).status_int for path in INTERNAL} == {401}
    both.first.change(lambda s: s.users.delete(both.client.user.id))
    assert {both.of_copy(path).status_int for path in [*PATHS, *INTERNAL]} == {401}


def test_a_user_whom_the_copy_has_not_heard_of_is_to_try_again(both):
    new = both.first.client()
    new.load(*household())
    for path in [*PATHS, *INTERNAL]:
        for headers in ({}, {"Accept": "application/x-ndjson, */*"}, {"If-None-Match": "*"}):
            answer = both.of_copy(path, new, **headers)
            assert answer.status_int == 503, path
            assert "Retry-After" in answer.headers
    visitor = signed_in(both.second, new_user(both.first))
    for page in ("/overview", "/accounts", "/accounts/export"):
        assert "try again" in visitor.get(page, status=503).text
    assert visitor.get("/settings/tokens").status_int == 200
    # A new token works if the copy has its user.
    now = both.first.clock.now()
    token = both.first.change(lambda s: issue_token(s, both.client.user, name="new", now=now))
    assert both.of_copy("records", Client(both.first, both.client.user, token)).status_int == 200


def test_what_is_noted_is_written_to_the_database_alone(both):
    assert both.of_copy("records").status_int == 200
    services = both.second.services
    for pending in (services.usage, services.last_used):
        pending.flush()
    answer = both.first.web.get("/v1/api/api-usage/stats", headers=both.client.headers)
    assert answer.json["total"] == 1


def test_the_service_is_ready_when_both_are(both):
    both.second.web.get("/__heartbeat__", status=200)
    url = both.second.backend.replica_engine.url
    both.second.backend.replica_engine.dispose()
    writable = create_engine(url)
    with writable.begin() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    writable.dispose()
    both.second.web.get("/__heartbeat__", status=503)
    both.first.web.get("/__heartbeat__", status=200)
