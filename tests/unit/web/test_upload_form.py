"""The form for an import's open questions: submitting it unchanged gives the values shown."""

from finance_api.storage.interface import Upload, UploadState
from finance_api.web.upload_form import given_in, upload_form

HEADINGS = ["Day", "Value", "Text", "More"]


def upload(options=None, questions=(), format_name="csv"):
    outcome = {"format": format_name, "headings": HEADINGS, "questions": list(questions)}
    return Upload(
        id="1",
        name="bank.csv",
        size=1,
        created_at=0,
        state=UploadState.ASKING,
        options=options or {},
        outcome=outcome,
    )


def question(*answers):
    return {
        "reason": "this is open",
        "line": 3,
        "answers": [{"words": w, "instead_of": i, "meaning": m} for w, i, m in answers],
    }


def shown(form):
    """The fields, by their keys."""
    fields = [field for each in form.questions for field in each.fields]
    fields += [field for group in form.others for field in group.fields]
    return {field.key: field for field in fields}


def sent_as_it_is(form):
    """Return what a browser sends if nobody changes the form."""
    joined = {key: "\n".join(f.values) for key, f in shown(form).items() if f.kind == "list"}
    return {key: list(field.values) for key, field in shown(form).items()} | {
        key: [text] for key, text in joined.items()
    }


def test_a_form_that_nobody_changes_gives_back_what_was_given():
    given = {
        "account": "Card",
        "currency": "EUR",
        "new_account": True,
        "ids": "reused",
        "match_days": 0,
        "columns": {"note": ["Text", "More"], "amount": ["2"], "payee": [""]},
        "thousands": " ",
        "label_separator": ",; ",
        "date_format": "DD/MM/YYYY",
        "only": ["State=a", "State=b=c"],
        "skip_rows": 12,
        "positive": "out",
    }
    found = upload(given)
    assert given_in(found, sent_as_it_is(upload_form(found, ["Card", "Other"], ["dkb"]))) == given


def test_what_changes_sums_is_never_filled_in():
    words = ["--map", "amount=Value", "--positive", "in", "--date-format", "DD/MM/YYYY"]
    found = upload(questions=[question((words, (), "")), question((["--currency", "EUR"], (), ""))])
    form = upload_form(found, [], [])
    fields = shown(form)
    assert fields["columns-amount"].values == ("Value",)
    assert [fields[key].values for key in ("positive", "date_format", "currency")] == [("",)] * 3
    asked = [[field.key for field in each.fields] for each in form.questions]
    assert asked == [["columns-amount", "positive", "date_format"], ["currency"]]


def test_a_column_that_is_to_be_left_out_is_unless_one_is_chosen():
    found = upload({"columns": {"payee": ["Text"]}}, [question((["--map", "valueDate="], [], ""))])
    form = upload_form(found, [], [])
    assert [field.values for field in form.questions[0].fields] == [("",)]
    sent = sent_as_it_is(form)
    columns = {"payee": ["Text"], "valueDate": ("",)}
    assert given_in(found, sent) == {"columns": columns}
    chosen = given_in(found, sent | {"columns-valueDate": ["Day"]})
    assert chosen == {"columns": columns | {"valueDate": ["Day"]}}


def test_an_answer_of_several_replaces_what_does_not_go_with_it():
    both = question(
        (["--debit", "Value", "--credit", "More"], ["--positive", "--map amount"], "apart"),
        (["--account", "NAME"], [], "together"),
    )
    found = upload({"positive": "in"}, [both])
    form = upload_form(found, [], [])
    assert [answer["meaning"] for answer in form.questions[0].answers] == ["apart", "together"]
    text = "“Debit column” Value, “Credit column” More"
    assert [answer["text"] for answer in form.questions[0].answers] == [text, "“Account”"]
    # Values that only the person knows are fields beside the answers.
    assert [field.key for field in form.questions[0].fields] == ["account", "currency"]
    sent = sent_as_it_is(form) | {"columns-amount": ["Value"], "columns-note": ["Text"]}
    chosen = given_in(found, sent | {"answer-0": ["0"]})
    assert chosen == {"debit": "Value", "credit": "More", "columns": {"note": ["Text"]}}
    named = given_in(found, sent | {"answer-0": ["1"], "new-account-name": [" Card "]})
    assert named["account"] == "Card"


def test_only_options_of_the_format_are_there():
    assert "columns-amount" not in shown(upload_form(upload(format_name="ofx"), [], []))
    for format_name in ("native", None):
        assert shown(upload_form(upload(format_name=format_name), [], [])) == {}
