"""Disabling a user ends all access for good; and the limits on a user's credentials."""

import pytest

from finance_api.auth.personal_tokens import MAX_LIVE
from finance_api.auth.user_accounts import set_enabled, set_password
from finance_api.settings import SETTINGS
from support.browser import jwts_of, new_jwt, new_token, sessions_of, signed_in, tokens_of
from support.html import shown_text
from support.question_links import Linked
from support.service import Service


def enable(service, user, enabled):
    service.change(lambda s: set_enabled(s, user, enabled, service.clock.now()))


def asks(service, path, credential):
    headers = {"Authorization": f"Bearer {credential}"}
    return service.web.get(path, headers=headers, expect_errors=True).status_int


def test_enabling_again_revives_nothing(service, user, visitor):
    token, jwt, elsewhere = new_token(service, user), new_jwt(service, user), service.jwt(user)
    enable(service, user, False)
    service.clock.advance(5)
    # An issuer may not know that the user is disabled.
    meanwhile = service.jwt(user)
    enable(service, user, True)
    assert asks(service, "/v1/api/records", token) == 401
    for text in (jwt, elsewhere, meanwhile):
        assert asks(service, "/internal/v1/get-records", text) == 401
    assert not visitor.is_signed_in()
    assert sessions_of(service, user) == []
    service.clock.advance(1)
    again = signed_in(service, user)
    new = new_token(service, user), new_jwt(service, user)
    # Enabling an enabled user changes nothing.
    enable(service, user, True)
    assert asks(service, "/v1/api/records", new[0]) == 200
    assert asks(service, "/internal/v1/get-records", new[1]) == 200
    assert again.is_signed_in()


def test_enabling_again_revives_no_link(client):
    linked = Linked(client)
    enable(client.service, client.user, False)
    enable(client.service, client.user, True)
    assert linked.read().status_int == 410
    linked.secret = linked.add()
    assert linked.read().status_int == 200


@pytest.mark.parametrize(("revoke_tokens", "status"), [(False, 200), (True, 410)])
def test_links_end_with_the_tokens_when_the_password_changes(client, revoke_tokens, status):
    linked, now = Linked(client), client.service.clock.now()
    linked.service.change(
        lambda s: set_password(s, client.user, "hash", now, revoke_tokens=revoke_tokens)
    )
    assert linked.read().status_int == status


def test_a_jwt_that_begins_a_second_later_ends_too(service, user):
    """A JWT issued right after "revoke all" starts a second later; disabling its user ends it."""
    enable(service, user, False)
    enable(service, user, True)
    jwt = new_jwt(service, user)
    assert asks(service, "/internal/v1/get-records", jwt) == 200
    enable(service, user, False)
    enable(service, user, True)
    assert asks(service, "/internal/v1/get-records", jwt) == 401


def test_the_settings_have_the_usual_numbers():
    found = {s.name: s.default for s in SETTINGS}
    assert (
        found["finance_api.tokens.max_live"] == found["finance_api.jwt.max_live"] == str(MAX_LIVE)
    )


@pytest.fixture
def few(new_settings):
    limits = {"finance_api.tokens.max_live": "2", "finance_api.jwt.max_live": "2"}
    service = Service("sqlite", {**new_settings("sqlite"), **limits})
    yield service
    service.stop()


def test_a_page_makes_so_many_tokens_and_says_so(few):
    visitor = signed_in(few)
    given = {"name": "x", "scopes": "records", "expiry": "30"}
    for _ in range(2):
        visitor.submit("/settings/tokens/new", status=303, **given)
    refused = visitor.submit("/settings/tokens/new", status=400, **given)
    wanted = "There are 2 active tokens, and 2 are allowed: revoke one first."
    assert wanted in shown_text(refused.text)
    # Expired and revoked tokens do not count.
    few.clock.advance(30 * 86_400)
    visitor = signed_in(few, few.change(lambda s: s.users.list_all()[0]))
    visitor.submit("/settings/tokens/new", status=303, **given)


def test_a_page_makes_so_many_jwts_and_says_so(few):
    visitor = signed_in(few)
    (user,) = few.change(lambda s: s.users.list_all())
    for _ in range(2):
        visitor.submit("/settings/jwts", status=303, ttl="900")
    refused = visitor.submit("/settings/jwts", status=400, ttl="900")
    wanted = "There are 2 active JWTs, and 2 are allowed: revoke one first, or wait"
    assert wanted in shown_text(refused.text)
    jti = jwts_of(few, user)[0].jti
    visitor.submit(f"/settings/jwts/{jti}/revoke", status=303)
    visitor.submit("/settings/jwts", status=303, ttl="900")
    few.clock.advance(900)
    for _ in range(2):
        visitor.submit("/settings/jwts", status=303, ttl="900")
    assert tokens_of(few, user) == []
