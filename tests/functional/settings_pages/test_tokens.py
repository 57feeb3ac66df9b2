"""Personal tokens on the settings pages: created, shown once, listed, revoked."""

import re

import pytest

from finance_api.auth.personal_tokens import MAX_NAME_CHARACTERS, SCOPES
from support.browser import (
    Visitor,
    changed_tables,
    dump,
    errors,
    location,
    new_token,
    new_user,
    signed_in,
    status_of,
    tokens_of,
)
from support.html import forms, shown_text
from support.native_rows import household
from support.service import Service, on_one_storage

NEW = "/settings/tokens/new"
MADE = "/settings/tokens/made"
TOKEN = re.compile("fin_[0-9A-Za-z]{49}")
DAY = 86_400


def create(visitor, status=303, **given):
    """Submit the form. Return the next page, which shows the token or the errors."""
    given = {"name": "test", "scopes": list(SCOPES), **given}
    response = visitor.submit(NEW, status=status, **given)
    return visitor.follow(response) if response.status_int == 303 else response


def made(response):
    """Return the token from the page that shows it."""
    (text,) = set(TOKEN.findall(response.text))
    return text


def ask(service, token, path="records"):
    return status_of(service, f"/v1/api/{path}", token)


# -- making --------------------------------------------------------------------------------------


def test_a_token_works_at_once_and_is_shown_once(service, user, visitor):
    service.load(user, household())
    response = create(visitor, name="Spreadsheet")
    token = made(response)
    assert ask(service, token) == 200
    (kept,) = tokens_of(service, user)
    assert (kept.name, kept.start) == ("Spreadsheet", token[: len(kept.start)])
    assert token not in repr(dump(service))
    for path in ("/tokens", NEW[9:], f"/tokens/{kept.id}/revoke", "/usage", "/security"):
        text = visitor.get(f"/settings{path}").text
        assert token not in text
        assert token[len(kept.start) :] not in text
    assert kept.start in visitor.get("/settings/tokens").text


@on_one_storage
def test_the_line_for_the_shell_asks_for_something_the_token_may_read(service, user, visitor):
    for scopes in (list(SCOPES), ["goals", "labels"], ["accounts"]):
        response = create(visitor, scopes=scopes)
        line = next(
            e for e in shown_text(response.text).split("curl -H ")[1:] if e.startswith("'Auth")
        )
        token, url = re.match(r"'Authorization: Bearer (\S+)' (\S+)", line).groups()
        assert token == made(response)
        assert url.strip("'").startswith("http://localhost/v1/api/")
        assert ask(service, token, url.strip("'").partition("/v1/api/")[2]) == 200


@on_one_storage
@pytest.mark.parametrize(
    ("expiry", "expected"),
    [("30", 30 * DAY), ("90", 90 * DAY), ("365", 365 * DAY), ("never", None)],
)
def test_a_token_expires_when_it_was_chosen_to(service, user, visitor, expiry, expected):
    now = service.clock.now()
    token = made(create(visitor, expiry=expiry))
    (kept,) = tokens_of(service, user)
    assert kept.expires_at == (None if expected is None else now + expected)
    if expected is not None:
        service.clock.advance(expected - 1)
        assert ask(service, token) == 200
        service.clock.advance(1)
        assert ask(service, token) == 401
        again = signed_in(service, user)
        assert "Expired" in shown_text(again.get("/settings/tokens").text)


def test_all_scopes_together_mean_everything(service, user, visitor):
    # No scope is ticked at first.
    create(visitor, 400, scopes=[])
    create(visitor)
    (kept,) = tokens_of(service, user)
    assert kept.scopes is None


@on_one_storage
@pytest.mark.parametrize("scopes", [["records"], ["labels", "goals"], list(SCOPES[:-1])])
def test_scopes_are_enforced(service, user, visitor, scopes):
    token = made(create(visitor, scopes=scopes))
    (kept,) = tokens_of(service, user)
    assert kept.scopes == tuple(s for s in SCOPES if s in scopes)
    for path in SCOPES:
        assert ask(service, token, path) == (200 if path in scopes else 403)


@on_one_storage
def test_reloading_the_page_that_shows_a_token_makes_and_shows_none(service, user, visitor):
    sent = visitor.submit(NEW, status=303, name="once", scopes=["records"])
    cookie = {"finance_made": visitor.cookies["finance_made"]}
    assert made(visitor.follow(sent))
    assert visitor.get(MADE, 303).headers["Location"] == "/settings/tokens"
    assert len(tokens_of(service, user)) == 1
    # Only its owner sees the content of a cookie.
    stranger = signed_in(service)
    for text in (*cookie.values(), "nonsense", "fin_" + "x" * 49):
        stranger.cookies["finance_made"] = text
        assert text not in stranger.get(MADE, 303).text


# -- what is refused -----------------------------------------------------------------------------


@on_one_storage
@pytest.mark.parametrize(
    ("given", "wrong"),
    [
        *(
            ({"name": name}, {"name"})
            for name in ("", " \t ", "x" * (MAX_NAME_CHARACTERS + 1), "a\x00b", "\x01\x02")
        ),
        *(
            ({"scopes": scopes}, {"scopes"})
            for scopes in ([], ["records", "everything"], [""], ["Records"])
        ),
        *(({"expiry": expiry}, {"expiry"}) for expiry in ([], "31", "-30", "٣٠")),
        *(
            ({"expiry": "date", "expires_on": day}, {"expires_on"})
            for day in (
                *("", "tomorrow", "2026-02-30", "2026-03-18", "2020-01-01", "0000-00-00"),
                *("9999-12-31", "10000-01-01", "2027-01-01T00:00:00Z", "２０２７-01-01"),
            )
        ),
        ({"name": "", "scopes": [], "expiry": "x"}, {"name", "scopes", "expiry"}),
    ],
)
def test_what_is_wrong_is_reported_beside_its_field(service, user, visitor, given, wrong):
    form = visitor.form(NEW).filled({"name": "kept", "scopes": ["records"], **given})
    before = dump(service)
    response = visitor.post(NEW, form, status=400)
    assert errors(response) == wrong
    assert dump(service) == before
    assert not TOKEN.search(response.text)


@on_one_storage
def test_what_was_typed_is_kept(visitor):
    given = {
        "name": "My <b>own</b> & \"only\" 'token'",
        "scopes": ["goals", "labels"],
        "expiry": "date",
        "expires_on": "2020-01-01",
    }
    response = create(visitor, 400, **given)
    (form,) = [f for f in forms(response.text) if f.action == NEW]
    kept = [pair for pair in form.fields if pair[0] not in ("csrf_token", "form-id")]
    assert sorted(kept) == sorted(
        [
            ("name", given["name"]),
            ("scopes", "goals"),
            ("scopes", "labels"),
            ("expiry", "date"),
            ("expires_on", "2020-01-01"),
        ]
    )
    # The form keeps its other values, so only the date must be corrected.
    sent = form.filled({"expires_on": "2027-01-01"})
    assert TOKEN.search(visitor.follow(visitor.post(NEW, sent)).text)


@pytest.mark.parametrize(
    ("typed", "kept"),
    [
        ("  a   b \n c\t", "a b c"),
        ("zoe\u0308", "zo\u00eb"),
        ("x" * MAX_NAME_CHARACTERS, "x" * MAX_NAME_CHARACTERS),
        ("💥\u202e", "💥\u202e"),
        ("a\x07b", "ab"),
        ("<script>", "<script>"),
    ],
)
def test_names_are_kept_as_text(service, user, visitor, typed, kept):
    create(visitor, name=typed)
    assert [t.name for t in tokens_of(service, user)] == [kept]
    assert kept in shown_text(visitor.get("/settings/tokens").text)


# -- without premium -----------------------------------------------------------------------------


def test_without_premium_the_page_says_so_and_nothing_is_made(service):
    user = new_user(service, premium=False)
    visitor = signed_in(service, user)
    text = shown_text(visitor.get("/settings/tokens").text)
    assert "premium" in text
    assert f"finance-api user set '{user.email}' --premium" in text
    assert NEW not in visitor.get("/settings/tokens").text
    page = visitor.get(NEW, 403).text
    assert "premium" in shown_text(page)
    assert NEW not in [form.action for form in forms(page)]
    before = dump(service)
    sent = {"csrf_token": visitor.csrf(), "name": "x", "scopes": "records", "expiry": "30"}
    response = visitor.post(NEW, sent, status=403)
    assert "premium" in shown_text(response.text)
    assert not TOKEN.search(response.text)
    assert dump(service) == before
    assert tokens_of(service, user) == []


@on_one_storage
def test_premium_that_ends_meanwhile_counts(service, user, visitor):
    form = visitor.form(NEW).filled({"name": "late", "scopes": ["records"]})
    service.change(lambda storage: storage.users.update(user.id, premium=False))
    visitor.post(NEW, form, status=403)
    assert tokens_of(service, user) == []
    service.change(lambda storage: storage.users.update(user.id, premium=True))
    visitor.post(NEW, form, status=303)


def test_tokens_of_before_can_be_seen_and_revoked_without_premium(service, user, visitor):
    new_token(service, user, "earlier")
    service.change(lambda storage: storage.users.update(user.id, premium=False))
    (kept,) = tokens_of(service, user)
    assert "earlier" in shown_text(visitor.get("/settings/tokens").text)
    visitor.submit(f"/settings/tokens/{kept.id}/revoke", status=303)
    assert tokens_of(service, user)[0].revoked_at == service.clock.now()


def test_where_the_api_is_open_to_all_nobody_needs_premium():
    names = {"finance_api.storage": "memory", "finance_api.users.api_access": "all"}
    service = Service("memory", names)
    user = new_user(service, premium=False)
    visitor = signed_in(service, user)
    assert "premium" not in shown_text(visitor.get("/settings/tokens").text)
    token = made(create(visitor))
    assert ask(service, token) == 200
    service.change(lambda storage: storage.users.update(user.id, enabled=False))
    assert ask(service, token) == 401
    service.stop()


# -- the list ------------------------------------------------------------------------------------


@on_one_storage
def test_without_tokens_the_list_says_what_to_do(visitor):
    page = visitor.get("/settings/tokens").text
    assert "No tokens yet" in shown_text(page)
    assert f'href="{NEW}"' in page


def test_the_list_has_everything_of_each_token(service, user):
    service.load(user, household())
    first = new_token(service, user, "first", scopes=["labels", "goals"])
    service.clock.advance(3_600)
    expires = service.clock.now() + 30 * DAY
    second = new_token(service, user, "second", expires_at=expires)
    new_token(service, user, "third")
    visitor = signed_in(service, user)
    assert ask(service, second) == 200
    service.services.last_used.flush()
    (third,) = [t for t in tokens_of(service, user) if t.name == "third"]
    visitor.submit(f"/settings/tokens/{third.id}/revoke", status=303)
    page = visitor.get("/settings/tokens").text
    rows = {
        name: shown_text(row)
        for row in re.findall('<tr role="row">.*?</tr>', page, re.S)
        for name in ("first", "second", "third")
        if f">{name}<" in row
    }
    assert first[:8] in rows["first"]
    assert "labels, goals" in rows["first"]
    assert "never" in rows["first"]
    assert "Everything" in rows["second"]
    assert "18 Mar 2026, 13:00 UTC" in rows["second"]
    assert "17 Apr 2026, 13:00 UTC" in rows["second"]
    assert "999,999 of 1,000,000" in rows["second"]
    assert "Revoked" in rows["third"]
    assert page.count("/revoke") == 2


# -- renaming and regenerating -------------------------------------------------------------------


def test_a_token_is_renamed_by_its_owner_alone(service, user, visitor):
    token = new_token(service, user, "before")
    (kept,) = tokens_of(service, user)
    page = f"/settings/tokens/{kept.id}"
    assert page in visitor.get("/settings/tokens").text
    assert errors(visitor.submit(page, status=400, name=" ")) == {"name"}
    assert "renamed" in shown_text(visitor.follow(visitor.submit(page, name=" after ")).text)
    assert [t.name for t in tokens_of(service, user)] == ["after"]
    assert ask(service, token) == 200
    stranger = signed_in(service)
    stranger.get(page, 404)
    for path in (page, f"{page}/regenerate"):
        sent = {"csrf_token": stranger.csrf(), "name": "mine", "overlap": "0"}
        stranger.post(path, sent, status=404)
    assert [t.name for t in tokens_of(service, user)] == ["after"]


def test_a_regenerated_token_takes_the_place_of_the_old_one_after_the_overlap(
    service, user, visitor
):
    now = service.clock.now()
    old = new_token(service, user, "sheet", scopes=["records"], expires_at=now + 30 * DAY)
    (kept,) = tokens_of(service, user)
    page = f"/settings/tokens/{kept.id}"
    service.clock.advance(600)
    visitor.submit(page, f"{page}/regenerate", status=400, overlap="5")
    new = made(visitor.follow(visitor.submit(page, f"{page}/regenerate", overlap="3600")))
    before, after = tokens_of(service, user)
    assert (after.name, after.scopes) == ("sheet", ("records",))
    assert after.expires_at == now + 600 + 30 * DAY
    assert before.expires_at == now + 600 + 3_600
    assert [ask(service, token) for token in (old, new)] == [200, 200]
    service.clock.advance(3_600)
    assert [ask(service, token) for token in (old, new)] == [401, 200]
    # A token that has ended cannot be regenerated.
    again = signed_in(service, user)
    sent = {"csrf_token": again.csrf(), "overlap": "0"}
    again.post(f"{page}/regenerate", sent, status=400)
    at_once = f"/settings/tokens/{after.id}"
    newest = made(again.follow(again.submit(at_once, f"{at_once}/regenerate", overlap="0")))
    assert [ask(service, token) for token in (new, newest)] == [401, 200]


# -- revoking ------------------------------------------------------------------------------------


def test_a_revoked_token_is_refused_at_once_and_others_are_not(service, user, visitor):
    token, other = (made(create(visitor, name=name)) for name in ("one", "other"))
    kept = next(t for t in tokens_of(service, user) if t.name == "one")
    page = f"/settings/tokens/{kept.id}/revoke"
    assert "one" in shown_text(visitor.get(page).text)
    assert ask(service, token) == 200
    response = visitor.submit(page, status=303)
    assert location(response) == "/settings/tokens?done=token-revoked"
    assert "is revoked" in shown_text(visitor.get(location(response)).text)
    assert ask(service, token) == 401
    assert ask(service, other) == 200


def test_revoking_twice_changes_nothing_more(service, user, visitor):
    create(visitor)
    (kept,) = tokens_of(service, user)
    page, csrf = f"/settings/tokens/{kept.id}/revoke", visitor.csrf()
    visitor.post(page, {"csrf_token": csrf}, status=303)
    before = dump(service)
    service.clock.advance(60)
    visitor.post(page, {"csrf_token": csrf}, status=303)
    service.services.seen_sessions.flush()
    assert changed_tables(before, dump(service)) <= {"sessions"}
    assert "no longer works" in shown_text(visitor.get(page).text)
    assert page not in [f.action for f in forms(visitor.get(page).text)]


@on_one_storage
def test_what_was_done_is_reported_only_in_our_own_words(service, visitor):
    known = visitor.get("/settings/tokens?done=token-revoked").text
    assert "is revoked" in known
    plain = visitor.get("/settings/tokens").text
    for text in ("Your+account+is+hacked", "%3Cb%3E", "", "TOKEN-REVOKED", "token-revoked%20"):
        assert visitor.get(f"/settings/tokens?done={text}").text == plain
    # Visitors who are not signed in see no notice.
    assert (
        "is revoked" not in Visitor(service).get("/settings/nothing?done=token-revoked", 404).text
    )
