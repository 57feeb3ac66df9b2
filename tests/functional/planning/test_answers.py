"""Saved questions are answered as the public API answers their addresses."""

import re
from pathlib import Path

import pytest

from finance_api.questions.addresses import AddressRefused
from finance_api.questions.answering import checked_address, respond
from finance_api.questions.asking import question_paths
from finance_api.questions.saved import MAX_QUESTIONS, QuestionRefused, add_question
from support.native_rows import account, record
from support.service import on_one_storage

DOCS = Path(__file__).parents[3] / "docs" / "saved-questions.md"
ADDRESS = "/v1/api/records?amount=lt.0&limit=1"
SAME = ("ETag", "Content-Type", "X-Next-Offset", "Link", "Cache-Control", "Vary")


class Asking:
    """Asks questions of a client's user, within a request with the given headers."""

    def __init__(self, client):
        self.client, self.service = client, client.service

    @property
    def user(self):
        return self.service.change(lambda storage: storage.users.get(self.client.user.email))

    def within(self, work, **environ):
        blank = {"REQUEST_METHOD": "GET", "PATH_INFO": "/", **environ}
        with self.service.app.request_context(blank) as request:
            try:
                return work(request)
            finally:
                request.close_storage()

    def save(self, address, name="mine"):
        user, now = self.user, self.service.clock.now()
        address = self.within(lambda request: checked_address(request, user, address))
        return self.service.change(
            lambda s: add_question(s, user, name=name, address=address, now=now)
        )

    def answer(self, question, suffix="", **environ):
        return self.within(lambda r: respond(r, self.user, question, suffix), **environ)


@pytest.fixture
def asking(client):
    client.load(account(), *(record(n, amount=-n) for n in (1, 2, 3)))
    return Asking(client)


@pytest.mark.parametrize("suffix", ["", ".csv", ".ndjson", ".xlsx"])
@pytest.mark.parametrize(
    "query",
    [
        *("records?amount=lt.0&limit=1", "records/summary?groupBy=month"),
        *("budgets", "accounts", "goals"),
    ],
)
def test_the_answer_is_that_of_the_api(asking, query, suffix):
    question = asking.save(f"https://example.org/v1/api/{query}")
    path, mark, parameters = query.partition("?")
    direct = asking.client.get(f"{path}{suffix}{mark}{parameters}")
    answered = asking.answer(question, suffix)
    assert answered.status_int == direct.status_int == 200
    assert answered.body == direct.body
    assert [answered.headers.get(name) for name in SAME] == [direct.headers.get(n) for n in SAME]
    again = asking.answer(question, suffix, HTTP_IF_NONE_MATCH=answered.headers["ETag"])
    assert (again.status_int, again.body) == (304, b"")


@on_one_storage
@pytest.mark.parametrize(
    ("address", "sentence"),
    [
        ("/v1/api/labels", "/v1/api/labels is not one of /v1/api/accounts/balances, "),
        ("/v1/api/records/by-id?id=1", "is not one of"),
        ("/v1/api/export/all.ndjson", "is not one of"),
        ("/v1/api/export/records?limit=5", r"^limit: leave it out; an export has all rows\.$"),
        ("/v1/api/export/labels?revision=1", "^revision: leave it out; "),
        (
            "/v1/api/export/records?trailer=true",
            r"^trailer: leave it out; lists and saved questions have none\.$",
        ),
        ("/v1/api/../../internal/v1/get-records", "is not one of"),
        ("/v1/api/records?amuont=lt.0", "amuont: "),
        ("/v1/api/records?access_token=x", "header"),
        ("/v1/api/records?amount=lt.%zz", "amount: "),
        ("/v1/api/accounts/balances?from=2026-02-01&to=2026-01-01", "from: is later than"),
    ],
)
def test_an_address_without_an_answer_is_refused_with_the_sentence_of_the_api(
    client, address, sentence
):
    with pytest.raises(AddressRefused, match=sentence):
        Asking(client).save(address)


@on_one_storage
def test_the_paths_that_can_be_asked_stand_in_the_docs(service):
    documented = re.findall(r"^- .*: `(/v1/api/.*)`$", DOCS.read_text(), re.MULTILINE)
    assert len(documented) > 5
    assert set(question_paths(service.app.registry)) == set(documented)


@on_one_storage
def test_names_and_numbers_of_questions_have_limits(asking):
    assert asking.save(ADDRESS, name="  a\tb\x07 ").name == "a b"
    for name in ("a b", "", " \n", "a" * 101, "\x00"):
        with pytest.raises(QuestionRefused):
            asking.save(ADDRESS, name=name)
    user, now = asking.client.user, asking.service.clock.now()

    def fill(storage):
        for number in range(1, MAX_QUESTIONS):
            add_question(storage, user, name=f"{number}", address=ADDRESS, now=now)

    asking.service.change(fill)
    with pytest.raises(QuestionRefused, match="There are 200 questions"):
        asking.save(ADDRESS, name="one more")
