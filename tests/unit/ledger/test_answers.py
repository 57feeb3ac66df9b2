"""A program reads the questions about a file as JSON and answers them, until it is stored."""

import hashlib
import json
import random

import pytest

from finance_api.ledger import trying
from finance_api.resources import RECORDS
from finance_api.storage.memory import MemoryBackend
from support.answering import ask, chooser, drive, given_beside, person_with, stored
from support.ledger import Person, account, an_id, record
from support.left_open import FILES, HEAD, STORED
from support.nightly import count
from support.ofx import statement, transaction


def new_person():
    return Person(MemoryBackend())


@pytest.mark.parametrize("name", FILES)
def test_a_program_imports_a_file_of_each_format(name):
    data, topics = FILES[name]
    person = new_person()
    rounds = drive(person, data)
    assert [question["topic"] for question in rounds[0]] == topics
    assert stored(person)


@pytest.mark.parametrize("point", STORED)
def test_a_program_answers_what_stored_records_leave_open(point):
    *_, text, expected = STORED[point]
    data, given = (HEAD + text).encode(), given_beside(point)
    (question, *_) = ask(person_with(point), data, given=given)["questions"]
    found = []
    for number, choice in enumerate(question["choices"]):
        person = person_with(point)
        before = len(person.rows(RECORDS))
        drive(person, data, chooser(question, number), given)
        found.append(len(person.rows(RECORDS)))
        assert choice["effect"]["counts"]["created"] == found[-1] - before
        person.audit()
    assert len(set(found)) == len(found)
    assert set(found) <= set(expected.values())


FILE = FILES["csv"][0]


def sent(*answers, **changed):
    """Return answers to FILE, as a program writes them."""
    digest = hashlib.sha256(FILE).hexdigest()
    named = [{"topic": topic, "changes": changes} for topic, changes in answers]
    return {"version": 1, "digest": digest, "answers": named} | changed


ACCOUNT = ("account_or_column", {"account": "Giro"})
CURRENCY = ("new_account_currency", {"currency": "EUR"})
DAY, WAY = ("date_form", {"date_format": "DD/MM/YYYY"}), ("unsigned", {"positive": "in"})


@pytest.mark.parametrize(
    ("answers", "reason"),
    [
        (sent(("colour", {})), 'answer 1: there is no topic "colour"'),
        (sent((7, {})), "answer 1: there is no topic 7"),
        (sent(("x" * 300, {})), "x" * 199 + "…"),
        (sent(DAY, ("unsigned", {"positive": "up"})),
         'answer 2: {"positive": "up"} is not offered for \'unsigned\', which offers '
         '{"positive": "out"} or {"positive": "in"}'),
        (sent(("unsigned", {"positive": "in", "account": "Giro"})), "is not offered"),
        (sent(("unsigned", {})), "answer 1: {} is not offered"),
        (sent(("account_or_column", {})), 'which offers {"account": "…"}'),
        (sent(("account_or_column", {"account": ""})), "is not offered"),
        (sent(("account_or_column", {"account": ["Giro"]})), "is not offered"),
        (sent(ACCOUNT, CURRENCY, DAY, WAY, ("status", {"only": ["a=b"]})),
         "answer 5: the file does not leave 'status' open"),
        (sent(ACCOUNT, CURRENCY, DAY, WAY, ("unsigned", {"positive": "out"})),
         "answer 5: the file does not leave 'unsigned' open"),
        (sent(DAY, digest="0" * 64), "the answers are for another file"),
        (sent(DAY, version=0), "the answers have the version 0, but this program reads version 1"),
        (sent(DAY, version=True), "the answers have the version true"),
        ({"digest": "x", "answers": []}, "the answers have the version null"),
        (sent(answers={}), "the answers have no list 'answers'"),
        (sent(digest=5), "the answers have no digest"),
        (sent(questions=[]), 'the answers have the unknown member "questions"'),
        (sent(answers=["in"]), "answer 1: it is not an object with 'topic' and 'changes'"),
        (sent(("unsigned", "in")), "answer 1: its 'changes' are not an object"),
        ([], "the answers are not a JSON object"),
    ],
)  # fmt: skip
def test_wrong_answers_are_refused_and_nothing_is_stored(answers, reason):
    person = new_person()
    assert reason in ask(person, FILE, answers)["reason"]
    assert not stored(person)


def test_facts_have_values_and_no_sentences():
    """So that a program can write them in its own language."""
    found = ask(new_person(), b"date,amount,payee\n2026-03-01,-5.00,Shop\n")
    asked = {question["topic"]: question["facts"] for question in found["questions"]}
    named = {"topic": "headings", "facts": {"headings": ["date", "amount", "payee"]}}
    after = {"topic": "after", "facts": {"text": named}}
    assert asked["account_or_column"]["headings"] == after
    (wrong,) = ask(new_person(), FILE, given={"columns": {"payee": ["Payees"]}})["questions"]
    meant = {"topic": "meant", "facts": {"heading": "payee"}}
    facts = {"column": "Payees", "meant": meant, "headings": named}
    assert wrong["facts"]["fault"] == {"topic": "no_heading", "facts": facts}


@pytest.mark.parametrize("given", [{"account": "Giro"}, {}])
def test_an_effect_names_the_account_that_a_choice_leads_to(given):
    """It has the name that the user gave it, and not the one in the file."""
    rows = transaction("a", "-100", "20260101"), transaction("b", "-20", "20260105")
    data = f"<OFX>{statement(*rows)}</OFX>".encode()
    person = new_person()
    person.native(account(1, name="Giro"))
    if not given:
        earlier = f"<OFX>{statement(transaction('z', '-7', '20251201'))}</OFX>".encode()
        assert not ask(person, earlier, given={"account": "Giro"})
    person.native(record(9, accountId=an_id(1), recordDate="2026-01-03", amount=-20))
    (question,) = ask(person, data, given=given)["questions"]
    assert question["topic"] == "other_source"
    of_choices = [choice["effect"]["entries"] for choice in question["choices"]]
    assert {entry["account"] for entries in of_choices for entry in entries} == {"Giro"}


def test_an_answer_that_is_missing_is_asked_for_again():
    found = ask(new_person(), FILE, sent(DAY, WAY, ACCOUNT))
    assert [question["topic"] for question in found["questions"]] == ["currency"]


def test_a_program_gives_an_option_where_no_choice_can_be_listed():
    data = b"Date,Payee,Amount,Currency\n27 Feb,Corner,-1.50,EUR\n28 Feb,Note,2.00,EUR\n"
    given, person = {"account": "Giro"}, new_person()
    found = ask(person, data, given=given)
    assert [each["topic"] for each in found["questions"]] == ["no_year"]
    assert found["questions"][0]["needs"] == ["date_format"]
    changes = {"date_format": "DD MMM 2026-01-01..2026-12-31"}
    sent = {"version": 1, "digest": found["digest"]}
    assert (
        ask(person, data, sent | {"answers": [{"topic": "no_year", "changes": changes}]}, given)
        == {}
    )
    assert len(person.rows(RECORDS)) == 2


@pytest.mark.nightly
def test_answers_survive_any_json():
    """Whatever a program sends, it is told what is wrong."""
    pick = random.Random(54)
    values = [None, True, 0, 1.5, "", "x", [], {}, ["x"], {"x": "y"}, 10**30]
    for _ in range(count(40, 2_000)):
        answers = json.loads(json.dumps(sent(DAY, WAY)))
        place = pick.choice((answers, answers["answers"][0], answers["answers"][0]["changes"]))
        place[pick.choice([*place, "x"])] = pick.choice(values)
        assert ask(new_person(), FILE, answers)["reason"]


def test_a_large_file_is_only_read_and_a_larger_one_is_not_tried(monkeypatch):
    def first_effect(most_imported, most):
        monkeypatch.setattr(trying, "_MOST_IMPORTED", most_imported)
        monkeypatch.setattr(trying, "_MOST_BYTES", most)
        given = {"account": "Giro", "currency": "EUR", "date_format": "DD/MM/YYYY"}
        (question,) = ask(new_person(), FILE, given=given)["questions"]
        return question["choices"][0]["effect"]

    combinations = 2
    size = combinations * len(FILE)
    whole, only_read = first_effect(size, size), first_effect(size - 1, size)
    assert whole["counts"]["created"] == 2
    assert only_read == whole | {"counts": None}
    assert first_effect(size - 1, size - 1) is None


def test_each_choice_can_be_told_from_the_others_by_the_rows_beside_it():
    data = b"Date,Payee,Amount,Direction\n" + b"".join(
        b"2026-03-0%d,Shop %d,%d.00,%s\n" % (day, day, day, way)
        for day, way in enumerate((b"ein", b"ein", b"weg", b"weg", b"hin"), 1)
    )
    given = {"account": "Giro", "currency": "EUR"}
    (question,) = ask(new_person(), data, given=given)["questions"]
    of_words = [choice for choice in question["choices"] if "sign" in choice["changes"]]
    shown = {str(choice["effect"]["entries"]) for choice in of_words}
    assert len(shown) == len(of_words) == 8


def test_a_choice_with_which_the_file_is_refused_is_not_offered(monkeypatch):
    """The number of line 3 is more than an amount can be, but not more than a column can have."""
    data = (
        b"date,amount,fee,payee\n2026-01-05,-5.00,1.00,Shop\n"
        b"2026-01-06,-6.00,1000000000000000.00,Bus\n"
    )

    def offered():
        given = {"account": "Giro", "currency": "EUR"}
        (question,) = ask(new_person(), data, given=given)["questions"]
        return [choice["changes"] for choice in question["choices"]]

    assert offered() == [{"ignore": ["fee"]}]
    monkeypatch.setattr(trying, "_MOST_BYTES", 0)
    assert offered() == [{"fee": ["fee=unsigned"]}, {"ignore": ["fee"]}]
