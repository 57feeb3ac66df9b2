"""finance-api question"""

import json

import pytest

ADDRESS = "/v1/api/records?limit=5&fields=amount"


def test_a_question_is_added_listed_answered_and_removed(command, anna):
    pasted = f"http://127.0.0.1:6543{ADDRESS}#top"
    added = command.done("question", "add", anna, "Newest", pasted).decode()
    (row,) = json.loads(command.done("question", "list", anna, "--json"))
    assert added == f"added {row['id']} (Newest)\n"
    assert (row["name"], row["address"]) == ("Newest", ADDRESS)
    assert "Newest" in command.done("question", "list", anna).decode()
    assert command.done("question", "show", anna, "Newest").startswith(b"amount")
    answer = json.loads(command.done("question", "show", anna, row["id"], "--format", "json"))
    assert answer["limit"] == 5
    removed = command.done("question", "remove", anna, "Newest").decode()
    assert removed == f"removed {row['id']} (Newest)\n"
    assert json.loads(command.done("question", "list", anna, "--json")) == []


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        (("a", "/v1/api/labels"), "/v1/api/labels is not one of /v1/api/accounts/balances, "),
        (("a", "/v1/api/records?amont=lt.0"), "amont: there is no such parameter"),
        (("a", "nowhere"), "The path must begin with /v1/api/"),
        ((" ", ADDRESS), "A question needs a name."),
    ],
)
def test_a_question_that_the_api_refuses_is_not_saved(command, anna, given, sentence):
    assert sentence in command.refused("question", "add", anna, *given)
    assert json.loads(command.done("question", "list", anna, "--json")) == []


@pytest.mark.parametrize("form", ["csv", "ndjson", "json"])
def test_a_question_about_an_export_is_shown(command, anna, form):
    command.done("question", "add", anna, "All", "/v1/api/export/labels?fields=name")
    shown = command.done("question", "show", anna, "All", "--format", form).decode()
    assert shown.startswith({"csv": "name\r\n", "ndjson": "", "json": '{"labels":[]'}[form])


def test_an_unknown_name_is_refused(command, anna):
    for verb in ("show", "remove"):
        assert 'there is no question named "x"' in command.refused("question", verb, anna, "x")
