"""Changing the password ends the sessions of the old one, also in other processes."""

import time

import pytest

from finance_api.auth.passwords import MAX_CHARACTERS
from support.browser import (
    PASSWORD,
    Visitor,
    dump,
    errors,
    location,
    new_jwt,
    new_token,
    new_user,
    sessions_of,
    signed_in,
    status_of,
    user_now,
)
from support.command import Command
from support.html import forms, shown_text
from support.service import Service, on_one_storage

PAGE, CHANGE = "/settings/security", "/settings/security/password"
NEW = "a new long password"


@pytest.fixture
def command(both, tmp_path):
    """The command on the database of the two applications."""
    here, _ = both
    url = here.backend.engine.url.render_as_string(hide_password=False)
    return Command(tmp_path, {"finance_api.storage": "sql", "sqlalchemy.url": url})


def internal(service, jwt):
    return status_of(service, "/internal/v1/get-records", jwt)


# -- what is refused -----------------------------------------------------------------------------


@on_one_storage
@pytest.mark.parametrize(
    ("given", "wrong"),
    [
        ({"current": "not my password"}, {"current_password"}),
        ({"current": ""}, {"current_password"}),
        ({"current": NEW}, {"current_password"}),
        ({"new": "short"}, {"new_password"}),
        ({"new": ""}, {"new_password"}),
        ({"new": "x" * 7}, {"new_password"}),
        ({"new": "x" * (MAX_CHARACTERS + 1)}, {"new_password"}),
        ({"repeated": NEW + " "}, {"repeated_password"}),
        ({"repeated": ""}, {"repeated_password"}),
        ({"current": "x", "repeated": "y"}, {"current_password", "repeated_password"}),
    ],
)
def test_what_is_wrong_is_reported_beside_its_field(service, user, visitor, given, wrong):
    other = signed_in(service, user)
    form = visitor.form(PAGE, CHANGE)
    fields = {"current": PASSWORD, "new": NEW, "repeated": given.get("new", NEW), **given}
    before = dump(service)
    sent = form.filled({f"{name}_password": value for name, value in fields.items()})
    response = visitor.post(CHANGE, sent, status=400)
    assert errors(response) == wrong
    for typed in fields.values():
        assert len(typed) < 8 or typed not in response.text
    assert dump(service) == before
    assert visitor.is_signed_in()
    assert other.is_signed_in()


def test_guessing_the_current_password_is_limited(new_settings):
    limit = {"finance_api.ratelimit.password_change": "3/hour"}
    service = Service("memory", {**new_settings("memory"), **limit})
    user = new_user(service)
    visitor = signed_in(service, user)
    for _ in range(3):
        assert errors(visitor.change_password("wrong password", status=400)) == {"current_password"}
    response = visitor.change_password()
    assert response.status_int == 429
    assert int(response.headers["Retry-After"]) > 0
    assert "Too many" in shown_text(response.text)
    assert user_now(service, user).password_hash == user.password_hash
    # Failures count for this session alone: other sessions and sign-ins need not wait.
    assert errors(signed_in(service, user).change_password("wrong password")) == {
        "current_password"
    }
    service.clock.advance(1_200)
    assert visitor.change_password(status=303)
    service.stop()


# -- what it does --------------------------------------------------------------------------------


def test_the_new_password_counts_from_then_on(service, user, visitor):
    response = visitor.change_password(status=303)
    assert location(response) == f"{PAGE}?done=password-changed"
    assert "password is changed" in shown_text(visitor.get(location(response)).text)
    Visitor(service).sign_in(user, PASSWORD, status=403)
    Visitor(service).sign_in(user, NEW)
    kept = repr(dump(service))
    assert NEW not in kept
    assert PASSWORD not in kept


@on_one_storage
@pytest.mark.parametrize("new", ["x" * 8, "x" * MAX_CHARACTERS, "pässwörd", "💥" * 8, " " * 8])
def test_any_long_enough_password_will_do(service, user, new):
    visitor = signed_in(service, user)
    visitor.change_password(new=new, status=303)
    Visitor(service).sign_in(user, new)


@on_one_storage
@pytest.mark.parametrize(
    ("new", "reason"),
    [
        ("password", "most common"),
        ("iloveyou", "most common"),
        ("PassWord", "most common"),
        ("Password2026!", "most common"),
        ("12345678", "most common"),
        ("finance_api", "service's name"),
        ("Finance-API!", "service's name"),
        ("{email}", "e-mail"),
        ("{local}", "e-mail"),
        (PASSWORD, "old one"),
    ],
)
def test_what_is_tried_first_is_refused(service, new, reason):
    user = new_user(service)
    visitor = signed_in(service, user)
    new = new.format(email=user.email.upper(), local=user.email.split("@")[0])
    response = visitor.change_password(new=new, status=400)
    assert errors(response) == {"new_password"}
    assert reason in shown_text(response.text)
    assert user_now(service, user).password_hash == user.password_hash


def test_the_tokens_are_revoked_if_that_is_asked_for(service, user, visitor):
    token, other = new_token(service, user), new_token(service, new_user(service))
    again = visitor.change_password(repeated="x", revoke_tokens="yes", status=400)
    (form,) = [form for form in forms(again.text) if form.action == CHANGE]
    assert ("revoke_tokens", "yes") in form.fields
    assert status_of(service, "/v1/api/records", token) == 200
    visitor.change_password(revoke_tokens="yes", status=303)
    assert status_of(service, "/v1/api/records", token) == 401
    assert status_of(service, "/v1/api/records", other) == 200


def test_this_browser_stays_in_with_a_new_id_and_all_others_are_out(service, user, visitor):
    others, stranger = [signed_in(service, user) for _ in range(2)], signed_in(service)
    stolen, old_secret = visitor.copy(), visitor.secret
    old_token = visitor.csrf()
    visitor.change_password(status=303)
    assert visitor.secret != old_secret
    assert visitor.is_signed_in()
    assert not any(other.is_signed_in() for other in (*others, stolen))
    assert stranger.is_signed_in()
    assert len(sessions_of(service, user)) == 1
    visitor.post("/settings/logout", {"csrf_token": old_token}, status=403)
    assert visitor.is_signed_in()


def test_jwts_end_and_tokens_do_not(service, user, visitor):
    token, other = new_token(service, user), new_jwt(service, new_user(service))
    jwts = [new_jwt(service, user), service.jwt(user)]
    assert [internal(service, jwt) for jwt in jwts] == [200, 200]
    visitor.change_password(status=303)
    assert [internal(service, jwt) for jwt in jwts] == [401, 401]
    assert internal(service, other) == 200
    assert status_of(service, "/v1/api/records", token) == 200
    assert internal(service, new_jwt(service, user)) == 200


# -- other processes -----------------------------------------------------------------------------


def test_another_process_knows_at_once(both):
    here, there = both
    user = new_user(here)
    visitor, other = signed_in(here, user), signed_in(there, user)
    jwt, token = new_jwt(there, user), new_token(there, user)
    assert internal(there, jwt) == internal(here, jwt) == 200
    visitor.change_password(status=303)
    assert not other.is_signed_in()
    assert not other.copy(here).is_signed_in()
    assert internal(there, jwt) == internal(here, jwt) == 401
    assert status_of(there, "/v1/api/records", token) == 200
    assert visitor.copy(there).is_signed_in()
    Visitor(there).sign_in(user, PASSWORD, status=403)
    Visitor(there).sign_in(user, NEW)


def test_the_command_ends_sessions_and_jwts_in_every_process(both, command):
    here, there = both
    # The command uses the real clock.
    here.clock.seconds = there.clock.seconds = int(time.time()) - 5
    user, stranger = new_user(here), new_user(here)
    visitors = [signed_in(here, user), signed_in(there, user)]
    outsider = signed_in(there, stranger)
    jwt, token = new_jwt(here, user), new_token(here, user)
    said = command.done(
        "user", "set-password", user.email, "--password-stdin", stdin=f"{NEW}\n".encode()
    )
    assert user.email.encode() in said
    assert not any(visitor.is_signed_in() for visitor in visitors)
    assert internal(here, jwt) == internal(there, jwt) == 401
    assert status_of(there, "/v1/api/records", token) == 200
    assert outsider.is_signed_in()
    Visitor(here).sign_in(user, PASSWORD, status=403)
    Visitor(there).sign_in(user, NEW)
