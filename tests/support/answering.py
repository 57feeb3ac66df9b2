"""A program that imports a file by answering the questions that it reads as JSON."""

import io
import json

from finance_api.importers.answers import parse_answers, questions_json
from finance_api.importers.interface import ImportRefused
from finance_api.ledger.orders import make_order
from finance_api.ledger.trying import import_answered
from finance_api.resources import RECORDS
from finance_api.storage.memory import MemoryBackend
from finance_api.values.time import date_text
from support.ledger import IMPORT_SETTINGS, Person
from support.left_open import HEAD, STORED

#: What only the user knows.
KNOWN = {
    "account": "Giro",
    "currency": "EUR",
    "encoding": "cp1252",
    "columns": {"amount": ["1"], "recordDate": ["2"]},
}
#: A program that needs more rounds goes in circles.
MOST_ROUNDS = 8


def ask(person, data, answers=None, given=None):
    """Import a file. Return the questions as a program reads them; {} if the file is stored.

    answers: JSON, as a program writes it.
    """
    stream = io.BytesIO(data)

    def make(options):
        person_and_time = {"email": person.user.email, "now": person.clock.now(), "name": "f"}
        return make_order(stream, options, IMPORT_SETTINGS, **person_and_time)

    try:
        parsed = None if answers is None else parse_answers(json.dumps(answers).encode())
        import_answered(person.backend, stream, make, given or {}, parsed)
    except ImportRefused as refused:
        return json.loads(json.dumps({"reason": str(refused), **questions_json(refused)}))
    return {}


def changes_of(question, number=0):
    """Return the changes of a choice, with what only the user knows."""
    if not question["choices"]:
        return {name: KNOWN[name] for name in question["needs"]}
    choice = question["choices"][number]
    return choice["changes"] | {name: KNOWN[name] for name in choice["needs"]}


def drive(person, data, choose=lambda question: 0, given=None):
    """Import a file to its end. Return the questions of each round.

    choose: takes a question and returns the number of the choice.
    """
    rounds, answers = [], []
    found = ask(person, data, given=given)
    while found:
        assert found["questions"], found
        assert len(rounds) < MOST_ROUNDS, (rounds, answers, data)
        rounds.append(found["questions"])
        for question in found["questions"]:
            assert question["topic"], (found, data)
            answer = {"topic": question["topic"], "changes": changes_of(question, choose(question))}
            if answer not in answers:
                answers.append(answer)
        sent = {"version": found["version"], "digest": found["digest"], "answers": answers}
        found = ask(person, data, sent, given)
    return rounds


def given_beside(point):
    """Return the options of files beside the stored records of a point of STORED."""
    account = "Purse" if point == "new account" else "Giro"
    return {"account": account, "currency": "EUR", "columns": {"id": ["ref"]}}


def person_with(point):
    """Return a person with the stored records of a point of STORED."""
    rows, earlier, _, _ = STORED[point]
    person = Person(MemoryBackend())
    if rows:
        person.native(*rows)
    for text in earlier:
        assert not ask(person, (HEAD + text).encode(), given=given_beside(point))
    return person


def chooser(question, number):
    """Choose this number for the question, and the first choice for all others."""
    place = question["topic"], question["line"]
    return lambda other: number if (other["topic"], other["line"]) == place else 0


def stored(person):
    return sorted((date_text(row["recordDate"]), row["amount"]) for row in person.rows(RECORDS))
