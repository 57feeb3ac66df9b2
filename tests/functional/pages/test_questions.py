"""The pages of saved questions, without scripts."""

import pytest

from finance_api.auth.question_links import issue_link, live_links
from finance_api.questions.saved import add_question
from finance_api.storage.interface import Question, QuestionLink
from support.browser import location, new_user, signed_in
from support.html import forms, parsed, shown_text
from support.native_rows import account, category, record, uid
from support.service import on_one_storage

ADDRESS = "/v1/api/records/summary?groupBy=month&columns=net"


def saved(service, user):
    return service.change(lambda storage: storage.users.list_owned(Question, user.id))


def save(service, user, name="Net", address=ADDRESS):
    now = service.clock.now()
    return service.change(lambda s: add_question(s, user, name=name, address=address, now=now))


def save_links(page):
    """Return the links of the page that save its requests and figures as questions."""
    return [
        href
        for event in parsed(page.text)
        if event.text == "a"
        and (href := dict(event.attributes).get("href", ""))
        and href.startswith("/questions/new?")
        and "share=" not in href
    ]


@pytest.fixture
def household(service, user):
    food = {"categoryId": uid("Category", 1), "payee": "Lidl"}
    days = ("2026-01-05", "2026-02-05", "2026-03-05")
    rows = [record(n, amount=-1234 * n, recordDate=day, **food) for n, day in enumerate(days, 1)]
    service.load(user, [account(), category(), *rows])
    return user


def test_a_question_is_saved_answered_changed_and_removed(service, household, visitor):
    page = visitor.submit(
        "/questions/new", "/questions/new", name=" Net ", address=f"https://a.example{ADDRESS}"
    )
    (question,) = saved(service, household)
    assert (question.name, question.address) == ("Net", ADDRESS)
    path = f"/questions/{question.id}"
    assert location(page) == f"{path}?done=saved"
    text = shown_text(visitor.get(path).text)
    for shown in ("Net by month, in EUR", "Feb 2026", "-2,468.00".replace("-", "−"), "GET /v1/api"):
        assert shown in text
    for form, start in (("csv", b"currencyCode,"), ("xlsx", b"PK"), ("ndjson", b'{"currencyCode"')):
        answer = visitor.get(f"{path}/download?format={form}")
        assert answer.body.startswith(start)
        assert f'answer-2026-03-18.{form}"' in answer.headers["Content-Disposition"]
    assert visitor.get(f"{path}/download?format=pdf", status=404)
    changed = {"name": "Lidl", "address": "/v1/api/records?payee=eq.Lidl&limit=2"}
    visitor.submit(f"{path}/edit", f"{path}/edit", **changed)
    text = shown_text(visitor.get(path).text)
    assert "These are only the first rows." in text
    assert "Lidl" in shown_text(visitor.get("/questions").text)
    gone = visitor.submit(f"{path}/remove", f"{path}/remove")
    assert location(gone) == "/questions?done=question-removed"
    assert "No questions yet" in visitor.get("/questions").text
    assert saved(service, household) == []


@on_one_storage
def test_charts_of_the_first_rows_say_that_rows_are_missing(service, household, visitor):
    notice = "The charts show only the rows below, and more rows match."
    for limit, is_told in ((2, True), (3, False)):
        question = save(service, household, str(limit), f"{ADDRESS}&limit={limit}")
        text = shown_text(visitor.get(f"/questions/{question.id}").text)
        assert "Net by month, in EUR" in text
        assert (notice in text) is is_told


@on_one_storage
@pytest.mark.parametrize(
    ("given", "sentences"),
    [
        ({"name": " "}, ["A question needs a name."]),
        ({"name": "Net"}, ["There is already a question named &#34;Net&#34;"]),
        ({"name": "a" * 101}, ["more than 100 characters"]),
        ({"address": "/v1/api/records?amont=lt.0"}, ["amont: there is no such parameter"]),
        ({"address": "/v1/api/labels"}, ["/v1/api/labels is not one of /v1/api/"]),
        ({"address": "", "name": ""}, ["The path must begin with", "A question needs a name."]),
        ({"address": f"{ADDRESS}&{'x' * 2_000}=1"}, ["more than 2,000 characters"]),
    ],
)
def test_a_refused_form_keeps_its_entries_and_says_why(
    service, household, visitor, given, sentences
):
    save(service, household)
    typed = {"name": "New", "address": ADDRESS, **given}
    page = visitor.submit("/questions/new", "/questions/new", status=400, **typed)
    for sentence in sentences:
        assert sentence in page.text
    (form,) = (form for form in forms(page.text) if form.action == "/questions/new")
    assert set(typed.items()) <= set(form.fields)
    assert len(saved(service, household)) == 1


@on_one_storage
def test_a_changed_address_ends_the_links_unless_they_are_kept(service, household, visitor):
    question, now = save(service, household), service.clock.now()
    service.change(lambda s: issue_link(s, household, question.id, name="mine", now=now))
    path = f"/questions/{question.id}"

    def live():
        links = service.change(lambda s: s.users.list_owned(QuestionLink, household.id))
        return len(live_links(links, now))

    visitor.submit(f"{path}/edit", f"{path}/edit", name="Another name")
    visitor.submit(f"{path}/edit", f"{path}/edit", address=f"{ADDRESS}&fill=true", keep_links="yes")
    assert live() == 1
    visitor.submit(f"{path}/edit", f"{path}/edit", address=ADDRESS)
    assert live() == 0
    assert "keep_links" not in visitor.get(f"{path}/edit").text
    service.change(lambda s: issue_link(s, household, question.id, name="next", now=now))
    assert "its 1 link stops working" in visitor.get(f"{path}/remove").text
    visitor.submit(f"{path}/remove", f"{path}/remove")
    assert live() == 0


@on_one_storage
def test_a_question_that_is_no_longer_valid_is_marked_and_says_what_to_change(
    service, household, visitor
):
    question = save(service, household, "Old", "/v1/api/records?total=lt.0")
    listed = shown_text(visitor.get("/questions").text)
    assert "total: there is no such parameter" in listed and "it takes" not in listed
    text = shown_text(visitor.get(f"/questions/{question.id}").text)
    assert 'The question "Old" can no longer be answered: total: there is no such' in text
    assert visitor.get(f"/questions/{question.id}/download?format=csv", status=409)


@on_one_storage
def test_an_answer_without_rows_says_which_name_is_unknown(service, household, visitor):
    question = save(service, household, "Fod", "/v1/api/records?category=eq.Fod")
    text = shown_text(visitor.get(f"/questions/{question.id}").text)
    assert "No category is called Fod. Did you mean Food?" in text


@on_one_storage
def test_without_premium_questions_are_answered_on_the_pages(service):
    user = new_user(service, premium=False)
    question = save(service, user)
    assert "There are no rows" in signed_in(service, user).get(f"/questions/{question.id}").text


@on_one_storage
@pytest.mark.parametrize(
    ("path", "least"), [("/records?q=Lidl&category=none", 0), ("/records?q=Lidl&offset=1", 2)]
)
def test_the_requests_of_the_list_of_records_can_be_saved(household, visitor, path, least):
    page = visitor.get(path)
    links = save_links(page)
    assert len(links) >= least
    for link in links:
        address = dict(visitor.form(link, "/questions/new").fields)["address"]
        assert address.startswith("/v1/api/records") and "offset" not in address


@on_one_storage
def test_every_panel_of_the_overview_can_be_saved(service, household, visitor):
    links = save_links(visitor.get("/overview?period=2026-03"))
    assert len(links) >= 8
    for number, link in enumerate(links):
        visitor.submit(link, "/questions/new", name=f"{number}")
    assert len(saved(service, household)) == len(links)
    asked = [question.address for question in saved(service, household)]
    # The clock says that this is the current month.
    assert sum("recordDate=eq.this-month" in address for address in asked) == 8
    assert sum("recordDate=eq.last-month-to-date" in address for address in asked) == 2
    for question in saved(service, household):
        assert visitor.get(f"/questions/{question.id}")


@on_one_storage
def test_the_page_of_an_export_shows_the_first_rows_and_downloads_all(service, user, visitor):
    service.load(user, [account(), *(record(n, payee=f"Shop {n}") for n in range(1, 41))])
    path = f"/questions/{save(service, user, address='/v1/api/export/records').id}"
    text = shown_text(visitor.get(path).text)
    assert "These are only the first rows. The downloads have all." in text
    assert text.count("Shop ") == 30
    for form in ("csv", "ndjson"):
        answer = visitor.get(f"{path}/download?format={form}")
        assert answer.text.count("Shop ") == 40
        assert f'answer-2026-03-18.{form}"' in answer.headers["Content-Disposition"]
