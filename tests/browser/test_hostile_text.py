"""Text that tries to be a script: a real browser shows it, and does nothing else.

`tests/functional/settings_pages/test_injection.py` compares every page with a harmless one; here is
what only a browser can tell. The windows see dialogs, reports of the CSP and foreign requests.
"""

import json
from dataclasses import replace

import pytest
from playwright.sync_api import expect

from browser.site import PASSWORD
from finance_api.auth.emails import EmailRefused, normal_email
from finance_api.auth.issuing import IssueRefused, checked_name
from finance_api.auth.personal_tokens import digest, new_token
from finance_api.auth.sessions import start_session
from finance_api.auth.user_accounts import make_user
from support.nightly import count

LISTS = (
    "swisskyrepo__PayloadsAllTheThings/XSS Injection/Intruders",
    "fuzzdb-project__fuzzdb/html_js_fuzz",
    "minimaxir__big-list-of-naughty-strings",
)
OWN = (
    "<script>alert(1)</script>",
    '"><svg onload=alert(1)>',
    "' onfocus=alert(1) autofocus='",
    "</title><img src=x onerror=alert(1)>",
    "</textarea></form><form action=//evil.example>",
    "<!--",
    "{{ 7 * 7 }}",
    "<b>bold</b> &amp; &lt;",
    '<base href="//evil.example/"><link rel=stylesheet href=//evil.example>',
)

#: All at once: asking for each would take a second for a hundred.
_TEXTS = "(elements) => elements.map((e) => e.textContent)"


@pytest.fixture(scope="module")
def strings(corpora):
    directory = corpora / "strings"
    if not directory.is_dir():
        pytest.skip(f"there are no strings in {directory}")
    found = dict.fromkeys(OWN)
    for name in LISTS:
        for path in sorted((directory / name).iterdir()):
            if "LICENSE" in path.name:
                continue
            text = path.read_bytes().decode("utf-8", "replace")
            lines = json.loads(text) if path.suffix == ".json" else text.split("\n")
            found.update(dict.fromkeys(line.rstrip("\r") for line in lines))
    assert len(found) > 1_200
    # Half of a surrogate pair cannot be sent.
    sent = [s for s in found if s.strip() and not any("\ud800" <= c <= "\udfff" for c in s)]
    return [*OWN, *sent[len(OWN) :: count(4, 1)]]


@pytest.fixture
def inside(site, page):
    user = site.user()
    site.enter(page.context, user)
    return user, page


def names_of(strings):
    """As they are kept, where they can be names."""
    for text in strings:
        for part in {text[:100], text[-100:]}:
            try:
                yield checked_name(part)
            except IssueRefused:
                continue


@pytest.mark.nightly
def test_every_name_of_a_token_is_shown_as_text(site, inside, strings):
    user, page = inside
    names = sorted(set(names_of(strings)))
    assert len(names) > count(250, 1_000)
    site.token(user, "[model]")

    def work(storage):
        (model,) = storage.tokens.list_by_user(user.id)
        for n, name in enumerate(names):
            # Some that work and some that do not: they stand in different tables.
            ended = None if n % 4 else site.now()
            storage.tokens.add(
                replace(
                    model,
                    id=f"x{user.id}-{n}",
                    name=name,
                    sha256=digest(new_token()),
                    revoked_at=ended,
                )
            )

    site.change(work)
    page.goto("/settings/tokens")
    shown = page.locator(".name-text").evaluate_all(_TEXTS)
    assert sorted(shown) == sorted([*names, "[model]"])
    hidden = page.locator("a[href$='/revoke'] .visually-hidden").evaluate_all(_TEXTS)
    active = [name for n, name in enumerate(names) if n % 4]
    assert sorted(text.removeprefix(" ") for text in hidden) == sorted([*active, "[model]"])
    page.goto("/settings/usage")
    shown = page.locator(".quotas .name-text").evaluate_all(_TEXTS)
    assert sorted(shown) == sorted([*active, "[model]"])
    labels = page.locator("meter").evaluate_all("(all) => all.map((e) => e.ariaLabel)")
    assert sorted(labels) == sorted(f"Requests left for {name}" for name in [*active, "[model]"])
    for n in range(1, len(names), count(100, 120)):
        page.goto(f"/settings/tokens/x{user.id}-{n}/revoke")
        assert page.locator("#what-title").evaluate_all(_TEXTS) == [names[n]]


@pytest.mark.nightly
def test_names_are_shown_as_text_on_their_way_through_the_form(site, inside, strings):
    _, page = inside
    for text in [*OWN[:: count(4, 1)], *strings[:: len(strings) // count(2, 20)]]:
        page.goto("/settings/tokens/new")
        field = page.get_by_label("Name")
        field.fill(text[:100])
        page.get_by_label("Records", exact=True).check()
        typed = field.input_value()
        # Back once with a fault, then on.
        page.get_by_label("On a date").check()
        page.get_by_role("button", name="Create the token").click()
        expect(page.get_by_role("alert")).to_be_visible()
        expect(field).to_have_value(typed)
        page.get_by_label("Never").check()
        page.get_by_role("button", name="Create the token").click()
        expect(page.get_by_role("heading", level=1)).to_have_text("Your new token")
        shown = page.locator(".lead strong").evaluate_all(_TEXTS)
        assert shown == [checked_name(typed)]


@pytest.mark.nightly
def test_every_name_of_a_browser_is_shown_as_text(site, inside, strings):
    user, page = inside

    def work(storage):
        for text in strings:
            # As a server reads it: each byte is a character.
            agent = text.encode().decode("latin-1")
            start_session(storage, user, now=site.now(), user_agent=agent)
        return [session.user_agent for session in storage.sessions.list_by_user(user.id)]

    kept = [agent for agent in site.change(work) if agent]
    assert len(kept) > count(250, 1_000)
    page.goto("/settings/security")
    assert sorted(page.locator(".agent").evaluate_all(_TEXTS)) == sorted(kept)


def test_the_name_that_a_browser_sends_is_shown_as_text(site, windows):
    user = site.user(password=PASSWORD)
    for agent in ('"><img src=x onerror=alert(1)>', "</span></th><script>alert(1)</script>"):
        page = windows.open(user_agent=agent).new_page()
        page.goto("/settings/security")
        page.get_by_label("E-mail").fill(user.email)
        page.get_by_label("Password").fill(PASSWORD)
        page.get_by_role("button", name="Sign in").click()
        row = page.get_by_role("row").filter(has_text="This browser")
        expect(row.locator(".agent")).to_have_text(agent)


@pytest.mark.nightly
def test_e_mails_are_shown_as_text(site, page, strings):
    emails = {}
    for text in strings:
        local = "".join(text.split()).replace("@", "")[:150]
        try:
            emails[normal_email(f"{local}@x.org")] = None
        except EmailRefused:
            continue
    wanted = count(4, 12)
    chosen = list(emails)[:: len(emails) // wanted]
    assert len(chosen) >= wanted

    def work(storage):
        return [
            make_user(storage, email, premium=False, password=None, now=site.now())
            for email in chosen
        ]

    for user in site.change(work):
        site.enter(page.context, user)
        page.goto("/accounts")
        assert page.locator(".who-email").evaluate_all(_TEXTS) == [user.email]
        assert page.locator(".who-email").get_attribute("title") == user.email


def test_what_was_typed_on_the_sign_in_page_comes_back_as_text(page):
    for text in ('"><script>alert(1)</script>', "' autofocus onfocus=alert(1) x='"):
        page.goto("/settings/login")
        page.get_by_label("E-mail").fill(text)
        page.get_by_label("Password").fill("x")
        page.get_by_role("button", name="Sign in").click()
        expect(page.get_by_role("alert")).to_be_visible()
        expect(page.get_by_label("E-mail")).to_have_value(text)
