"""Text that looks like HTML: every page shows the text exactly as it was typed.

Each page is compared with the same page with a harmless text. The parser must find the same
elements and attributes in the same order, and the hostile text in place of the harmless one.
"""

import json
import re
from dataclasses import replace
from functools import cache
from urllib.parse import quote

import pytest

from finance_api.auth.personal_tokens import IssueRefused, checked_name
from finance_api.auth.sessions import start_session
from finance_api.storage.interface import Session, Token
from finance_api.values.text import EmailRefused, normal_email
from support.browser import LOGIN, Visitor, new_token, new_user, sessions_of, signed_in, tokens_of
from support.html import mapped, parsed
from support.nightly import count

pytestmark = pytest.mark.nightly

LISTS = (
    "swisskyrepo__PayloadsAllTheThings/XSS Injection/Intruders",
    "fuzzdb-project__fuzzdb/html_js_fuzz",
    "minimaxir__big-list-of-naughty-strings",
)
#: Words by which browsers are recognised.
WORDS = ("Edg", "OPR/", "Firefox", "Chrome", "Safari", "curl", "iPhone", "Android", "Windows")
WORDS += ("Mac OS X", "Linux")

OWN = (
    "<script>alert(1)</script>",
    "</script><script>alert(1)</script>",
    '"><svg onload=alert(1)>',
    "' onfocus=alert(1) autofocus='",
    "</title><img src=x onerror=alert(1)>",
    "</textarea></form><form action=//evil.example>",
    "<!--",
    "-->",
    "<![CDATA[",
    "&lt;b&gt;",
    "&amp;amp;",
    "&#60;script&#62;",
    "{{ 7 * 7 }}",
    "{% raw %}",
    "{# #}",
    "%7B%7B",
    "javascript:alert(1)",
    "\u202e<b>\u2066",
    "\u2028<b>",
    "<\u0338script>",
    "＜script＞",
    "<ſcript>",
    "<b\x0bx>",
    "+ADw-script+AD4-",
    "x" * 99 + "<",
)


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
    # By day our own and every tenth of the others. Half of a surrogate pair cannot be sent.
    some = [*OWN, *list(found)[len(OWN) :: count(10, 1)]]
    return [s for s in some if s.strip() and not any("\ud800" <= c <= "\udfff" for c in s)]


@pytest.fixture(scope="module")
def service(plain):
    """No page depends on the storage."""
    return plain


@cache
def parsed_once(html):
    return parsed(html)


def assert_same(response, model, pairs):
    """pairs: harmless text -> the text in its place."""

    harmless = re.compile("|".join(map(re.escape, sorted(pairs, key=len, reverse=True))))

    def put_in(text):
        return harmless.sub(lambda found: pairs[found[0]], text)

    found, expected = parsed(response.text), mapped(parsed_once(model.text), put_in)
    assert found == expected, (pairs, set(found) ^ set(expected))


def set_state(service, **tables):
    service.backend.database = replace(service.backend.database, **tables)


def addresses(strings):
    """Return the strings percent-encoded, without those that make a URL too long."""
    found = (quote(text, safe="") for text in strings)
    return [text for text in found if len(text) < 2_000]


def valid_names(strings):
    names = {}
    for text in strings:
        try:
            names[text] = checked_name(text)
        except IssueRefused:
            continue
    return names


def batches(items, size):
    items = list(items)
    return [items[n : n + size] for n in range(0, len(items), size)]


# -- what is shown again in a form ---------------------------------------------------------------


def test_what_was_typed_to_sign_in_is_shown_as_text(service, strings):
    visitor = Visitor(service)
    form = visitor.form(LOGIN)

    def send(email, wanted):
        return visitor.post(LOGIN, form.filled({"email": email, "next": wanted}), status=400)

    model = send("model-email", "model-next")
    for text in strings:
        pairs = {"model-email": text, "model-next": text[::-1]}
        assert_same(send(text, text[::-1]), model, pairs)


# -- what is kept --------------------------------------------------------------------------------


def test_names_of_tokens_are_shown_as_text_in_lists(service, strings):
    names = valid_names(strings)
    assert len(names) > count(100, 1_000)
    for batch in batches(names.items(), 200):
        user = new_user(service)
        for text, _ in batch:
            new_token(service, user, text, max_live=1_000)
        visitor = signed_in(service, user)
        pages = ["/settings/tokens", "/settings/usage"]
        pages += [f"/settings/tokens/{t.id}/revoke" for t in tokens_of(service, user)[::25]]
        shown = {path: visitor.get(path) for path in pages}
        owned, kept = dict(service.backend.database.owned), {}
        for n, token in enumerate(tokens_of(service, user)):
            owned[Token, token.id] = replace(token, name=f"[model{n:05}]")
            kept[f"[model{n:05}]"] = token.name
        assert sorted(kept.values()) == sorted(name for _, name in batch)
        set_state(service, owned=owned)
        for path in pages:
            assert_same(shown[path], visitor.get(path), kept)


def begin(service, user, agent):
    now = service.clock.now()
    options = {"now": now, "user_agent": agent, "max_live": 10_000}
    service.change(lambda storage: start_session(storage, user, **options))


def test_names_of_browsers_are_shown_as_text(service, strings):
    def as_sent(text):
        return text.encode().decode("latin-1")

    def kept_of(text):
        return "".join(c for c in as_sent(text) if c.isprintable())[:200]

    for batch in batches([s for s in strings if kept_of(s).strip()], 400):
        user = new_user(service)
        visitor = signed_in(service, user)
        for text in batch:
            begin(service, user, as_sent(text))
        shown = visitor.get("/settings/security")
        owned, kept = dict(service.backend.database.owned), {}
        for n, session in enumerate(sessions_of(service, user)):
            if session.user_agent != visitor.agent:
                # A browser is recognised by words, so the model's text has the same words.
                model = " ".join([f"[model{n:05}]", *(w for w in WORDS if w in session.user_agent)])
                owned[Session, session.sha256] = replace(session, user_agent=model)
                kept[model] = session.user_agent
        assert sorted(kept.values()) == sorted(map(kept_of, batch))
        set_state(service, owned=owned)
        assert_same(shown, visitor.get("/settings/security"), kept)


def test_e_mails_are_shown_as_text_everywhere(service, strings):
    emails = {}
    for text in strings:
        local = "".join(text.split()).replace("@", "")[:150]
        try:
            emails[normal_email(f"{local}@x.org")] = None
        except EmailRefused:
            continue
    pages = ("", "/tokens", "/jwts", "/usage", "/data", "/security", "/tokens/x/revoke")
    assert len(emails) > count(75, 800)
    for n, email in enumerate(list(emails)[::40]):
        user = new_user(service, email=email, premium=bool(n % 2))
        visitor = signed_in(service, user)
        shown = {path: visitor.get(f"/settings{path}", None) for path in pages}
        found = service.backend.database.users[user.id]
        users = {**service.backend.database.users, user.id: replace(found, email="[model]@x.org")}
        set_state(service, users=users)
        for path in pages:
            model = visitor.get(f"/settings{path}", None)
            ids = [r.headers["X-Request-Id"] for r in (model, shown[path])]
            # In a command for the shell, quotes are escaped for the shell.
            assert_same_in_commands(shown[path], model, email, ids)
        users = {k: v for k, v in service.backend.database.users.items() if k != user.id}
        set_state(service, users=users, owned={})


#: The hidden id of a form, new for each page.
FORM_ID = re.compile('(?<=name="form-id" value=")[^"]*')


def assert_same_in_commands(response, model, email, ids):
    in_shell = email.replace("'", "'\\''")

    def put_in(text):
        text = text.replace("'[model]@x.org'", f"'{in_shell}'").replace("[model]@x.org", email)
        return text.replace(*ids)

    shown, wanted = (FORM_ID.sub("", each.text) for each in (response, model))
    assert parsed(shown) == mapped(parsed(wanted), put_in), email


# -- what is only in the address -----------------------------------------------------------------


def test_what_is_asked_for_in_the_query_is_not_shown_at_all(service, strings):
    visitor = signed_in(service)
    plain = visitor.get("/settings/usage").text
    for asked in addresses(strings):
        response = visitor.get(f"/settings/usage?period={asked}&done={asked}&{asked}=1")
        assert response.text == plain


def test_what_is_asked_for_in_the_path_is_not_shown_at_all(service, strings):
    visitor = signed_in(service)

    def page(path):
        response = visitor.get(path, 404)
        text = response.text.replace(response.headers["X-Request-Id"], "")
        # The suggested page depends on the path, but is one of our own.
        return re.sub(
            r'<p class="lead">Did you mean <a href="[/a-z-]+">[A-Za-z ]+</a>\?</p>', "", text
        )

    # Some contain a /, so no page has their address, and the error page has no navigation.
    plain = {page("/settings/tokens/x/revoke"), page("/settings/x")}
    for n, asked in enumerate(addresses(strings)):
        kind = ("tokens", "jwts")[n % 2]
        assert page(f"/settings/{kind}/{asked}/revoke") in plain
        if n % 5 == 0:
            assert page(f"/settings/x{asked}") in plain
