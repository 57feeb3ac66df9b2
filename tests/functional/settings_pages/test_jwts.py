"""JSON Web Tokens of the internal surface on the settings pages."""

import re
from dataclasses import replace

import pytest

from support.browser import (
    dump,
    jwts_of,
    location,
    new_jwt,
    new_token,
    new_user,
    signed_in,
    status_of,
)
from support.html import forms, shown_text
from support.service import on_one_storage

JWTS = "/settings/jwts"
ALL = "/settings/jwts/revoke-all"
JWT = re.compile(r"eyJ[\w-]+\.eyJ[\w-]+\.[\w-]+")


def issue(visitor, status=303, **given):
    """Submit the form for a JWT. Return the next page, which shows the JWT or the errors."""
    response = visitor.submit(JWTS, status=status, **given)
    return visitor.follow(response) if response.status_int == 303 else response


def issued(response):
    (text,) = set(JWT.findall(response.text))
    return text


def ask(service, jwt):
    return status_of(service, "/internal/v1/get-records", jwt)


def test_a_jwt_works_at_once_and_is_shown_once(service, user, visitor):
    response = issue(visitor)
    jwt = issued(response)
    assert ask(service, jwt) == 200
    (kept,) = jwts_of(service, user)
    assert kept.expires_at == service.clock.now() + 3_600
    assert "18 Mar 2026, 13:00 UTC" in shown_text(response.text)
    assert jwt not in repr(dump(service))
    for path in ("/tokens", "/jwts", f"/jwts/{kept.jti}/revoke", "/jwts/revoke-all", "/security"):
        assert jwt.rpartition(".")[2] not in visitor.get(f"/settings{path}").text
    assert kept.jti in visitor.get(JWTS).text


@on_one_storage
def test_the_line_for_the_shell_asks_the_internal_surface(service, visitor):
    response = issue(visitor)
    text = shown_text(response.text)
    token, url = re.search(r"curl -H 'Authorization: Bearer (\S+)' (\S+)", text).groups()
    assert token == issued(response)
    path = url.strip("'").removeprefix("http://localhost")
    headers = {"Authorization": f"Bearer {token}"}
    assert service.web.get(path, headers=headers).status_int == 200


@on_one_storage
def test_every_lifetime_that_is_offered_can_be_had(service, user, visitor):
    page = visitor.get(JWTS).text
    offered = re.findall('<option value="([0-9]+)"', page)
    assert {"900", "3600", "86400", "2592000"} <= set(offered)
    assert re.search('<option value="3600" selected', page)
    for seconds in offered:
        jwt = issued(issue(visitor, ttl=seconds))
        service.clock.advance(1)
        assert ask(service, jwt) == 200
    lives = {j.expires_at - j.issued_at for j in jwts_of(service, user)}
    assert lives == set(map(int, offered))


@on_one_storage
def test_a_jwt_ends_when_it_was_chosen_to(service, user, visitor):
    jwt = issued(issue(visitor, ttl="900"))
    service.clock.advance(899)
    assert ask(service, jwt) == 200
    assert jwts_of(service, user)[0].jti in visitor.get(JWTS).text
    service.clock.advance(1 + 30)
    assert ask(service, jwt) == 401
    assert jwts_of(service, user)[0].jti not in visitor.get(JWTS).text


@on_one_storage
@pytest.mark.parametrize(
    "ttl",
    [
        "",
        "0",
        "-1",
        "1",
        "3601",
        "3600.0",
        "3,600",
        " 3600",
        "1e3",
        "٩٠٠",
        "9" * 5_000,
        "x",
        "\x00",
    ],
)
def test_another_lifetime_is_refused_beside_the_field(service, user, visitor, ttl):
    csrf = visitor.csrf()
    before = dump(service)
    response = visitor.post(JWTS, {"csrf_token": csrf, "ttl": ttl}, status=400)
    assert 'id="ttl-error"' in response.text
    assert not JWT.search(response.text)
    assert visitor.post(JWTS, {"csrf_token": csrf}).status_int == 400
    assert dump(service) == before


def test_the_settings_lifetime_is_offered_and_longer_ones_are_not(configured):
    service = configured(jwt__ttl_seconds="1234", jwt__max_ttl_seconds="4000")
    visitor = signed_in(service)
    page = visitor.get(JWTS).text
    assert set(re.findall('<option value="([0-9]+)"', page)) == {"900", "1234", "3600"}
    assert re.search('<option value="1234" selected', page)
    assert issued(issue(visitor))
    sent = {"csrf_token": visitor.csrf(), "ttl": "28800"}
    assert visitor.post(JWTS, sent).status_int == 400


def test_without_a_signing_key_the_page_says_so_and_none_is_made(configured):
    service = configured(jwt__keys="")
    user = new_user(service)
    visitor = signed_in(service, user)
    page = visitor.get(JWTS).text
    assert "cannot issue JWTs" in shown_text(page)
    assert JWTS not in [form.action for form in forms(page)]
    before = dump(service)
    response = visitor.post(JWTS, {"csrf_token": visitor.csrf(), "ttl": "3600"}, status=400)
    assert "cannot" in shown_text(response.text)
    assert dump(service) == before
    # The existing JWTs can still be revoked.
    assert visitor.submit(ALL, status=303)


def test_the_page_states_the_end_that_the_jwt_really_has(configured):
    """A JWT ends no later than the key that signed it, if the key is to be retired."""
    service = configured()
    services = service.services
    now = service.clock.now()
    (key,) = services.jwt_keys.keys()

    class Retiring:
        @staticmethod
        def keys():
            return (replace(key, use_until=now + 600),)

    service.replace(jwt_keys=Retiring())
    user = new_user(service)
    visitor = signed_in(service, user)
    text = shown_text(issue(visitor, ttl="3600").text)
    assert jwts_of(service, user)[0].expires_at == now + 600
    assert "18 Mar 2026, 12:10 UTC" in text
    assert "18 Mar 2026, 13:00 UTC" not in text


# -- revoking ------------------------------------------------------------------------------------


def test_a_revoked_jwt_is_refused_at_once_and_others_are_not(service, user, visitor):
    jwt = issued(issue(visitor))
    jti = jwts_of(service, user)[0].jti
    other = issued(issue(visitor))
    page = f"/settings/jwts/{jti}/revoke"
    assert jti in visitor.get(page).text
    assert ask(service, jwt) == 200
    response = visitor.submit(page, status=303)
    assert location(response) == "/settings/jwts?done=jwt-revoked"
    assert "is revoked" in shown_text(visitor.get(location(response)).text)
    assert ask(service, jwt) == 401
    assert ask(service, other) == 200
    assert page not in [form.action for form in forms(visitor.get(page).text)]
    before = dump(service)
    visitor.post(page, {"csrf_token": visitor.csrf()}, status=303)
    assert dump(service) == before


def test_all_are_revoked_at_once_and_tokens_and_sessions_are_not(service, user, visitor):
    other, token = new_user(service), new_token(service, user)
    mine = [issued(issue(visitor)), new_jwt(service, user), service.jwt(user)]
    theirs = new_jwt(service, other)
    assert [ask(service, jwt) for jwt in mine] == [200] * 3
    response = visitor.submit(ALL, status=303)
    assert "are revoked" in shown_text(visitor.get(location(response)).text)
    assert [ask(service, jwt) for jwt in mine] == [401] * 3
    assert ask(service, theirs) == 200
    headers = {"Authorization": f"Bearer {token}"}
    assert service.web.get("/v1/api/records", headers=headers).status_int == 200
    assert visitor.is_signed_in()
    assert "Active" not in shown_text(visitor.get(JWTS).text)


def test_the_list_has_the_state_of_each(service, user, visitor):
    for _ in range(2):
        issue(visitor)
        service.clock.advance(60)
    oldest, newest = jwts_of(service, user)
    visitor.submit(f"/settings/jwts/{oldest.jti}/revoke", status=303)
    page = visitor.get(JWTS).text
    assert page.index(newest.jti) < page.index(oldest.jti)
    rows = [shown_text(row) for row in re.findall('<tr role="row">.*?</tr>', page, re.S)][1:]
    assert ["Active" in row for row in rows] == [True, False]
    assert "Revoked" in rows[1]


@on_one_storage
def test_without_jwts_the_list_says_what_to_do(visitor):
    assert "No JWTs" in shown_text(visitor.get(JWTS).text)
