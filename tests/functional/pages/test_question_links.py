"""The pages of links of saved questions, without scripts."""

import re
from urllib.parse import urlencode

import pytest

from finance_api.storage.interface import QuestionLink
from functional.pages.test_questions import save
from support.browser import location
from support.html import shown_text
from support.native_rows import account, record
from support.service import on_one_storage


@pytest.fixture
def question(service, user):
    service.load(user, [account(), record(1, payee="Lidl", amount=-12)])
    return save(service, user)


def links(service, user):
    return service.change(lambda storage: storage.users.list_owned(QuestionLink, user.id))


def share_form(question):
    """Return the path of the form that creates a link, as the question's page has it."""
    asked = {"question": question.id, "name": question.name, "address": question.address}
    return f"/questions/new?{urlencode({'share': 'yes', **asked})}"


def create(visitor, question, status=303, **fields):
    path = share_form(question)
    sent = {"name": "sheet", "expiry": "never", **fields}
    return visitor.submit(path, "/questions/new", status=status, **sent)


def addresses(page):
    return re.findall(r"http://[^\s<]+?/q/finq_\w+\.\w+", page.text)


def test_a_link_is_created_shown_once_used_and_revoked(service, user, visitor, question):
    path = f"/questions/{question.id}"
    made = create(visitor, question)
    assert location(made) == f"{path}/links/made"
    page = visitor.get(location(made))
    found = addresses(page)
    assert [address.rpartition(".")[2] for address in found] == ["csv", "xlsx", "json", "html"]
    assert location(visitor.get(location(made), status=303)) == path
    stranger = service.web.get(found[0].partition("/q/")[1] + found[0].partition("/q/")[2])
    assert stranger.text.startswith("currencyCode,")
    (link,) = links(service, user)
    shown = visitor.get(path)
    assert "sheet" in shown_text(shown.text)
    assert not addresses(shown)
    revoke = f"{path}/links/{link.id}/revoke"
    assert location(visitor.submit(revoke, revoke)) == f"{path}?done=link-revoked"
    assert service.web.get(f"/q/{found[0].partition('/q/')[2]}", status=410)
    assert "1 link no longer works" in shown_text(visitor.get(path).text)
    assert visitor.get(revoke, status=404)


def test_all_links_of_a_question_are_revoked_and_no_others(service, user, visitor, question):
    other = save(service, user, name="Other")
    for each in (question, question, other):
        create(visitor, each)
    path = f"/questions/{question.id}/links/revoke"
    assert "2 links" in shown_text(visitor.get(path).text)
    visitor.submit(path, path)
    left = [link.question_id for link in links(service, user) if link.revoked_at is None]
    assert left == [other.id]


@on_one_storage
@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"name": " "}, "A link needs a name."),
        ({"expiry": ""}, "Choose when the link expires."),
        ({"expiry": "date", "expires_on": "soon"}, "Enter a date such as 2027-01-31."),
        ({"expiry": "date", "expires_on": "2026-03-18"}, "Choose a date after today."),
    ],
)
def test_a_form_with_a_mistake_creates_nothing(service, user, visitor, question, fields, sentence):
    page = create(visitor, question, status=400, **fields)
    assert sentence in shown_text(page.text)
    assert links(service, user) == []


def test_the_form_of_a_link_stands_above_what_the_link_shows(visitor, question):
    text = shown_text(visitor.get(share_form(question)).text)
    assert text.index("Create the link") < text.index("What the link shows")


def test_a_new_link_expires_after_a_year_unless_one_chooses_otherwise(
    service, user, visitor, question
):
    path = share_form(question)
    visitor.submit(path, "/questions/new", status=303)
    (link,) = links(service, user)
    assert link.expires_at == service.clock.now() + 365 * 86_400
    create(visitor, question, expiry="never")
    assert None in [link.expires_at for link in links(service, user)]


def test_a_link_expires_at_the_end_of_its_day(service, user, visitor, question):
    create(visitor, question, expiry="date", expires_on="2026-03-31")
    (link,) = links(service, user)
    assert link.expires_at == service.clock.now() // 86_400 * 86_400 + 14 * 86_400


def test_removing_a_question_ends_its_links(service, user, visitor, question):
    address = addresses(visitor.get(location(create(visitor, question))))[0]
    path = f"/questions/{question.id}/remove"
    visitor.submit(path, path)
    assert service.web.get("/q/" + address.partition("/q/")[2], status=410)


@on_one_storage
def test_without_access_to_the_api_no_link_is_created(service, user, visitor, question):
    service.change(lambda storage: storage.users.update(user.id, premium=False))
    path = share_form(question)
    assert "need premium" in visitor.get(path, status=403).text
