"""A form that creates a secret creates one, however often it is sent."""

import pytest

from finance_api.storage.interface import QuestionLink
from support.browser import jwts_of, location, tokens_of
from support.html import shown_text
from support.service import on_one_storage

#: Each form: the end of its page, and what is filled in.
FORMS = {
    "token": ("/settings/tokens/new", {"name": "x", "scopes": ["records"], "expiry": "never"}),
    "link": (
        "/questions/new?share=yes&name=Net&address=/v1/api/records",
        {"name": "x", "expiry": "never"},
    ),
    "jwt": ("/settings/jwts", {"ttl": "3600"}),
}


def count(service, user):
    """Return the number of the user's tokens, links and JWTs."""
    links = service.change(lambda storage: storage.users.list_owned(QuestionLink, user.id))
    return len(tokens_of(service, user)) + len(links) + len(jwts_of(service, user))


@on_one_storage
@pytest.mark.parametrize("kind", FORMS)
def test_a_form_sent_twice_creates_one_and_says_so(service, user, visitor, kind):
    path, given = FORMS[kind]
    form = visitor.form(path)
    first, second = (visitor.post(form.action, form.filled(given), status=303) for _ in range(2))
    assert count(service, user) == 1
    assert location(first).endswith("/made")
    assert "Nothing was created a second time" in shown_text(visitor.follow(second).text)
    visitor.submit(path, status=303, **given)
    assert count(service, user) == 2
