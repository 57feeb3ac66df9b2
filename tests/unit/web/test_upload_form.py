"""The form for an import's open questions: submitting it unchanged gives the values shown."""

import json

from finance_api.importers.answers import question_json
from finance_api.importers.clauses import Says, clause
from finance_api.importers.interface import Choice, Question
from finance_api.storage.interface import Upload, UploadState
from finance_api.values.regions import region_of
from finance_api.web.upload_form import read_form, upload_form

REGION = region_of("en-GB")
HEADINGS = ["Day", "Value", "Text", "More"]
COLUMNS = [
    {"name": name, "heading": name, "values": [f"{name} 1", f"{name} 2"], "role": role}
    for name, role in zip(HEADINGS, ("recordDate", "", "", ""), strict=True)
]


def upload(options=None, questions=(), format_name="csv"):
    outcome = {"format": format_name, "columns": COLUMNS, "questions": list(questions)}
    return Upload(
        id="1",
        name="bank.csv",
        size=1,
        created_at=0,
        state=UploadState.ASKING,
        options=options or {},
        outcome=outcome,
    )


def question(*choices, needs=()):
    asked = Question("this is open", 3, choices, needs)
    return json.loads(json.dumps(question_json(asked))) | {"row": None, "text": []}


def shown(form):
    """The fields, by their keys."""
    fields = [field for each in form.questions for field in each.fields]
    fields += [field for group in form.groups for field in group.fields]
    return {field.key: field for field in fields}


def sent_as_it_is(form):
    """Return what a browser sends if nobody changes the form."""
    roles = {column.key: [column.role] for column in form.columns}
    return {key: [field.value] for key, field in shown(form).items()} | roles


def given_in(found, sent):
    given = read_form(found, sent)
    assert not given.errors
    return given.answered(found)


def test_a_form_that_nobody_changes_gives_back_what_was_given():
    given = {
        "account": "Card",
        "currency": "EUR",
        "new_account": True,
        "ids": "reused",
        "match_days": 0,
        "columns": {"note": ["Text", "More"], "amount": ["Value"], "payee": [""]},
        "thousands": " ",
        "label_separator": ",; ",
        "date_format": "DD/MM/YYYY",
        "only": ["State=a", "State=b=c"],
        "skip_rows": 12,
        "positive": "out",
    }
    found = upload(given)
    assert (
        given_in(found, sent_as_it_is(upload_form(found, ["Card", "Other"], ["dkb"], REGION)))
        == given
    )
    columns = {"debit": "Value", "credit": "More", "sign": "Text=S|H", "ignore": ["Day"]}
    found = upload(columns)
    assert given_in(found, sent_as_it_is(upload_form(found, [], [], REGION))) == columns
    found = upload({"fee": ["Value=signed"], "balance": "More"})
    sent = sent_as_it_is(upload_form(found, [], [], REGION))
    assert given_in(found, sent) == found.options
    # Without the file's columns, the form keeps the earlier choices about them.
    found = upload({**columns, "skip_rows": 1})
    assert given_in(found, {"skip_rows": ["2"]}) == {**columns, "skip_rows": 2}


def test_what_changes_sums_is_never_filled_in():
    changes = {"columns": {"amount": ["Value"]}, "positive": "in", "date_format": "DD/MM/YYYY"}
    found = upload(questions=[question(Choice(changes)), question(Choice({"currency": "EUR"}))])
    form = upload_form(found, [], [], REGION)
    fields = shown(form)
    assert [column.role for column in form.columns] == ["", "amount", "", ""]
    assert [fields[key].value for key in ("positive", "date_format", "currency")] == [""] * 3
    asked = [[field.key for field in each.fields] for each in form.questions]
    assert asked == [["positive", "date_format"], ["currency"]]
    assert [each.has_columns for each in form.questions] == [True, False]


def test_a_field_stays_without_a_column_unless_one_is_chosen():
    found = upload(
        {"columns": {"payee": ["Text"]}}, [question(Choice({"columns": {"valueDate": [""]}}))]
    )
    sent = sent_as_it_is(upload_form(found, [], [], REGION))
    columns = {"payee": ["Text"], "valueDate": [""]}
    assert given_in(found, sent) == {"columns": columns}
    chosen = given_in(found, sent | {"column-0": ["valueDate"]})
    assert chosen == {"columns": columns | {"valueDate": ["Day"]}}


def test_an_answer_of_several_replaces_what_does_not_go_with_it():
    both = question(
        Choice(
            {"debit": "Value", "credit": "More", "positive": None, "columns": {"amount": None}},
            "apart",
        ),
        Choice({}, "together", ("account",)),
    )
    found = upload({"positive": "in"}, [both])
    form = upload_form(found, [], [], REGION)
    assert form.questions[0].answers == [
        {
            "text": "Money out: Value, Money in: More",
            "values": "Value 1 · Value 2; More 1 · More 2",
            "effect": [],
        },
        {"text": "Together", "values": "", "effect": []},
    ]
    # Values that only the person knows are fields beside the answers.
    assert [field.key for field in form.questions[0].fields] == ["account", "currency"]
    sent = sent_as_it_is(form) | {"column-1": ["amount"], "column-2": ["note"]}
    chosen = given_in(found, sent | {"answer-0": ["0"]})
    assert chosen == {"debit": "Value", "credit": "More", "columns": {"note": ["Text"]}}
    named = given_in(found, sent | {"answer-0": ["1"], "new-account-name": [" Card "]})
    assert named["account"] == "Card"


def test_words_of_a_direction_are_written_as_a_sentence():
    """Not as on a command line."""
    a_out, a_in, b_out, b_in = (
        clause(Says.WORD_IS, word=word, money=clause(way))
        for word in "AB"
        for way in (Says.MONEY_OUT, Says.MONEY_IN)
    )
    found = question(
        Choice({"sign": "Value=A|B"}, clause(Says.WORDS_ARE, ways=(a_out, b_in))),
        Choice({"sign": "Value=B|A"}, clause(Says.WORDS_ARE, ways=(a_in, b_out))),
        Choice({"sign": "Value"}, "the usual words"),
    )
    form = upload_form(upload(questions=[found]), [], [], REGION)
    assert [answer["text"] for answer in form.questions[0].answers] == [
        "'A' is money going out and 'B' is money coming in",
        "'A' is money coming in and 'B' is money going out",
        "Direction: in or out: Value",
    ]


def test_an_answer_that_was_not_offered_counts_as_none():
    found = upload({}, [question(Choice({"positive": "in"}, "in"), Choice({"positive": "out"}))])
    for number in ("2", "-1", "x"):
        assert read_form(found, {"answer-0": [number]}).answers == {}


def test_an_answer_about_a_column_counts_more_than_the_column_s_list():
    found = upload({}, [question(*(Choice({"columns": {"amount": (n,)}}) for n in HEADINGS[1:3]))])
    sent = sent_as_it_is(upload_form(found, [], [], REGION)) | {"column-3": ["amount"]}
    chosen = given_in(found, sent | {"answer-0": ["1"]})
    assert chosen == {"columns": {"amount": ["Text"]}}


def test_a_mistake_keeps_every_other_answer():
    both = question(Choice({"positive": "in"}, "in"), Choice({"positive": "out"}, "out"))
    found = upload({}, [both, question(Choice({}, needs=("currency",)))])
    sent = sent_as_it_is(upload_form(found, [], [], REGION)) | {
        "answer-0": ["1"],
        "column-2": ["note"],
        "column-3": ["amount"],
        "column-1": ["amount"],
        "skip_rows": ["x"],
        "match_days": ["32"],
        "currency": ["$"],
        "account": ["Card"],
    }
    given = read_form(found, sent)
    assert given.errors == {
        "columns": "Two columns are “Amount”; choose one.",
        "currency": "$ can be several currencies; choose one.",
        "skip_rows": "Lines before the headings: x is not a whole number.",
        "match_days": "Days apart: 32 is more than 31.",
    }
    form = upload_form(found, [], [], REGION, given)
    fields = shown(form)
    assert form.questions[0].chosen == 1
    assert [column.role for column in form.columns] == ["", "amount", "note", ""]
    assert [fields[key].value for key in ("account", "skip_rows", "currency")] == ["Card", "x", "$"]
    assert ("USD", "USD") in fields["currency"].choices
    chosen = read_form(found, {"currency": ["$"], "currency-choice": ["CAD"]})
    assert (chosen.options["currency"], chosen.errors) == ("CAD", {})


def test_a_currency_is_understood_as_people_write_it():
    for text, code in {
        "€": "EUR",
        "Euro": "EUR",
        "eur": "EUR",
        "US$": "USD",
        " chf ": "CHF",
    }.items():
        assert given_in(upload(), {"currency": [text]}) == {"currency": code}
    for text in ("Taler", "E U R"):
        assert (
            "is not an ISO 4217 code"
            in read_form(upload(), {"currency": [text]}).errors["currency"]
        )


def test_only_options_of_the_format_are_there():
    assert "date_format" not in shown(upload_form(upload(format_name="ofx"), [], [], REGION))
    native = shown(upload_form(upload(format_name="native"), [], [], REGION))
    assert native.keys() == {"follow", "confirm_smaller"}
    assert shown(upload_form(upload(format_name=None), [], [], REGION)) == {}
