"""Sessions of the settings pages: cookies, how long they last, and how they end."""

import hashlib
import re

import pytest

from finance_api.auth.sessions import IDLE_SECONDS, KEPT_SECONDS, LONGEST_SECONDS
from support.browser import (
    LOGIN,
    PASSWORD,
    Visitor,
    assert_error_page,
    dump,
    location,
    new_user,
    sent_cookies,
    sessions_of,
    signed_in,
)
from support.html import csrf_of, shown_text
from support.service import Service, on_one_storage

SECRET = re.compile("[A-Za-z0-9_-]{43}")
EVERYWHERE = "/settings/security/sign-out-everywhere"


@pytest.fixture(scope="module")
def proxied():
    settings = {"finance_api.storage": "memory", "finance_api.trusted_proxies": "10.0.0.0/8"}
    service = Service("memory", settings)
    yield service
    service.stop()


# -- cookies -------------------------------------------------------------------------------------


@on_one_storage
def test_the_cookie_is_for_this_host_and_no_script(service, user):
    visitor = Visitor(service)
    cookie, _ = sent_cookies(visitor.sign_in(user))
    assert cookie.key == "finance_session"
    assert SECRET.fullmatch(cookie.value)
    # The cookie ends when the browser is closed, at the latest.
    assert not cookie["expires"]
    assert not cookie["max-age"]
    assert not cookie["secure"]


@on_one_storage
def test_with_https_the_browser_keeps_the_cookie_from_others(service, user):
    visitor = Visitor(service, https=True)
    cookie, _ = sent_cookies(visitor.sign_in(user))
    assert cookie.key == "__Host-finance_session"
    assert cookie["secure"]
    assert visitor.is_signed_in()
    # A cookie that plain HTTP may have set does not count as a session.
    downgraded = Visitor(service, https=True)
    downgraded.cookies = {"finance_session": cookie.value}
    assert not downgraded.is_signed_in()


def test_https_may_be_a_trusted_proxy_s(proxied):
    user, forwarded = new_user(proxied), {"X-Forwarded-Proto": "https"}
    for address, secure in (("10.1.1.1", True), ("192.0.2.1", False)):
        visitor = Visitor(proxied, address=address, headers=forwarded)
        options = {"expect_https": secure}
        token = csrf_of(visitor.get(LOGIN, **options).text)
        sent = {"csrf_token": token, "email": user.email, "password": PASSWORD}
        response = visitor.post(LOGIN, sent, status=303, **options)
        names = ("finance_session", "finance_browser")
        for cookie, name in zip(sent_cookies(response), names, strict=True):
            assert bool(cookie["secure"]) == secure
            assert cookie.key == ("__Host-" if secure else "") + name
        assert visitor.get("/overview", **options).status_int == 200
        # The page's policy lets a form lead only to the page's own origin.
        leads_to = response.headers["Location"]
        assert leads_to.startswith(("/", "https:" if secure else "http:"))
        # The line for the shell must not send the token unencrypted either.
        page = visitor.get("/settings/tokens/new", **options).text
        sent = {"csrf_token": csrf_of(page), "name": "x", "scopes": "records", "expiry": "30"}
        answer = visitor.post("/settings/tokens/new", sent, **options)
        line = visitor.follow(answer, **options).text
        assert f"{'https' if secure else 'http'}://localhost/v1/api/records" in line


def test_only_a_digest_of_the_secret_is_kept(service, user):
    visitor = signed_in(service, user)
    token = visitor.csrf()
    visitor.submit("/settings/tokens/new", status=303, name="x", scopes="records")
    service.clock.advance(120)
    visitor.get("/overview")
    service.services.seen_sessions.flush()
    kept = repr(dump(service))
    for secret in (visitor.secret, token, visitor.cookies["finance_visitor"], PASSWORD):
        assert secret not in kept
    digest = hashlib.sha256(visitor.secret.encode()).hexdigest()
    assert [s.sha256 for s in sessions_of(service, user)] == [digest]
    # The stored values do not open a session.
    thief = Visitor(service)
    thief.cookies = {"finance_session": digest}
    assert not thief.is_signed_in()


@on_one_storage
@pytest.mark.parametrize(
    "value",
    ["", "x", "a" * 43, "a" * 44, "A" * 42 + "=", '"', "\x01", "ÿ" * 43, "a" * 4_000, "%00", "a;b"],
)
def test_a_made_up_cookie_is_none(service, value):
    visitor = Visitor(service)
    visitor.cookies = {"finance_session": value, "finance_visitor": value}
    assert not visitor.is_signed_in()
    visitor.get(LOGIN)


@on_one_storage
def test_pages_do_not_set_cookies_again_and_again(service, user):
    visitor = Visitor(service)
    assert [c.key for c in sent_cookies(visitor.get(LOGIN))] == ["finance_visitor"]
    assert not sent_cookies(visitor.get(LOGIN))
    visitor.sign_in(user)
    for path in ("/overview", "/settings/tokens", "/settings/nothing"):
        assert not sent_cookies(visitor.get(path, None))
    assert not sent_cookies(Visitor(service).get("/overview", 303))
    assert not sent_cookies(Visitor(service).get("/settings/nothing", 404))


# -- signing in makes a new one ------------------------------------------------------------------


def test_an_id_of_before_signing_in_is_worth_nothing(service, user):
    visitor = Visitor(service)
    visitor.cookies["finance_session"] = planted = "A" * 43
    visitor.cookies["finance_visitor"] = "B" * 43
    visitor.sign_in(user)
    assert visitor.secret not in (planted, "B" * 43)
    attacker = Visitor(service)
    for secret in (planted, "B" * 43):
        attacker.cookies["finance_session"] = secret
        assert not attacker.is_signed_in()


def test_signing_in_again_ends_the_session_that_was(service, user):
    visitor = signed_in(service, user)
    earlier, other = visitor.copy(), new_user(service)
    token = visitor.csrf()
    visitor.post(
        LOGIN, {"csrf_token": token, "email": other.email, "password": PASSWORD}, status=303
    )
    assert visitor.secret != earlier.secret
    assert not earlier.is_signed_in()
    assert other.email in shown_text(visitor.get("/overview").text)
    assert not sessions_of(service, user)


def test_a_refused_attempt_ends_nothing(service, user):
    visitor = signed_in(service, user)
    sent = {"csrf_token": visitor.csrf(), "email": user.email, "password": "wrong password"}
    assert visitor.post(LOGIN, sent).status_int == 403
    assert visitor.is_signed_in()


# -- time ----------------------------------------------------------------------------------------


def test_thirty_minutes_without_use_end_it(service, user):
    visitor = signed_in(service, user)
    service.clock.advance(IDLE_SECONDS - 1)
    assert visitor.copy().is_signed_in()
    service.services.seen_sessions.flush()
    service.clock.advance(IDLE_SECONDS)
    assert not visitor.is_signed_in()
    assert IDLE_SECONDS == 30 * 60


@on_one_storage
def test_use_keeps_it_alive_for_twelve_hours_and_no_longer(service, user):
    visitor = signed_in(service, user)
    for _ in range(LONGEST_SECONDS // 1_200 - 1):
        service.clock.advance(1_200)
        assert visitor.is_signed_in()
        service.services.seen_sessions.flush()
    service.clock.advance(1_199)
    assert visitor.is_signed_in()
    service.services.seen_sessions.flush()
    service.clock.advance(1)
    assert not visitor.is_signed_in()
    assert LONGEST_SECONDS == 12 * 3_600


def test_what_is_over_is_not_listed_and_cannot_act(service, user):
    old = signed_in(service, user, agent="Old/1.0")
    token = old.csrf()
    service.clock.advance(IDLE_SECONDS)
    new = signed_in(service, user, agent="New/1.0")
    text = shown_text(new.get("/settings/security").text)
    assert "New/1.0" in text
    assert "Old/1.0" not in text
    before = dump(service)
    assert_error_page(old.post("/settings/logout", {"csrf_token": token}), 403)
    assert dump(service) == before


def test_when_a_session_was_used_is_written_at_most_once_a_minute(service, user):
    visitor = signed_in(service, user)
    start = service.clock.now()

    def seen():
        service.services.seen_sessions.flush()
        return sessions_of(service, user)[0].seen_at - start

    for seconds, expected in ((59, 0), (1, 60), (59, 60), (1, 120)):
        service.clock.advance(seconds)
        visitor.get("/overview")
        assert seen() == expected
    shown = visitor.get("/settings/security").text
    assert "2026-03-18T12:02:00Z" in shown


# -- signing out ---------------------------------------------------------------------------------


def test_signing_out_ends_the_session_on_the_server(service, user):
    visitor, other = signed_in(service, user), signed_in(service, user)
    thief = visitor.copy()
    response = visitor.submit("/overview", "/settings/logout", status=303)
    assert location(response) == f"{LOGIN}?done=signed-out"
    assert visitor.secret is None
    assert "signed out" in shown_text(visitor.get(location(response)).text)
    assert not thief.is_signed_in()
    assert other.is_signed_in()


def test_signing_out_everywhere_ends_all_of_one_s_own(service, user):
    visitor, other, stranger = (
        signed_in(service, user),
        signed_in(service, user),
        signed_in(service),
    )
    thief = visitor.copy()
    response = visitor.submit(EVERYWHERE, status=303)
    assert "signed out everywhere" in shown_text(visitor.get(location(response)).text)
    for gone in (visitor, other, thief):
        assert not gone.is_signed_in()
    assert stranger.is_signed_in()
    assert not sessions_of(service, user)


def test_one_session_is_ended_and_others_are_not(service, user):
    visitor, other, stranger = (
        signed_in(service, user),
        signed_in(service, user),
        signed_in(service),
    )
    security = "/settings/security"
    ends = re.findall(f"{security}/sessions/[0-9a-f]+/end", visitor.get(security).text)
    # The current session has no such link: it ends by signing out.
    (end,) = ends
    stranger.get(end, 404)
    stranger.post(end, {"csrf_token": stranger.csrf()}, status=404)
    response = visitor.submit(end, status=303)
    assert "is ended" in shown_text(visitor.follow(response).text)
    assert not other.is_signed_in()
    assert visitor.is_signed_in()
    visitor.get(end, 404)


def test_another_process_knows_at_once(both):
    here, there = both
    user = new_user(here)
    visitor, other = signed_in(here, user), signed_in(there, user)
    there_too, here_too = visitor.copy(there), other.copy(here)
    assert there_too.is_signed_in()
    assert here_too.is_signed_in()
    there_too.submit("/overview", "/settings/logout", status=303)
    assert not visitor.is_signed_in()
    assert other.is_signed_in()
    here_too.submit(EVERYWHERE, status=303)
    assert not other.is_signed_in()


def test_a_disabled_or_deleted_user_is_out_in_every_process(both):
    here, there = both
    disabled, deleted = new_user(here), new_user(here)
    visitors = [signed_in(here, u).copy(there) for u in (disabled, deleted)]
    assert all(v.is_signed_in() for v in visitors)
    here.change(lambda storage: storage.users.update(disabled.id, enabled=False))
    here.change(lambda storage: storage.users.delete(deleted.id))
    assert not any(v.is_signed_in() for v in visitors)


# -- housekeeping --------------------------------------------------------------------------------


def tidy(service):
    service.services.housekeeping._work()


def test_housekeeping_forgets_what_is_over_and_nothing_else(service, user):
    first = signed_in(service, user, agent="First/1.0")
    service.clock.advance(IDLE_SECONDS - 1)
    tidy(service)
    assert first.is_signed_in()
    signed_in(service, user, agent="Second/1.0")
    # The first session's last use is written in the background, maybe not yet.
    service.services.seen_sessions.flush()
    service.clock.advance(IDLE_SECONDS - 1)
    tidy(service)
    assert {s.user_agent for s in sessions_of(service, user)} == {"First/1.0", "Second/1.0"}
    service.clock.advance(KEPT_SECONDS)
    tidy(service)
    assert len(sessions_of(service, user)) == 2 and not first.is_signed_in()
    service.clock.advance(1)
    tidy(service)
    assert sessions_of(service, user) == []


def test_signing_in_forgets_what_is_over(service, user):
    other = new_user(service)
    signed_in(service, other)
    service.clock.advance(IDLE_SECONDS + KEPT_SECONDS)
    signed_in(service, user)
    assert sessions_of(service, other) == []


# -- the list ------------------------------------------------------------------------------------


def test_the_list_shows_one_s_own_sessions_and_marks_this_one(service, user):
    visitor = signed_in(service, user, agent="Mine/1.0")
    signed_in(service, user, agent="Also mine/2.0")
    signed_in(service, agent="Somebody else's/3.0")
    text = shown_text(visitor.get("/settings/security").text)
    assert "Mine/1.0 This browser" in text
    assert "Also mine/2.0" in text
    assert text.count("This browser") == 1
    assert "Somebody else's" not in text


@on_one_storage
def test_a_browser_without_a_name_is_shown_all_the_same(service, user):
    for agent in ("", "\x7f", "x" * 5_000):
        visitor = Visitor(service, agent=agent)
        visitor.sign_in(user)
        assert visitor.get("/settings/security").status_int == 200
    assert max(len(s.user_agent) for s in sessions_of(service, user)) == 200


# -- how many there are --------------------------------------------------------------------------


def test_one_more_sign_in_ends_the_session_that_is_unused_for_longest(new_settings):
    limit = {"finance_api.sessions.max_live": "3"}
    service = Service("memory", {**new_settings("memory"), **limit})
    user, other = new_user(service), signed_in(service)
    visitors = []
    for _ in range(3):
        service.clock.advance(120)
        visitors.append(signed_in(service, user))
    service.clock.advance(120)
    visitors[0].get("/settings/security")
    service.services.seen_sessions.flush()
    service.clock.advance(120)
    visitors.append(signed_in(service, user))
    assert [v.is_signed_in() for v in visitors] == [True, False, True, True]
    assert other.is_signed_in()
