"""For a user, other users' tokens, JWTs and data seem not to exist."""

import pytest

from finance_api.storage.interface import Jwt, Token
from finance_api.values.ids import new_id
from finance_api.web.object_pages import OBJECT_PAGES
from finance_api.web.routes import ROUTES
from support.browser import (
    Visitor,
    assert_error_page,
    comparable,
    dump,
    jwts_of,
    new_jwt,
    new_token,
    new_user,
    signed_in,
    tokens_of,
)
from support.native_rows import account, household, record
from support.routes import page_methods
from support.service import on_one_storage

PAGES = (
    *("/overview", "/accounts", "/accounts/export", "/settings/tokens", "/settings/tokens/new"),
    *("/settings/jwts", "/settings/usage", "/settings/security"),
    *("/records", "/records?q=only", "/transfers", "/rules/apply", "/rules/new", "/budgets/new"),
    *(page.path for page in OBJECT_PAGES.values()),
)
MARK = "only-in-the-other-user"

#: Texts that cannot be ids.
ODD_IDS = (
    "x",
    "0",
    "-1",
    "%00",
    "a%00b",
    "%F0%9F%92%A5",
    "%ED%9F%BF",
    "%EF%BF%BF",
    "'%20OR%201=1%20--",
    "%25",
    "%2e%2e",
    "%0d%0aX:%20y",
    "{id}",
    "*",
    "a" * 4_000,
    "%3Cscript%3E",
)


@pytest.fixture
def mine(service):
    return signed_in(service)


@pytest.fixture
def other(service):
    """Another user, with a token, a revoked token, and JWTs."""
    user = new_user(service)
    for name in ("first", "second"):
        new_token(service, user, f"{MARK} {name}")
        new_jwt(service, user)
    tokens, jwts = tokens_of(service, user), jwts_of(service, user)
    service.change(lambda s: s.users.revoke(Token, tokens[1].id, service.clock.now()))
    service.change(lambda s: s.users.revoke(Jwt, jwts[1].jti, service.clock.now()))
    return user


def foreign_paths(service, other):
    """Yield pairs: a page about another user's object, and the same page with an id that nobody
    has.
    """
    for token in tokens_of(service, other):
        yield f"/settings/tokens/{token.id}/revoke", f"/settings/tokens/{new_id()}/revoke"
    for jwt in jwts_of(service, other):
        yield f"/settings/jwts/{jwt.jti}/revoke", f"/settings/jwts/{new_id()}/revoke"


def test_another_user_s_id_is_answered_like_one_that_does_not_exist(service, mine, other):
    token = mine.csrf()
    before = dump(service)
    for foreign, missing in foreign_paths(service, other):
        for wanted in (foreign, missing):
            assert_error_page(mine.get(wanted, None), 404)
        assert comparable(mine.get(foreign, 404)) == comparable(mine.get(missing, 404))
        sent = {"csrf_token": token}
        answers = [mine.post(path, sent, status=404) for path in (foreign, missing)]
        assert comparable(answers[0]) == comparable(answers[1])
        heads = [mine.request("HEAD", path, status=404) for path in (foreign, missing)]
        assert comparable(heads[0]) == comparable(heads[1])
    assert dump(service) == before


def seen(response, path):
    """Return the response without the parts that differ each time, and without its path."""
    return str(comparable(response)).replace(path, "(path)")


@on_one_storage
def test_nothing_of_another_user_is_reached_by_any_route(world):
    stranger, csrf = world.stranger, {"csrf_token": world.stranger.csrf()}
    before = dump(world.service)
    methods = page_methods(world.service.app.registry)
    for name in [name for name, path in ROUTES.items() if "{" in path]:
        accepted = methods[ROUTES[name]]
        path = world.path(name)
        missing = ROUTES[name].format(id=new_id(), jti=new_id(), number=99, link=new_id())
        read, sent = (404 if method in accepted else 405 for method in ("GET", "POST"))
        # Its form names records, of which it finds none.
        sent = 303 if name == "record.join" else sent
        reads = [stranger.get(each, read) for each in (path, missing)]
        sends = [stranger.post(each, csrf, status=sent) for each in (path, missing)]
        for foreign, nobodys in (reads, sends):
            assert seen(foreign, path) == seen(nobodys, missing), name
        if "GET" in accepted and name != "question.download":
            # The owner of the object can see the page, but a secret only once.
            world.visitor.get(path, 303 if name == "question.link_made" else 200)
    assert dump(world.service) == before


def test_an_id_of_the_wrong_kind_does_not_exist(service, mine):
    user = new_user(service)
    own = signed_in(service, user)
    new_token(service, user)
    new_jwt(service, user)
    token_id, jti = tokens_of(service, user)[0].id, jwts_of(service, user)[0].jti
    csrf = own.csrf()
    before = dump(service)
    for path in (f"/settings/tokens/{jti}/revoke", f"/settings/jwts/{token_id}/revoke"):
        own.get(path, 404)
        own.post(path, {"csrf_token": csrf}, status=404)
    # Ids are compared exactly, including their case.
    own.get(f"/settings/tokens/{token_id.upper()}/revoke", 404)
    assert dump(service) == before


@pytest.mark.parametrize("kind", ["tokens", "jwts"])
def test_an_odd_id_does_not_exist(service, mine, kind):
    csrf = mine.csrf()
    before = dump(service)
    for odd in ODD_IDS:
        path = f"/settings/{kind}/{odd}/revoke"
        assert_error_page(mine.get(path, None), 404)
        assert_error_page(mine.post(path, {"csrf_token": csrf}), 404)
    assert dump(service) == before


def test_a_jwt_that_was_issued_elsewhere_is_not_one_s_own(service, mine):
    """The service knows this JWT only because it was revoked."""
    jti = new_id()

    def revoke_unknown(storage):
        storage.users.add_owned(Jwt(jti, None, None, service.clock.now() + 60, service.clock.now()))

    service.change(revoke_unknown)
    path = f"/settings/jwts/{jti}/revoke"
    mine.get(path, 404)
    mine.post(path, {"csrf_token": mine.csrf()}, status=404)


def test_pages_are_the_same_whatever_others_have(service, other):
    """Compares pages of a user without data, before and after another user gets data."""
    user = new_user(service)
    visitor = signed_in(service, user)
    # Export first: the audit log, which another page shows, has an entry for it.
    exported = comparable(visitor.get("/accounts/export"))
    service.services.audit.flush()
    queries = [*PAGES, "/settings/usage?period=12months"]
    queries.remove("/accounts/export")
    before = [comparable(visitor.get(path)) for path in queries]
    service.load(other, [account(1, name=MARK), record(1, payee=MARK), *household()[1:]])
    day = service.clock.now() // 86_400 * 86_400
    service.change(lambda storage: storage.usage.add({(other.id, day, ""): 987_654}))
    signed_in(service, other, agent=MARK)
    new_token(service, other, MARK)
    assert [comparable(visitor.get(path)) for path in queries] == before
    assert comparable(visitor.get("/accounts/export")) == exported
    theirs = signed_in(service, other)
    for path in ("/settings/tokens", "/accounts", "/settings/security"):
        assert MARK in theirs.get(path).text
    assert "987,654" in theirs.get("/settings/usage").text


@on_one_storage
def test_credentials_of_the_surfaces_do_not_open_the_settings(service):
    user = new_user(service)
    credentials = (new_token(service, user), new_jwt(service, user), service.jwt(user))
    for text in credentials:
        visitor = Visitor(service, headers={"Authorization": f"Bearer {text}"})
        assert not visitor.is_signed_in()
        visitor.cookies = {"finance_session": text[:43]}
        assert not visitor.is_signed_in()


@on_one_storage
def test_a_session_does_not_open_the_surfaces(service):
    visitor = signed_in(service)
    for path in ("/v1/api/records", "/internal/v1/get-records"):
        assert visitor.get(path, None).status_int == 401
        headers = {"Authorization": f"Bearer {visitor.secret}"}
        assert visitor.get(path, None, headers=headers).status_int == 401
