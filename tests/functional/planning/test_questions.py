"""GET /v1/api/questions and the answers to saved questions."""

import pytest

from finance_api.questions.saved import add_question
from support.native_rows import account, record
from support.service import on_one_storage

ADDRESS = "/v1/api/records?amount=lt.-1&sortBy=amount"


def save(client, name="Spent", address=ADDRESS):
    now = client.service.clock.now()
    return client.service.change(
        lambda s: add_question(s, client.user, name=name, address=address, now=now)
    )


@pytest.fixture
def asker(service):
    """A client whose user has records, and whose token only has the scope questions."""
    client = service.client(scopes=["questions"])
    client.load(account(), *(record(n, amount=-n) for n in (1, 2, 3)))
    return client


def test_questions_are_listed_by_name_and_shown_one_by_one(asker):
    empty = {"questions": [], "limit": 30, "offset": 0, "nextOffset": None}
    assert asker.get("questions").json == empty
    spent, all_of = save(asker), save(asker, "All", "/v1/api/records")
    response = asker.get("questions")
    assert response.headers["Cache-Control"] == "no-store"
    listed = response.json["questions"]
    assert [each["name"] for each in listed] == ["All", "Spent"]
    assert asker.get(f"questions/{spent.id.upper()}").json == listed[1]
    page = asker.get("questions", limit=1, offset=1).json
    assert (page["questions"], page["nextOffset"]) == (listed[1:], None)
    assert asker.get("questions", limit=1).json["nextOffset"] == 1
    assert listed[0] == {
        "id": all_of.id,
        "name": "All",
        "address": "/v1/api/records",
        "fault": None,
        "createdAt": "2026-03-18T12:00:00Z",
        "updatedAt": "2026-03-18T12:00:00Z",
    }


def test_the_scope_of_questions_is_enough_for_every_answer_and_for_nothing_else(asker):
    question = save(asker)
    answer = asker.get(f"questions/{question.id}/answer")
    assert [row["amount"] for row in answer.json["records"]] == [-3, -2]
    refused = asker.get("records")
    assert refused.status_int == 403
    assert refused.json["detail"] == "The token lacks the scope records."
    assert asker.get("export/all.ndjson").status_int == 403


def test_an_answer_is_not_sent_twice(asker):
    path = f"questions/{save(asker).id}/answer.csv"
    first = asker.get(path)
    assert first.text.startswith("recordDate,")
    same = {"If-None-Match": first.headers["ETag"]}
    assert asker.get(path, headers=same).status_int == 304
    asker.load(record(9, amount=-9))
    assert asker.get(path, headers=same).status_int == 200


def test_a_question_counts_as_one_request(asker):
    path = f"questions/{save(asker).id}/answer"
    before = int(asker.get("questions").headers["X-RateLimit-Remaining"])
    answer = asker.get(path)
    assert int(answer.headers["X-RateLimit-Remaining"]) == before - 1
    unchanged = asker.get(path, headers={"If-None-Match": answer.headers["ETag"]})
    assert int(unchanged.headers["X-RateLimit-Remaining"]) == before - 1


def test_another_user_s_question_does_not_exist(service, asker):
    question = save(service.client())
    for path in (f"questions/{question.id}", f"questions/{question.id}/answer.xlsx"):
        response = asker.get(path)
        assert response.status_int == 404
        assert response.json["detail"] == "There is no question with this id."


@on_one_storage
def test_a_question_with_a_field_that_is_gone_is_marked_and_says_what_to_change(asker):
    question = save(asker, "Old", "/v1/api/records?total=lt.0&limit=5")
    (listed,) = asker.get("questions").json["questions"]
    assert listed["fault"].startswith("total: there is no such parameter")
    problem = asker.get(f"questions/{question.id}/answer")
    assert (problem.status_int, problem.json["question"]) == (409, "Old")
    detail = problem.json["detail"]
    assert detail.startswith('The question "Old" can no longer be answered: total: there is no')
    assert detail.endswith(" Change its address.")
    assert problem.json["errors"] == [
        {"in": "query", "name": "total", "message": listed["fault"].removeprefix("total: ")}
    ]
    gone = save(asker, "Gone", "/v1/api/transactions")
    assert asker.get(f"questions/{gone.id}").json["fault"].startswith("/v1/api/transactions is not")
    assert asker.get(f"questions/{gone.id}/answer").status_int == 409


@on_one_storage
def test_parameters_of_the_answer_are_refused(asker):
    """The saved address has all parameters; if a client could add one, it would expect another
    answer.
    """
    question = save(asker)
    refused = asker.get(f"questions/{question.id}/answer", limit=1)
    assert (refused.status_int, refused.json["errors"][0]["name"]) == (400, "limit")


@on_one_storage
def test_accept_chooses_the_form(asker):
    path = f"questions/{save(asker).id}/answer"
    assert asker.get(path, headers={"Accept": "text/csv"}).content_type == "text/csv"
    assert asker.get(path, headers={"Accept": "image/png"}).status_int == 406
    assert asker.get("questions", headers={"Accept": "text/csv"}).status_int == 406
    assert asker.get(f"{path}.json").status_int == 404


@on_one_storage
def test_an_answer_without_rows_says_which_name_is_unknown(asker):
    question = save(asker, "Food", "/v1/api/records?category=eq.Food")
    assert asker.get(f"questions/{question.id}/answer").json["hints"] == [
        "No category is called Food."
    ]
