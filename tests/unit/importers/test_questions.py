"""An import's open questions as data, for command lines and for forms."""

import pytest

from finance_api.importers.interface import Choice, ImportRefused, Question, Questions
from support.csv_files import answers, read

IN = Choice({"positive": "in", "invert": None}, "the amount of line 2 comes in")
OUT = Choice({"positive": "out", "invert": None}, "the amount of line 2 goes out")
ACCOUNT = Choice({}, "it is of this account", ("account",))


def put(*asked):
    questions = Questions()
    for reason, line, found in asked:
        questions.ask(reason, *found, line=line)
    with pytest.raises(ImportRefused) as refused:
        questions.put()
    return refused.value


def test_nothing_open_is_no_refusal():
    Questions().put()


def test_each_question_is_kept_with_its_answers():
    refused = put(("which way", 2, [IN, OUT]), ("which account", None, [ACCOUNT]), ("x", 5, []))
    assert refused.questions == (
        Question("which way", 2, (IN, OUT)),
        Question("which account", None, (ACCOUNT,)),
        Question("x", 5, ()),
    )
    assert (refused.reason, refused.line) == ("which way; and which account; and x (line 5)", 2)
    # No option decides one of the questions.
    assert refused.answers == []


def test_an_answer_to_all_says_what_was_chosen():
    refused = put(("which way", 2, [IN, OUT]), ("which account", None, [ACCOUNT]))
    assert refused.answers == [(way, ACCOUNT._replace(meaning="")) for way in (IN, OUT)]


def test_a_few_lines_are_shown_and_the_rest_is_asked_for_the_next_time():
    many = [Choice({"columns": {"amount": (str(n),)}}, f"amount is in {n}") for n in range(6)]
    refused = put(("column", 1, many), ("way", 2, [IN, OUT]), ("again", 3, [IN, OUT]))
    assert len(refused.answers) == 12
    assert refused.answers == [(column, way) for column in many for way in (IN, OUT)]


def test_a_refusal_without_options_is_one_question_without_answers():
    refused = ImportRefused("the file is empty")
    assert refused.questions == (Question("the file is empty"),)
    assert refused.answers == []


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"columns": {"amount": "amount"}, "debit": "in", "credit": "out"},
         ["---debit ---credit", "---map amount"]),
        ({"sign": "way", "positive": "in"}, ["---positive ---invert", "---sign"]),
        ({"sign": "way", "debit": "in", "credit": "out"}, ["---debit ---credit", "---sign"]),
        ({"account": "Giro", "columns": {"account": "way"}}, ["---map account", "---account"]),
        ({"currency": "EUR", "columns": {"currency": "way"}}, ["---map currency", "---currency"]),
        ({"invert": True, "positive": "in"}, ["---positive", "---invert"]),
        ({"profile": "wise", "no_profile": True}, ["---no-profile", "---profile"]),
        ({"fee_category": "Fees"}, ["---fee-category"]),
        ({"skip_rows": 9}, ["---skip-rows"]),
        ({"skip_last": 9}, ["---skip-last"]),
    ],
)  # fmt: skip
def test_options_that_do_not_go_together_are_left_out(options, expected):
    text = "date,amount,in,out,way\n2026-01-01,-5,5,,debit\n"
    with pytest.raises(ImportRefused) as refused:
        read(text, **options)
    assert answers(refused.value) == expected
    meanings = [choice.meaning for (choice,) in refused.value.answers]
    assert len(meanings) == 1 or all(meanings)
