"""Questions about a file as JSON for programs, and their answers.

A program reads the questions, answers those it can, and imports the file again with the answers to
all questions so far, until nothing is left open.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from finance_api.importers.clauses import Clause, Topic, as_json
from finance_api.importers.interface import Choice, Effect, Example, ImportRefused, Question
from finance_api.importers.options import FileOption, OptionKind, changed, option_named
from finance_api.values.number import decimal_text, parse_decimal, to_units
from finance_api.values.time import date_text, parse_date

#: The version of the format. Raise it when answers to earlier questions would mean something else.
VERSION = 1
#: A refusal quotes at most this many characters of a wrong answer.
_LONGEST = 200
#: The options that name columns, which a question about columns leaves to the user.
_OF_COLUMNS = ("columns", "debit", "credit")
#: Topics without choices -> the options that a program can give.
_NEEDS: Mapping[Topic, tuple[str, ...]] = {
    Topic.AMOUNT_EMPTY: ("only", "skip_last"),
    Topic.SIDES_EMPTY: ("only", "skip_last"),
    Topic.BOTH_SIDES: ("only", "skip_last"),
    Topic.DATE_EMPTY: ("only", "skip_last"),
    Topic.NOT_OF_DECIMAL: ("decimal", "thousands"),
    Topic.NO_DECIMALS: ("decimal", "currency"),
    Topic.NO_DELIMITER: ("delimiter",),
    Topic.NO_PROFILE: ("profile",),
    Topic.NO_YEAR: ("date_format",),
    Topic.NOT_A_DATE: ("date_format",),
    Topic.NOT_IN_FORM: ("date_format",),
    Topic.OTHER_FORM: ("date_format",),
    Topic.QUOTE: ("delimiter",),
    Topic.ROW_WITHOUT_WAY: ("only", "no_profile"),
    Topic.UNDIVIDED: ("delimiter", "skip_rows"),
    Topic.WIDTH: ("skip_rows", "skip_last"),
    Topic.WORD_NEEDS_BALANCE: ("only",),
    Topic.WORD_NOT_KNOWN: ("only",),
    Topic.YEAR_OUTSIDE: ("date_format",),
}


def questions_json(refused: ImportRefused) -> dict[str, Any]:
    """Return what the file leaves open."""
    questions = [question_json(each) for each in refused.questions]
    return {"version": VERSION, "digest": refused.digest, "questions": questions}


def question_json(question: Question) -> dict[str, Any]:
    """Return a question. A fault that no option helps with has a ``sentence`` and no topic."""
    fact = question.fact
    is_typed = isinstance(fact, Clause)
    return {
        **(as_json(fact) if is_typed else {"topic": None, "sentence": str(fact)}),
        "line": question.line,
        "needs": list(_needs(question)),
        "rows": [row._asdict() for row in question.rows],
        "choices": [_choice_json(each) for each in question.choices],
    }


def _needs(question: Question) -> tuple[str, ...]:
    topic = _topic(question)
    if question.needs or question.choices or topic is None:
        return question.needs
    return _NEEDS.get(topic, ())


def _choice_json(choice: Choice) -> dict[str, Any]:
    return {
        "changes": choice.changes,
        "needs": list(choice.needs),
        "meaning": as_json(choice.meaning) or None,
        "effect": None if choice.effect is None else _effect_json(choice.effect),
    }


def _effect_json(effect: Effect) -> dict[str, Any]:
    entries = [
        {
            **each._asdict(),
            "day": date_text(each.day),
            "amount": decimal_text(each.amount),
            "direction": "out" if each.amount < 0 else "in",
        }
        for each in effect.entries
    ]
    return {"entries": entries, "counts": effect.counts}


def effect_from_json(value: Any) -> Effect | None:
    """Return the effect of a choice that `question_json` wrote."""
    if value is None:
        return None
    entries = (
        Example(
            entry["line"],
            parse_date(entry["day"]),
            to_units(parse_decimal(entry["amount"])),
            *(entry[name] for name in ("currency", "account", "text")),
        )
        for entry in value["entries"]
    )
    return Effect(tuple(entries), value["counts"])


@dataclass
class Answers:
    """Answers to the questions about a file.

    digest: the SHA-256 of the file. answers: topic and changes, in the order in which they were
    given. used: the numbers of the answers that answered a question so far.
    """

    digest: str
    answers: Sequence[tuple[Topic, Mapping[str, Any]]]
    used: set[int] = field(default_factory=set)

    def applied(self, refused: ImportRefused, given: Mapping[str, Any]) -> dict[str, Any] | None:
        """Return the options with the answers to these questions; None if no answer is left.

        Raises ImportRefused if an answer's topic is asked about, but its choice is not offered.
        """
        options, before = dict(given), len(self.used)
        for question in refused.questions:
            for number, (topic, changes) in self._unused():
                if _topic(question) is topic and _is_offered(question, changes):
                    options = changed(options, changes)
                    self.used.add(number)
                    break
        if len(self.used) > before:
            return options
        asked = {_topic(question): question for question in refused.questions}
        for number, (topic, changes) in self._unused():
            if topic in asked:
                raise _not_offered(number, topic, changes, asked[topic])
        return None

    def check_used(self) -> None:
        """Raise ImportRefused if an answer answered nothing."""
        for number, (topic, _) in self._unused():
            raise _wrong(number, f"the file does not leave {topic.value!r} open")

    def _unused(self) -> Iterator[tuple[int, tuple[Topic, Mapping[str, Any]]]]:
        for number, answer in enumerate(self.answers):
            if number not in self.used:
                yield number, answer


def parse_answers(text: bytes) -> Answers:
    """Parse the JSON of answers. Raises ImportRefused with what is wrong."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        raise ImportRefused("the answers are not JSON") from None
    if not isinstance(found, dict):
        raise ImportRefused("the answers are not a JSON object")
    if unknown := found.keys() - {"version", "digest", "answers"}:
        raise ImportRefused(f"the answers have the unknown member {_shortened(min(unknown))}")
    if found.get("version") != VERSION or isinstance(found["version"], bool):
        version = _shortened(found.get("version"))
        raise ImportRefused(
            f"the answers have the version {version}, but this program reads version {VERSION}: "
            f"import the file without answers, and answer the questions that it then leaves open"
        )
    if not isinstance(found.get("digest"), str):
        raise ImportRefused("the answers have no digest: copy it from the questions")
    if not isinstance(found.get("answers"), list):
        raise ImportRefused("the answers have no list 'answers'")
    answers = [_parsed(number, each) for number, each in enumerate(found["answers"])]
    return Answers(found["digest"], answers)


def _parsed(number: int, answer: Any) -> tuple[Topic, Mapping[str, Any]]:
    if not isinstance(answer, dict) or answer.keys() != {"topic", "changes"}:
        raise _wrong(number, "it is not an object with 'topic' and 'changes'")
    if answer["topic"] not in list(Topic):
        raise _wrong(number, f"there is no topic {_shortened(answer['topic'])}")
    if not isinstance(answer["changes"], dict):
        raise _wrong(number, "its 'changes' are not an object")
    return Topic(answer["topic"]), answer["changes"]


def _topic(question: Question) -> Topic | None:
    return Topic(question.fact.topic) if isinstance(question.fact, Clause) else None


def _is_offered(question: Question, changes: Mapping[str, Any]) -> bool:
    """Return whether the changes are a choice, with what only the user knows."""
    for choice in question.choices:
        offered = _plain(choice.changes)
        said = {name: value for name, value in changes.items() if name in choice.needs}
        if changes == {**offered, **said} and _are_values(said, choice.needs):
            return True
    needs = _needs(question)
    allowed = {*needs, *(_OF_COLUMNS if "columns" in needs else ())}
    return bool(changes) and changes.keys() <= allowed and _are_values(changes, changes)


def _are_values(values: Mapping[str, Any], names: Iterable[str]) -> bool:
    return all(_is_value(name, values.get(name)) for name in names)


def _plain(changes: Any) -> Any:
    """Return changes as a program reads them from JSON."""
    return json.loads(json.dumps(changes))


def _is_value(name: str, value: Any) -> bool:
    """Return whether the value is of the option's kind, and not empty."""
    option: FileOption = option_named(name)
    match option.kind:
        case OptionKind.FLAG:
            return value is True
        case OptionKind.NUMBER:
            is_number = isinstance(value, int) and not isinstance(value, bool)
            return is_number and 0 <= value <= (value if option.most is None else option.most)
        case OptionKind.LIST:
            return _is_list(value)
        case OptionKind.MAP:
            return isinstance(value, dict) and bool(value) and all(map(_is_list, value.values()))
        case OptionKind.CHOICE:
            return value in option.choices
    return isinstance(value, str) and bool(value)


def _is_list(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(v, str) for v in value)


def _not_offered(
    number: int, topic: Topic, changes: Mapping[str, Any], question: Question
) -> ImportRefused:
    offered = [
        _json({**choice.changes, **dict.fromkeys(choice.needs, "…")}) for choice in question.choices
    ]
    if needs := _needs(question):
        offered.append(f"a value for {' or '.join(needs)}")
    choices = " or ".join(offered) or "nothing"
    return _wrong(
        number, f"{_shortened(changes)} is not offered for {topic.value!r}, which offers {choices}"
    )


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _shortened(value: Any) -> str:
    text = _json(value).encode(errors="backslashreplace").decode()
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"


def _wrong(number: int, fault: str) -> ImportRefused:
    return ImportRefused(f"answer {number + 1}: {fault}")
