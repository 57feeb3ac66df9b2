"""Every registered route, requested by each user with each user's ids.

Another user's data makes no difference to any response: not to its status, to a header, or to a
byte of its body. The requests are derived from the registered routes and fields, so that the tests
include new ones.
"""

import re
from functools import cache
from types import SimpleNamespace

import pytest

from finance_api.resources import DOCUMENTS, PUBLIC_RESOURCES
from finance_api.storage.interface import Jwt, Token
from finance_api.storage.sql.read_model.drivers import SqlCache
from support.forgetting import forgetting
from support.native_rows import uid
from support.nightly import count
from support.routes import OPEN_PAGES, page_methods, surface_urls
from support.service import BY_DAY
from support.two_users import (
    FOREIGN,
    MARK,
    answers,
    assert_nothing_of_the_other,
    be_quiet,
    check_after,
    check_ids,
    foreign,
    foreign_id,
    missing_like,
    quiet_world,
    templates,
    whole,
    with_id_replaced,
)


@pytest.fixture
def world(service, monkeypatch):
    return quiet_world(service, monkeypatch)


# -- the matrix --------------------------------------------------------------------------------


@pytest.mark.nightly
def test_what_another_user_has_makes_no_difference_to_any_answer(service, again):
    # One storage is enough for the rounds with the cache, which is the same over every storage.
    check_after(*again(service.kind), rounds=3 if service.kind == BY_DAY else 1)


@pytest.mark.nightly
def test_a_foreign_id_in_any_form_answers_like_a_missing_one(world):
    world.let_in()
    check_ids(world)
    # The owner of the marks sees them, so the test could fail.
    for resource in PUBLIC_RESOURCES:
        assert MARK in world.other.get(str(resource.path)).text
        assert FOREIGN in world.other.get(str(resource.path)).text
    assert MARK in world.other.internal("get-records").text
    for resource in DOCUMENTS:
        answer = world.other.internal("get-docs", document_type=resource.model_type)
        assert MARK in answer.text


def test_the_other_user_s_token_finds_none_of_mine(world):
    world.let_in()

    def own_id(url):
        return foreign_id(url).replace(FOREIGN, "0000000")

    for template in templates():
        if uid("Record", 1) in template:
            continue
        headers = world.other_internal if template.startswith("/internal") else world.other.headers
        there = own_id(template)
        says = [
            with_id_replaced(world.ask(template.format(row_id), headers), row_id)
            for row_id in (there, missing_like(there))
        ]
        assert says[0] == says[1], template


def test_a_tag_of_another_user_is_never_a_match(world):
    world.let_in()
    urls = [f"/v1/api/{resource.path}" for resource in PUBLIC_RESOURCES]
    urls += [f"/v1/api/records/by-id?id={uid('Record', 1)}", "/internal/v1/get-records"]
    urls += ["/internal/v1/get-docs?document_type=all"]
    for url in urls:
        own = world.ask(url)
        theirs = world.ask(
            url, world.other_internal if url.startswith("/internal") else world.other.headers
        )
        assert theirs.headers["ETag"] != own.headers["ETag"]
        answer = world.ask(url, **{"If-None-Match": theirs.headers["ETag"]})
        assert whole(answer) == whole(own)
        assert world.ask(url, **{"If-None-Match": own.headers["ETag"]}).status_int == 304


def test_a_link_of_another_user_leads_to_one_s_own_data(world):
    world.let_in()
    for resource in PUBLIC_RESOURCES:
        theirs = world.other.get(str(resource.path), limit=1)
        link = theirs.headers["Link"].partition(">")[0].removeprefix("<")
        answer = world.ask(link)
        assert answer.status_int == 200
        assert_nothing_of_the_other(answer)
    for path in ("get-records?limit=1", "get-docs?document_type=all&limit=1"):
        theirs = world.ask(f"/internal/v1/{path}", world.other_internal)
        link = theirs.headers["Link"].partition(">")[0].removeprefix("<")
        answer = world.ask(link)
        assert answer.status_int == 200
        assert_nothing_of_the_other(answer)


def test_a_settings_page_shows_nothing_to_a_token(world):
    world.let_in()
    for path, accepted in page_methods(world.service.app.registry).items():
        if path in OPEN_PAGES:
            continue
        # Each leads to the page of signing in, or refuses a form without its token.
        expected = dict.fromkeys(("GET", "HEAD", "POST"), 405)
        expected |= {"GET": 303, "HEAD": 303} if "GET" in accepted else {}
        # Files arrive in another form.
        expected |= {"POST": 415 if path == "/import" else 403} if "POST" in accepted else {}
        for row_id in (uid("Record", 1), foreign(uid("Record", 1))):
            url = re.sub(r"{[a-z]+}", row_id, path)
            for headers in ({}, world.mine.headers, world.internal):
                for method, status in expected.items():
                    answer = world.service.web.request(
                        url,
                        method=method,
                        headers=headers,
                        content_type="application/x-www-form-urlencoded",
                        status=status,
                    )
                    assert_nothing_of_the_other(answer, row_id)


# -- every kind of credential ------------------------------------------------------------------


def credentials(world):
    """(name, Authorization, status on the public surface, status on the internal one)"""
    service, mine = world.service, world.mine
    at = service.clock.now()
    service.clock.set("2026-03-01T00:00:00Z")
    expired = service.client(expires_in_days=1)
    service.clock.seconds = at
    revoked, disabled = service.client(), service.client()
    (token,) = service.change(lambda s: s.users.list_owned(Token, revoked.user.id))
    service.change(lambda s: s.users.revoke(Token, token.id, at))
    service.change(lambda s: s.users.update(disabled.user.id, enabled=False))
    stolen = f"stolen-{mine.user.id}"
    service.change(lambda s: s.users.add_owned(Jwt(stolen, mine.user.id, at, at + 3_600)))
    service.change(lambda s: s.users.revoke(Jwt, stolen, at))
    deleted = service.client()
    deleted_jwt = service.jwt(deleted.user)
    service.change(lambda s: s.users.delete(deleted.user.id))
    poor = service.client(premium=False)
    stranger = SimpleNamespace(uuid="00000000-0000-4000-8000-000000000000")
    return [
        ("none", None, 401, 401),
        ("garbage", "Bearer x", 401, 401),
        ("malformed", f"Bearer {mine.token} {mine.token}", 401, 401),
        ("another scheme", f"Basic {mine.token}", 401, 401),
        ("empty", "", 401, 401),
        ("a typo", f"Bearer {mine.token[:-1]}", 401, 401),
        ("revoked", f"Bearer {revoked.token}", 401, 401),
        ("expired", f"Bearer {expired.token}", 401, 401),
        ("disabled", f"Bearer {disabled.token}", 401, 401),
        ("disabled JWT", f"Bearer {service.jwt(disabled.user)}", 401, 401),
        ("deleted", f"Bearer {deleted.token}", 401, 401),
        ("deleted JWT", f"Bearer {deleted_jwt}", 401, 401),
        ("revoked JWT", f"Bearer {service.jwt(mine.user, jti=stolen)}", 401, 401),
        (
            "expired JWT",
            f"Bearer {service.jwt(mine.user, issued_at=at - 7_200, expires_at=at - 3_600)}",
            401,
            401,
        ),
        ("nobody's JWT", f"Bearer {service.jwt(stranger)}", 401, 401),
        ("token", f"Bearer {mine.token}", 200, 401),
        ("JWT", f"Bearer {service.jwt(mine.user)}", 401, 200),
        ("without premium", f"Bearer {poor.token}", 403, 401),
        ("JWT without premium", f"Bearer {service.jwt(poor.user)}", 401, 200),
    ]


@pytest.mark.nightly
def test_what_a_credential_may_not_read_depends_on_nothing_else(world):
    world.let_in()
    paths = surface_urls(world.service.app.registry)
    # Parameters that a path needs besides a credential.
    needed = {"/v1/api/records/by-id": "id=", "/internal/v1/get-docs": "document_type=all&x="}
    for place, (name, header, *expected) in enumerate(credentials(world)):
        headers = {} if header is None else {"Authorization": header}
        for number, path in enumerate(paths, place):
            wanted = expected[path.startswith("/internal")]
            # Refusals read no data from a storage, so it is enough to test every path on one
            # storage, and by day with every third credential.
            if wanted != 200 and number % (count(3, 1) if world.service.kind == BY_DAY else 5):
                continue
            query = needed.get(path, "id=")
            ids = (uid("Record", 1), foreign(uid("Record", 1)), missing_like(uid("Record", 1)))
            answers = [world.ask(f"{path}?{query}{each}", headers) for each in ids]
            if wanted == 200:
                # The parameter may be unknown there, but nobody is refused because of the
                # credential.
                assert {a.status_int for a in answers} <= {200, 400}, (name, path)
            else:
                says = [whole(answer) for answer in answers]
                assert says[0] == says[1] == says[2], (name, path)
                assert says[0][0] == wanted, (name, path)
            for answer, row_id in zip(answers, ids, strict=True):
                assert_nothing_of_the_other(answer, row_id)


def test_a_scope_opens_its_own_resource_and_nothing_of_another_user(world):
    world.let_in()
    paths = [f"/v1/api/{resource.path}" for resource in PUBLIC_RESOURCES]
    for resource in PUBLIC_RESOURCES:
        narrow = world.service.client(scopes=[str(resource.path)])
        for path in (*paths, "/v1/api/records/by-id"):
            ids = (uid("Record", 1), foreign(uid("Record", 1)), missing_like(uid("Record", 1)))
            answers = [world.ask(f"{path}?id={each}", narrow.headers) for each in ids]
            needed = path.removeprefix("/v1/api/").partition("/")[0]
            statuses = {answer.status_int for answer in answers}
            assert statuses == ({200} if needed == resource.path else {403})
            if needed != resource.path:
                assert whole(answers[0]) == whole(answers[1]) == whole(answers[2])
            for answer, row_id in zip(answers, ids, strict=True):
                assert_nothing_of_the_other(answer, row_id)


def test_a_credential_that_is_refused_learns_no_tag(world):
    world.let_in()
    url = "/v1/api/records"
    tags = [world.ask(url).headers["ETag"], world.other.get("records").headers["ETag"], "*"]
    for name, header, expected, _ in credentials(world):
        if expected == 200:
            continue
        headers = {} if header is None else {"Authorization": header}
        says = [whole(world.ask(url, headers, **{"If-None-Match": tag})) for tag in tags]
        assert says[0] == says[1] == says[2], name
        assert says[0][0] == expected
        assert "ETag" not in says[0][1]


# -- would it be noticed? ----------------------------------------------------------------------


@pytest.fixture(scope="module")
def answered(services):
    """A world that tests share, which now has the other user's data, and the responses before
    that.
    """

    @cache
    def of(kind):
        with pytest.MonkeyPatch.context() as monkeypatch:
            world = quiet_world(services(kind), monkeypatch)
            before = answers(world)
            world.let_in(same_ids=True)
            return world, before, world.service.clock.now()

    return of


@pytest.fixture
def again(answered, monkeypatch):
    """Return a function: kind of storage -> the shared world, and the responses before."""

    def of(kind):
        world, before, seconds = answered(kind)
        be_quiet(world.service, monkeypatch)
        world.service.clock.seconds = seconds
        return world, before

    return of


@pytest.mark.parametrize("kind", count(["sqlite"], ["sqlite", "postgresql"]))
def test_statements_without_the_user_would_be_noticed(again, monkeypatch, kind):
    """`storage.test_forgotten_users` tests each query alone."""
    world, before = again(kind)
    monkeypatch.setattr(SqlCache, "get", forgetting(SqlCache.get, lambda build: True))
    with pytest.raises(AssertionError):
        check_after(world, before)
