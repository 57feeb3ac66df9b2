"""Sign-ins and new credentials, while another request revokes them.

The second request runs at a fixed point of the first, so that every run is the same. On PostgreSQL,
where writers do not always wait for each other, the second writer runs in a thread until it has
ended or waits for a lock.
"""

import threading
from contextlib import contextmanager

import pytest
from sqlalchemy import text

from finance_api.auth.passwords import checked_hash
from finance_api.auth.personal_tokens import MAX_LIVE, IssueRefused, issue_token
from finance_api.auth.user_accounts import set_enabled, set_password
from finance_api.storage.errors import NotFound
from finance_api.storage.interface import unit_of_work
from finance_api.storage.sql.roles.users import SqlUsers
from finance_api.web import page
from finance_api.web.views import login
from support.browser import (
    LOGIN,
    PASSWORD,
    Visitor,
    jwts_of,
    new_jwt,
    new_token,
    sessions_of,
    signed_in,
    tokens_of,
    user_now,
)
from support.html import shown_text

NEW = "a new long password"


def new_password(service, user):
    password_hash, now = checked_hash(NEW, user.email), service.clock.now()
    service.change(lambda s: set_password(s, user, password_hash, now, revoke_tokens=False))


def disable(service, user):
    service.change(lambda s: set_enabled(s, user, False, service.clock.now()))


def delete(service, user):
    service.change(lambda s: s.users.delete(user.id))


ENDS = pytest.mark.parametrize("end", [new_password, disable, delete], ids=lambda f: f.__name__)


@contextmanager
def before_writing(monkeypatch, work):
    """Do ``work`` once, just before a view begins its unit of work that writes."""
    original, left = page.writing, [work]

    def writing(request):
        if left:
            left.pop()()
        return original(request)

    with monkeypatch.context() as patch:
        for module in (page, login):
            patch.setattr(module, "writing", writing)
        yield
    assert not left


@contextmanager
def after_lock(monkeypatch, service, work):
    """Start ``work`` in a thread once a user is locked; continue when it waits or is done."""
    errors = []

    def run():
        try:
            work()
        except Exception as error:
            errors.append(error)

    thread = threading.Thread(target=run)
    original, left = SqlUsers.lock, [thread]

    def lock(self, user_id):
        found = original(self, user_id)
        if left and threading.current_thread() is not thread:
            left.pop().start()
            wait_for(service, thread)
        return found

    with monkeypatch.context() as patch:
        patch.setattr(SqlUsers, "lock", lock)
        yield errors
        thread.join()
    assert not left


def wait_for(service, thread):
    waiting = text("SELECT count(*) FROM pg_locks WHERE NOT granted")
    with service.backend.engine.connect() as connection:
        while thread.is_alive():
            # The locks of this database's server; no other test runs in this process.
            if connection.execute(waiting).scalar_one():
                return
            connection.rollback()
            thread.join(0.01)


def fields(service, visitor, user):
    visitor.get(LOGIN)
    return visitor.form(LOGIN).filled({"email": user.email, "password": PASSWORD})


# -- signing in


@ENDS
def test_a_sign_in_begun_before_does_not_outlive_it(service, user, monkeypatch, end):
    visitor = Visitor(service)
    sent = fields(service, visitor, user)
    with before_writing(monkeypatch, lambda: end(service, user)):
        response = visitor.post(LOGIN, sent, status=403)
    assert "password is wrong" in shown_text(response.text)
    assert sessions_of(service, user) == []
    assert visitor.secret is None


@pytest.mark.parametrize("storage_of_service", ["postgresql"])
@pytest.mark.parametrize("end", [new_password, disable], ids=lambda f: f.__name__)
def test_what_comes_after_a_sign_in_ends_its_session(service, user, monkeypatch, end):
    """Without the lock, all sessions would be ended before this one exists."""
    visitor = Visitor(service)
    sent = fields(service, visitor, user)
    with after_lock(monkeypatch, service, lambda: end(service, user)) as errors:
        visitor.post(LOGIN, sent, status=303)
    assert not errors
    assert sessions_of(service, user) == []
    assert not visitor.is_signed_in()


# -- tokens and JWTs


@ENDS
@pytest.mark.parametrize("kind", ["tokens/new", "jwts"])
def test_a_page_makes_nothing_for_a_session_that_has_ended(
    service, user, visitor, monkeypatch, end, kind
):
    path = f"/settings/{kind}"
    given = {"name": "x", "scopes": "records"} if kind == "tokens/new" else {"ttl": "3600"}
    sent = visitor.form(path).filled(given)
    with before_writing(monkeypatch, lambda: end(service, user)):
        response = visitor.post(path, sent, status=403)
    assert "signed out" in shown_text(response.text)
    assert tokens_of(service, user) == jwts_of(service, user) == []


@ENDS
def test_a_password_changes_once(service, user, visitor, monkeypatch, end):
    sent = visitor.form("/settings/security", "/settings/security/password").filled(
        {
            "current_password": PASSWORD,
            "new_password": "another long password",
            "repeated_password": "another long password",
        }
    )
    with before_writing(monkeypatch, lambda: end(service, user)):
        visitor.post("/settings/security/password", sent, status=403)
    if end is new_password:
        assert Visitor(service).sign_in(user, NEW)


def test_a_command_makes_nothing_for_a_user_who_is_disabled_meanwhile(service, user):
    # The user as a command has read it.
    found = user_now(service, user)
    disable(service, user)
    now = service.clock.now()
    with pytest.raises(IssueRefused, match="disabled"):
        service.change(lambda s: issue_token(s, found, name="x", now=now))
    assert tokens_of(service, user) == []
    with pytest.raises(IssueRefused, match="disabled"):
        new_jwt(service, found)
    delete(service, user)
    with pytest.raises(NotFound):
        service.change(lambda s: issue_token(s, found, name="x", now=now))


@pytest.mark.parametrize("storage_of_service", ["postgresql"])
def test_what_is_made_just_before_is_ended_with_the_rest(service, user, monkeypatch):
    with after_lock(monkeypatch, service, lambda: disable(service, user)) as errors:
        new_token(service, user)
    assert not errors
    assert [token.revoked_at is not None for token in tokens_of(service, user)] == [True]
    service.change(lambda s: set_enabled(s, user, True, service.clock.now()))
    with after_lock(monkeypatch, service, lambda: disable(service, user)) as errors:
        new_jwt(service, user)
    assert not errors
    assert [jwt.revoked_at is not None for jwt in jwts_of(service, user)] == [True]


@pytest.mark.parametrize("storage_of_service", ["postgresql"])
@pytest.mark.parametrize("make", [new_token, new_jwt], ids=lambda f: f.__name__)
def test_two_at_once_do_not_pass_the_limit(service, user, monkeypatch, make):
    for _ in range(MAX_LIVE - 1):
        make(service, user)
    with after_lock(monkeypatch, service, lambda: make(service, user)) as errors:
        make(service, user)
    (error,) = errors
    assert isinstance(error, IssueRefused)
    of = tokens_of if make is new_token else jwts_of
    assert len(of(service, user)) == MAX_LIVE


@pytest.mark.parametrize("storage_of_service", ["postgresql"])
def test_an_import_keeps_nobody_from_signing_in(service, user):
    """An import keeps the user's row locked until it ends."""
    with unit_of_work(service.backend) as importing:
        importing.data.lock(user.id)
        assert signed_in(service, user).is_signed_in()
        assert new_token(service, user)
