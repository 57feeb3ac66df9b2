"""Signing in to the settings pages: who gets in, who does not, and what a refusal reveals."""

from urllib.parse import quote

import pytest
from argon2 import PasswordHasher, extract_parameters
from argon2.exceptions import VerifyMismatchError
from webob import Request

from finance_api.auth import passwords
from finance_api.http.surfaces import is_page
from finance_api.web.page import page_after
from support.browser import (
    LOGIN,
    PASSWORD,
    Visitor,
    assert_error_page,
    changed_tables,
    comparable,
    dump,
    hashes_counted,
    location,
    new_user,
    sessions_of,
    signed_in,
)
from support.html import csrf_of, forms, shown_text
from support.nightly import count

#: Limits that no test reaches.
UNLIMITED = {
    "ratelimit__sign_in_address": "1000000/hour",
    "ratelimit__sign_in_account": "1000000/hour",
}
LISTS = (
    "Open Redirect/Intruder/Open-Redirect-payloads.txt",
    "Open Redirect/Intruder/openredirects.txt",
)
OWN_REDIRECTS = (
    *("", "//evil.example", "///evil.example", "////evil.example/..", "/\\evil.example"),
    *("\\\\evil.example", "https:evil.example", "https://evil.example", "https:///evil.example"),
    *("javascript:alert(1)", "data:text/html,x", "evil.example", "/evil", "/v1/api/records"),
    *("/settingsevil", "/settings.evil.example", "/settings@evil.example"),
    *("/settings/../v1/api/records", "/settings/..", "/settings/%2e%2e/v1/api/records"),
    *("/settings/%2E%2E/%2E%2E//evil.example", "/settings/.%2e/x", "/settings/%2e./x"),
    *("/settings/./../x", "/settings\\..\\..\\evil", "/settings/\\..\\x", "/settings/\t/../x"),
    *("/settings\r\nSet-Cookie: a=b", "/settings\nX: y", "/settings/\x00", "/settings/\u2028"),
    *("/settings/ü", "/settings/\ud800", " /settings", "\t//evil.example"),
    *("/settings//evil.example/..", "/SETTINGS", "http://localhost/settings"),
    *("//localhost/settings", "settings", "?next=/settings", "#", "/settings/login"),
    *("/settings/login?next=//evil.example", "/settings/login/", "/overview" + "/x" * 20_000),
)


@pytest.fixture
def visitor(service):
    return Visitor(service)


@pytest.fixture
def in_memory(configured):
    return configured(**UNLIMITED)


def attempt(visitor, **fields):
    """Send the form as the page sends it, with these values."""
    given = {"email": "", "password": "", **fields}
    return visitor.submit(LOGIN, **given)


def assert_refused(visitor, response, status=403):
    assert response.status_int == status, response.text
    assert response.content_type == "text/html"
    assert visitor.secret is None
    assert not visitor.is_signed_in()


# -- who gets in ---------------------------------------------------------------------------------


def test_the_right_password_signs_in(service, user, visitor):
    response = visitor.sign_in(user)
    assert location(response) == "/overview"
    assert visitor.is_signed_in()
    assert user.email in shown_text(visitor.get("/overview").text)
    assert len(sessions_of(service, user)) == 1


def test_a_wrong_password_does_not_sign_in(service, user, visitor):
    response = attempt(visitor, email=user.email, password="not the password")
    assert_refused(visitor, response)
    (form,) = forms(response.text)
    assert dict(form.fields)["email"] == user.email
    assert dict(form.fields)["password"] == ""
    assert "not the password" not in response.text
    assert not sessions_of(service, user)


@pytest.mark.parametrize(
    "typed",
    [
        PASSWORD.upper(),
        PASSWORD + " ",
        " " + PASSWORD,
        PASSWORD[:-1],
        PASSWORD + "\x00",
        PASSWORD + "x" * 2_000,
    ],
)
def test_a_password_is_compared_to_the_letter(in_memory, typed):
    visitor = Visitor(in_memory)
    response = attempt(visitor, email=new_user(in_memory).email, password=typed)
    assert_refused(visitor, response)


def test_the_e_mail_may_be_written_in_another_case_and_between_blanks(service, user):
    for typed in (user.email.upper(), f"  {user.email}\t", user.email.title()):
        visitor = Visitor(service)
        assert attempt(visitor, email=typed, password=PASSWORD).status_int == 303
        assert visitor.is_signed_in()


def test_a_disabled_user_is_refused_and_put_out(service, user):
    before = signed_in(service, user)
    service.change(lambda storage: storage.users.update(user.id, enabled=False))
    assert not before.is_signed_in()
    late = Visitor(service)
    refused = attempt(late, email=user.email, password=PASSWORD)
    assert_refused(late, refused)
    unknown = attempt(Visitor(service), email="nobody@example.org", password=PASSWORD)
    assert comparable(refused)[2] == comparable(unknown)[2].replace(
        "nobody@example.org", user.email
    )
    service.change(lambda storage: storage.users.update(user.id, enabled=True))
    assert before.is_signed_in()


def test_a_user_without_a_password_cannot_sign_in(service):
    user = new_user(service, password=None)
    for typed in ("nobody's password", PASSWORD, "None", " "):
        visitor = Visitor(service)
        assert_refused(visitor, attempt(visitor, email=user.email, password=typed))


def test_empty_fields_are_reported_beside_them_and_are_no_attempt(in_memory, monkeypatch):
    for email, password, wrong in (
        ("", "", {"email", "password"}),
        ("   ", "x", {"email"}),
        ("a@b.org", "", {"password"}),
    ):
        with hashes_counted(monkeypatch) as hashes:
            response = attempt(Visitor(in_memory), email=email, password=password)
        assert response.status_int == 400
        assert not hashes
        found = {name for name in ("email", "password") if f'id="{name}-error"' in response.text}
        assert found == wrong


def test_who_is_signed_in_is_led_past_the_form(service, user):
    visitor = signed_in(service, user)
    assert location(visitor.get(LOGIN, 303)) == "/overview"
    assert location(visitor.get(f"{LOGIN}?next=%2Faccounts", 303)) == "/accounts"


# -- what is not told ----------------------------------------------------------------------------


def test_a_wrong_password_and_an_unknown_account_are_answered_alike(service, user, monkeypatch):
    nobody = new_user(service, password=None)
    disabled = new_user(service)
    service.change(lambda storage: storage.users.update(disabled.id, enabled=False))
    answers, hashes = [], []
    for email in (user.email, "unknown@example.org", nobody.email, "no address", disabled.email):
        with hashes_counted(monkeypatch) as compared:
            response = attempt(Visitor(service), email=email, password="wrong password")
        status, headers, text = comparable(response)
        answers.append(
            (
                status,
                [h for h in headers if h[0] != "Content-Length"],
                text.replace(email, "(e-mail)"),
            )
        )
        hashes.append(len(compared))
    assert answers.count(answers[0]) == len(answers)
    assert hashes == [1] * len(hashes)


@pytest.fixture
def real_hashes(monkeypatch):
    """Use the real hashing of passwords."""
    monkeypatch.setattr(passwords, "_hasher", passwords.PasswordHasher())


@pytest.mark.usefixtures("real_hashes")
def test_the_same_work_is_done_whether_or_not_there_is_an_account(in_memory, monkeypatch):
    user = new_user(in_memory)
    with hashes_counted(monkeypatch) as compared:
        for email in (user.email, "unknown@example.org"):
            attempt(Visitor(in_memory), email=email, password="wrong password")
    known, unknown = compared
    assert extract_parameters(known) == extract_parameters(unknown)
    for expected in compared:
        # The comparison takes its full time: the hash is valid.
        with pytest.raises(VerifyMismatchError):
            PasswordHasher().verify(expected, "wrong password")


# -- hostile forms -------------------------------------------------------------------------------

HOSTILE = (
    "\x00",
    "a\x00@b.org",
    "' OR 1=1 --",
    "admin'--@b.org",
    "a@b.org\r\nBcc: c@d.org",
    "\ud800@b.org",
    "\udfff",
    "\ufffe",
    "💥@💥.org",
    "İ@b.org",
    # Two fields have this value, so the body is nearly as long as allowed.
    "a" * 30_000,
    "a" * 300 + "@b.org",
    "@" * 5_000,
    "%s%n%x",
    "{{7*7}}${7*7}",
    "\u202egro.b@a",
)


def test_hostile_strings_are_refused_quietly(service):
    for n, text in enumerate(HOSTILE, 1):
        # Another address and account each time: no limit refuses the attempt.
        visitor = Visitor(service, address=f"192.0.2.{n}")
        form = visitor.form(LOGIN)
        for fields in ({"email": text, "password": "x"}, {"email": f"{n}@b.org", "password": text}):
            response = visitor.post(LOGIN, form.filled({**fields, "next": text}))
            assert response.status_int == 403, (text[:50], response.status)
            assert response.content_type == "text/html"


def test_forms_that_cannot_be_read_are_refused_quietly(in_memory):
    visitor = Visitor(in_memory)
    token = b"csrf_token=" + csrf_of(visitor.get(LOGIN).text).encode()
    for body in (
        token + b"&email=%ff%fe&password=%c3%28",
        token + b"&email=\xff\xfe&password=\x80\x81",
        token + b"&email=%ED%A0%80&password=%ED%A0%80",
        token + b"&email=a&email=b&password=c&password=d",
        b"csrf_token=%ff",
        b"%",
        b"&" * 10_000,
        b"=" * 10_000,
        b"",
    ):
        headers = {"Content-Type": "application/x-www-form-urlencoded"}
        response = visitor.request("POST", LOGIN, body=body, headers=headers)
        assert response.status_int == 403, (body[:60], response.status)
        assert response.content_type == "text/html", body[:60]
        assert visitor.secret is None


def test_a_form_that_is_cut_short_is_a_400(in_memory):
    """A body ends early if its client disconnects."""
    request = Request.blank(LOGIN, method="POST", body=b"email=a")
    request.headers.update({"Host": "localhost", "Origin": "http://localhost"})
    request.content_type = "application/x-www-form-urlencoded"
    request.content_length = 100
    # As for a body from a socket.
    request.is_body_seekable = False
    status, _, _ = request.call_application(in_memory.app)
    assert status.startswith("400 ")


def test_a_query_that_is_not_utf_8_is_a_400_for_people(in_memory):
    for query in ("next=%ff", "done=%ff", "%ff=1", "next=%ED%A0%80"):
        assert_error_page(Visitor(in_memory).get(f"{LOGIN}?{query}", None), 400)
        for page in (
            "/overview",
            "/settings/usage",
            "/settings/tokens",
            LOGIN,
            "/settings/nothing",
        ):
            response = signed_in(in_memory).get(f"{page}?{query}", None)
            assert response.status_int < 500, (page, query, response.text)
            if response.status_int >= 400:
                assert_error_page(response, response.status_int)


# -- where it leads to ---------------------------------------------------------------------------


def redirects(corpora):
    found = list(OWN_REDIRECTS)
    for name in LISTS:
        path = corpora / "strings" / "swisskyrepo__PayloadsAllTheThings" / name
        for line in path.read_text("utf-8").splitlines():
            found += [line, f"/settings{line}", f"/settings/{line}", f"/{line}"]
    return list(dict.fromkeys(found))


def leads_to_a_settings_page(target):
    """Return whether a browser would resolve the target to a settings page."""
    path = target.partition("?")[0].partition("#")[0]
    steps = [s.lower().replace("%2e", ".") for s in path.replace("\\", "/").split("/")]
    return is_page(path) and not {".", ".."} & set(steps) and path.isascii()


def test_signing_in_leads_to_the_page_that_was_asked_for(service, user):
    for path in ("/settings/tokens", "/settings/usage?period=12weeks", "/accounts"):
        visitor = Visitor(service)
        asked = location(visitor.get(path, 303))
        assert asked == f"{LOGIN}?next={quote(path, safe='')}"
        form = visitor.form(asked)
        assert dict(form.fields)["next"] == path
        sent = form.filled({"email": user.email, "password": PASSWORD})
        assert location(visitor.post(form.action, sent, status=303)) == path


def test_signing_in_leads_to_no_other_place(in_memory, corpora):
    wanted = redirects(corpora)
    assert len(wanted) > 500
    for target in wanted:
        assert leads_to_a_settings_page(page_after(target)), target
    user = new_user(in_memory)
    visitor = signed_in(in_memory, user)
    form = visitor.form("/overview", "/settings/logout")
    # A longer form is refused.
    for target in [text for text in OWN_REDIRECTS if len(text) < 20_000][:: count(3, 1)]:
        token = dict(form.fields)["csrf_token"]
        sent = {"csrf_token": token, "email": user.email, "password": PASSWORD, "next": target}
        fresh = visitor.copy()
        response = fresh.post(LOGIN, sent, status=303)
        assert leads_to_a_settings_page(location(response)), target
        assert "\n" not in response.headers["Location"]
        visitor, form = fresh, fresh.form("/overview", "/settings/logout")


def test_nothing_but_a_session_is_written_when_somebody_signs_in(service, user):
    visitor = Visitor(service)
    visitor.get(LOGIN)
    before = dump(service)
    attempt(visitor, email=user.email, password="wrong password")
    assert dump(service) == before
    visitor.sign_in(user)
    assert changed_tables(before, dump(service)) == {"sessions"}
